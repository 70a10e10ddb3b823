#!/bin/bash
# Two header copies under two file keys: one secret reads a container, the other one gets nothing of it.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 32 78 >key2
one=(--engine cpu --key-file key) two=(--engine cpu --key-file key2)

# A chunk whose tag is right under both keys: the metadata page has the MAC of one.
forge collision key key2 two.gcr
expect_exit 0 "$GCRYPT" dec "${one[@]}" -o out two.gcr
grep -q 'what the first secret reads' out || give_up "the first secret does not read it"
rm out
expect_exit 0 "$GCRYPT" dec --salvage "${one[@]}" -o out two.gcr
rm out
expect_exit 4 "$GCRYPT" dec "${two[@]}" -o out two.gcr
no_file out
expect_exit 4 "$GCRYPT" dec --salvage --json "${two[@]}" -o out two.gcr >list.json
head -c 4096 /dev/zero | cmp - out || give_up "bytes for the second secret"
[ "$(field good_bytes <list.json)" = 0 ] || give_up "good bytes: $(cat list.json)"
[ "$(field damages.1.length <list.json)" = 4096 ] || give_up "damage: $(cat list.json)"
rm out
refused 4 'metadata page 0 and a header copy are damaged: another secret may open other bytes' dec --salvage "${two[@]}" -o out two.gcr
says "bytes 0 to 4095 of the plaintext are zeros: the group's metadata page is damaged"
rm out

# Groups of two sizes, so that each key has authentic pages: no part is read without page 0, and
# salvage says what it cannot prove.
forge sizes key key2 sizes.gcr
expect_exit 0 "$GCRYPT" dec "${one[@]}" -o out sizes.gcr
expect_exit 0 "$GCRYPT" dec "${one[@]}" --offset 8192 --length 100 -f -o out sizes.gcr
rm out
for range in 8192,4096 8192,0 12288,0 9000,1; do
	expect_exit 4 "$GCRYPT" dec "${two[@]}" --offset "${range%,*}" --length "${range#*,}" -o out sizes.gcr
	no_file out
	says 'byte 16384 of this file (group 0)'
done
refused 4 'metadata page 0 and a header copy are damaged: another secret may open other bytes' dec --salvage "${two[@]}" -o out sizes.gcr
