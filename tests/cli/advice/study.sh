#!/bin/bash
# ppf study: accepted and rejected options, before a device is opened; and the conclusions of a stored run.
. "${BASH_SOURCE[0]%/*}/../lib.sh"

"$ppf" study --list >list
grep -q '^4\.8 ' list || give_up "no figure 4.8 in $(cat list)"
for figure in 5.1 5.2 5.3 5.4 6.4 6.5 6.6 6.7 6.8a 6.9c 6.10 6.12 gkrypt-enc gkrypt-dec; do
	grep -q "^$figure " list || give_up "no figure $figure in $(cat list)"
done
[ "$(cut -d' ' -f1 list | sort | uniq -d | wc -l)" -eq 0 ] || give_up "a name twice"

# refused CODE TEXT OPTION…
refused() {
	local code=$1 text=$2
	shift 2
	local found=0
	"$ppf" study "$@" >out 2>err || found=$?
	[ "$found" -eq "$code" ] || give_up "exit $found instead of $code: $*: $(cat err)"
	[ "$(wc -l <err)" -eq 1 ] || give_up "messages: $(cat err)"
	grep -qF -e "$text" err || give_up "no '$text' in $(cat err)"
	[ ! -s out ] || give_up "output: $(cat out)"
}
refused 2 "unknown figure '9.9'" --figure 9.9
for name in r 6 6.1 6.1a g; do
	refused 2 "unknown figure '$name'" --figure "$name"
done
refused 2 'its value is empty' --figure ''
refused 2 'too many operands: 4.8' --quick 4.8
refused 2 "device: 'x' is not a number" --device x
refused 2 'needs a value' --figure
refused 2 'unknown option' --fast
refused 8 'OpenCL device 99' --figure 4.8 --device 99 --out folder
no_file folder

# The values of a stored run give the conclusions of that run again.
stored=$(realpath "$root/docs/study-h200")
"$ppf" study --from "$stored" --json >again 2>err || give_up "$(cat err)"
python3 - "$stored" <<'PYTHON' || give_up "conclusions"
import json, sys
figures = json.load(open("again"))
assert len(figures) == 20
for figure in figures:
    stored = json.load(open(f"{sys.argv[1]}/{figure['figure']}.json"))
    assert figure == stored, figure["figure"]
PYTHON
mkdir damaged
for text in '' '[]' '{}' '{"device": 1}'; do
	echo "$text" >damaged/6.7.json
	refused 4 'not a figure of ppf study' --from damaged --figure 6.7
done
python3 -c "import json; f = json.load(open('$stored/6.7.json')); f['rows'] = []; json.dump(f, open('damaged/6.7.json', 'w'))"
refused 4 'not a figure of ppf study' --from damaged --figure 6.7
cp "$stored/6.6.json" damaged/6.7.json
refused 4 'contains another figure' --from damaged --figure 6.7
refused 3 '6.5.json' --from damaged --figure 6.5

# If ppf-study is missing, one line says how to build it.
cp "$ppf" lonely
found=0
PATH=/nowhere ./lonely study --list >out 2>err || found=$?
[ "$found" -eq 7 ] || give_up "exit $found without ppf-study: $(cat err)"
[ "$(cat err)" = "ppf: ppf-study: cannot be run: No such file or directory (\`make research\` in gcrypt's sources builds it)" ] ||
	give_up "messages: $(cat err)"

# With a gnuplot that does not run: a page with tables, and one line about it.  What else lies there
# stays.
mkdir folder broken
echo mine >folder/notes
printf '#!/bin/sh\nexit 1\n' >broken/gnuplot
chmod +x broken/gnuplot
PATH=$PWD/broken:$PATH "$ppf" study --quick --figure 6.7 --out folder >out 2>err || give_up "$(cat err)"
[ "$(cat err)" = 'ppf: warning: no pictures: gnuplot cannot be run' ] || give_up "messages: $(cat err)"
[ "$(ls folder)" = "$(printf '6.7.json\nindex.html\nnotes')" ] || give_up "in the folder: $(ls folder)"
grep -q '^Figure 6\.7: ' out || give_up "output: $(cat out)"
python3 - <<'PYTHON' || give_up "JSON or page"
import json
figure = json.load(open("folder/6.7.json"))
assert figure["figure"] == "6.7" and figure["quick"] is True and "failure" not in figure
assert figure["series"][0]["points"][0]["y"] > 0 and figure["conclusions"]
page = open("folder/index.html").read()
assert figure["device"] in page and '<a href="6.7.json">' in page and "<img" not in page
PYTHON
