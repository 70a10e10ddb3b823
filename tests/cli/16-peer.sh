#!/bin/bash
# Containers travel both ways between gcrypt and an independent implementation of the format.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
make_key
peer selftest
export P=secret
{ bytes 9000; head -c 20000 /dev/zero; bytes 12347; } >in
sizes=(--chunk-log2 12 --group-log2 14)

for suite in "aes 128 ctr" "aes 192 xts" "aes 256 ecb" "aes 256 ctr" "aes 256 xts" \
	"camellia 128 xts" "camellia 192 ecb" "camellia 256 ctr" "camellia 256 xts"; do
	read -r cipher bits mode <<<"$suite"
	how=(--cipher "$cipher" --bits "$bits" --mode "$mode" "${sizes[@]}")
	"$GCRYPT" enc -q "${how[@]}" --key-file key -o ours in
	peer dec key ours out
	same in out
	peer enc "${how[@]}" --holes key in theirs
	expect_exit 0 "$GCRYPT" verify --key-file key theirs
	"$GCRYPT" dec --key-file key -o back theirs
	same in back
	rm ours theirs out back
done

# Passphrases; an input whose length was not known; the empty input; the sizes' extremes.
"$GCRYPT" enc "${sizes[@]}" --passphrase env:P -o ours - <in
peer dec env:P ours out
same in out
peer enc "${sizes[@]}" --unknown-length env:P in theirs
"$GCRYPT" dec --passphrase env:P -o back theirs
same in back
: >empty
for group in 12 19 26; do
	sizes=(--chunk-log2 $((group < 13 ? 12 : group - 7)) --group-log2 "$group")
	for file in in empty; do
		"$GCRYPT" enc -f "${sizes[@]}" --key-file key -o ours "$file"
		peer dec key ours out
		same "$file" out
		peer enc "${sizes[@]}" key "$file" theirs
		"$GCRYPT" dec -f --key-file key -o back theirs
		same "$file" back
	done
done

# A slot of a type from the future is skipped; of two good copies the newer one counts.
sizes=(--chunk-log2 12 --group-log2 14)
peer enc "${sizes[@]}" --strange-slot key in theirs
expect_exit 0 "$GCRYPT" verify --key-file key theirs
expect_exit 0 "$GCRYPT" key list theirs
peer enc "${sizes[@]}" --older-copy key in theirs
expect_exit 4 "$GCRYPT" verify --key-file key theirs
expect_exit 0 "$GCRYPT" dec -f --key-file key -o back theirs
says theirs
same in back

# What has the right MACs but breaks a rule is refused: the writer is not trusted.
head -c 33003 in >odd
rm back
for fault in length filler hole-full unused-tag flag not-final index n page-magic \
	page-zeros-28 page-zeros-96 page-zeros-2176 root-early root trailing header-zeros; do
	peer enc "${sizes[@]}" --mode xts --holes --fault "$fault" key odd theirs
	expect_exit 4 "$GCRYPT" dec --key-file key -o back theirs
	no_file back
	expect_exit 4 "$GCRYPT" verify --key-file key theirs
done
bytes 20000 >odd
peer enc "${sizes[@]}" --fault holes-flag key odd theirs
expect_exit 4 "$GCRYPT" verify --key-file key theirs

bytes 32768 >odd
peer enc "${sizes[@]}" --fault empty-tail key odd theirs
expect_exit 4 "$GCRYPT" verify --key-file key theirs

# scrypt that is too dear is not tried.
head -c 100 in >little
peer enc --log2-n 10 env:P little theirs
put_byte theirs 481 18
put_byte theirs 8673 18
expect_exit 5 timeout 2 "$GCRYPT" dec --passphrase env:P -o back theirs
