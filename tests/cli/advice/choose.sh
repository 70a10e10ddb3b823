#!/bin/bash
# The model chooses what the options leave open; what it announces is what runs.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 300000 >in
export XDG_CACHE_HOME=$PWD/cache

# same_plan OPTION…: -v of a real run prints the lines of a dry run, and the engine says of itself
# what was announced.
same_plan() {
	"$GCRYPT" enc --dry-run --key-file key "$@" in >plan
	expect_exit 0 "$GCRYPT" enc -v --key-file key "$@" in
	while read -r line; do
		says "$line"
	done <plan
	rm in.gcr
}

# A small file: the CPU, and nobody asks OpenCL.
same_plan
for line in 'cipher: aes' 'mode: ctr' 'bits: 256' 'engine: CPU' 'why: aes on CPU' 'record: '; do
	grep -q "^$line" plan || give_up "no '$line' in: $(cat plan)"
done
grep -Eq '^predicted: [0-9.e-]+ s, [0-9.e+-]+ GB/s, bound by ' plan || give_up "$(cat plan)"
no_file "$machine"
"$GCRYPT" enc --dry-run --json --key-file key in | field predicted >prediction
[ -s prediction ] || give_up "no prediction in JSON"
same_plan --engine cpu -T 1 --mode xts --bits 128
grep -q '1 thread$' plan || give_up "-T 1: $(cat plan)"

# Decryption, from a pipe too: the header says the cipher, the model the rest.
expect_exit 0 "$GCRYPT" enc --cipher camellia --key-file key in
"$GCRYPT" dec --dry-run --key-file key -o out - < <(cat in.gcr) >plan
grep -q '^cipher: camellia' plan || give_up "$(cat plan)"
expect_exit 0 "$GCRYPT" dec -v --key-file key -o out - < <(cat in.gcr)
while read -r line; do
	says "$line"
done <plan
same in out
rm in.gcr out

# Ciphers of auto.
same_plan --allow sc2000
same_plan --allow sc2000 --table 11,10,11
grep -q '^cipher: sc2000' plan || give_up "the only cipher with that table: $(cat plan)"

# What only kernels use is said to be of no use on the CPU, once for all files.
cp in in2
expect 0 'warning: --copies, --work-items: not used: the engine is the CPU' "$GCRYPT" enc --copies 2 --work-items 64 --key-file key in in2
[ "$(grep -c warning err)" -eq 1 ] || give_up "$(cat err)"
rm in.gcr in2.gcr
expect_exit 0 "$GCRYPT" enc -q --engine cpu --table-space global --key-file key in
[ ! -s err ] || give_up "$(cat err)"
rm in.gcr in2

"$GCRYPT" devices --json >listed
[ "$(python3 -c 'import json; print(len(json.load(open("listed"))["devices"]))')" -gt 0 ] ||
	skip "no OpenCL device"

# OpenCL: the inventory is taken once, and announces the same engine.
same_plan --engine opencl --work-items 32
grep -q 'not used' err && give_up "$(cat err)"
grep -q '^engine: OpenCL, .* × 32 work-items' plan || give_up "not what was asked for: $(cat plan)"
grep -q '"inventory"' "$machine" || give_up "no inventory"
expect 0 'read back: OpenCL' "$GCRYPT" enc --rm -v --engine cpu --key-file key --chunk-log2 12 in # reads back by OpenCL
expect_exit 0 "$GCRYPT" dec --key-file key in.gcr
rm in.gcr

# Damaged: one line, and it is taken again.
echo '{' >"$machine"
expect 0 "${machine##*/}: damaged" "$GCRYPT" enc --engine opencl --key-file key in
[ "$(wc -l <err)" -eq 1 ] || give_up "$(cat err)"
rm in.gcr
python3 -m json.tool "$machine" >/dev/null

# Not writable: nobody minds.
same_plan --engine opencl
XDG_CACHE_HOME=/proc/none expect_exit 0 "$GCRYPT" enc --engine opencl --key-file key in
[ ! -s err ] || give_up "$(cat err)"
rm in.gcr

# A record by which the first device is the fastest thing there is: now the model takes OpenCL.
builtin=h200 keep_records
change_cache 'for record in cache.values():
    if "build_s" in record:
        record.update(build_s=1e-9, context_s=1e-9, cpu={name: [1e3, 1e3] for name in record["cpu"]})'
same_plan
grep -q '^engine: OpenCL' plan || give_up "the slow CPU was taken: $(cat plan)"
grep -q '^record: measured on this machine' plan || give_up "$(cat plan)"

# The device disappears: an error for whom it was asked for by, else one line and the CPU.
cp "$machine" here
export OCL_ICD_VENDORS=/nonexistent
"$GCRYPT" enc --dry-run --engine opencl --key-file key in && give_up "a device without a driver"
change_cache 'cache["inventory"].update(devices=json.load(open("here"))["inventory"]["devices"], failure="")'
expect 0 'using the CPU' "$GCRYPT" enc --key-file key in
[ "$(wc -l <err)" -eq 1 ] || give_up "$(cat err)"
mv in was
expect_exit 0 "$GCRYPT" dec --key-file key in.gcr
same was in
[ ! -s err ] || give_up "the inventory is still wrong: $(cat err)"
rm in.gcr
expect_exit 8 "$GCRYPT" enc --engine opencl --key-file key in
no_file in.gcr
