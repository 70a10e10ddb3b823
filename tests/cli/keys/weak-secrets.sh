#!/bin/bash
# New secrets that can be guessed and secrets that others can read are reported, each in one line.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
umask 077
make_key
bytes 5000 >in
lines() { [ "$(wc -l <err)" -eq "$1" ] || give_up "$(wc -l <err) lines instead of $1: $(cat err)"; }
k=(--key-file key)

# A new passphrase of fewer than 8 bytes, in any encoding; not one that opens what there is.
for p in x 1234567 äöü; do
	export P=$p
	expect 0 "warning: the new passphrase has fewer than 8 bytes" "$GCRYPT" enc "${small[@]}" --kdf-cost 10 --passphrase env:P -f in
	lines 1
done
P=x expect_exit 0 "$GCRYPT" enc -q "${small[@]}" --kdf-cost 10 --passphrase env:P -f in
lines 0
P=x expect_exit 0 "$GCRYPT" verify --passphrase env:P in.gcr
lines 0
# One that another terminal or editor does not give again.
P=$'hunter2\r' expect_exit 0 "$GCRYPT" enc "${small[@]}" --kdf-cost 10 --passphrase env:P -f in
says "warning: the new passphrase has a carriage return"
lines 1
P=$'hunter2\r' expect_exit 0 "$GCRYPT" verify --passphrase env:P in.gcr
lines 0
P=12345678 expect_exit 0 "$GCRYPT" enc "${small[@]}" --kdf-cost 10 --passphrase env:P -f in
lines 0
"$GCRYPT" enc "${small[@]}" "${k[@]}" -f in
P=x expect_exit 0 "$GCRYPT" key add "${k[@]}" --new-passphrase env:P --kdf-cost 10 in.gcr
says "fewer than 8 bytes"
lines 1
P=$'\xef\xbb\xbf12345678' expect_exit 0 "$GCRYPT" key add "${k[@]}" --new-passphrase env:P --kdf-cost 10 in.gcr
says "byte order mark"
lines 1
P=y expect_exit 0 "$GCRYPT" key add -q "${k[@]}" --new-passphrase env:P --kdf-cost 10 in.gcr
lines 0
P=x expect_exit 0 "$GCRYPT" rekey "${k[@]}" --drop-slot 1 --drop-slot 2 --drop-slot 3 --new-passphrase env:P --kdf-cost 10 -o new in.gcr
says "fewer than 8 bytes"

# A new key file whose bytes are all equal, in both of its forms; those of an older container open it.
head -c 32 /dev/zero >zero
printf '%064d\n' 0 | tr 0 a >hex
for bad in zero hex; do
	expect 0 "$bad: warning: all bytes of this key are equal" "$GCRYPT" enc "${small[@]}" --key-file "$bad" -f -o "$bad.gcr" in
	lines 1
	expect_exit 0 "$GCRYPT" verify --key-file "$bad" "$bad.gcr"
	lines 0
	expect 0 "$bad: warning: all bytes of this key are equal" "$GCRYPT" key add "${k[@]}" --new-key-file "$bad" in.gcr
	lines 1
done
peer enc zero in theirs.gcr
expect_exit 0 "$GCRYPT" dec --key-file zero -f -o out theirs.gcr
lines 0
same in out

# What others can read or write, of each kind of secret; not public keys and what is no regular file.
"$GCRYPT" keygen --x25519 -o me.pem
echo "a long passphrase" >pass
"$GCRYPT" enc "${small[@]}" "${k[@]}" --recipient me.pem.pub -f -o all.gcr in
"$GCRYPT" key add "${k[@]}" --new-passphrase file:pass --kdf-cost 10 all.gcr
for how in "key --key-file" "me.pem --identity" "pass --passphrase"; do
	file=${how% *} given=${how% *}
	[ "$file" != pass ] || given=file:pass
	for mode in 640 620 604 602 666; do
		chmod "$mode" "$file"
		expect_exit 0 "$GCRYPT" verify "${how#* }" "$given" all.gcr
		says "$file: warning: other users can read or change this secret (mode 0$mode): chmod 600 $file"
		lines 1
		expect_exit 0 "$GCRYPT" verify -q "${how#* }" "$given" all.gcr
		lines 0
	done
	for mode in 400 600 700 711; do
		chmod "$mode" "$file"
		expect_exit 0 "$GCRYPT" verify "${how#* }" "$given" all.gcr
		lines 0
	done
done
chmod 644 me.pem.pub pass
expect_exit 0 "$GCRYPT" enc "${small[@]}" "${k[@]}" --recipient me.pem.pub -f -o new in
lines 0
expect 0 "pass: warning: other users can read" "$GCRYPT" key add "${k[@]}" --new-passphrase file:pass --kdf-cost 10 new
lines 1
expect_exit 0 "$GCRYPT" verify --passphrase fd:8 new 8<pass
expect_exit 0 "$GCRYPT" verify --key-file <(cat key) new
lines 0

# A passphrase is its bytes: not normalised, and a carriage return counts (gcrypt(1), "Secrets").
printf 'gr\xc3\xbc\xc3\x9fe aus K\xc3\xb6ln' >nfc
printf 'gru\xcc\x88\xc3\x9fe aus Ko\xcc\x88ln' >nfd
printf '%s\r\n' "$(cat nfc)" >crlf
P=$(cat nfc) peer enc --log2-n 10 env:P in theirs.gcr
expect_exit 0 "$GCRYPT" verify --passphrase file:nfc theirs.gcr
expect_exit 5 "$GCRYPT" verify --passphrase file:nfd theirs.gcr
expect_exit 5 "$GCRYPT" verify --passphrase file:crlf theirs.gcr
P=$(cat nfc)$'\r' peer enc --log2-n 10 env:P in theirs.gcr
expect_exit 0 "$GCRYPT" verify --passphrase file:crlf theirs.gcr
