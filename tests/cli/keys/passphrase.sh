#!/bin/bash
# Passphrases from each source.  (What is refused, and any bytes: group 5 of tests/faults.)
. "${BASH_SOURCE[0]%/*}/../lib.sh"
bytes 5000 >in
export P=secret
"$GCRYPT" enc --kdf-cost 10 --passphrase env:P in

opens() { expect_exit 0 "$GCRYPT" verify --passphrase "$@" in.gcr; }
opens env:P
opens fd:7 7< <(echo secret)
opens 'cmd:echo secret'
peer dec env:P in.gcr out
same in out

# What this program ignores, the command does not.
# shellcheck disable=SC2016
expect_exit 3 "$GCRYPT" enc --passphrase 'cmd:kill -XFSZ $$' -o new in
no_file new
# What is the input cannot be the secret as well, by whatever names.
for secret in file:/dev/stdin fd:0 file:/dev/fd/0 file:/proc/self/fd/0; do
	for input in - /dev/stdin /dev/fd/0; do
		expect_exit 2 timeout 60 "$GCRYPT" enc --passphrase "$secret" -o new "$input" < <(cat in)
	done
done
expect_exit 2 timeout 60 "$GCRYPT" enc --key-file /dev/stdin -o new - < <(cat in)
expect_exit 2 timeout 60 "$GCRYPT" info --show-keys --key-file /dev/stdin /dev/stdin < <(cat in.gcr)
no_file new
