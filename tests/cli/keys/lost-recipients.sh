#!/bin/bash
# No recipient is lost silently: every key of a PEM file counts, and rekey drops no slot unless --drop-slot names it.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 5000 >in
for name in anna ben carl; do "$GCRYPT" keygen --x25519 -o "$name.pem"; done
openssl genrsa -out rsa.pem 2048 2>err
openssl pkey -in rsa.pem -pubout -out rsa.pem.pub
slots() { "$GCRYPT" key list "$1" | grep -c '^slot' || true; }

# All public keys of a file, with text between them and without a newline at the end.
{ echo "Anna:" && cat anna.pem.pub && printf 'Ben:\r\n' && cat ben.pem.pub && head -c -1 rsa.pem.pub; } >all.pub
expect_exit 0 "$GCRYPT" enc "${small[@]}" --recipient all.pub in
for name in anna ben rsa; do expect_exit 0 "$GCRYPT" verify --identity "$name.pem" in.gcr; done
peer dec pem:ben.pem in.gcr out
same in out
"$GCRYPT" enc "${small[@]}" --key-file key -o added.gcr in
expect_exit 0 "$GCRYPT" key add --key-file key --new-recipient all.pub --new-recipient carl.pem.pub added.gcr
[ "$(slots added.gcr)" -eq 5 ] || give_up "slots: $(slots added.gcr)"

# A block that is no public key is no reason to leave it out.
sed '1,/BEGIN/ s/BEGIN/BEGIN RSA/' ben.pem.pub >renamed.pub
sed 's/^-----BEGIN/---BEGIN/' ben.pem.pub >dashes.pub
sed '2 s/^../!!/' ben.pem.pub >damaged.pub
head -n 2 ben.pem.pub >cut.pub
openssl req -x509 -key rsa.pem -subj /CN=x -out certificate.pub 2>err
for second in renamed dashes damaged cut certificate; do
	cat anna.pem.pub "$second.pub" >two.pub
	refused 2 "two.pub: line 4: not a public key in PEM" enc --recipient two.pub -o new in
done
cat anna.pem.pub anna.pem >two.pub
refused 2 "two.pub: line 4: a private key" enc --recipient two.pub -o new in
refused 2 "ben.pem.pub: has a key that all.pub has too" enc --recipient all.pub --recipient ben.pem.pub -o new in
python3 - >many.pub <<'PY' # any 32 bytes are a public key (RFC 8410)
import base64
for i in range(145):
    der = bytes.fromhex("302a300506032b656e032100") + bytes([i] * 32)
    print(f"-----BEGIN PUBLIC KEY-----\n{base64.b64encode(der).decode()}\n-----END PUBLIC KEY-----")
PY
refused 2 "many.pub: more than 144 keys" enc --recipient many.pub -o new in
no_file new

# All private keys of a file, and of several files.
cat carl.pem certificate.pub anna.pem >mine.pem
peer enc --chunk-log2 12 --group-log2 13 pem:anna.pem.pub in theirs.gcr
expect_exit 0 "$GCRYPT" dec --identity mine.pem -f -o out theirs.gcr
same in out
expect_exit 0 "$GCRYPT" dec --identity carl.pem --identity ben.pem --identity anna.pem -f -o out theirs.gcr
same in out
refused 5 "any of these 2 private keys" verify --identity carl.pem --identity ben.pem theirs.gcr
sed '/PRIVATE/,$ s/^M/!/' anna.pem >damaged.pem
cat carl.pem damaged.pem >two.pem
refused 2 "two.pem: not a private key in PEM" verify --identity two.pem theirs.gcr

# rekey refuses to lose a slot, of whatever type, and says so before it does anything.
forge slots key made.gcr
cp made.gcr kept
bytes 32 78 >new.key
[ "$(slots made.gcr)" -eq 6 ] || give_up "slots: $("$GCRYPT" key list made.gcr)"
for how in "-q --identity anna.pem" "--dry-run --identity anna.pem" "--identity anna.pem -o new" \
	"--key-file key" "--key-file key --new-key-file new.key"; do
	refused 2 "made.gcr: rekey would lose slot " rekey $how made.gcr
	says "slot 5: unknown"
	says "--recipient PUB.pem"
	says "--drop-slot N"
	no_file new
done
drop=(--drop-slot 0 --drop-slot 3 --drop-slot 4 --drop-slot 5)
refused 2 "would lose slot 2: x25519, 256 bits, key id" rekey --identity anna.pem "${drop[@]}" made.gcr
refused 2 "--drop-slot 6: the container has no key slot of this number" rekey --identity anna.pem "${drop[@]}" --drop-slot 6 --drop-slot 2 made.gcr
refused 2 "--drop-slot 2: this slot stays" rekey --identity anna.pem "${drop[@]}" --recipient ben.pem.pub --drop-slot 2 made.gcr
refused 2 "--drop-slot 1: this slot stays" rekey --identity anna.pem "${drop[@]}" --drop-slot 2 --drop-slot 1 made.gcr
same made.gcr kept

# What it keeps and drops stands in the plan.
expect_exit 0 "$GCRYPT" rekey --dry-run --identity anna.pem "${drop[@]}" --recipient ben.pem.pub made.gcr >plan
grep -qE '^kept: slot 1: x25519, 256 bits, key id [0-9a-f]{16}; slot 2: x25519, 256 bits, key id [0-9a-f]{16}$' plan || give_up "$(cat plan)"
grep -qE '^dropped: slot 0: key file; slot 3: rsa-oaep, .*; slot 4: passphrase, .*; slot 5: unknown' plan ||
	give_up "$(cat plan)"
same made.gcr kept
expect 0 "kept: slot 1" "$GCRYPT" rekey -v --identity anna.pem "${drop[@]}" --recipient ben.pem.pub made.gcr
[ "$(slots made.gcr)" -eq 2 ] || give_up "slots: $("$GCRYPT" key list made.gcr)"
for name in anna ben; do expect_exit 0 "$GCRYPT" verify --identity "$name.pem" made.gcr; done
expect_exit 5 "$GCRYPT" verify --identity rsa.pem made.gcr

# All identities that are given keep their slots, a new secret replaces that which was opened.
cat anna.pem rsa.pem >mine.pem
cp kept made.gcr
expect_exit 0 "$GCRYPT" rekey -q --identity mine.pem --identity ben.pem --identity carl.pem --drop-slot 0 --drop-slot 4 \
	--drop-slot 5 made.gcr
[ "$(slots made.gcr)" -eq 3 ] || give_up "slots: $("$GCRYPT" key list made.gcr)"
for name in anna ben rsa; do expect_exit 0 "$GCRYPT" verify --identity "$name.pem" made.gcr; done
expect_exit 5 "$GCRYPT" verify --key-file key made.gcr
cp kept made.gcr
expect_exit 0 "$GCRYPT" rekey --dry-run --key-file key --new-key-file new.key --recipient all.pub --drop-slot 4 \
	--drop-slot 5 made.gcr >plan
grep -q '^replaced: slot 0: key file$' plan || give_up "$(cat plan)"
grep -q '^kept: slot 1: .*; slot 2: .*; slot 3: [^;]*$' plan || give_up "$(cat plan)"
