#!/bin/bash
# All engines together make what one makes; who takes part is announced; a device that is gone is
# left out.  (Devices that fail: groups 11 and 23 of tests/faults.)
. "${BASH_SOURCE[0]%/*}/../lib.sh"
keep_records
make_key
bytes 300005 >in

[ "$n_devices" -gt 0 ] || skip "no OpenCL device"
export POCL_DEVICES='pthread pthread'
"$GCRYPT" devices --json >listed
[ "$(python3 -c 'import json; print(len(json.load(open("listed"))["devices"]))')" -eq 2 ] ||
	skip "not PoCL: there are not two devices"

# A CPU's OpenCL device takes part only where it is named.
"$GCRYPT" enc --dry-run --engine all --key-file key in >plan
grep -q '^engine: CPU, ' plan || give_up "$(cat plan)"

# same_file OPTION…: all together and the CPU alone read each other, and raw bytes are the same.
same_file() {
	expect 0 'engine: OpenCL, ' "$GCRYPT" enc -v --engine all "$@" "${small[@]}" --key-file key -o a.gcr in
	says ' + CPU, '
	expect_exit 0 "$GCRYPT" enc --engine cpu "${small[@]}" --key-file key -o c.gcr in
	expect_exit 0 "$GCRYPT" dec --engine cpu --key-file key -o from_a a.gcr
	expect_exit 0 "$GCRYPT" dec --engine all "$@" --key-file key -o from_c c.gcr
	same from_a in
	same from_c in
	raw=(--raw --cipher camellia --bits 256 --mode xts --iv-start 0
		--key-hex "$(bytes 64 6 | hex -)")
	expect_exit 0 "$GCRYPT" enc --engine all "$@" "${raw[@]}" -o a in
	expect_exit 0 "$GCRYPT" enc --engine cpu "${raw[@]}" -o c in
	same a c
	rm a c a.gcr c.gcr from_a from_c
}
same_file --device 1 -T 2

# The plan of a dry run is what runs.
"$GCRYPT" enc --dry-run --engine all --device 0 -T 1 --key-file key in >plan
expect_exit 0 "$GCRYPT" enc -v --engine all --device 0 -T 1 --key-file key in
while read -r line; do
	says "$line"
done <plan
rm in.gcr
"$GCRYPT" enc --dry-run --json --engine all --device 0 -T 1 --key-file key in | field why >reason
grep -q 'on all' reason || give_up "$(cat reason)"

# As if the devices were GPUs: both take part.
gpus() {
	change_cache 'cache.pop("inventory", None)'
	"$GCRYPT" enc --dry-run --engine opencl --key-file key in >/dev/null
	sed -i 's/"cpu": *true/"cpu": false/; s/"gpu": *false/"gpu": true/' "$machine"
	grep -q '"gpu": *true' "$machine" || give_up "$(cat "$machine")"
}
gpus
truncate -s 1T large
"$GCRYPT" enc --dry-run --engine all -T 1 --key-file key large >plan
grep -q '^engine: 2 × (OpenCL, .*) + CPU, .*1 thread$' plan || give_up "$(cat plan)"
grep -q '^predicted: .* bound by ' plan || give_up "$(cat plan)"
"$GCRYPT" advise -v --engine all -T 1 --size 1T --cipher aes --bits 256 >advice
grep -Eq '^aes-256 +all .* 2 devices, 1 threads$' advice || give_up "$(cat advice)"
"$GCRYPT" advise --engine all -T 1 --size 1T --cipher aes --bits 256 --json >advice
[ "$(field rows.0.plan.devices <advice)" = '[0, 1]' ] || give_up "$(cat advice)"

"$GCRYPT" bench --end-to-end --engine all -T 1 --size 4M --cipher aes --bits 128 --mode ctr --json >rows
[ "$(field memory.0.together <rows)" = 3 ] || give_up "$(cat rows)"

# One of them is gone: one line, and the others do it.
mv large in.large
change_cache 'cache["inventory"]["devices"] += cache["inventory"]["devices"][:1]'
expect 0 'device 2: not found (this machine has 2); left out' "$GCRYPT" enc --engine all -T 1 "${small[@]}" --key-file key in
[ "$(wc -l <err)" -eq 1 ] || give_up "$(cat err)"
expect_exit 0 "$GCRYPT" dec --engine cpu --key-file key -o back in.gcr
same back in
rm -f in.gcr back in.large
