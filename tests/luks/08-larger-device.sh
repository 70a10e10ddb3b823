#!/bin/bash
# A volume reaches to the end of its device: bytes behind what its tags cover are rejected, also on a block device.
# shellcheck source=tests/luks/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
with_library || skip "skipped: $GCRYPT was built without libcryptsetup"
export PATH="$PATH:/usr/sbin:/sbin"
[ "$(id -u)" -eq 0 ] || skip "needs root"
bytes 1048576 >img
printf 'correct horse' >pass
chmod 600 pass
p=(--passphrase file:pass)
"$GCRYPT" enc -q --luks2 --kdf-cost 10 "${p[@]}" --tags tags.gcr -o disk img
device=$(losetup -f --show disk 2>/dev/null) || skip "no loop device"
trap 'losetup -d "$device"' EXIT
device_size() {
	truncate -s "$1" disk
	losetup -c "$device"
	[ "$(blockdev --getsize64 "$device")" -eq "$1" ] || skip "loop devices keep their size"
}
size=$(stat -c %s disk)

# A device of the same size.
"$GCRYPT" verify -q "${p[@]}" --tags tags.gcr "$device"
"$GCRYPT" verify -q "${p[@]}" --image "$device" tags.gcr
"$GCRYPT" dec -q "${p[@]}" --tags tags.gcr -o back "$device"
same img back
rm back

# Larger by a sector, within the last group; by many groups.
for more in 512 $((64 << 20)); do
	device_size $((size + more))
	expect_exit 4 "$GCRYPT" verify -q "${p[@]}" --tags tags.gcr "$device"
	says "$device: $more bytes behind what the tags in tags.gcr cover"
	expect_exit 4 "$GCRYPT" dec -q "${p[@]}" --tags tags.gcr -o back "$device"
	says "$more bytes behind"
	expect_exit 4 "$GCRYPT" verify -q "${p[@]}" --image "$device" tags.gcr
	says "$more bytes behind"
	cp tags.gcr before
	expect_exit 4 "$GCRYPT" retag -q "${p[@]}" --image "$device" tags.gcr
	says "$more bytes behind"
	same before tags.gcr
	no_file back
done

# Smaller by a sector.
device_size $((size - 512))
expect_exit 4 "$GCRYPT" verify -q "${p[@]}" --tags tags.gcr "$device"
