#!/bin/bash
# A block device: written only with -f, never when mounted, and read although it is longer.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
export PATH="$PATH:/usr/sbin:/sbin"
[ "$(id -u)" -eq 0 ] || skip "needs root"
truncate -s 4M disk.img
device=$(losetup -f --show disk.img 2>/dev/null) || skip "no loop device"
mkdir mounted
trap 'umount mounted 2>/dev/null || true; losetup -d "$device"' EXIT
make_key
bytes 100000 >in
k=(--key-file key)

expect_exit 6 "$GCRYPT" enc "${small[@]}" "${k[@]}" -o "$device" in
cmp -n 4194304 disk.img /dev/zero
expect_exit 0 "$GCRYPT" enc -f "${small[@]}" "${k[@]}" -o "$device" in
[ -b "$device" ] || give_up "the device node is gone"
expect_exit 0 "$GCRYPT" verify "${k[@]}" "$device"
"$GCRYPT" dec "${k[@]}" -o out "$device"
same in out

# A device as the source; its image back onto it.
"$GCRYPT" enc "${k[@]}" -o c "$device"
"$GCRYPT" dec "${k[@]}" -o - c | cmp - "$device"
expect_exit 0 "$GCRYPT" dec -f "${k[@]}" -o "$device" c
expect_exit 6 "$GCRYPT" enc -f "${k[@]}" -o "$device" "$device"

# More than fits.
bytes 5000000 >big
expect_exit 3 "$GCRYPT" enc -f "${small[@]}" "${k[@]}" -o "$device" big

mke2fs -q -F -t ext4 "$device"
mount "$device" mounted 2>/dev/null || skip "cannot mount"
expect_exit 6 "$GCRYPT" enc -f "${small[@]}" "${k[@]}" -o "$device" in
