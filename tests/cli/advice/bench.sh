#!/bin/bash
# bench: measured rows, JSON and picture; a wrong result prints no number.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
keep_records
quick=(--size 64K --cipher aes --bits 128)

# prints TEXT: standard output of the last run, in the file out, contains it.
prints() { grep -qF -e "$1" out || give_up "no '$1' in: $(cat out)"; }
silent() { [ ! -s err ] || give_up "messages: $(cat err)"; }
narrow() {
	awk 'length > 120 && !/^note/ { print; bad = 1 } END { exit bad }' out ||
		give_up "wider than 120 columns"
}

# check_page: docs/make-performance shows the figures of results/*.json.
check_page() {
	"$root/docs/make-performance" results >page
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
assert bench["memory"]
for row in bench["memory"]:
    shown(f"aes-128-ctr {row['direction']}", row["bytes_per_s"])
if os.path.exists("results/b_machine.json"):
    device = json.load(open("results/b_machine.json"))
    assert device["kernels"] and f"\n### Kernels on {device['devices'][0]['name']}\n" in page
    for row in device["kernels"]:
        if row["chosen"]:
            shown("aes-128-ctr", row["bytes_per_s"])
END
}

# The CPU alone.
expect_exit 0 env OCL_ICD_VENDORS=/nonexistent "$GCRYPT" bench "${quick[@]}" --mode xts >out
silent
prints 'note: no OpenCL device: '
prints 'aes-128-xts enc'
prints 'aes-128-xts dec'
prints 'this bound in bytes per cycle'
prints 'to measure: 2 suites on the CPU, about 2 s'
narrow

# From memory to memory, as JSON.
mkdir results
expect_exit 0 "$GCRYPT" bench "${quick[@]}" --mode ctr --engine cpu --end-to-end --json >results/a_machine.json
silent
python3 - <<'TEXT' || give_up "the CPU's rows"
import json
bench = json.load(open("results/a_machine.json"))
assert bench["core_clock_hz"] is None or bench["core_clock_hz"] > 0
for row in bench["cpu"]:
    for width in 512, 256, 128:
        assert (row[f"vectors_{width}"] is None) == (row[f"vectors_{width}_bound"] is None)
TEXT

# A row is there when it is measured: it is not lost when the rest is interrupted.  Without options the first one does
# not wait for a device.
mkfifo rows
# interrupted PATTERN OPTION…: the run is ended when such a row was read.
interrupted() {
	local wanted=$1
	shift
	: >early
	"$GCRYPT" bench "$@" >rows 2>err &
	exec 3<rows
	while IFS= read -r -t 10 line <&3 && echo "$line" >>early && [[ ! $line =~ $wanted ]]; do :; done
	kill -TERM $! || give_up "it had ended" # INT is ignored in the background
	cat <&3 >>early
	wait $! && give_up "it was not interrupted"
	[[ $line =~ $wanted ]] || give_up "no row within 10 s: $(cat early)"
}
interrupted '^aes-128-ecb enc +[0-9]'
grep -qE '^to measure: 30 suites on the CPU,( [0-9]+ kernels,)? about [0-9]+ (s|minutes)$' early || give_up "no time: $(cat early)"
! grep -qE '^aes-128-ctr|groups x items' early || give_up "not the first row: $(cat early)"
interrupted '^aes-128-ctr enc +CPU +256 MiB +[0-9]' \
	--size 256M --cipher aes --bits 128 --mode ctr --engine cpu -T 1 --end-to-end
grep -q '^aes-128-ctr enc  *[-0-9]' early || give_up "no speed of the CPU"
! grep -q '^aes-128-ctr dec' early || give_up "a line that was not measured"

# What cannot be is said in a line.
for wrong in '--size 5' '--size 0' '--cipher rot13' '--mode cbc' '--bits 100' '--table 9' '--copies 3' '--counters 3' \
	'--key-space x' '--engine warp' 'operand' '--plot -' '--files .' '--from a' \
	'--work-items x' '--cipher sc2000 --table 4' '--constant-time --table 1'; do
	expect_exit 2 "$GCRYPT" bench $wrong
done
refused 8 'device 99' bench "${quick[@]}" --device 99
expect 8 'no OpenCL device' env OCL_ICD_VENDORS=/nonexistent "$GCRYPT" bench "${quick[@]}" --engine opencl
if [ "$n_devices" -eq 0 ]; then
	check_page
	skip "no OpenCL device: only the CPU was measured"
fi

# Kernels, and from memory to memory.
expect_exit 0 "$GCRYPT" bench "${quick[@]}" --mode ctr --device 0 --end-to-end --json >bench.json
silent
cp bench.json results/b_machine.json
check_page
[ "$(field kernels.0.chosen <bench.json)" = True ] || give_up "not chosen"
[ "$(field kernels.0.bytes <bench.json)" = 65536 ] || give_up "bytes"
[ "$(field kernels.0.compared_bytes <bench.json)" = $((5 * 8 * 4096)) ] || give_up "not compared"
[ "$(field kernels.0.of_bound <bench.json)" != None ] || give_up "no bound"
[ "$(field cpu.0.host_core <bench.json)" != None ] || give_up "no reference implementation"
[ "$(field memory.0.device <bench.json)" = None ] || give_up "no CPU from memory to memory"
[ "$(field memory.1.busiest <bench.json)" != None ] || give_up "nobody worked"
[ "$(field memory.1.device <bench.json)" = 0 ] || give_up "no device from memory to memory"
python3 - <<'TEXT' || give_up "runs"
import json
bench = json.load(open("bench.json"))
assert sum(k["policy"] for k in bench["kernels"]) == 1
for row in bench["kernels"] + bench["memory"]:
    seconds = row["seconds"]
    assert seconds == sorted(seconds) and seconds[0] > 0
    assert abs(row["bytes_per_s"] * seconds[0] / row["bytes"] - 1) < 1e-9
policy = next(k["bytes_per_s"] for k in bench["kernels"] if k["policy"])
for kernel in bench["kernels"]:
    assert abs(kernel["times_policy"] * policy / kernel["bytes_per_s"] - 1) < 1e-9
TEXT
expect_exit 0 "$GCRYPT" bench "${quick[@]}" --mode ctr --engine opencl --table 1 --copies 32 --json >out
[ "$(field kernels.0.table <out) $(field kernels.0.copies <out)" = '1 32' ] || give_up "not what was asked for"
[ "$(field cpu <out)" = '[]' ] || give_up "the CPU was measured"

# Bitsliced, on the device and by the reference implementation, beside the policy's placement.
expect_exit 0 "$GCRYPT" bench "${quick[@]}" --mode ctr --device 0 --constant-time --json >out
[ "$(field kernels.0.table <out) $(field kernels.0.chosen <out)" = 'none True' ] || give_up "not bitsliced"
[ "$(field kernels.1.policy <out) $(field kernels.1.table <out)" = 'True 4' ] || give_up "no policy's placement"
[ "$(field cpu.0.bitsliced <out)" != None ] || give_up "no bitsliced reference implementation"
refused 8 'its buffers hold up to' bench --size 1024T --device 0
refused 8 'local memory' bench "${quick[@]}" --mode ctr --device 0 --copies 1024 --table 4 --work-items 1

# A device that computes something else gets no number: one bit of what is read from it is turned.
if command -v cc >/dev/null; then
	cat >shim.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

int clEnqueueReadBuffer(void *queue, void *buffer, unsigned blocking, size_t offset, size_t n_bytes,
	unsigned char *bytes, unsigned n, const void *waits, void *event)
{
	int (*next)(void *, void *, unsigned, size_t, size_t, void *, unsigned, const void *, void *) =
		dlsym(RTLD_NEXT, "clEnqueueReadBuffer");
	static int count; /* of pieces: 8 before a run, 8 after it */
	int error = next(queue, buffer, blocking, offset, n_bytes, bytes, n, waits, event);

	if (n_bytes == 4096 && ++count == 5 * 16 - 6)
		bytes[4095] ^= 1;
	return error;
}
C
	cc -shared -fPIC -o shim.so shim.c -ldl
	expect 8 'wrong result of aes-128-ctr' env LD_PRELOAD="$PWD/shim.so" "$GCRYPT" bench "${quick[@]}" --mode ctr --device 0 >out
	! grep -qE '^aes-128-ctr enc +(chosen|policy)' out || give_up "numbers: $(cat out)"

	# A row that cannot run is a warning, and the status at the end.
	cat >full.c <<'C'
#include <stddef.h>

void *clCreateBuffer(void *context, unsigned long flags, size_t n_bytes, void *bytes, int *error)
{
	(void)context, (void)flags, (void)n_bytes, (void)bytes;
	*error = -4; /* CL_MEM_OBJECT_ALLOCATION_FAILURE */
	return NULL;
}
C
	cc -shared -fPIC -o full.so full.c
	expect 8 'not everything could be run' env LD_PRELOAD="$PWD/full.so" "$GCRYPT" bench "${quick[@]}" --mode ctr --device 0 >out
	says 'aes-128-ctr: not measured: '
	grep -qE '^aes-128-ctr enc +chosen .* failed ' out || give_up "not marked as failed: $(cat out)"
fi

# The picture: whole or not there.
bench=("$GCRYPT" bench "${quick[@]}" --mode ctr --engine cpu)
mkdir empty
expect 1 gnuplot env PATH="$PWD/empty" "${bench[@]}" --plot new.svg >out
[ ! -s out ] || give_up "it was said after the work"
no_file new.svg
command -v gnuplot >/dev/null || exit 0
expect 3 none/new.svg "${bench[@]}" --plot none/new.svg >out
[ ! -s out ] || give_up "it was said after the work"
expect 3 /dev/full "${bench[@]}" --plot /dev/full >out
expect_exit 0 "$GCRYPT" bench "${quick[@]}" --mode ctr --device 0 --plot new.svg >out
silent
prints 'device 0: '
narrow
grep -q '</svg>' new.svg || give_up "no SVG"
grep -q '128-ctr' new.svg || give_up "no group"
cp new.svg old.svg
expect_exit 6 "${bench[@]}" --plot new.svg >out
same new.svg old.svg
expect_exit 0 "${bench[@]}" -f --plot new.svg >out
! cmp -s new.svg old.svg || give_up "not drawn anew"
