#!/bin/bash
# Keys that ssh-keygen made, in every form that it writes, as recipients and identities; to and from the independent
# implementation, and against age's conversion.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
type ssh-keygen >/dev/null 2>&1 || skip "no ssh-keygen"
bytes 20000 >in
echo "open sesame" >word
echo wrong >bad
chmod 600 word bad
# key NAME PASSPHRASE ARGUMENT…
key() { ssh-keygen -q -N "$2" -C "$1@host" -f "$1" "${@:3}"; }
key ed '' -t ed25519
key ed-locked "open sesame" -t ed25519
key ed-cbc "open sesame" -t ed25519 -a 1 -Z aes256-cbc
key ed-gcm-locked "open sesame" -t ed25519 -a 1 -Z aes256-gcm@openssh.com
key ed-chacha-locked "open sesame" -t ed25519 -a 1 -Z chacha20-poly1305@openssh.com
key rsa '' -t rsa -b 2048
key rsa-locked "open sesame" -t rsa -b 3072 -a 1
# as NAME PASSPHRASE FORMAT: the key rsa in another form.
as() {
	cp -p rsa "$1"
	cp rsa.pub "$1.pub"
	ssh-keygen -q -p -P '' -N "$2" -m "$3" -f "$1"
}
as rsa-pem '' PEM
as rsa-pem-locked "open sesame" PEM
as rsa-pkcs8-locked "open sesame" PKCS8
openssl genpkey -algorithm ed25519 -out ed-pkcs8
openssl pkey -in ed-pkcs8 -pubout -out ed-pkcs8.pub
openssl pkey -in ed-pkcs8 -aes256 -passout "pass:open sesame" -out ed-pkcs8-locked
cp ed-pkcs8.pub ed-pkcs8-locked.pub
ssh-keygen -e -m PEM -f rsa.pub >rsa-pkcs1.pub
ssh-keygen -e -m PKCS8 -f rsa.pub >rsa-spki.pub
cp rsa rsa-pkcs1
cp rsa rsa-spki

for name in ed ed-locked ed-cbc ed-gcm-locked ed-chacha-locked rsa rsa-locked rsa-pem rsa-pem-locked rsa-pkcs8-locked ed-pkcs8 ed-pkcs8-locked \
	rsa-pkcs1 rsa-spki; do
	expect_exit 0 "$GCRYPT" enc -f "${small[@]}" -r "$name.pub" in
	expect_exit 0 setsid -w "$GCRYPT" dec -i "$name" --identity-passphrase file:word -f -o out in.gcr
	same in out
	case $name in
	*-locked | *-cbc)
		expect 5 "its passphrase is wrong" setsid -w "$GCRYPT" verify -i "$name" --identity-passphrase file:bad in.gcr
		;;
	esac
done

key ed-other "open sesame" -t ed25519 -a 1 -Z aes128-ctr
refused 2 "encrypted with 'aes128-ctr', which gcrypt cannot read" verify -i ed-other --identity-passphrase file:word in.gcr

# A file as authorized_keys: every key that is known counts, and one that is not is an error, as is any other text.
{
	printf '# the project\n\n'
	sed 's/^/command="echo \\"ssh-rsa\\" x",no-pty /' ed.pub
	printf '   '
	cat rsa.pub
} >authorized_keys
expect_exit 0 "$GCRYPT" enc -f "${small[@]}" --recipients-from authorized_keys in
[ "$("$GCRYPT" key list in.gcr | grep -c '^slot')" = 2 ] || give_up "slots"
expect_exit 0 "$GCRYPT" verify -i ed in.gcr
expect_exit 0 "$GCRYPT" verify -i rsa in.gcr
key ecdsa '' -t ecdsa -b 521
cat ecdsa.pub >>authorized_keys
refused 2 "authorized_keys: line 5: unknown type of SSH key 'ecdsa-sha2-nistp521'" enc -r authorized_keys -o new in
expect_exit 2 "$GCRYPT" verify -i ecdsa in.gcr
{ cat ed.pub && echo hello; } >strange
refused 2 "strange: line 2: not a public key" enc -r strange -o new in
refused 2 "a private key" enc -r ed -o new in
key short '' -t rsa -b 1024
refused 2 "2048" enc -r short.pub -o new in
sed 's/AAAAC3/AAAAC4/' ed.pub >other
refused 2 "a malformed ssh-ed25519 key" enc -r other -o new in
no_file new

# As https://github.com/NAME.keys: keys of other types are skipped on request, each with a line, also of a quiet run.
{
	cat ecdsa.pub
	printf 'sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29t\r\n\r\n# both\r\n'
	sed 's/$/\r/' ed.pub
	cat short.pub
	echo hello
} >keys
skipping() { expect_exit 0 "$GCRYPT" "$@" --skip-unusable "${about[@]}"; }
about=(-q -f "${small[@]}" --recipients-from keys in) && skipping enc
for number in 1:unknown 2:unknown 6:'an RSA key of 1024 bits' 7:'not a public key'; do
	says "keys: warning: line ${number%%:*}: ${number#*:}"
done
[ "$(grep -c ': skipped$' err)" = 4 ] || give_up "$(cat err)"
expect_exit 0 "$GCRYPT" verify -q -i ed in.gcr
[ "$("$GCRYPT" key list in.gcr | grep -c '^slot')" = 1 ] || give_up "slots"
about=(keys) && skipping key id >said
[ "$(sed 's/^keys:/ed.pub:/' said)" = "$("$GCRYPT" key id ed.pub)" ] || give_up "$(cat said)"
"$GCRYPT" enc -f "${small[@]}" -r rsa.pub in
about=(-i rsa --new-recipient keys in.gcr) && skipping key add
expect_exit 0 "$GCRYPT" verify -q -i ed in.gcr
refused 2 "short.pub: not a usable key" enc --skip-unusable -r keys -r short.pub -o new in
{ printf %s "$(cat ecdsa.pub)" && cat ed.pub rsa.pub; } >joined # the first line has no end
refused 2 "joined: line 1: two keys on one line" enc --skip-unusable -r joined -o new in
head -c 60 ed.pub >>keys # damaged
refused 2 "keys: line 8: a malformed ssh-ed25519 key" enc --skip-unusable -r keys -o new in
no_file new

# A passphrase is asked for only if no other key opens, and first that of the key that a slot names: its file has the
# public half in the clear.  There is no terminal.
opens_without() { expect_exit "$1" setsid -w "$GCRYPT" verify -q "${@:2}" </dev/null; }
key stranger "another" -t ed25519 -a 1
"$GCRYPT" enc -f "${small[@]}" -r ed.pub -r ed-gcm-locked.pub -o both in
"$GCRYPT" enc -f "${small[@]}" -r ed-gcm-locked.pub -o one in
opens_without 0 -i ed-gcm-locked -i ed both
opens_without 0 -i ed-gcm-locked -i ed --identity-passphrase file:bad both
opens_without 0 -j 2 -i ed-gcm-locked -i ed both in.gcr
opens_without 2 -i ed -i ed-gcm-locked one
says "ed-gcm-locked: no terminal"
opens_without 2 -j 2 -i ed -i ed-gcm-locked both one
says "ed-gcm-locked: no terminal"
opens_without 5 -i ed -i stranger one
says "any of these 2 private keys"
opens_without 0 -i ed-pkcs8-locked -i stranger -i ed-gcm-locked --identity-passphrase file:word one
opens_without 0 -j 2 -i ed -i ed-gcm-locked --identity-passphrase file:word both one
opens_without 2 -i ed -i ed-pkcs8-locked one # the public half is not in the clear
"$GCRYPT" enc -f "${small[@]}" --anonymous -r ed-gcm-locked.pub -o hidden in
opens_without 2 -i ed -i ed-gcm-locked hidden
expect_exit 0 setsid -w "$GCRYPT" info -i ed -i ed-gcm-locked both >said
grep -q 'opened by ed-gcm-locked$' said || give_up "$(cat said)"
[ "$(setsid -w "$GCRYPT" key id ed-gcm-locked)" = "$("$GCRYPT" key id ed-gcm-locked.pub | sed 's/\.pub:/:/')" ] || give_up "key id"

# The line itself; and the same key in two forms is one key.
expect_exit 0 "$GCRYPT" enc -f "${small[@]}" -r "$(cat ed.pub)" in
expect_exit 0 "$GCRYPT" verify -i ed in.gcr
refused 2 "has too" enc -r rsa.pub -r rsa-pkcs1.pub -o new in

# The independent implementation.
for name in ed rsa ed-pkcs8; do
	"$GCRYPT" enc -f "${small[@]}" -r "$name.pub" -o ours in
	peer dec "pem:$name" ours out
	same in out
	peer enc --chunk-log2 12 --group-log2 13 "pem:$name.pub" in theirs
	expect_exit 0 "$GCRYPT" dec -i "$name" -f -o back theirs
	same in back
done

# age converts the public key as we do: with our scalar its file key opens.
if type age >/dev/null 2>&1; then
	age -R ed.pub -o in.age in
	python3 - "$tests" <<'TEXT' || give_up "not age's conversion"
import sys
sys.path.insert(0, sys.argv[1])
from model import recipients, ssh
lines = open("in.age", "rb").read().split(b"---")[0].decode().splitlines()
kind, scalar = ssh.private_key(open("ed").read())
file_key = ssh.age_file_key(recipients.x25519, lines[1:3], open("ed.pub").read(), scalar)
sys.exit(file_key is None)
TEXT
fi
