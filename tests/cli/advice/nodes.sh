#!/bin/bash
# advise --nodes and ppf nodes: what advise prints follows by hand from one node's prediction and the rate of the storage.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
keep_records
a=(--engine cpu --cipher aes --bits 256 --size 64G)

"$GCRYPT" advise --json "${a[@]}" --nodes 12 --storage 1T >given
"$GCRYPT" advise --json "${a[@]}" --nodes 12 >measured
"$GCRYPT" advise --json "${a[@]}" >without
python3 - <<'END'
import json, math
given, measured, without = (json.load(open(name)) for name in ("given", "measured", "without"))
assert "nodes" not in without
files, nodes = given["rows"][0]["files"], given["nodes"]
n_bytes, group = 64 * 2**30, 2**23
# One node: what enc does from file to file.
start = files["start_s"] + files["end_s"]
rate = n_bytes / (files["seconds"] - start)
assert math.isclose(given["nodes"]["rows"][0]["seconds"], files["seconds"], rel_tol=1e-9)
assert math.isclose(nodes["node_bytes_per_s"], rate, rel_tol=1e-9), (nodes, rate)
assert math.isclose(nodes["start_s"], start, rel_tol=1e-9, abs_tol=1e-12) and nodes["piece_bytes"] == group
assert nodes["storage_bytes_per_s"] == 2**40 and measured["nodes"]["storage_bytes_per_s"] is None

def check(nodes):
    storage = nodes["storage_bytes_per_s"] or math.inf
    assert [row["nodes"] for row in nodes["rows"]] == [1, 2, 4, 8, 12]
    pieces = n_bytes // group
    times = [max(math.ceil(pieces / n) * group / rate, n_bytes / storage) for n in range(1, pieces + 1)]
    assert nodes["enough"] == 1 + next(i for i, time in enumerate(times) if time <= min(times) * (1 + 1e-9)), nodes
    for row in nodes["rows"]:
        share = math.ceil(n_bytes / group / row["nodes"]) * group
        work = max(share / rate, n_bytes / storage)
        assert math.isclose(row["seconds"], start + work, rel_tol=1e-9), row
        bound = "start" if start > work else "storage" if n_bytes / storage > share / rate else "nodes"
        assert row["bound"] == bound, row

check(nodes)
check(measured["nodes"])
END

# A storage that two of these nodes use, and what is printed.
rate=$(python3 -c 'import json; print(round(2 * json.load(open("given"))["nodes"]["node_bytes_per_s"]))')
expect_exit 0 "$GCRYPT" advise "${a[@]}" --nodes 5 --storage "$rate" >out
grep -q '^64 GiB on nodes like this one' out || give_up "$(cat out)"
grep -qE '^from [23] nodes on, another one does not help$' out || give_up "$(cat out)"
[ "$(grep -cE '^ +[1245] +[0-9.]+ +[0-9.]+  (nodes|storage)$' out)" -eq 4 ] || give_up "$(cat out)"
grep -qE '^ +5 .*  storage$' out || give_up "$(cat out)"

# ppf nodes: the predictions equal values that were computed by hand.
# 64 GiB, 1 GiB/s a node, storage of 6 GiB/s, a second of start.
"$ppf" nodes --size 64G --rate 1G --storage 6G --nodes 100 --json >json
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
"$ppf" nodes --size 64G --rate 1G --together 2G --together 3G --nodes 4 --json >json
python3 - <<'END'
import json
for row, seconds in zip(json.load(open("json"))["rows"], (65, 1 + 32 * (1 / 2 + 2 / 3), 1 + 16 * (1 / 2 + 4 / 3))):
    assert abs(row["predicted_s"] - seconds) < 1e-6, row
END

"$ppf" nodes --size 1G --rate 1G >out
grep -q '^from 16 nodes on, another one does not help$' out || give_up "$(cat out)"
grep -q '; storage: no limit$' out || give_up "$(cat out)"
"$ppf" nodes --size 10G --rate 1G --piece 1G --storage 8G --nodes 16 | grep -q '^from 10 nodes on'

for wrong in "--size 1G" "--rate 1G" "--size 1G --rate 1G --together 2x" "--size 1G --rate 1G --together 0" \
	"--size 1G --rate 1G --nodes 0" "--size 1G --rate 1G --spread 1"; do
	code=0
	timeout 300 "$ppf" nodes $wrong >out 2>err || code=$?
	[ "$code $(wc -l <err)" = "2 1" ] || give_up "ppf nodes $wrong: exit $code: $(cat err)"
done
