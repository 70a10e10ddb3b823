#!/bin/bash
# The self-test of the CPU engine, whole and in parts, prints its counts; its report names no host, user or file.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
mkdir -p home/vendors # a path that does not start with a slash
echo home/me/libmissing.so >home/vendors/missing.icd
export OCL_ICD_VENDORS=home/vendors
keep_records
"$GCRYPT" selftest --report report.json >out
grep -qE '[0-9]+ passed, 0 failed, [0-9]+ skipped' out
count() { grep -oE '[0-9]+ passed' | grep -oE '[0-9]+'; }
all=$(count <out) sum=0
[ "$all" -ge 54 ] || give_up "only $all" # cipher × key size × mode × direction
for i in 0 1 2; do
	sum=$((sum + $("$GCRYPT" selftest --shard "$i/3" | count)))
done
[ "$sum" -eq "$all" ] || give_up "the parts make $sum, the whole $all"
python3 - "$all" "$(hostname)" "$(id -un)" <<'PY' || give_up "report: $(cat report.json)"
import json, os, sys
text = open("report.json").read()
report = json.loads(text)
answers, measured = report["known_answers"], report["measured"]
assert [answers[key] for key in ("passed", "failed", "skipped")] == [int(sys.argv[1]), 0, 0]
assert report["format"] == "gcrypt report 1" and report["version"]
assert [row["cipher"] for row in measured["cpu"]] == ["aes", "camellia", "sc2000"] and report["devices"] == []
assert measured["note"] == "left out, because it names a file"
assert os.getcwd() not in text and os.environ["HOME"] not in text and "missing" not in text
assert not [word for word in text.replace('"', " ").split() if word.strip(",:") in sys.argv[2:]]
PY
expect 6 "report.json: exists: not overwritten without -f" "$GCRYPT" selftest --report report.json
"$GCRYPT" selftest -v >out
grep -q camellia out
expect_exit 8 "$GCRYPT" selftest --device 77 >out
[ ! -s out ] || give_up "counts of nothing: $(cat out)"
