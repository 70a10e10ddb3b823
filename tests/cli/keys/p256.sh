#!/bin/bash
# P-256 keys as recipients and identities: every form of a key is one key; other curves and malformed slots are
# rejected; to and from the independent implementation.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
bytes 20000 >in
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out me.pem
openssl pkey -in me.pem -pubout -out me.pub
openssl ec -in me.pem -out sec1.pem 2>err
openssl ec -in me.pem -pubout -conv_form compressed -out short.pub 2>err
openssl ec -in me.pem -pubout -param_enc explicit -out explicit.pub 2>err
openssl pkey -in me.pem -aes256 -passout pass:open -out locked.pem
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out other.pem
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out p384.pem
openssl pkey -in p384.pem -pubout -out p384.pub
export OPEN=open

id=$(openssl pkey -in me.pem -pubout -outform DER | sha256sum | head -c 16)
for public in me.pub short.pub explicit.pub; do
	expect_exit 0 "$GCRYPT" enc -f "${small[@]}" -r "$public" in
	"$GCRYPT" key list --json in.gcr >slots
	[ "$(field slots.0.type slots.0.key_id <slots)" = "p-256 $id" ] || give_up "$public: $(cat slots)"
done
for private in me.pem sec1.pem locked.pem; do
	expect_exit 0 "$GCRYPT" dec -i "$private" --identity-passphrase env:OPEN -f -o out in.gcr
	same in out
done
refused 5 "no key slot matches this P-256 key" verify -i other.pem in.gcr
refused 2 "unknown type of key" enc -r p384.pub -o new in
refused 2 "has too" enc -r me.pub -r short.pub -o new in
expect_exit 2 "$GCRYPT" verify -i p384.pem in.gcr
no_file new

# An ephemeral coordinate that is not below the prime, or that no point has, opens nothing.
for coordinate in "$(printf 'ff%.0s' {1..32})" "$(printf '00%.0s' {1..31})01" "$(printf '00%.0s' {1..31})07"; do
	cp in.gcr bad.gcr
	for copy in 0 8192; do
		printf '%b' "${coordinate//??/\\x&}" | put bad.gcr $((copy + 480 + 16))
	done
	expect_exit 5 "$GCRYPT" verify -i me.pem bad.gcr
done

# The independent implementation.
for half in me.pem me.pub; do
	"$GCRYPT" enc -f "${small[@]}" -r me.pub -o ours in
	peer dec pem:me.pem ours out
	same in out
	peer enc --chunk-log2 12 --group-log2 13 "pem:$half" in theirs
	expect_exit 0 "$GCRYPT" dec -i me.pem -f -o back theirs
	same in back
done
