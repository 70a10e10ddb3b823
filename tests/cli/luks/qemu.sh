#!/bin/bash
# LUKS1 images of qemu-img in 20 randomly sampled geometries, read by dec.  With GCRYPT_TEST_ONE_IN, 10 geometries.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
with_library || skip "skipped: $GCRYPT was built without libcryptsetup"
needs qemu-img
printf 'correct horse' >pass
chmod 600 pass
RANDOM=35

# make_volume BITS HASH: qemu-img counts its CPU time in clock ticks to choose iterations, and gives up when there was
# none: again then.
make_volume() {
	local try
	for try in {1..20}; do
		rm -f volume
		if qemu-img create -q --object secret,id=s,file=pass -f luks \
			-o "key-secret=s,iter-time=10,cipher-alg=aes-$1,cipher-mode=xts,ivgen-alg=plain64,hash-alg=$2" volume 0 2>err; then
			header=$(stat -c %s volume)
			return
		fi
		grep -q 'Unable to get accurate CPU usage' err || break
	done
	give_up "qemu-img create, try $try: $(cat err)"
}

kinds=("256 sha256")
[ -n "${GCRYPT_TEST_ONE_IN-}" ] || kinds+=("128 sha1")
for kind in "${kinds[@]}"; do
	make_volume $kind
	for ((i = 0; i < 10; i++)); do
		size=$((512 * (1 + RANDOM % 3000)))
		bytes $size $((100 + RANDOM)) >img
		truncate -s "$header" volume
		truncate -s $((header + size)) volume
		qemu-img convert -n --object secret,id=s,file=pass -f raw --target-image-opts img \
			driver=luks,key-secret=s,file.filename=volume
		"$GCRYPT" dec -q --passphrase file:pass -f -o back volume
		same img back
	done
done
