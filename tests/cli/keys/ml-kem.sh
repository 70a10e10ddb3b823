#!/bin/bash
# X25519 with ML-KEM-768: with OpenSSL 3.5 and later everything, before that clear refusals.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 9000 >in
oid=0609608648016503040402
raw() { python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.argv[1]))' "$1"; }
pem() { echo "-----BEGIN $1-----"; base64; echo "-----END $1-----"; }

if ! openssl list -kem-algorithms 2>/dev/null | grep -q ML-KEM-768; then
	# What a pair looks like to a libcrypto without ML-KEM (RFC 9935): a public key, and the seed of a private one.
	openssl genpkey -algorithm X25519 -out x.pem
	(cat x.pem; { raw 3054020100300b${oid}04428040; bytes 64; } | pem "PRIVATE KEY") >pq.pem
	(openssl pkey -in x.pem -pubout; { raw 308204b2300b${oid}038204a100; bytes 1184; } |
		pem "PUBLIC KEY") >pq.pub
	for what in "keygen --ml-kem -o new.pem" "enc -r pq.pub in" "enc --key-file key -r pq.pub in"; do
		refused 2 "ML-KEM-768 needs OpenSSL 3.5 or later" $what
	done
	no_file in.gcr new.pem new.pem.pub
	# The independent writer makes a container for both, which opens with the key file, and shows what it is for.
	peer enc --slot key pem:pq.pem in in.gcr
	"$GCRYPT" verify -q --key-file key in.gcr
	"$GCRYPT" info in.gcr | grep -q '^slot 0: x25519-ml-kem-768, 768 bits, key id' || give_up "$("$GCRYPT" info in.gcr)"
	refused 2 "ML-KEM-768 needs OpenSSL 3.5 or later" verify -i pq.pem in.gcr
	"$GCRYPT" key add -q --key-file key --new-recipient <(openssl pkey -in x.pem -pubout) in.gcr
	peer dec pem:pq.pem in.gcr back
	same in back
	exit 0
fi

"$GCRYPT" keygen --ml-kem -o anna.pem
openssl genpkey -algorithm X25519 >ben.pem
openssl genpkey -algorithm ML-KEM-768 >>ben.pem
(awk '/BEGIN/ { n++ } n == 1' ben.pem | openssl pkey -pubout; awk '/BEGIN/ { n++ } n == 2' ben.pem | openssl pkey -pubout) >ben.pub
[ "$("$GCRYPT" key id ben.pem | cut -d: -f2)" = "$("$GCRYPT" key id ben.pub | cut -d: -f2)" ] || give_up "ids"
"$GCRYPT" keygen --x25519 -o carl.pem
"$GCRYPT" enc "${small[@]}" -r anna.pem.pub -r carl.pem.pub -r ben.pub in
for who in anna ben carl; do
	"$GCRYPT" dec -q -f -i "$who.pem" -o back in.gcr
	same in back
	rm back
	peer dec "pem:$who.pem" in.gcr back
	same in back
done
"$GCRYPT" info in.gcr >out
grep -q '^slot 6: x25519-ml-kem-768, 768 bits, key id' out || give_up "$(cat out)"
grep -q '^slot 4: x25519-ml-kem-768' out || give_up "$(cat out)"
grep -q '^slot 0: x25519' out || give_up "$(cat out)"
# Half a key opens nothing.
awk '/BEGIN/ { n++ } n == 1' anna.pem >half.pem
awk '/BEGIN/ { n++ } n == 2' anna.pem >other-half.pem
expect_exit 5 "$GCRYPT" verify -i half.pem in.gcr
refused 2 "must stand behind an X25519 key" verify -i other-half.pem in.gcr
cat carl.pem other-half.pem >mixed.pem
expect_exit 5 "$GCRYPT" verify -i mixed.pem in.gcr
# The independent writer's container opens; each bit of the slot counts, in both of its parts and in both copies.
peer enc pem:ben.pub in peer.gcr
"$GCRYPT" verify -q -i ben.pem peer.gcr
for at in 16 48 959 1008 1200 1223; do
	cp peer.gcr bad.gcr
	for copy in 0 8192; do flip bad.gcr $((copy + 480 + at)); done
	expect_exit 5 "$GCRYPT" verify -i ben.pem bad.gcr
	cp peer.gcr bad.gcr
	flip bad.gcr $((480 + at))
	"$GCRYPT" dec -q -f -i ben.pem -o back bad.gcr
	same in back
done
# key and rekey
"$GCRYPT" enc -q -f "${small[@]}" --key-file key in
"$GCRYPT" key add -q --key-file key --new-recipient ben.pub --label ben in.gcr
"$GCRYPT" key add -q -i ben.pem --anonymous --new-recipient anna.pem.pub in.gcr
"$GCRYPT" verify -q -i anna.pem in.gcr
expect_exit 2 "$GCRYPT" key add -i ben.pem --new-recipient ben.pub in.gcr
"$GCRYPT" key remove -q --key-file key --label ben in.gcr
expect_exit 5 "$GCRYPT" verify -i ben.pem in.gcr
part in.gcr $((480 + 5 * 960)) 2880 | cmp - <(head -c 2880 /dev/zero) || give_up "the slot is still there"
"$GCRYPT" rekey -q -i anna.pem -r ben.pub --drop-slot 0 in.gcr
for who in anna ben; do "$GCRYPT" verify -q -i "$who.pem" in.gcr; done
# A pair is one key: not twice, but beside its half.
refused 2 "has a key that ben.pub has too" enc -r ben.pub -r ben.pub -o twice.gcr in
openssl pkey -in half.pem -pubout -out half.pub
"$GCRYPT" enc -r half.pub -r anna.pem.pub -o both.gcr in
[ "$("$GCRYPT" key list both.gcr | grep -c '^slot')" -eq 2 ] || give_up "$("$GCRYPT" key list both.gcr)"
# Without its second half a slot opens nothing, and is none that could be the last.
"$GCRYPT" enc -q -f "${small[@]}" --key-file key -r ben.pub -o cut.gcr in
python3 - key cut.gcr "$tests" <<-'CUT'
	import sys
	sys.path.insert(0, sys.argv[3])
	from model.primitives import mac
	from model.reader import open_header, read_secret
	data = bytearray(open(sys.argv[2], "rb").read())
	_, keys, _ = open_header([bytes(data[:8192]), bytes(data[8192:16384])], read_secret(sys.argv[1]))
	for copy in (0, 8192):
	    data[copy + 7200 : copy + 8160] = bytes(960)
	    data[copy + 8160 : copy + 8192] = mac(keys.header, bytes(data[copy : copy + 8160]))
	open(sys.argv[2], "wb").write(data)
CUT
expect_exit 5 "$GCRYPT" verify -i ben.pem cut.gcr
"$GCRYPT" key list cut.gcr | grep -q '^slot 6: x25519-ml-kem-768, incomplete' || give_up "$("$GCRYPT" key list cut.gcr)"
refused 2 "slot 0 is the last one" key remove --key-file key --slot 0 cut.gcr
"$GCRYPT" key add -q --key-file key --new-recipient ben.pub cut.gcr
"$GCRYPT" verify -q -i ben.pem cut.gcr
# Four take all slots.
for i in 1 2 3; do "$GCRYPT" keygen --ml-kem -o "$i.pem"; done
"$GCRYPT" enc -q -f "${small[@]}" -r 1.pem.pub -r 2.pem.pub -r 3.pem.pub -r ben.pub in
"$GCRYPT" verify -q -i ben.pem in.gcr
refused 2 "all 8 key slots are in use" key add -i ben.pem --new-recipient carl.pem.pub in.gcr
