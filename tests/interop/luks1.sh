#!/bin/bash
# The payload of a LUKS1 image of qemu-img at its offset under its volume key, in both directions.
. "${BASH_SOURCE[0]%/*}/../cli/lib.sh"
needs qemu-img
needs cryptsetup
printf 'correct horse' >pass
size=$((2 << 20))
truncate -s $size disk.img
mke2fs -q -F -t ext4 -d "$here" disk.img

secret=(--object "secret,id=s,file=pass")
from_luks() { qemu-img convert "${secret[@]}" --image-opts "driver=luks,key-secret=s,file.filename=$1" -O raw "$2"; }

# qemu-img counts its CPU time in clock ticks to choose iterations, and gives up when there was none:
# again then.
create() {
	local try
	for try in {1..20}; do
		if qemu-img create -q "${secret[@]}" -f luks -o "$1" luks.img $size 2>err; then
			return
		fi
		grep -q 'Unable to get accurate CPU usage' err || break
	done
	give_up "qemu-img create, try $try: $(cat err)"
}

# image BITS HASH: luks.img with its key and offset.
image() {
	rm -f luks.img
	create "key-secret=s,iter-time=10,cipher-alg=aes-$1,cipher-mode=xts,ivgen-alg=plain64,hash-alg=$2"
	python3 "$tests/model/luks1.py" pass luks.img >volume.json
	key=$(field key <volume.json)
	offset=$(field offset <volume.json)
	[ ${#key} -eq $(($1 / 2)) ] || give_up "a key of ${#key} digits"
}

for kind in "256 sha256" "128 sha512"; do
	read -r bits hash <<<"$kind"
	raw=(--engine cpu --raw --cipher aes --bits "$bits" --mode xts --iv-start 0)
	image "$bits" "$hash"

	# What the manual names for the key says the same.
	rm -f volume.key
	cryptsetup luksDump -q --dump-volume-key --volume-key-file volume.key --key-file pass luks.img >/dev/null
	[ "$(hex volume.key)" = "$key" ] || give_up "cryptsetup reads another volume key"

	# New, and then with a file system that qemu-img encrypted.
	from_luks luks.img want
	"$GCRYPT" dec "${raw[@]}" --key-hex "$key" --offset "$offset" --length $size -f -o back luks.img
	same want back
	qemu-img convert -n "${secret[@]}" -f raw --target-image-opts disk.img \
		driver=luks,key-secret=s,file.filename=luks.img
	! part luks.img "$offset" $size | cmp -s - disk.img || give_up "not encrypted"
	"$GCRYPT" dec "${raw[@]}" --key-hex "$key" --offset "$offset" --length $size -f -o back luks.img
	same disk.img back

	# Ours in a new image, under another key.
	image "$bits" "$hash"
	"$GCRYPT" enc "${raw[@]}" --key-hex "$key" -f -o payload disk.img
	dd if=payload of=luks.img bs=64k oflag=seek_bytes seek="$offset" conv=notrunc status=none
	from_luks luks.img read
	same disk.img read
done

# The reader refuses another passphrase.
printf 'battery staple' >pass2
! python3 "$tests/model/luks1.py" pass2 luks.img 2>/dev/null || give_up "a wrong passphrase opened a slot"
