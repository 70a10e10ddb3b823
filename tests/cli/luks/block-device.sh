#!/bin/bash
# LUKS volumes on a block device: written only with -f, and read although the device is longer.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
with_library || skip "skipped: $GCRYPT was built without libcryptsetup"
needs cryptsetup
[ "$(id -u)" -eq 0 ] || skip "needs root"
header=$((16 << 20))
size=$((header + (1 << 20)))
truncate -s $size disk
device=$(losetup -f --show disk 2>/dev/null) || skip "no loop device"
trap 'losetup -d "$device"' EXIT
bytes 1048576 >img
printf 'correct horse' >pass
chmod 600 pass
p=(--passphrase file:pass)
enc=(enc -q --luks2 --kdf-cost 10 "${p[@]}")

# read_image FILE: the device begins with it.
read_image() {
	"$GCRYPT" dec -q "${p[@]}" -o - "$device" >back
	cmp -n "$(stat -c %s "$1")" "$1" back || give_up "the device gives another image"
}

expect_exit 6 "$GCRYPT" "${enc[@]}" -o "$device" img
cmp -n $size disk /dev/zero
"$GCRYPT" "${enc[@]}" -f -o "$device" img
[ -b "$device" ] || give_up "the device node is gone"
cryptsetup_opens "$device" pass
read_image img
"$GCRYPT" verify -q "${p[@]}" "$device"

# A shorter image: the rest of the device is the rest of the payload, as it is for dm-crypt.
head -c 500736 img >shorter
"$GCRYPT" "${enc[@]}" --sector-size 512 -f -o "$device" shorter
read_image shorter
[ "$(stat -c %s back)" -eq 1048576 ] || give_up "the payload does not reach to the end of the device"

# Rekeyed to a file, and from a file to the device.
"$GCRYPT" rekey -q --kdf-cost 10 "${p[@]}" -o new "$device"
"$GCRYPT" dec -q "${p[@]}" -o plain new
same back plain
expect_exit 6 "$GCRYPT" rekey -q --kdf-cost 10 "${p[@]}" -o "$device" new
expect_exit 6 "$GCRYPT" rekey -q --kdf-cost 10 "${p[@]}" -f -o "$device" "$device"
"$GCRYPT" rekey -q --kdf-cost 10 "${p[@]}" -f -o "$device" new
read_image plain

# More than fits is seen before anything is written.
cp disk before
bytes $((1048576 + 512)) >large
refused 3 'does not fit' "${enc[@]}" -f -o "$device" large
"$GCRYPT" "${enc[@]}" -o volume large
refused 3 'does not fit' rekey -q --kdf-cost 10 "${p[@]}" -f -o "$device" volume
same before disk
