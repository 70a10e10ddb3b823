#!/bin/bash
# keygen overwrites a key file or a pair of keys only with -f.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
"$GCRYPT" keygen -o key
cp key before
refused 6 'key: exists: not overwritten without -f' keygen -o key
same before key
expect_exit 0 "$GCRYPT" keygen -f -o key
! cmp -s before key || give_up "the key file was not overwritten"
[ "$(stat -c %a key)" = 600 ] || give_up "mode $(stat -c %a key)"

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
