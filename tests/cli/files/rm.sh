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

expect_exit 2 "$GCRYPT" enc --rm "${k[@]}" -o out - <in
no_file out
expect_exit 2 "$GCRYPT" enc --rm "${k[@]}" -o - in
expect_exit 2 "$GCRYPT" enc --raw --cipher aes --bits 128 --mode ecb --key-hex "$(printf '%032x' 1)" \
	--rm -o out in
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

# What holds the secret is not removed.
cp key only-key
expect_exit 2 "$GCRYPT" enc --rm --key-file only-key only-key
expect_exit 2 "$GCRYPT" enc --rm --passphrase file:only-key only-key
# shellcheck disable=SC2094
expect_exit 2 "$GCRYPT" enc --rm --passphrase fd:7 only-key 7<only-key
only in in.gcr kept key only-key

# Another engine reads back: where the CPU wrote an OpenCL device, if there is one, and else the CPU.
rm in.gcr
if "$GCRYPT" enc -f --engine opencl "${small[@]}" "${k[@]}" -o probe in 2>err; then
	expect_exit 0 "$GCRYPT" enc --rm -v --engine cpu "${small[@]}" "${k[@]}" in
	says 'read back: OpenCL'
	expect_exit 0 "$GCRYPT" dec --rm -v --engine opencl "${k[@]}" in.gcr
	says 'read back: CPU'
fi
export OCL_ICD_VENDORS=/nonexistent
expect_exit 0 "$GCRYPT" enc --rm -v --engine cpu "${small[@]}" "${k[@]}" in
says 'read back: CPU'
no_file in
