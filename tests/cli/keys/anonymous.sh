#!/bin/bash
# Anonymous recipients, and what info says of slots and private keys.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 9000 >in
for who in anna ben carl; do "$GCRYPT" keygen --x25519 -o "$who.pem"; done
openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out dora.pem 2>/dev/null
openssl pkey -in dora.pem -pubout -out dora.pem.pub
"$GCRYPT" enc --anonymous -r anna.pem.pub -r dora.pem.pub -r ben.pem.pub in
for who in anna dora ben; do
	"$GCRYPT" verify -q -i "$who.pem" in.gcr
	peer dec "pem:$who.pem" in.gcr back
	same in back
done
"$GCRYPT" verify -q -i carl.pem -i ben.pem in.gcr
expect_exit 5 "$GCRYPT" verify -i carl.pem in.gcr
# Nothing of the keys is in the header.
for who in anna dora ben; do
	id=$("$GCRYPT" key id "$who.pem" | grep -o '[0-9a-f]\{16\}')
	! head -c 16384 in.gcr | hex - | grep -q "$id" || give_up "the id of $who is stored"
done

# info, without a key and with some.
"$GCRYPT" info in.gcr >out
[ "$(grep -c 'slot [0-2]: .*, 256 bits, anonymous$' out)" -eq 3 ] || give_up "$(cat out)"
grep -qx 'not authenticated: no key was used' out || give_up "$(cat out)"
"$GCRYPT" info -i carl.pem -i ben.pem in.gcr >out
grep -qx 'slot 2: x25519, 256 bits, anonymous, opened by ben.pem' out || give_up "$(cat out)"
grep -qx 'slot 0: x25519, 256 bits, anonymous' out || give_up "$(cat out)"
grep -qx 'authenticated' out || give_up "$(cat out)"
[ "$("$GCRYPT" info --json -i ben.pem in.gcr | field slots.2.opened_by)" = ben.pem ] || give_up "opened_by"
expect_exit 5 "$GCRYPT" info -i carl.pem in.gcr >out
[ ! -s out ] || give_up "printed: $(cat out)"
"$GCRYPT" enc --key-file key -r anna.pem.pub -o two.gcr in
"$GCRYPT" info --key-file key two.gcr | grep -qx 'slot 0: key file, opened by the given secret' || give_up "the key file"

# Slots that name no key are removed by number only, and lost by rekey with --drop-slot only.
expect_exit 2 "$GCRYPT" key remove -i anna.pem --recipient ben.pem.pub in.gcr
refused 2 '--drop-slot' rekey -i anna.pem -r anna.pem.pub -o new.gcr in.gcr
no_file new.gcr
"$GCRYPT" key remove -q -i anna.pem --slot 1 in.gcr
expect_exit 5 "$GCRYPT" verify -i dora.pem in.gcr
"$GCRYPT" key add -q -i anna.pem --anonymous --new-recipient carl.pem.pub in.gcr
"$GCRYPT" verify -q -i carl.pem in.gcr
"$GCRYPT" rekey -q -i anna.pem --anonymous -r carl.pem.pub --drop-slot 1 --drop-slot 2 -o new.gcr in.gcr
"$GCRYPT" key list new.gcr | grep -c 'slot [01]: x25519, 256 bits, anonymous' | grep -qx 2 || give_up "$("$GCRYPT" key list new.gcr)"
"$GCRYPT" verify -q -i carl.pem new.gcr
"$GCRYPT" verify -q -i anna.pem new.gcr

# 100 private keys, of which the last opens the last of eight slots.
mkdir keys
for _ in {1..100}; do openssl genpkey -algorithm X25519; done >keys/100.pem
for _ in {1..7}; do
	openssl genpkey -algorithm X25519 | openssl pkey -pubout
done >seven.pub
"$GCRYPT" enc -q --anonymous -r seven.pub -r carl.pem.pub -o eight.gcr in
"$GCRYPT" verify -q -i keys/100.pem -i carl.pem eight.gcr
