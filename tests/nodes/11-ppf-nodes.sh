#!/bin/bash
# ppf nodes: prediction and simulation agree where they must, and with what is computed by hand.
# shellcheck source=tests/scenarios/lib.sh
. "${BASH_SOURCE[0]%/*}/../scenarios/lib.sh"
ppf() { "$(dirname "$GCRYPT")/ppf" "$@"; }
same_nodes=(--spread 0 --slow 0 --failures 0)

# 64 GiB, 1 GiB/s a node, storage of 6 GiB/s, a second of start.
ppf nodes --size 64G --rate 1G --storage 6G --nodes 100 "${same_nodes[@]}" --json >json
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
    for dealing in ("ranges", "dealt"):
        # The last pieces do not use all of the storage: 64 MiB at 1 GiB/s are 62.5 ms.
        assert -1e-6 < row[dealing]["seconds"] - seconds < 0.0625, row
        assert row[dealing]["failures"] == 0 and row[dealing]["lost_bytes"] == 0
END

# Processes of one host: half of the time of a byte becomes 4/3 and 8/3 times as long with 2 and 4 of them.
ppf nodes --size 64G --rate 1G --together 2G --together 3G --nodes 4 "${same_nodes[@]}" --json >json
python3 - <<'END'
import json
for row, seconds in zip(json.load(open("json"))["rows"], (65, 1 + 32 * (1 / 2 + 2 / 3), 1 + 16 * (1 / 2 + 4 / 3))):
    for have in (row["predicted_s"], row["ranges"]["seconds"], row["dealt"]["seconds"]):
        assert abs(have - seconds) < 1e-6, row
END

# Unequal nodes: dealing out is never slower by more than a piece of the slowest node, and the same seed is the same run.
ppf nodes --size 64G --rate 1G --nodes 64 --spread 20 --slow 10 --failures 0 --json >one
ppf nodes --size 64G --rate 1G --nodes 64 --spread 20 --slow 10 --failures 0 --json --seed 1 >two
same one two
ppf nodes --size 64G --rate 1G --nodes 64 --spread 20 --slow 10 --failures 0 --json --seed 2 >three
! cmp -s one three || give_up "another seed is the same run"
python3 - <<'END'
import json
for row in json.load(open("one"))["rows"]:
    assert row["dealt"]["seconds"] < row["ranges"]["seconds"] + 1, row
    assert row["nodes"] < 8 or row["dealt"]["seconds"] < 0.7 * row["ranges"]["seconds"], row
END

# Failures cost time, and their number is what the mean says: one an hour and node, which is then down for 30 s.
ppf nodes --size 1T --rate 32M --nodes 16 --spread 0 --slow 0 --failures 1 --restart 30 --runs 100 --json >json
python3 - <<'END'
import json
rows = json.load(open("json"))["rows"]
assert all(row["dealt"]["seconds"] > row["predicted_s"] for row in rows), rows
expected = sum(row["nodes"] * row["dealt"]["seconds"] / 3630 for row in rows)
failures = sum(row["dealt"]["failures"] for row in rows)
assert 0.95 * expected < failures < 1.05 * expected, (failures, expected)
END

# A failure costs half of a piece on average: of one node with a range of its own, or of all nodes of a job.  One of 64
# nodes fails every 562 s; those that fail while the job is down cost nothing.
ppf nodes --size 10T --rate 100M --piece 256M --failures 10 --nodes 64 --spread 0 --slow 0 --runs 30 --json >json
python3 - <<'END'
import json
row = json.load(open("json"))["rows"][-1]
lost = {name: row[name]["lost_bytes"] / row[name]["failures"] / 2**27 for name in ("ranges", "dealt")}
assert row["nodes"] == 64 and 0.6 < lost["ranges"] < 1.4 and 0.6 * 64 < lost["dealt"] < 1.1 * 64, lost
END

ppf nodes --size 1G --rate 1G >out
grep -q '^from 16 nodes on, another one does not help$' out || give_up "$(cat out)"
grep -q '; storage: no limit$' out || give_up "$(cat out)"
ppf nodes --size 10G --rate 1G --piece 1G --storage 8G --nodes 16 | grep -q '^from 10 nodes on'

# A rest of a piece that takes no time is done.
timeout 60 "$(dirname "$GCRYPT")/ppf" nodes --size 1G --rate 2560M --piece 4K --start 60 --nodes 1 >out

# The mean of equal runs is the longest one.
ppf nodes --size 1G --rate 1777M --nodes 16 "${same_nodes[@]}" --runs 7 --json >json
python3 - <<'END'
import json
for row in json.load(open("json"))["rows"]:
    for dealing in ("ranges", "dealt"):
        assert row[dealing]["seconds"] <= row[dealing]["longest_s"] * (1 + 1e-15), row
END
for wrong in "--size 1G" "--rate 1G" "--size 1T --rate 1G --piece 4K" "--size 1T --rate 1K --piece 1G --failures 1" \
	"--size 1T --rate 1G --piece 1M --nodes 1025" \
	"--size 10T --rate 1M --piece 900M --failures 1 --spread 100 --slow 100 --nodes 4" \
	"--size 1T --rate 1G --failures 1 --restart 60 --nodes 601" "--size 1G --rate 1G --together 2x" \
	"--size 1G --rate 1G --together 0" "--size 1G --rate 1G --nodes 0" "--size 1G --rate 1G --spread 101"; do
	code=0
	# shellcheck disable=SC2086
	timeout 300 "$(dirname "$GCRYPT")/ppf" nodes $wrong >out 2>err || code=$?
	[ "$code $(wc -l <err)" = "2 1" ] || give_up "ppf nodes $wrong: exit $code: $(cat err)"
done
