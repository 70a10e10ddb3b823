#!/bin/bash
# enc --in-place continues only what the same secret started on this image; a planted detached header is refused.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
chmod 600 key
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
