#!/bin/bash
# Passphrases from each source, and those that are refused.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
bytes 5000 >in
export P=secret
"$GCRYPT" enc --kdf-cost 10 --passphrase env:P in

opens() { expect_exit 0 "$GCRYPT" verify --passphrase "$@" in.gcr; }
printf 'secret\n' >one-newline
printf 'secret\n\n' >two-newlines
printf 'secret' >no-newline
opens env:P
opens file:one-newline
opens file:no-newline
opens fd:7 7<one-newline
opens 'cmd:echo secret'
expect_exit 5 "$GCRYPT" verify --passphrase file:two-newlines in.gcr

P=wrong expect_exit 5 "$GCRYPT" dec --passphrase env:P -o out in.gcr
no_file out
bytes 32 3 >key
expect_exit 5 "$GCRYPT" dec --key-file key -o out in.gcr
no_file out

# Where none can be had.
expect_exit 3 "$GCRYPT" verify --passphrase file:nosuchfile in.gcr
P='' expect_exit 2 "$GCRYPT" enc --passphrase env:P -o new in
code=0
"$GCRYPT" enc --passphrase 'cmd:exit 1' -o new in 2>err || code=$?
[ "$code" -ne 0 ] || give_up "a command that failed was believed"
expect_exit 2 "$GCRYPT" enc --passphrase env:P --passphrase env:P -o new in
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
expect_exit 2 "$GCRYPT" enc --passphrase fd:0 -o new - <in
expect_exit 2 timeout 60 "$GCRYPT" enc --key-file /dev/stdin -o new - < <(cat in)
expect_exit 2 timeout 60 "$GCRYPT" info --show-keys --key-file /dev/stdin /dev/stdin < <(cat in.gcr)
no_file new

# Any bytes, and many.
printf 'a\0b\nc' >strange
expect_exit 0 "$GCRYPT" enc --kdf-cost 10 --passphrase file:strange -o new in
printf 'a\0b\nd' >other
expect_exit 5 "$GCRYPT" verify --passphrase file:other new
peer dec env:P in.gcr out
same in out
head -c 1048576 /dev/zero | tr '\0' x >long
expect_exit 0 "$GCRYPT" enc -f --kdf-cost 10 --passphrase file:long -o new in
expect_exit 0 "$GCRYPT" verify --passphrase file:long new
