#!/bin/bash
# enc --in-place continues only what the same secret started on this image; a planted detached header is refused.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
export P='correct horse battery staple'
bytes 28672 >plain
"$GCRYPT" keygen --x25519 -o ben.pem
in_place=("$GCRYPT" enc -q --engine cpu --cipher aes --detached --in-place "${small[@]}")

echo shared >X
for secret in "--passphrase env:P" "--key-file key"; do
	read -r -a with <<<"$secret"
	more=()
	[ "${with[0]}" = --key-file ] || more=(--kdf-cost 10)
	"$GCRYPT" enc -q -f --engine cpu --cipher aes "${with[@]}" "${more[@]}" --recipient ben.pem.pub X
	forge file-key X.gcr pem:ben.pem known
	for journal in no forged; do
		cp plain disk
		forge in-place X.gcr known disk
		[ $journal = forged ] || rm disk.gcr.journal
		cp disk.gcr side
		expect 6 'no start record' "${in_place[@]}" "${with[@]}" "${more[@]}" disk
		same plain disk
		same side disk.gcr
		rm -f disk.gcr disk.gcr.journal
	done
	# Without the planted files: a file key that Ben does not know.
	"${in_place[@]}" "${with[@]}" "${more[@]}" disk
	forge reads known disk.gcr plain disk && give_up "the known file key opens it"
	rm disk.gcr
done

# enc --in-place believes older pages, headers and journals only where the image has their ciphertext, and a start
# record only with the key slots that it was made for.
in_place+=(--key-file key)
bytes 28672 1 >old
bytes 28672 2 >new

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
