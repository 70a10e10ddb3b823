#!/bin/bash
# key change, key remove by a public key, key id; a secret is not given two slots, and the last slot stays without -f.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 32 78 >new.key
chmod 600 new.key
bytes 9000 >in
export OLD='the old passphrase' NEW='the new passphrase' NEW2='the new passphrase'
for who in anna ben carl; do "$GCRYPT" keygen --x25519 -o "$who.pem"; done
openssl genrsa -out rsa.pem 2048 2>err
openssl pkey -in rsa.pem -pubout -out rsa.pub
enc() { "$GCRYPT" enc -f "${small[@]}" --kdf-cost 10 "$@" in; }
slots() { "$GCRYPT" key list "$1" | grep '^slot' || true; }

# One secret for another, in one write; the payload and the other slots stay.
enc --passphrase env:OLD -r anna.pem.pub
cp in.gcr before
expect 0 "slot 0 is removed" "$GCRYPT" key change --passphrase env:OLD --new-passphrase env:NEW --kdf-cost 11 in.gcr
expect_exit 5 "$GCRYPT" verify --passphrase env:OLD in.gcr
expect_exit 0 "$GCRYPT" verify --passphrase env:NEW in.gcr
expect_exit 0 "$GCRYPT" verify -i anna.pem in.gcr
[ "$(slots in.gcr | wc -l)" = 2 ] || give_up "slots: $(slots in.gcr)"
[ "$("$GCRYPT" info --json in.gcr | field sequence)" = 2 ] || give_up "more than one write"
cmp <(tail -c +16385 before) <(tail -c +16385 in.gcr) || give_up "the payload changed"
expect_exit 0 "$GCRYPT" key change -q -i anna.pem --new-recipient ben.pem.pub in.gcr
expect_exit 5 "$GCRYPT" verify -i anna.pem in.gcr
expect_exit 0 "$GCRYPT" verify -i ben.pem in.gcr
expect_exit 0 "$GCRYPT" key change -q -i ben.pem --new-key-file new.key in.gcr
expect_exit 0 "$GCRYPT" verify --key-file new.key in.gcr
peer dec new.key in.gcr out
same in out

# The same secret twice.
cp in.gcr kept
refused 2 "slot 0 is for this passphrase already" key add --key-file new.key --new-passphrase env:NEW in.gcr
refused 2 "is for this key file already" key add --passphrase env:NEW --new-key-file new.key in.gcr
refused 2 "already" key change --passphrase env:NEW --new-passphrase env:NEW2 in.gcr
same in.gcr kept

# By public key; several at a time, and none that has no slot.
enc --key-file key -r anna.pem.pub -r rsa.pub -r ben.pem.pub
cp in.gcr kept
refused 2 "no key slot is for this X25519 key" key remove --key-file key -r carl.pem.pub in.gcr
expect_exit 2 "$GCRYPT" key remove --key-file key -r anna.pem.pub --slot 0 in.gcr
same in.gcr kept
expect 0 "slot 1 is removed" "$GCRYPT" key remove --key-file key -r rsa.pub -r anna.pem.pub in.gcr
says "slot 2 is removed"
expect_exit 5 "$GCRYPT" verify -i anna.pem -i rsa.pem in.gcr
expect_exit 0 "$GCRYPT" verify -i ben.pem in.gcr

# The last slot.
expect_exit 0 "$GCRYPT" key remove -q --key-file key --slot 0 in.gcr
cp in.gcr kept
refused 2 "slot 3 is the last one" key remove -i ben.pem -r ben.pem.pub in.gcr
says "-f"
same in.gcr kept
expect_exit 0 "$GCRYPT" key remove -f -i ben.pem -r ben.pem.pub in.gcr
[ -z "$(slots in.gcr)" ] || give_up "slots: $(slots in.gcr)"
expect_exit 5 "$GCRYPT" verify -i ben.pem in.gcr

# key id: the id that key list shows, for both halves.
for name in anna.pem anna.pem.pub; do
	"$GCRYPT" key id "$name" >shown
	grep -qxF "$name: x25519, 256 bits, key id $(openssl pkey -in anna.pem -pubout -outform DER | sha256sum | head -c 16)" shown ||
		give_up "$(cat shown)"
done
cat rsa.pub carl.pem.pub >two
[ "$("$GCRYPT" key id two rsa.pem | cut -d ' ' -f 2,3,4 | sort | uniq -c | tr -s ' \n' ' ')" = " 2 rsa-oaep, 2048 bits, 1 x25519, 256 bits, " ] ||
	give_up "$("$GCRYPT" key id two rsa.pem)"
expect_exit 3 "$GCRYPT" key id /nonexistent
