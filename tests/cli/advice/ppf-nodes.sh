#!/bin/bash
# ppf nodes: the predictions equal values that were computed by hand.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
ppf() { "$(dirname "$GCRYPT")/ppf" "$@"; }

# 64 GiB, 1 GiB/s a node, storage of 6 GiB/s, a second of start.
ppf nodes --size 64G --rate 1G --storage 6G --nodes 100 --json >json
python3 - <<'END'
import json
whole = json.load(open("json"))
# With 6 nodes one has 171 of the 1024 pieces, which takes 10.69 s; the storage takes 10.67 s.
assert whole["bytes"] == 64 * 2**30 and whole["enough"] == 7
want = {1: (65, "nodes"), 2: (33, "nodes"), 4: (17, "nodes")}
assert [row["nodes"] for row in whole["rows"]] == [1, 2, 4, 8, 16, 32, 64, 100]
for row in whole["rows"]:
    seconds, bound = want.get(row["nodes"], (1 + 64 / 6, "storage"))
    assert abs(row["predicted_s"] - seconds) < 1e-9 and row["bound"] == bound, row
END

# Processes of one host: half of the time of a byte becomes 4/3 and 8/3 times as long with 2 and 4 of them.
ppf nodes --size 64G --rate 1G --together 2G --together 3G --nodes 4 --json >json
python3 - <<'END'
import json
for row, seconds in zip(json.load(open("json"))["rows"], (65, 1 + 32 * (1 / 2 + 2 / 3), 1 + 16 * (1 / 2 + 4 / 3))):
    assert abs(row["predicted_s"] - seconds) < 1e-6, row
END

ppf nodes --size 1G --rate 1G >out
grep -q '^from 16 nodes on, another one does not help$' out || give_up "$(cat out)"
grep -q '; storage: no limit$' out || give_up "$(cat out)"
ppf nodes --size 10G --rate 1G --piece 1G --storage 8G --nodes 16 | grep -q '^from 10 nodes on'

for wrong in "--size 1G" "--rate 1G" "--size 1G --rate 1G --together 2x" "--size 1G --rate 1G --together 0" \
	"--size 1G --rate 1G --nodes 0" "--size 1G --rate 1G --spread 1"; do
	code=0
	timeout 300 "$(dirname "$GCRYPT")/ppf" nodes $wrong >out 2>err || code=$?
	[ "$code $(wc -l <err)" = "2 1" ] || give_up "ppf nodes $wrong: exit $code: $(cat err)"
done
