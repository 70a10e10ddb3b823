#!/bin/bash
# What became of each file: JSON, the log, the line of sums, and what verify has verified.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu --key-file key)
bytes 30000 >a
bytes 50000 >b
"$GCRYPT" enc "${k[@]}" --json --log log a b >results
"$GCRYPT" verify "${k[@]}" --json a.gcr b.gcr >verified
flip a.gcr 20500
expect_exit 4 "$GCRYPT" dec -f "${k[@]}" --json --log log b.gcr a.gcr >failed
"$GCRYPT" dec "${k[@]}" --json -o - b.gcr >back 2>on-error
same b back
"$GCRYPT" rekey "${k[@]}" --new-key-file key --json -o new.gcr b.gcr >rekeyed
"$GCRYPT" enc "${k[@]}" --json --dry-run --log not-made -o other b >plan
no_file not-made
python3 - <<'TEXT' || give_up "results"
import json
def lines(name): return [json.loads(line) for line in open(name)]
made, verified, failed, log = lines("results"), lines("verified"), lines("failed"), lines("log")
assert [(r["input"], r["output"], r["bytes"]) for r in made] == [("a", "a.gcr", 30000), ("b", "b.gcr", 50000)]
for r in made:
    assert r["status"] == 0 and r["error"] is None and r["seconds"] > 0 and "CPU" in r["engine"]
    assert (r["cipher"], r["bits"], r["mode"]) == ("aes", 256, "ctr") and r["time"].endswith("Z")
# The digest is the MAC of the last page: its last 32 bytes, here of the only page.
for r in made:
    container = open(r["output"], "rb").read()
    if r["output"] == "b.gcr": assert container[16384 + 4096 - 32:16384 + 4096].hex() == r["digest"]
assert [r["digest"] for r in verified] == [r["digest"] for r in made]
assert all(r["output"] is None for r in verified)
good, bad = failed
assert good["status"] == 0 and good["digest"] == made[1]["digest"]
assert bad["status"] == 4 and "corrupt" in bad["error"] and bad["digest"] is None
assert [(r["input"], r["status"]) for r in log] == [("a", 0), ("b", 0), ("b.gcr", 0), ("a.gcr", 4)]
assert lines("on-error")[0]["status"] == 0
assert lines("rekeyed")[0]["output"] == "new.gcr"
TEXT
[ "$(stat -c %a log)" = 600 ] || give_up "others may read the log"
refused 6 'b: exists, and is no log' enc "${k[@]}" --log b -o third a
bytes 50000 | cmp - b || give_up "the input was written to"
# Nothing is appended to a key file, an input or an output that begins like a log, whatever name leads to it.
{ printf '{' && bytes 31 8; } >braced
printf '{"a":1}' >data.json
ln braced linked
ln -s log symbolic
chmod 600 braced
cp braced before
for name in braced linked; do
	refused 6 "$name: not appended to: --key-file reads it" enc --engine cpu --key-file braced --log $name -o third a
	expect_exit 6 "$GCRYPT" enc --engine cpu --passphrase file:braced --log $name -o third a
done
same before braced
refused 2 'data.json: the input cannot be the log as well' enc "${k[@]}" --log data.json data.json
expect_exit 2 "$GCRYPT" enc "${k[@]}" --log data.json b ./data.json
[ "$(cat data.json)" = '{"a":1}' ] || give_up "the input was written to"
refused 2 'symbolic: is a symbolic link' enc "${k[@]}" --log symbolic -o third a
refused 6 'new-log: not overwritten: --log appends to it' enc "${k[@]}" --log new-log -f -o new-log a
no_file third data.json.gcr
rm braced linked symbolic before data.json new-log
expect_exit 3 "$GCRYPT" enc "${k[@]}" --log missing/log -o third a
no_file third
expect_exit 3 "$GCRYPT" enc "${k[@]}" --json -o third a >/dev/full
[ -e third ] || give_up "the container is lost with its result"

# For people.
"$GCRYPT" verify "${k[@]}" b.gcr >out
grep -Eqx 'b.gcr: verified: 50000 bytes, aes-256-ctr, digest [0-9a-f]{16}' out || give_up "$(cat out)"
expect_exit 0 "$GCRYPT" enc -f "${k[@]}" a b
grep -Eqx '2 files: 2 done, 0 failed; 80.0 kB in [0-9.]+ s, .*/s' err || give_up "$(cat err)"
expect_exit 0 "$GCRYPT" enc -f "${k[@]}" a
[ ! -s err ] || give_up "$(cat err)"

# Progress: 40 columns, nothing scrolls, and a signal leaves a clean line.
head -c 4M /dev/zero >"a-name-that-is-longer-than-the-terminal-is-wide"
cat >terminal <<TEXT
stty cols 40
exec "$GCRYPT" enc -f --engine cpu --key-file key --bwlimit 2M --chunk-log2 12 --group-log2 16 a-name-that-is-longer-than-the-terminal-is-wide
TEXT
script -qec 'bash terminal' typescript </dev/null >/dev/null
python3 - <<'TEXT' || give_up "the line is too wide: $(cat -v typescript)"
text = open("typescript", errors="replace", newline="").read()
shown = [part.split("\x1b[K")[0] for part in text.split("\r") if " %" in part]
assert len(shown) > 3 and all(len(line) < 40 and (line.endswith(" left") or " 100 %" in line) for line in shown), shown
TEXT
tr '\r' '\n' <typescript | grep -q '^[.][.][.].*-is-wide: [0-9]* %, 0:00:0[0-9] left' || give_up "$(cat -v typescript)"
sed -i 's/^exec/exec timeout -s INT 1/' terminal
script -qec 'bash terminal' typescript </dev/null >/dev/null || true
grep -v '^Script' typescript | tr -d '\n' | grep -q $'\r\e\\[K$' || give_up "no clean line: $(cat -v typescript)"
