#!/bin/bash
# Key files: made, refused, and read in both forms.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
bytes 5000 >in
expect_exit 0 "$GCRYPT" keygen -o a.key
expect_exit 0 "$GCRYPT" keygen -o b.key
! cmp -s a.key b.key || give_up "the same key twice"
cp a.key kept
expect_exit 6 "$GCRYPT" keygen -o a.key
same a.key kept
expect_exit 3 "$GCRYPT" keygen -o nosuchfolder/key

"$GCRYPT" enc "${small[@]}" --key-file a.key in
expect_exit 0 "$GCRYPT" dec --key-file kept -o out in.gcr
same in out
expect_exit 5 "$GCRYPT" verify --key-file b.key in.gcr

# 32 bytes and 64 digits with a newline are the same key.
bytes 32 4 >binary
{ hex binary; echo; } >digits
"$GCRYPT" enc -f "${small[@]}" --key-file binary in
expect_exit 0 "$GCRYPT" verify --key-file digits in.gcr
tr a-f A-F <digits >capitals
expect_exit 0 "$GCRYPT" verify --key-file capitals in.gcr
