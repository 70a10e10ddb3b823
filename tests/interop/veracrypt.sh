#!/bin/bash
# The payload of a VeraCrypt container: 128 KiB from either end, its sectors numbered from 256 on.
. "${BASH_SOURCE[0]%/*}/../cli/lib.sh"
needs cryptsetup
printf 'correct horse' >pass
bytes 64 9 >volume.key
key=$(hex volume.key)
size=$((2 << 20))
payload=$((size - 262144))
truncate -s $payload disk.img
mke2fs -q -F -t ext4 -d "$here" disk.img
raw=(--engine cpu --raw --cipher aes --bits 256 --mode xts --key-hex "$key" --iv-start 256)

# The container as it would be without encryption; its payload is encrypted where it stands.
truncate -s $size plain.img
dd if=disk.img of=plain.img bs=128k seek=1 conv=notrunc status=none
cp plain.img disk.hc
"$GCRYPT" enc "${raw[@]}" --offset 131072 --length $payload -o payload plain.img
dd if=payload of=disk.hc bs=128k seek=1 conv=notrunc status=none
python3 "$tests/model/veracrypt.py" pass 1 "$key" disk.hc
peer xts encrypt aes "$key" 512 256 1 disk.img want
part disk.hc 131072 $payload | cmp - want

# cryptsetup accepts the header and its backup, and finds this key and this place.
for copy in "" --tcrypt-backup; do
	cryptsetup tcryptDump -q --veracrypt --veracrypt-pim 1 $copy --dump-volume-key disk.hc <pass >dump ||
		give_up "tcryptDump $copy refuses the header"
	grep -qE '^Cipher chain:[[:space:]]+aes$' dump || give_up "cipher: $(cat dump)"
	grep -qE '^Payload offset:[[:space:]]+256$' dump || give_up "payload offset: $(cat dump)"
	sed -n '/^MK dump:/,$p' dump | sed 's/^MK dump://' | tr -d ' \t\n' >dumped
	[ "$(cat dumped)" = "$key" ] || give_up "cryptsetup finds another key: $(cat dump)"
done
printf 'battery staple' >pass2
! cryptsetup tcryptDump -q --veracrypt --veracrypt-pim 1 disk.hc <pass2 >dump 2>&1 ||
	give_up "a wrong passphrase opened the header"

"$GCRYPT" dec "${raw[@]}" --offset 131072 --length $payload -o back disk.hc
same disk.img back
e2fsck -fn back >/dev/null 2>&1 || give_up "e2fsck refuses the image"
