#!/bin/bash
# --rm removes the source when the output has been read back and equals it.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--key-file key)
bytes 30000 >in
cp in kept
expect_exit 0 "$GCRYPT" enc --rm "${small[@]}" "${k[@]}" in
no_file in
expect_exit 0 "$GCRYPT" dec --rm "${k[@]}" in.gcr
no_file in.gcr
same in kept

# Nothing is removed when nothing was written.
echo old >in.gcr
expect_exit 6 "$GCRYPT" enc --rm "${k[@]}" in
same in kept
rm in.gcr
"$GCRYPT" enc "${small[@]}" "${k[@]}" in
flip in.gcr 20000
expect_exit 4 "$GCRYPT" dec --rm "${k[@]}" -o out in.gcr
[ -e in.gcr ] || give_up "a damaged source was removed"
only in in.gcr kept key

# Another engine reads back: where the CPU wrote an OpenCL device, if there is one, and else the CPU.
rm in.gcr
if "$GCRYPT" enc -f --engine opencl "${small[@]}" "${k[@]}" -o probe in 2>err; then
	expect 0 'read back: OpenCL' "$GCRYPT" enc --rm -v --engine cpu "${small[@]}" "${k[@]}" in
	expect 0 'read back: CPU' "$GCRYPT" dec --rm -v --engine opencl "${k[@]}" in.gcr
fi
export OCL_ICD_VENDORS=/nonexistent
expect 0 'read back: CPU' "$GCRYPT" enc --rm -v --engine cpu "${small[@]}" "${k[@]}" in
no_file in
