#!/bin/bash
# enc --update --in-place into a LUKS volume: only sectors that changed are written, and cryptsetup reads the new image.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
with_library || skip "skipped: $GCRYPT was built without libcryptsetup"
needs cryptsetup
bytes $((9 << 20)) >img
printf 'correct horse' >pass
chmod 600 pass
header=$((16 << 20))
update=(enc --update --in-place --passphrase file:pass -o volume)

# good CIPHER SECTOR: the payload is the image, decrypted by the peer under the key that cryptsetup gives.
good() {
	part volume $header 100000000 >payload
	xts decrypt "$1" "$(volume_key volume pass)" "$2" payload back
	same img back
}

# sectors SIZE: those that differ between before and volume.
sectors() { cmp -l before volume | awk -v size="$1" '{ seen[int(($1 - 1 - 16777216) / size)] } END { for (i in seen) print i }' | sort -n | xargs; }

for kind in "aes 512 cpu" "camellia 4096 opencl"; do
	read -r cipher sector engine <<<"$kind"
	"$GCRYPT" enc -q --luks2 --kdf-cost 10 --passphrase file:pass --cipher "$cipher" --sector-size "$sector" -f -o volume img
	cp volume before
	put_byte img 5000 85
	put_byte img 8200 85
	put_byte img $(((9 << 20) - 1)) 85
	"$GCRYPT" "${update[@]}" --engine "$engine" --dry-run img >plan
	grep -qx 'output: volume' plan
	grep -q "^changed: 3 of .* sectors, $((3 * sector)) bytes" plan
	same before volume
	expect 0 "volume: 3 of $(((9 << 20) / sector)) sectors had changed" "$GCRYPT" "${update[@]}" --engine "$engine" img
	[ "$(sectors "$sector")" = "$((5000 / sector)) $((8200 / sector)) $(((9 << 20) / sector - 1))" ] ||
		give_up "$kind: sectors $(sectors "$sector")"
	good "$cipher" "$sector"
	put_byte img 5000 86
	put_byte img 8200 86
	put_byte img $(((9 << 20) - 1)) 86
done

# A list: the first of two segments is believed; then a run without a list finds what the list did not name.
cp volume before
put_byte img $(((9 << 20) - 9)) 87
echo "$(((9 << 20) - 9)) 1" >list
"$GCRYPT" "${update[@]}" --json --changed list img >result
[ "$(field output sectors written_sectors written_bytes <result)" = "volume 2304 1 4096" ] || give_up "$(cat result)"
[ "$(sectors 4096)" = 2303 ] || give_up "the list: sectors $(sectors 4096)"
expect 0 'volume: 2 of 2304 sectors had changed' "$GCRYPT" "${update[@]}" img
good camellia 4096

# A run that is stopped is completed by the same command; the image may become longer, shorter and empty.
for at in 100 200 300; do put_byte img $((at * 10000)) 88; done
FAULT_ON='/volume$' expect_exit 3 faulty pwrite:2:ENOSPC "$GCRYPT" "${update[@]}" img
says 'partly updated: repeat the command to complete the update'
"$GCRYPT" "${update[@]}" -q img
good camellia 4096
bytes 40960 7 >>img
"$GCRYPT" "${update[@]}" -q img
good camellia 4096
bytes 40960 8 >>img
FAULT_ON='/volume$' faulty pwrite:1:short,pwrite:2:ENOSPC "$GCRYPT" "${update[@]}" -q img 2>/dev/null || true # one byte
"$GCRYPT" "${update[@]}" -q img
good camellia 4096
truncate -s $((1 << 20)) img
"$GCRYPT" "${update[@]}" -q img
good camellia 4096
[ "$(stat -c %s volume)" -eq $((header + (1 << 20))) ] || give_up "size of the volume"

# What is refused leaves the volume as it was.
cp volume before
head -c 5000 img >odd
refused 2 'volume: a LUKS volume is updated only in place: add --in-place' enc --update --passphrase file:pass -o volume img
refused 2 'not whole sectors of 4096' "${update[@]}" odd
refused 2 "volume: --update cannot change the container's --cipher" "${update[@]}" --cipher aes img
refused 2 'the source is the container itself' "${update[@]}" volume
cp volume other.gcr
cp img other
refused 2 'other.gcr: a LUKS volume: not with --detached' "${update[@]}" --detached -o other img
rm other
"$GCRYPT" enc -q --luks2 --kdf-cost 10 --passphrase file:pass --luks2-header header -o payload -f img
cp header before-header
refused 2 'header: a detached LUKS header' enc --update --in-place --passphrase file:pass -o header img
same before-header header
printf 'battery staple' >other
chmod 600 other
refused 5 'no key slot matches' enc --update --in-place --passphrase file:other -o volume img
same before volume
: >img
"$GCRYPT" "${update[@]}" -q img
[ "$(stat -c %s volume)" -eq $header ] || give_up "size of the empty volume"

# On a block device nothing is moved or cut, and an image that does not fit changes nothing.
[ "$(id -u)" -eq 0 ] || exit 0
device=$(losetup -f --show before 2>/dev/null) || exit 0
trap 'losetup -d "$device"' EXIT
bytes $((1 << 20)) 9 >img
"$GCRYPT" "${update[@]}" -o "$device" -q img
cp before volume
good camellia 4096
truncate -s $(((1 << 20) + 4096)) img
refused 3 'does not fit' "${update[@]}" -o "$device" img
head -c 8192 /dev/zero >img
"$GCRYPT" "${update[@]}" -o "$device" -q img
[ "$(stat -c %s before)" -eq $((header + (1 << 20))) ] || give_up "size of the device"
