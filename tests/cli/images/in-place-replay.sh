#!/bin/bash
# enc --in-place believes older pages, headers and journals only where the image has their ciphertext, and a start
# record only with the key slots that it was made for.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
chmod 600 key
in_place=("$GCRYPT" enc -q --engine cpu --cipher aes --detached --in-place "${small[@]}" --key-file key)
bytes 28672 1 >old
bytes 28672 2 >new
"$GCRYPT" keygen --x25519 -o ben.pem

# The pages of another image, and any journal: nothing may be taken for encrypted.
cp old disk
"${in_place[@]}" disk
cp disk.gcr old.gcr
printf x >journal-1
head -c 8192 /dev/zero >journal-2
bytes 30000 9 >journal-3
for journal in journal-1 journal-2 journal-3; do
	cp new disk
	cp old.gcr disk.gcr
	cp $journal disk.gcr.journal
	for force in "" -f; do
		expect 4 'not the ciphertext that disk.gcr describes' "${in_place[@]}" $force disk
		same new disk
		same old.gcr disk.gcr
	done
done
rm disk.gcr disk.gcr.journal

# A former recipient removes the slot that was his and plants the victim's own start record.
cp old disk
expect_exit 3 bash -c 'trap "" XFSZ; ulimit -f 16; exec "$@"' - "${in_place[@]}" --recipient ben.pem.pub disk
part disk.gcr 0 16384 >planted
part disk.gcr.journal 0 8192 >record
forge file-key planted pem:ben.pem known
rm disk.gcr disk.gcr.journal
cat new >disk # the same inode
cp planted disk.gcr
cp record disk.gcr.journal
forge strip disk.gcr known
expect 6 'no start record' "${in_place[@]}" disk
same new disk
