#!/bin/bash
# The key file of a LUKS volume opens the tags of the volume too, whatever its length and its last byte.
# shellcheck source=tests/luks/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
with_library || skip "skipped: $GCRYPT was built without libcryptsetup"
bytes 1048576 >img
header=$((16 << 20))
key_text=$'battery staple\n'
printf %s "$key_text" >text
bytes 32 5 >short
{
	bytes 500 6
	echo
} >long
chmod 600 text short long

for key in text short long; do
	k=(--key-file "$key")
	"$GCRYPT" enc -q --luks2 --kdf pbkdf2 --kdf-cost 10 "${k[@]}" -f --tags volume.gcr -o volume img
	expect_exit 0 "$GCRYPT" verify -q "${k[@]}" volume.gcr
	expect_exit 0 "$GCRYPT" dec -q "${k[@]}" -f -o back volume.gcr
	same img back
	flip volume $((header + 70000))
	expect_exit 4 "$GCRYPT" verify -q "${k[@]}" volume.gcr
	expect_exit 0 "$GCRYPT" retag -q "${k[@]}" volume.gcr
	"$GCRYPT" verify -q "${k[@]}" --tags volume.gcr volume
	expect_exit 5 "$GCRYPT" verify -q --key-file <(echo wrong) volume.gcr
done

# As a passphrase: all bytes.
"$GCRYPT" enc -q --luks2 --kdf pbkdf2 --kdf-cost 10 --key-file text -f --tags volume.gcr -o volume img
part volume $header 2000000 >payload
PASS=$key_text peer dec --image payload env:PASS volume.gcr back
same img back

# The subcommands that see the tags alone take the key file as a passphrase, whose last newline does not count.
bytes 32 7 >added
chmod 600 added
expect_exit 5 "$GCRYPT" key add -q --passphrase file:text --new-key-file added volume.gcr
expect_exit 5 "$GCRYPT" info --passphrase file:text volume.gcr
"$GCRYPT" info --passphrase 'cmd:cat text; echo' volume.gcr | grep '^authenticated' >/dev/null || give_up info
expect_exit 0 "$GCRYPT" key add -q --passphrase 'cmd:cat text; echo' --new-key-file added volume.gcr

# The key file of another image stays one of 32 bytes.
"$GCRYPT" enc -q --detached --key-file added -o image img
expect_exit 2 "$GCRYPT" retag -q --key-file long image.gcr
says 'not a key file'
expect_exit 0 "$GCRYPT" retag -q --key-file added image.gcr
