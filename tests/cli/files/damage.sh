#!/bin/bash
# A change of a page or payload is found, with its offset; nothing is left behind.  Damage to one header copy is survived
# and reported; damage to both is not.  (Every bit, field, length and order of groups: test_page, test_header,
# test_container_faults and the groups 1 to 4 of tests/faults.)
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 24581 >in
"$GCRYPT" enc "${small[@]}" --key-file key in
"$GCRYPT" enc "${small[@]}" --key-file key -o other.gcr in

# damaged OFFSET: bad.gcr is refused by dec and verify, which name the offset of a group or of a chunk.
damaged() {
	refused 4 "byte $1" verify --key-file key bad.gcr
	refused 4 "byte $1" dec --key-file key -o out bad.gcr
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
says "corrupt at byte $(($(page 1) + 4096)) of this file (group 1)"
expect 4 'bytes 8192 to 16383 of the plaintext are zeros' "$GCRYPT" dec --salvage --engine cpu --key-file key -o out bad.gcr
rm out
{ part in.gcr 0 8192; part other.gcr 8192 99999; } >bad.gcr # copy A of another container
expect_exit 4 "$GCRYPT" verify --key-file key bad.gcr

# -f does not go round authentication, and what was there stays.
cp in.gcr bad.gcr
flip bad.gcr $(($(page 2) + 5000))
echo kept >out
expect_exit 4 "$GCRYPT" dec -f --key-file key -o out bad.gcr
[ "$(cat out)" = kept ] || give_up "the old output was lost"
rm out

# Cut at any place.
cp in.gcr bad.gcr
for at in $(($(stat -c %s in.gcr) - 1)) "$(page 3)" $(($(page 2) + 4096 + 100)) $(($(page 2) + 100)) 16384 8192 0; do
	truncate -s "$at" bad.gcr
	expect_exit 4 "$GCRYPT" dec --engine cpu --key-file key -o out bad.gcr
	no_file out
done

for copy in 0 8192; do
	for at in 8 72 500 8190; do
		cp in.gcr bad.gcr
		flip bad.gcr $((copy + at))
		expect 0 "bad.gcr: warning: header copy $([ $copy = 0 ] && echo A || echo B) is damaged" \
			"$GCRYPT" dec -f --engine cpu --key-file key -o out bad.gcr
		same in out
	done
	expect_exit 4 "$GCRYPT" verify --key-file key bad.gcr
	head -c 8192 /dev/zero | put bad.gcr "$copy"
	expect_exit 0 "$GCRYPT" dec -f --engine cpu --key-file key -o out bad.gcr
	same in out
done
rm out
flip bad.gcr 500
expect_exit 5 "$GCRYPT" dec --engine cpu --key-file key -o out bad.gcr # the key slot

# A version of a later release, in one copy and in both.
cp in.gcr bad.gcr
put_byte bad.gcr 8 2
expect_exit 0 "$GCRYPT" dec -f --engine cpu --key-file key -o out bad.gcr
put_byte bad.gcr $((8192 + 8)) 2
rm out
for command in 'dec --engine cpu --key-file key -o out' 'verify --key-file key' info; do
	expect_exit 7 "$GCRYPT" $command bad.gcr
done
refused 2 'in.gcr: not a detached header: ' retag --key-file key in.gcr
says 'retag and --image are for enc --detached'
only in in.gcr other.gcr key bad.gcr
