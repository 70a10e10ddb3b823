#!/bin/bash
# --rm removes the source when the output has been read back and equals it.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
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
