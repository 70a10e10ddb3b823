#!/bin/bash
# Copy A of another container of the same key file: what writes a header refuses, and keeps the good copy B.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
chmod 600 key
bytes 9000 1 >one
bytes 9000 2 >two
bytes 8192 3 >disk
bytes 32 79 >second
chmod 600 second
for name in one two; do
	"$GCRYPT" enc -q --engine cpu --cipher aes --key-file key $name
done
for name in image other; do
	"$GCRYPT" enc -q --engine cpu --cipher aes --key-file key --detached -o $name disk
done

cp one.gcr whole.gcr
part two.gcr 0 8192 | put one.gcr 0
cp one.gcr mixed.gcr
refused 4 'of two containers' key add --key-file key --new-key-file second one.gcr
expect_exit 4 "$GCRYPT" rekey --engine cpu --key-file key one.gcr
expect_exit 4 "$GCRYPT" dec --engine cpu --key-file key -o out one.gcr
no_file out
same mixed.gcr one.gcr
part whole.gcr 0 8192 | put one.gcr 0
expect_exit 0 "$GCRYPT" verify --engine cpu --key-file key one.gcr

part other.gcr 0 8192 | put image.gcr 0
cp image.gcr mixed.gcr
refused 4 'of two containers' retag --key-file key image.gcr
same mixed.gcr image.gcr
