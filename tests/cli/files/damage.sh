#!/bin/bash
# Of damage to a container what its bits, forms and order do not show (tests/model/run; groups 1 to 4 of tests/faults): the
# place that a message names, an output that is kept, a version of a later release.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu --key-file key)
bytes 24581 >in
"$GCRYPT" enc "${small[@]}" "${k[@]}" in

# Two chunks of a group swapped: the message names the first, and salvage both.
cp in.gcr bad.gcr
part in.gcr $(($(page 1) + 8192)) 4096 | put bad.gcr $(($(page 1) + 4096))
part in.gcr $(($(page 1) + 4096)) 4096 | put bad.gcr $(($(page 1) + 8192))
for command in verify 'dec -o out'; do
	refused 4 "corrupt at byte $(($(page 1) + 4096)) of this file (group 1)" $command "${k[@]}" bad.gcr
	no_file out
done
refused 4 'bytes 8192 to 16383 of the plaintext are zeros' dec --salvage "${k[@]}" -o out bad.gcr
rm out

# -f does not go round authentication, and what was there stays.
echo kept >out
expect_exit 4 "$GCRYPT" dec -f "${k[@]}" -o out bad.gcr
[ "$(cat out)" = kept ] || give_up "the old output was lost"
rm out

# A version of a later release, in one copy and in both.
cp in.gcr bad.gcr
put_byte bad.gcr 8 2
expect 0 'bad.gcr: warning: header copy A is damaged' "$GCRYPT" dec "${k[@]}" -o out bad.gcr
same in out
rm out
put_byte bad.gcr $((8192 + 8)) 2
for command in "dec ${k[*]} -o out" "verify ${k[*]}" info; do
	expect_exit 7 "$GCRYPT" $command bad.gcr
done
refused 2 'in.gcr: not a detached header: ' retag --key-file key in.gcr
says 'retag and --image are for enc --detached'
only in in.gcr key bad.gcr
