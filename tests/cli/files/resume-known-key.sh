#!/bin/bash
# enc --resume continues only what the same secret started: a part file under a file key that somebody else knows is
# encrypted again under a new one.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
export P='correct horse battery staple'
make_key
chmod 600 key
bytes 300000 3 >secret
"$GCRYPT" keygen --x25519 -o ben.pem
"$GCRYPT" keygen --x25519 -o victim.pem
kdf=(--kdf-cost 10)

# try SECRET… with X.gcr, whose file key is in known: the attacker does not read what is written now.
try() {
	rm -f secret.gcr secret.gcr.part
	forge part X.gcr known secret secret.gcr.part
	expect_exit 0 "$GCRYPT" enc --engine cpu --cipher aes --resume "$@" secret
	cp err said
	forge reads known secret.gcr secret && give_up "the known file key opens it: $*"
	grep -q 'the part file is not continued' said || give_up "no warning: $(cat said)"
	"$GCRYPT" dec -q --engine cpu "${@:1:2}" -o back -f secret.gcr
	same secret back
}

# Ben was a recipient of another container of the same secret.
echo shared >X
for secret in "--passphrase env:P" "--key-file key"; do
	read -r option value <<<"$secret"
	more=()
	[ "$option" = --key-file ] || more=("${kdf[@]}")
	"$GCRYPT" enc -q -f --engine cpu --cipher aes "$option" "$value" "${more[@]}" --recipient ben.pem.pub X
	forge file-key X.gcr pem:ben.pem known
	forge reads known X.gcr X || give_up "the test itself: the file key does not open X"
	try "$option" "$value" "${more[@]}"
done

# A container that the attacker made, to which the victim added the passphrase.
rm -f X.gcr
forge gift victim.pem.pub X.gcr known
"$GCRYPT" key add -q --identity victim.pem --new-passphrase env:P "${kdf[@]}" X.gcr
try --passphrase env:P "${kdf[@]}"

# A part file of no file key at all does not choose the cipher.
rm -f secret.gcr
"$GCRYPT" enc -q --engine cpu --cipher aes --key-file key -o old.gcr X
{ part old.gcr 0 8192; head -c 8192 /dev/zero; } >secret.gcr.part
put_byte secret.gcr.part 12 03
expect_exit 0 "$GCRYPT" enc --engine cpu --resume --key-file key secret
[ "$("$GCRYPT" info --json secret.gcr | field cipher)" != sc2000 ] || give_up "the part file chose SC2000"
