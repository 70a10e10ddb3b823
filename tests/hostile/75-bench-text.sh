#!/bin/bash
# JSON for bench --from with control sequences in every text: none reaches the terminal.
# shellcheck source=tests/hostile/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
cat >forge.py <<'TEXT'
import json
EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\nline\rback"
ROW = {"cipher": "aes", "bits": 256, "mode": "ctr", "direction": "enc", "device": 0, "bytes": 1 << 28, "failure": None}
KERNEL = ROW | {
    "chosen": True, "policy": False, "table": "4", "table_space": "local", "key_space": "local", "copies": 1, "counters": 1,
    "portable": False, "work_items": 64, "work_groups": 4, "seconds": [0.1], "compared_bytes": 1, "bound": EVIL,
    "bound_bytes_per_s": 1e9, "estimate_s": 0.1}
PIPELINE = ROW | {
    "together": 0, "start_s": 0.1, "seconds": [1.0], "predicted_s": 1.0, "bottleneck": EVIL, "busiest": EVIL, "busy": 0.5,
    "threads": 1, "verb": "enc", "to_file": True, "cpu_s": 1.0, "resident_bytes": 1}
WHOLE = {
    "cpu_threads": 1, "libcrypto": EVIL, "libgcrypt": EVIL, "note": EVIL, "folder": EVIL, "cpu": [],
    "devices": [{"name": EVIL, "driver": EVIL, "record_measured": True, "compute_units": 1, "clock_hz": 1e9}],
    "kernels": [KERNEL], "memory": [PIPELINE], "files": [PIPELINE]}
for name, kernels in ("evil", [KERNEL]), ("table", [KERNEL | {"table": EVIL}]):
    with open(name + ".json", "w", encoding="utf-8") as file:
        json.dump(WHOLE | {"kernels": kernels}, file)
TEXT
python3 forge.py
expect_exit 0 "$GCRYPT" bench --from evil.json >out
[ "$(grep -c 'aes-256-ctr' out)" -eq 3 ] || give_up "not three rows: $(cat -v out)"
if LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' out || grep -qE '^(line|back)' out; then
	give_up "$(cat -v out)"
fi
grep -qF '?]0;owned??[2J' out || give_up "no text is left: $(cat -v out)"

# A table that no cipher has: refused, and its name does not reach the terminal either.
expect_exit 4 "$GCRYPT" bench --from table.json
says 'unknown table form'
if LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' err; then give_up "$(cat -v err)"; fi
