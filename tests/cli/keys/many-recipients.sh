#!/bin/bash
# More recipients than slots: they share slots.  GCRYPT_TEST_ONE_IN: one in N of 100 keys opens.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 9000 >in
for i in {1..101}; do "$GCRYPT" keygen --x25519 -o "k$i.pem"; done
cat k{1..100}.pem.pub >100.pub
mapfile -t id_of < <("$GCRYPT" key id 100.pub | grep -o '[0-9a-f]\{16\}$') # of k1 to k100, from 0
n_slots() { "$GCRYPT" key list "$1" | grep -c '^slot'; }

# One hundred, each of whom opens it: by this program, and a few by the independent reader, which is slow.
"$GCRYPT" enc "${small[@]}" -r 100.pub --key-file key in
[ "$(n_slots in.gcr)" -eq 101 ] || give_up "$("$GCRYPT" key list in.gcr)"
for i in $(seq 1 "${GCRYPT_TEST_ONE_IN:-1}" 100); do "$GCRYPT" verify -q -i "k$i.pem" in.gcr; done
for i in 1 18 19 100; do
	peer dec "pem:k$i.pem" in.gcr back
	same in back
done
expect_exit 5 "$GCRYPT" verify -i k101.pem in.gcr
cat k{1..99}.pem k101.pem >100.pem
"$GCRYPT" info -i 100.pem in.gcr >out
[ "$(grep -c 'opened by 100.pem$\|opened by the given secret$' out)" -eq 99 ] || give_up "$(cat out)"
"$GCRYPT" key list --json in.gcr | python3 -c '
import collections, json, sys
slots = json.load(sys.stdin)["slots"]
assert len({s["key_id"] for s in slots[1:]}) == 100, slots
assert max(collections.Counter(s["slot"] for s in slots).values()) == 18, slots'

# Nobody sees who they are, and each finds the container's key.
"$GCRYPT" enc "${small[@]}" --anonymous -r 100.pub -o anonymous.gcr in
for i in 1 50 100; do ! grep -qF "${id_of[i - 1]}" <("$GCRYPT" key list anonymous.gcr) || give_up "the id of $i"; done
"$GCRYPT" verify -q -i 100.pem anonymous.gcr
"$GCRYPT" verify -q -i k100.pem anonymous.gcr

# One is removed, and the others stay; a number is too coarse.
expect_exit 0 "$GCRYPT" key remove -i k1.pem --recipient k37.pem.pub in.gcr
grep -q "slot [0-9]\.[0-9]* is removed" err || give_up "$(cat err)"
expect_exit 5 "$GCRYPT" verify -i k37.pem in.gcr
[ "$(n_slots in.gcr)" -eq 100 ] || give_up "$("$GCRYPT" key list in.gcr)"
for i in 36 38 100; do "$GCRYPT" verify -q -i "k$i.pem" in.gcr; done
slot=$("$GCRYPT" key list in.gcr | sed -n "s/^slot \([0-9]\.[0-9]*\): .*${id_of[1]}$/\1/p")
refused 2 "recipients share slot ${slot%.*}" key remove -f -i k1.pem --slot "${slot%.*}" in.gcr
expect_exit 2 "$GCRYPT" key remove -i k1.pem --slot "${slot%.*}.18" in.gcr
expect 0 "slot $slot is removed" "$GCRYPT" key remove -i k1.pem --slot "$slot" in.gcr
expect_exit 5 "$GCRYPT" verify -i k2.pem in.gcr
slot=$("$GCRYPT" info -i k50.pem anonymous.gcr | sed -n 's/^slot \([0-9.]*\): .*opened by k50.pem$/\1/p')
"$GCRYPT" key remove -q -i k1.pem --slot "$slot" anonymous.gcr
expect_exit 5 "$GCRYPT" verify -i k50.pem anonymous.gcr
"$GCRYPT" verify -q -i k51.pem anonymous.gcr
"$GCRYPT" verify -q -i k100.pem in.gcr
refused 2 "already" key add -i k100.pem --new-recipient k99.pem.pub in.gcr

# rekey names who would be lost, and who is not.
refused 2 "lose slot 0: key file; slot 1.0: x25519, 256 bits, key id ${id_of[0]}; slot 1.1: x25519" rekey -i k100.pem -r k99.pem.pub -o new.gcr in.gcr
says " more: name the public keys"
no_file new.gcr
keep=()
listed=$("$GCRYPT" key list in.gcr)
for i in {1..100}; do
	[[ $listed != *"${id_of[i - 1]}"* ]] || keep+=(-r "k$i.pem.pub")
done
"$GCRYPT" rekey -q -i k100.pem "${keep[@]}" --drop-slot 0 -o new.gcr in.gcr
[ "$(n_slots new.gcr)" -eq $((${#keep[@]} / 2)) ] || give_up "$("$GCRYPT" key list new.gcr)"
peer dec pem:k99.pem new.gcr back
same in back

# The ninth comes later: only the last of the eight loses its own slot.
"$GCRYPT" enc "${small[@]}" -r k1.pem.pub -r k2.pem.pub -r k3.pem.pub -r k4.pem.pub -r k5.pem.pub -r k6.pem.pub -r k7.pem.pub -r k8.pem.pub -o nine.gcr in
cp nine.gcr eight.gcr
expect 0 "the recipient of slot 7 shares a slot now" "$GCRYPT" key add -i k1.pem --new-recipient k9.pem.pub nine.gcr
cmp -n $((480 + 7 * 960 - 72)) <(tail -c +73 eight.gcr) <(tail -c +73 nine.gcr) || give_up "the first seven slots changed"
for i in {1..9}; do "$GCRYPT" verify -q -i "k$i.pem" nine.gcr; done
peer dec pem:k8.pem nine.gcr back
same in back
expect 0 "the recipient of slot 6 shares a slot now" "$GCRYPT" key add -i k9.pem --new-key-file key nine.gcr
"$GCRYPT" key change -q -i k9.pem --new-recipient k10.pem.pub nine.gcr
expect_exit 5 "$GCRYPT" verify -i k9.pem nine.gcr
for i in {1..8} 10; do "$GCRYPT" verify -q -i "k$i.pem" nine.gcr; done
"$GCRYPT" verify -q --key-file key nine.gcr

# Too many of those that share no slot.  (RSA keys of three primes are made sooner.)
for i in {1..9}; do openssl genpkey -quiet -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -pkeyopt rsa_keygen_primes:3 | openssl pkey -pubout; done >9.pub
refused 2 "all 8 key slots are in use" enc -r 9.pub -o no.gcr in
no_file no.gcr
