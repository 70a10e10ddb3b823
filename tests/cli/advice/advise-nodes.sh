#!/bin/bash
# advise --nodes: its table is what follows by hand from one node's prediction and the rate of the storage.
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
