#!/bin/bash
# A container with another one's file salt does not keep that one from getting a new key slot.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
export P=passphrase
openssl genrsa -out anna.pem 2048 2>err
openssl pkey -in anna.pem -pubout -out anna.pub
"$GCRYPT" keygen --x25519 -o ben.pem

for secret in "--passphrase env:P" "--key-file key" "--identity ben.pem"; do
	case $secret in
	--pass*) as=env:P ;;
	--key*) as=key ;;
	*) as=pem:ben.pem ;;
	esac
	rm -f ./*.gcr
	for name in a b c; do
		echo "$name" >"$name"
		peer enc --log2-n 10 "$as" "$name" "$name.gcr"
	done
	forge same-salt "$as" a.gcr 0.gcr
	forge same-salt "$as" c.gcr z.gcr
	expect_exit 0 "$GCRYPT" key add $secret --new-recipient anna.pub ./*.gcr
	expect_exit 0 "$GCRYPT" verify --identity anna.pem ./*.gcr
	for name in a b c; do
		peer dec pem:anna.pem "$name.gcr" out
		same "$name" out
	done
	peer dec pem:anna.pem 0.gcr out
	[ "$(cat out)" = "another content" ] || give_up "0.gcr holds: $(cat out)"
done
