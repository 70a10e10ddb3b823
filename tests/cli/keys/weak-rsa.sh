#!/bin/bash
# No key slot is made for an RSA key that protects nothing; containers that have one still open.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 5000 >in
openssl genrsa -out good.pem 2048 2>err
openssl pkey -in good.pem -pubout -out good.pub
mkdir weak
(cd weak && forge weak-rsa ../good.pem)
expect_exit 0 "$GCRYPT" enc "${small[@]}" --key-file key --recipient good.pub in
cp in.gcr kept

reason() {
	case $1 in
	*exponent*) says "$1: line 1: a weak RSA key: its exponent must be odd, from 65537 to 2^64 - 1" ;;
	*bits*) says "$1: line 1: a weak RSA key of ${1//[!0-9]/} bits: it must have at least 2048" ;;
	*) says "$1: line 1: a weak RSA key: its modulus fails libcrypto's check or has a divisor below 65536" ;;
	esac
}

[ "$(find weak -name '*.pub' | wc -l)" -eq 14 ] || give_up "keys: $(ls weak)"
for key in weak/*.pub; do
	expect_exit 2 "$GCRYPT" enc --recipient "$key" -o new in
	reason "$key"
	expect_exit 2 "$GCRYPT" enc --key-file key --recipient good.pub --recipient "$key" -o new in
	reason "$key"
	expect_exit 2 "$GCRYPT" key add --key-file key --new-recipient "$key" in.gcr
	reason "$key"
	expect_exit 2 "$GCRYPT" rekey --key-file key --recipient "$key" -o new in.gcr
	reason "$key"
	no_file new
done
same in.gcr kept

# What was made for a weak key by an earlier release can be read, but not made again.
openssl genrsa -3 -out three.pem 2048 2>err
openssl pkey -in three.pem -pubout -out three.pub
peer enc --chunk-log2 12 --group-log2 13 pem:three.pub in old.gcr
expect_exit 0 "$GCRYPT" dec --identity three.pem -o out old.gcr
same in out
refused 2 "three.pem: a weak RSA key: its exponent" rekey --identity three.pem -o new old.gcr
no_file new
expect_exit 0 "$GCRYPT" rekey --identity three.pem --new-key-file key -o new old.gcr
expect_exit 0 "$GCRYPT" verify --key-file key new

# A file key has 32 bytes (gcrypt(5)): RSA-OAEP of the right ones and one more opens nothing.
python3 - <<'PY'
from model.reader import read_secret
from model.writer import Draft, Random, make_slot
draft = Draft(read_secret("key"), bytes(5000), Random("oaep"))
draft.slots.append(make_slot(read_secret("pem:good.pub"), draft.file_key + b"!", draft.file_salt, bytes(32)))
open("long.gcr", "wb").write(draft.bytes())
PY
expect_exit 5 "$GCRYPT" verify --identity good.pem long.gcr
