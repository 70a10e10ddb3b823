#!/bin/bash
# A change of a page or payload is found, with its offset; nothing is left behind.  (Every bit and every order of groups:
# test_page, test_container_faults and the groups 2 and 3 of tests/faults.)
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 24581 >in
"$GCRYPT" enc "${small[@]}" --key-file key in
"$GCRYPT" enc "${small[@]}" --key-file key -o other.gcr in

# damaged OFFSET: bad.gcr is refused by dec and verify, which name the offset of a group or of a chunk.
damaged() {
	expect_exit 4 "$GCRYPT" verify --key-file key bad.gcr
	says "byte $1"
	expect_exit 4 "$GCRYPT" dec --key-file key -o out bad.gcr
	says "byte $1"
	no_file out
}
group() { part "${2:-in.gcr}" "$(page "$1")" $((4096 + group_bytes)); }

for at in $(($(page 1) + 40)) $(($(page 3) + 4100)); do
	cp in.gcr bad.gcr
	flip bad.gcr "$at" 3
	damaged $((at / 4096 * 4096))
done
{ cat in.gcr; head -c 16 /dev/zero; } >bad.gcr
damaged "$(stat -c %s in.gcr)"
{ part in.gcr 0 16384; group 0; group 2; group 1; group 3; } >bad.gcr
damaged "$(page 1)"
{ part in.gcr 0 16384; group 0; group 1 other.gcr; group 2; group 3; } >bad.gcr
damaged "$(page 1)"
cp in.gcr bad.gcr
part in.gcr $(($(page 1) + 8192)) 4096 | put bad.gcr $(($(page 1) + 4096))
part in.gcr $(($(page 1) + 4096)) 4096 | put bad.gcr $(($(page 1) + 8192))
damaged $(($(page 1) + 4096))
{ part in.gcr 0 8192; part other.gcr 8192 99999; } >bad.gcr # copy A of another container
expect_exit 4 "$GCRYPT" verify --key-file key bad.gcr

# -f does not go round authentication, and what was there stays.
cp in.gcr bad.gcr
flip bad.gcr $(($(page 2) + 5000))
echo kept >out
expect_exit 4 "$GCRYPT" dec -f --key-file key -o out bad.gcr
[ "$(cat out)" = kept ] || give_up "the old output was lost"
