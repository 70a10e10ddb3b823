#!/bin/bash
# Every kind of key is a recipient, opens, is added, removed, and kept and made anew by rekey.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
type ssh-keygen >/dev/null 2>&1 || skip "no ssh-keygen"
make_key
bytes 9000 >in
"$GCRYPT" keygen --x25519 -o x25519
openssl genpkey -algorithm ed25519 -out ed25519
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out p256
openssl genrsa -out rsa 2048 2>err
for name in ed25519 p256 rsa; do openssl pkey -in "$name" -pubout -out "$name.pub"; done
ssh-keygen -q -t ed25519 -N '' -f ssh-ed25519
ssh-keygen -q -t rsa -b 2048 -N '' -f ssh-rsa
ssh-keygen -q -t ed25519 -N secret -f ssh-locked
export SECRET=secret

cells=0
for kind in x25519 ed25519 p256 rsa ssh-ed25519 ssh-rsa ssh-locked; do
	with=(-i "$kind")
	[ "$kind" != ssh-locked ] || with+=(--identity-passphrase env:SECRET)
	expect_exit 0 "$GCRYPT" enc -f "${small[@]}" -r "$kind.pub" in
	expect_exit 0 "$GCRYPT" dec -f "${with[@]}" -o out in.gcr
	same in out
	expect_exit 0 "$GCRYPT" key add "${with[@]}" --new-key-file key in.gcr
	expect_exit 0 "$GCRYPT" key remove -q --key-file key -r "$kind.pub" in.gcr
	expect_exit 5 "$GCRYPT" verify "${with[@]}" in.gcr
	expect_exit 0 "$GCRYPT" key add --key-file key --new-recipient "$kind.pub" in.gcr
	expect_exit 0 "$GCRYPT" rekey -q --key-file key -r "$kind.pub" in.gcr
	expect_exit 0 "$GCRYPT" key remove -q "${with[@]}" --slot 0 in.gcr
	expect_exit 0 "$GCRYPT" rekey -q "${with[@]}" in.gcr
	expect_exit 0 "$GCRYPT" dec -f "${with[@]}" -o out in.gcr
	same in out
	cells=$((cells + 5))
done
[ "$cells" = 35 ] || give_up "$cells cells"
