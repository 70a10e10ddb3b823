#!/bin/bash
# Names that display as others, or that a terminal obeys, are escaped wherever they are shown.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu --key-file key)

# Characters of the categories Cc, Cf, Zl and Zp in a file, as Python's tables have them.
cat >hidden.py <<'PY'
import sys, unicodedata
text = open(sys.argv[1], encoding="utf-8").read().replace("\n", "")
found = {f"U+{ord(c):04X}" for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")}
sys.exit(f"{sys.argv[1]} has {' '.join(sorted(found))}" if found else 0)
PY

python3 "$tests/model/archives.py" names names.gcr
for option in '' -v --json; do
	expect_exit 0 "$GCRYPT" list $option "${k[@]}" names.gcr >listed
	python3 hidden.py listed || give_up "list $option shows what is not seen"
done
"$GCRYPT" list "${k[@]}" names.gcr >listed
[ "$(wc -l <listed)" -eq 21 ] || give_up "$(wc -l <listed) lines"
[ "$(sort -u listed | wc -l)" -eq 21 ] || give_up "two names look the same"
for line in '\342\200\256gnp.exe' 'a\302\233b' 'a\357\273\277b' 'a\363\240\201\277b' ünï link; do
	grep -qxF -e "$line" listed || give_up "no $line in the list"
done
"$GCRYPT" list --json "${k[@]}" names.gcr | python3 -c '
import json, sys
names = [entry["name"] for entry in json.load(sys.stdin)["entries"]]
assert "\u202egnp.exe" in names and "a\u009bb" in names and "ünï" in names' || give_up "JSON has other names"

python3 "$tests/model/archives.py" bad-name bad.gcr
refused 4 refused dec "${k[@]}" bad.gcr
python3 hidden.py err || give_up "a message shows what is not seen"
no_file bad
