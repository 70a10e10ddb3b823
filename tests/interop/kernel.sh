#!/bin/bash
# What gcrypt encrypted, opened by the kernel's dm-crypt: raw and detached images as plain volumes, a
# LUKS1 payload, a VeraCrypt container.  The same numbering against libcrypto is in tests/cli/images.
. "${BASH_SOURCE[0]%/*}/../cli/lib.sh"
needs cryptsetup
[ "$(id -u)" -eq 0 ] || skip "NOT COMPARED with dm-crypt: needs root"
modprobe dm_crypt 2>/dev/null || true
dmsetup targets 2>/dev/null | grep -q '^crypt ' || skip "NOT COMPARED with dm-crypt: this kernel has none"

name=gcrypt-interop-$$
trap 'cryptsetup close "$name" 2>/dev/null || true' EXIT
printf 'correct horse' >pass
bytes 64 9 >volume.key
key=$(hex volume.key)
size=$((2 << 20))
truncate -s $size disk.img
mke2fs -q -F -t ext4 -d "$here" disk.img
raw=(--engine cpu --raw --cipher aes --bits 256 --mode xts --key-hex "$key")

# opened IMAGE OPTION…: cryptsetup opens it, and what is in it is disk.img.
opened() {
	local image=$1
	shift
	cryptsetup open -q --readonly "$@" "$image" "$name"
	cmp -n $size disk.img "/dev/mapper/$name"
	cryptsetup close "$name"
}
plain=(--type plain --cipher aes-xts-plain64 --key-size 512 --key-file volume.key)

"$GCRYPT" enc "${raw[@]}" --iv-start 0 -o image disk.img
opened image "${plain[@]}"
"$GCRYPT" enc "${raw[@]}" --iv-start 2048 -f -o image disk.img
opened image "${plain[@]}" --skip 2048
"$GCRYPT" enc "${raw[@]}" --sector-size 4096 --iv-start 64 -f -o image disk.img
opened image "${plain[@]}" --sector-size 4096 --skip 64
"$GCRYPT" enc "${raw[@]}" --sector-size 4096 --iv-start 64 --iv-large-sectors -f -o image disk.img
opened image "${plain[@]}" --sector-size 4096 --skip 64 --iv-large-sectors

make_key
"$GCRYPT" enc --engine cpu --detached --cipher aes --bits 256 --key-file key -o detached disk.img
"$GCRYPT" info --show-keys --json --key-file key detached.gcr | field groups.0.key >digits
python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(open("digits").read()))' >volume.key
opened detached "${plain[@]}"

bytes 64 9 >volume.key
truncate -s $((size + 262144)) disk.hc
"$GCRYPT" enc "${raw[@]}" --iv-start 256 -f -o image disk.img
dd if=image of=disk.hc bs=128k seek=1 conv=notrunc status=none
python3 "$tests/model/veracrypt.py" pass 1 "$key" disk.hc
opened disk.hc --type tcrypt --veracrypt --veracrypt-pim 1 <pass
