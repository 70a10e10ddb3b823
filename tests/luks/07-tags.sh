#!/bin/bash
# Tags beside a LUKS2 volume: any change of the payload, the header or the tags is found.  GCRYPT_TEST_ONE_IN: at one in
# N places.
# shellcheck source=tests/luks/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
with_library || skip "skipped: $GCRYPT was built without libcryptsetup"
needs cryptsetup
bytes 1048576 >img
printf 'correct horse' >pass
chmod 600 pass
header=$((16 << 20))
p=(--passphrase file:pass)
enc=(enc -q --luks2 --kdf-cost 10 "${p[@]}")

# The volume is as without tags, and its payload with the tags is a detached image, as the peer reads it.
for kind in "aes 256 512 cpu" "aes 128 4096 opencl" "camellia 256 2048 cpu"; do
	read -r cipher bits sector engine <<<"$kind"
	"$GCRYPT" "${enc[@]}" --cipher "$cipher" --bits "$bits" --sector-size "$sector" --engine "$engine" -f --tags volume.gcr -o volume img
	opens volume pass
	part volume $header 2000000 >payload
	xts decrypt "$cipher" "$(volume_key volume pass)" "$sector" payload back
	same img back
	PASS=$(cat pass) peer dec --image payload env:PASS volume.gcr back
	same img back
	"$GCRYPT" verify "${p[@]}" --tags volume.gcr volume >said
	grep "^volume: verified: 1048576 bytes, $cipher-$bits-xts, digest " said >/dev/null || give_up "$(cat said)"
	"$GCRYPT" dec -q "${p[@]}" --engine "$engine" --tags volume.gcr -f -o back volume
	same img back
	"$GCRYPT" dec -q "${p[@]}" --engine "$engine" -f -o back volume.gcr
	same img back
done
"$GCRYPT" verify "${p[@]}" volume | grep 'the payload is not: that needs --tags' >/dev/null || give_up "verified without tags"
bytes 500 5 >any
chmod 600 any
"$GCRYPT" enc -q --luks2 --kdf pbkdf2 --kdf-cost 10 --key-file any --tags keyed.tags -o keyed img
"$GCRYPT" verify -q --key-file any --tags keyed.tags keyed
"$GCRYPT" "${enc[@]}" --cipher aes -f --tags volume.gcr -o volume img

# found WHAT FILE OFFSET…: neither verify nor dec accepts a changed bit.
found() {
	local what=$1 file=$2 code=0 at
	shift 2
	for at in "$@"; do
		flip "$file" "$at"
		code=0
		"$GCRYPT" verify -q "${p[@]}" --tags volume.gcr volume 2>err || code=$?
		case $code in
		2 | 4 | 5) [ "$(failures)" -eq 1 ] || give_up "$what, byte $at: $(cat err)" ;;
		*) give_up "$what, byte $at: exit $code: $(cat err)" ;;
		esac
		flip "$file" "$at"
	done
}

RANDOM=35
random() { for ((i = 0; i < $1; i += ${GCRYPT_TEST_ONE_IN:-1})); do echo $(($2 + (RANDOM << 15 | RANDOM) % $3)); done; }
rm -f back
# shellcheck disable=SC2046 # numbers
{
	found payload volume $header $((header + 1048575)) $(random 80 $header 1048576)
	found "LUKS header" volume 0 7 447 448 4096 20480 $(random 40 0 32768)
	found "key slot" volume $(random 4 32768 256000)
	found "header of the tags" volume.gcr $(random 20 0 16384)
	found tags volume.gcr $(random 40 16384 4096)
}
flip volume $((header + 70000))
expect_exit 4 "$GCRYPT" dec -q "${p[@]}" --tags volume.gcr -o back volume
says "volume: corrupt at byte $header of this file (group 0): a chunk is damaged"
expect_exit 4 "$GCRYPT" verify -q "${p[@]}" volume.gcr
flip volume $((header + 70000))
no_file back

# A sector in another's place; another length; the tags of another volume of the same image.
cp volume before
part before $((header + 512)) 512 | put volume $header
expect_exit 4 "$GCRYPT" verify -q "${p[@]}" --tags volume.gcr volume
cp before volume
truncate -s -512 volume
expect_exit 4 "$GCRYPT" verify -q "${p[@]}" --tags volume.gcr volume
truncate -s +1024 volume
expect_exit 4 "$GCRYPT" verify -q "${p[@]}" --tags volume.gcr volume
cp before volume
"$GCRYPT" "${enc[@]}" --cipher aes --tags other.gcr -o other img
expect_exit 4 "$GCRYPT" verify -q "${p[@]}" --tags other.gcr volume
says 'other.gcr: has the tags of another volume'
part other 0 $header >mixed
part volume $header 2000000 >>mixed
expect_exit 4 "$GCRYPT" verify -q "${p[@]}" --tags volume.gcr mixed
says 'has the tags of another volume'

# The volume is written to by dm-crypt: retag makes the tags of what it holds now.
bytes 1048576 9 >img
xts encrypt aes "$(volume_key volume pass)" 512 img payload
put volume $header <payload
expect_exit 4 "$GCRYPT" verify -q "${p[@]}" volume.gcr
"$GCRYPT" retag -q "${p[@]}" volume.gcr
"$GCRYPT" dec -q "${p[@]}" --tags volume.gcr -o back volume
same img back

# Refusals.
expect_exit 2 "$GCRYPT" verify -q "${p[@]}" --tags volume.gcr img
says 'img: --tags is for LUKS volumes'
expect_exit 2 "$GCRYPT" enc -q "${p[@]}" --tags new.gcr -o new img
expect_exit 2 "$GCRYPT" "${enc[@]}" --tags new -o new img
says 'both the volume and its detached header'
expect_exit 2 "$GCRYPT" "${enc[@]}" --tags new.gcr -o - img
expect_exit 2 "$GCRYPT" "${enc[@]}" --tags new.gcr --luks2-header head -o new img
expect_exit 6 "$GCRYPT" "${enc[@]}" --tags volume.gcr -o new img
expect_exit 6 "$GCRYPT" dec -q "${p[@]}" --tags volume.gcr -f -o volume.gcr volume
expect_exit 3 "$GCRYPT" verify -q "${p[@]}" --tags missing volume
cp volume before
expect_exit 4 "$GCRYPT" dec -q --in-place "${p[@]}" volume.gcr
same before volume
no_file new
no_file new.gcr
