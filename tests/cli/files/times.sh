#!/bin/bash
# The modification time of a file goes through enc and dec with it, as with gzip and zstd.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu --key-file key)
when='2001-02-03 04:05:06.789012345'

# is_from FILE…: they have this time.
is_from() {
	local name
	for name; do
		[ "$(stat -c %.Y "$name")" = "$(stat -c %.Y past)" ] || give_up "$name is from $(stat -c %y "$name")"
	done
}

touch -d "$when" past
bytes 30000 >file
chmod 640 file
touch -d "$when" file
expect_exit 0 "$GCRYPT" enc "${small[@]}" "${k[@]}" file
is_from file file.gcr
[ "$(stat -c %a file.gcr)" = 640 ] || give_up "mode $(stat -c %a file.gcr)"
expect_exit 0 "$GCRYPT" dec "${k[@]}" -o back file.gcr
is_from back
[ "$(stat -c %a back)" = 600 ] || give_up "mode $(stat -c %a back)"
same file back
expect_exit 0 "$GCRYPT" enc --resume "${small[@]}" "${k[@]}" -o resumed.gcr file
bytes 32768 >disk
touch -d "$when" disk
expect_exit 0 "$GCRYPT" enc --detached "${k[@]}" -o image disk
expect_exit 0 "$GCRYPT" dec "${k[@]}" -o disk-back image.gcr
is_from resumed.gcr image image.gcr disk-back
expect_exit 0 "$GCRYPT" dec --rm -f "${k[@]}" -o back file.gcr
is_from back
expect_exit 0 "$GCRYPT" dec --salvage -f "${k[@]}" -o back resumed.gcr
is_from back

# Neither a stream nor a directory has one to give.
expect_exit 0 "$GCRYPT" enc "${small[@]}" "${k[@]}" -o stream.gcr - <file
[ stream.gcr -nt past ] || give_up "a stream gave its time"
mkdir tree
touch -d "$when" tree/in tree
expect_exit 0 "$GCRYPT" enc "${small[@]}" "${k[@]}" tree
[ tree.gcr -nt past ] || give_up "a directory gave its time"
expect_exit 0 "$GCRYPT" dec -p "${k[@]}" -o tree-back tree.gcr
is_from tree-back/in tree-back

# A container of another content is newer: who copies what is newer must see that.
expect_exit 0 "$GCRYPT" rekey "${k[@]}" --new-key-file key resumed.gcr
[ resumed.gcr -nt past ] || give_up "rekey kept the time"
