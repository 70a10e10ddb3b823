#!/bin/bash
# A block device: written only with -f, never when mounted, and read although it is longer.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
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

# More than fits is seen before anything is written, where the size is known.
raw=(--raw --cipher aes --bits 128 --mode ctr --key-hex "$(printf '%032d' 1)" --iv-hex "$(printf '%032d' 0)")
bytes 5000000 >big
cp disk.img before
"$GCRYPT" enc "${k[@]}" -o big.gcr big
for enc in "enc ${small[*]} ${k[*]} big" "enc ${raw[*]} big" "dec ${k[*]} big.gcr" \
	"dec ${k[*]} --offset 1 --length 4194305 big.gcr"; do
	refused 3 'does not fit: the output takes 4194304 bytes' ${enc/ / -f -o $device }
	cmp "$device" before
done
refused 3 'No space left on device' enc -f "${small[@]}" "${k[@]}" -o "$device" - < <(cat big)
expect_exit 0 "$GCRYPT" dec -f "${k[@]}" --length 4194304 -o "$device" big.gcr
cmp -n 4194304 big "$device"
head -c 2785281 big >fits # 16 KiB and 340 groups of 12 KiB are 4 MiB, and this is a byte more
refused 3 'does not fit' enc -f "${small[@]}" "${k[@]}" -o "$device" fits
truncate -s -1 fits
expect_exit 0 "$GCRYPT" enc -f "${small[@]}" "${k[@]}" -o "$device" fits
"$GCRYPT" dec "${k[@]}" -o - "$device" | cmp - fits

# A device that is written to while it is read, and one whose medium is replaced: LOOP_CHANGE_FD, if the kernel counts
# media.
while_reading() { # DEVICE COMMAND
	expect_exit "${3-3}" "$GCRYPT" enc -f --kdf-cost 10 --passphrase "cmd:$2; echo secret" -o c "$1"
	[ "${3-}" ] || says "$1: changed while it was read"
	"$GCRYPT" dec --passphrase 'cmd:echo secret' -o - c | cmp - "$1"
}
while_reading "$device" "echo x >$device"
cp disk.img other.img
losetup -d "$device"
device=$(losetup -r -f --show disk.img)
while_reading "$device" true 0
[ ! -e "/sys/class/block/${device##*/}/diskseq" ] || while_reading "$device" \
	"python3 -c 'import fcntl, os; fcntl.ioctl(os.open(\"$device\", 0), 0x4C06, os.open(\"other.img\", 0))'"
losetup -d "$device"
device=$(losetup -f --show disk.img)

# Nobody else writes: another run, whoever changes key slots.
expect_exit 0 "$GCRYPT" enc -f "${small[@]}" "${k[@]}" -o "$device" in
bytes 32 5 >key2
expect_exit 0 "$GCRYPT" key add "${k[@]}" --new-key-file key2 "$device"
expect_exit 0 "$GCRYPT" verify --key-file key2 "$device"
python3 -c 'import os, sys, time
os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)
open("held", "w").close()
time.sleep(60)' "$device" &
holder=$!
while [ ! -e held ]; do sleep 0.05; done
refused 6 'mounted or in use' enc -f "${small[@]}" "${k[@]}" -o "$device" in
refused 6 'mounted or in use' key remove "${k[@]}" --slot 1 "$device"
expect 0 'warning: is mounted or in use: it may change while it is read' "$GCRYPT" verify "${k[@]}" "$device"
kill $holder
wait $holder 2>/dev/null || true
expect_exit 0 "$GCRYPT" verify "${k[@]}" "$device"
! grep -q warning err || give_up "warns of a device that nobody uses"

mke2fs -q -F -t ext4 "$device"
mount "$device" mounted 2>/dev/null || skip "cannot mount"
refused 6 'mounted or in use' enc -f "${small[@]}" "${k[@]}" -o "$device" in
expect 0 'warning: is mounted or in use' "$GCRYPT" enc "${k[@]}" -f -o c "$device"
