#!/bin/bash
# Messages say in which file or content a place is, and what retag is for.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu --key-file key)
bytes 28672 >plain
"$GCRYPT" enc "${small[@]}" "${k[@]}" plain
expect_exit 2 "$GCRYPT" retag --key-file key plain.gcr
says 'plain.gcr: not a detached header: '
says 'retag and --image are for enc --detached'

flip plain.gcr $(($(page 1) + 4096 + 5000)) # in the second chunk of group 1
expect_exit 4 "$GCRYPT" verify "${k[@]}" plain.gcr
says "corrupt at byte $(($(page 1) + 4096 + 4096)) of this file (group 1)"
expect_exit 4 "$GCRYPT" dec --salvage "${k[@]}" -o back plain.gcr
says 'bytes 12288 to 16383 of the plaintext are zeros'
