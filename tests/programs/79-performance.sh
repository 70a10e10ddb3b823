#!/bin/bash
# docs/performance.md is what docs/results/ makes, and a page has the figures of `gcrypt bench --json`.
# shellcheck source=tests/scenarios/lib.sh
. "${BASH_SOURCE[0]%/*}/../scenarios/lib.sh"
keep_records
docs=$(cd "${BASH_SOURCE[0]%/*}/../../docs" && pwd)
"$docs/make-performance" >page
cmp page "$docs/performance.md" || give_up "docs/performance.md is not what docs/results/ makes: use make performance"

mkdir results files
expect_exit 0 "$GCRYPT" bench --size 64K --cipher aes --bits 128 --mode ctr --engine cpu --end-to-end --files files --json \
	>results/a_machine.json
if [ "$n_devices" -gt 0 ]; then
	expect_exit 0 "$GCRYPT" bench --size 64K --cipher aes --bits 128 --mode ctr --device 0 --json >results/b_machine.json
fi
"$docs/make-performance" results >page
python3 - <<'END' || give_up "the page: $(cat page)"
import json
import os
from decimal import Decimal

bench = json.load(open("results/a_machine.json"))
page = open("page").read()
lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("|")]
assert "\n## a machine\n" in page


def three_digits(bytes_per_s):
    rate = Decimal(repr(bytes_per_s)) / 10**9
    return rate.quantize(Decimal(1).scaleb(rate.adjusted() - 2))


def shown(name, bytes_per_s):
    """A line that begins with the name has the rate."""
    wanted = three_digits(bytes_per_s)
    found = [cell for line in lines if line[0] == name for cell in line if cell.replace(".", "").isdigit()]
    assert wanted in map(Decimal, found), (name, wanted, found)


for way in ("host_core", "bitsliced", "libcrypto", "libcrypto_all"):
    shown("aes-128-ctr", bench["cpu"][0][way])
assert bench["memory"] and bench["files"]
for row in bench["memory"]:
    shown(f"aes-128-ctr {row['direction']}", row["bytes_per_s"])
for row in bench["files"]:
    name = row["verb"] if row["verb"] in ("copy", "verify") else f"aes-128-ctr {row['verb']}"
    shown(name, row["bytes_per_s"])
if os.path.exists("results/b_machine.json"):
    device = json.load(open("results/b_machine.json"))
    assert device["kernels"] and f"\n### Kernels on {device['devices'][0]['name']}\n" in page
    for row in device["kernels"]:
        if row["chosen"]:
            shown("aes-128-ctr", row["bytes_per_s"])
END
