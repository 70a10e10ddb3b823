#!/bin/bash
# Without OpenCL: an error when it was asked for by name, else the CPU.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 30000 >in
k=(--key-file key)
export OCL_ICD_VENDORS=/nonexistent

refused 8 OpenCL enc --engine opencl "${small[@]}" "${k[@]}" in
no_file in.gcr
for cipher in aes camellia sc2000; do
	for engine in auto cpu; do
		expect_exit 0 "$GCRYPT" enc --engine "$engine" --cipher "$cipher" "${small[@]}" "${k[@]}" in
		expect_exit 8 "$GCRYPT" dec --engine opencl "${k[@]}" -o out in.gcr
		no_file out
		expect_exit 0 "$GCRYPT" dec --engine "$engine" "${k[@]}" -o out in.gcr
		same in out
		rm in.gcr out
	done
done
raw=(--raw --cipher aes --bits 128 --mode ecb --key-hex 000102030405060708090a0b0c0d0e0f)
expect_exit 8 "$GCRYPT" enc "${raw[@]}" --engine opencl -o out in
expect_exit 0 "$GCRYPT" enc "${raw[@]}" -o out in
expect_exit 0 "$GCRYPT" devices
expect_exit 0 "$GCRYPT" selftest

# A driver that cannot be loaded is named, with the reason.
mkdir vendors
echo libnowhere.so.1 >vendors/broken.icd
export OCL_ICD_VENDORS=$PWD/vendors
refused 8 'vendors/broken.icd: libnowhere.so.1: cannot open' enc --engine opencl "${small[@]}" "${k[@]}" in
"$GCRYPT" devices >listed
grep -q 'broken.icd: libnowhere.so.1' listed || give_up "$(cat listed)"

# A device that is not there.
unset OCL_ICD_VENDORS
expect_exit 8 "$GCRYPT" enc --engine opencl --device 99 "${small[@]}" "${k[@]}" in
no_file in.gcr
