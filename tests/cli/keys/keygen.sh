#!/bin/bash
# Key files: made, read in both forms, and overwritten only with -f, as are pairs of keys.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
bytes 5000 >in
expect_exit 0 "$GCRYPT" keygen -o a.key
expect_exit 0 "$GCRYPT" keygen -o b.key
! cmp -s a.key b.key || give_up "the same key twice"
cp a.key kept
refused 6 'a.key: exists: not overwritten without -f' keygen -o a.key
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

expect_exit 0 "$GCRYPT" keygen -f -o a.key
! cmp -s kept a.key || give_up "the key file was not overwritten"
[ "$(stat -c %a a.key)" = 600 ] || give_up "mode $(stat -c %a a.key)"

# A pair: nothing is written while one of the two files is there; a new pair belongs together.
"$GCRYPT" keygen --x25519 -o anna.pem
cp anna.pem before
rm anna.pem.pub
echo other >anna.pem.pub
rm anna.pem
refused 6 'anna.pem.pub: exists' keygen --x25519 -o anna.pem
no_file anna.pem
"$GCRYPT" keygen --x25519 -f -o anna.pem
! cmp -s before anna.pem || give_up "the private key was not overwritten"
openssl pkey -in anna.pem -pubout | cmp - anna.pem.pub || give_up "the public key is of another private key"
[ "$(stat -c %a anna.pem)" = 600 ] || give_up "mode $(stat -c %a anna.pem)"
