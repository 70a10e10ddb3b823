#!/bin/bash
# ppf compare: rows are what ppf predict and ppf run compute, in all formats; rejected lines; docs/compare.md.  With
# GCRYPT_TEST_ONE_IN three ciphers of that page.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
"$ppf" analyze --function f - <<<'int f(void) { return 0; }' >out 2>&1 || true
! grep -q 'without libclang' out || skip "$(cat out)"
# A round is a look-up, a word of the key and an operator.
cat >f.c <<'C'
static const unsigned box[256] = { 1 };
void f(const unsigned *in, unsigned *out, const unsigned *rk, int rounds)
{ unsigned x = in[0] >> 24; for (int i = 0; i < rounds; i++) x = box[x] ^ rk[i]; out[0] = x; }
C
cat >list <<'L'
# NAME SOURCE FUNCTION OPTION... don't {a,b}
'#_&,"b \#' f.c f --set "rounds=1" # a comment, don't
none f.c g

rounds f.c f --set rounds={2,4}
built-in --cipher aes --copies {1,4}
short f.c
twice --cipher aes --bits 128 --bits 128
`id` f.c f
open f.c f "--set rounds=1
L
# compare CODE ARGUMENT…
compare() {
	local code=0
	"$ppf" compare "${@:2}" 2>err || code=$?
	[ $code -eq "$1" ] || give_up "exit $code: ${*:2}: $(cat err)" >&2
}
devices=(--device gtx580 --device h200)
compare 2 --size 1M "${devices[@]}" --json list >json
[ "$(cut -d: -f1-3 err | uniq)" = "$(printf 'ppf: list:%s\n' 3 7 8 9 10)" ] || give_up "places: $(cat err)"
"$ppf" predict --size 1M --device h200 --source f.c --function f --set rounds=1 --json >one
"$ppf" predict --size 1M --device h200 --cipher aes --copies 4 --json >two
compare 2 --device h200 --format csv list >rows.csv
head -n 2 list >first
compare 0 --device h200 --format latex first >rows.latex
plot=()
! command -v gnuplot >/dev/null || plot=(--plot plot.svg)
compare 2 --device h200 list "${plot[@]}" >text
python3 - <<'PY' || give_up "rows: $(cat json rows.csv rows.latex text)"
import csv, json, os, xml.etree.ElementTree as xml
rows = json.load(open("json"))
of = {(row["name"], row["variant"], row["record"]): row for row in rows}
assert len(of) == len(rows) == 2 * 8, list(of)
one, two = of['#_&,"b \\#', None, "h200"], of["built-in", 4, "h200"]
for row, file in ((one, "one"), (two, "two")):
    assert json.load(open(file)).items() <= row.items() and "step" not in row
assert [one["operations"][n] for n in ("n_tbl", "n_key", "n_inst", "n_pt", "n_ct")] == [1, 1, 2, 1, 1]
assert of["rounds", 4, "h200"]["step"] == {"n_tbl": 1, "n_key": 1, "n_inst": 1, "n_pt": 0, "n_ct": 0}
assert of["none", None, "gtx580"]["failure"].startswith("f.c: defines no function g")
assert of["twice", None, "h200"]["failure"] == "--bits: given twice"
table = list(csv.DictReader(open("rows.csv")))
assert len(table) == 8 and table[0]["name"] == '#_&,"b \\#' and table[3]["+N_key"] == "1" and table[5]["copies"] == "4"
assert table[1]["bound by"].startswith("failed: f.c: defines no") and table[1]["GB/s"] == ""
assert '\n\\#\\_\\&,"b \\textbackslash{}\\# & h200 & 1 & 1 & 1 & 2 & ' in open("rows.latex").read()
assert open("text").read().count(" failed: ") == 3
assert not os.path.exists("plot.svg") or {"rounds 4, h200", "#_&,'b #, h200"} <= {*xml.parse("plot.svg").getroot().itertext()}
PY
# rejects CODE TEXT ARGUMENT…
rejects() {
	compare "$1" "${@:3}" >out
	says "$2"
}
echo '# nothing' >empty
rejects 2 'the files name no function' --device h200 empty
rejects 3 'nowhere: cannot open' --device h200 nowhere
rejects 3 'nowhere.json: cannot open' --device nowhere.json list
rejects 2 '--device or --run' list
rejects 2 '--json: not with --format' --device h200 --json --format csv list
python3 -c 'print("x --cipher aes " + "{}" * 900, "y " * 200, "z" * 3000, sep="\n")' >long
rejects 2 'long:2: more than 128 words' --device h200 long
says 'long:3: longer than 2047 bytes'
# A function that is not run has a row, too.
cat >run <<'L'
empty f.c f --prepare ''
ran f.c f --set rounds=1 --work-groups 2
AES --cipher aes
copies f.c f --set rounds=1 --copies 2
L
rejects 2 'run:1: --prepare: its value is empty' --run --size 64KiB run
grep -qE '^ran .* 1 +1 +1 +2( +[0-9.]+){5} [a-z ]+$' out || give_up "not measured: $(cat out)"
[ "$(grep -c ' failed: --run: only for sources: not with --cipher' out)" -eq 2 ] || give_up "refused runs: $(cat out)"
names='^[A-Za-z]'
[ -z "${GCRYPT_TEST_ONE_IN-}" ] || names='^(SM4|Feistel|AES-1) '
command=$(sed -n 's/^    ppf compare \(.*\) --plot compare.svg .*/\1/p' "$root/docs/compare.md")
grep -E "$names" "$root/examples/ciphers/compare.txt" >some
# shellcheck disable=SC2086 # words
(list=$PWD/some && cd "$root" && "$ppf" compare $command "$list") | grep -v '^name ' | tr -s ' ' >found
sed -n 's/^    //p' "$root/docs/compare.md" | grep -vE '^(name|ppf) ' | grep -E "$names" | tr -s ' ' >shown
[ -s shown ] || give_up "no table"
diff found shown || give_up "docs/compare.md"
