#!/bin/bash
# dec --part: the run that finds all parts complete gives the file its name, in any order of the parts; nothing gets the
# name that was not authenticated.
# shellcheck source=tests/nodes/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
make_key
bytes 100000 >plain # 13 groups
k=(--engine cpu --key-file key)

for mode in ctr xts; do
	"$GCRYPT" enc "${small[@]}" "${k[@]}" --mode $mode -f -o c plain
	touch -d '2020-02-03 04:05:06' c
	chmod 640 c
	expect_exit 0 "$GCRYPT" dec "${k[@]}" --part 3/4 -o out c
	says 'out: part 3 of 4 is complete; missing: 1, 2, 4'
	for i in 1 4; do dec_part $i/4 -o out c 2>/dev/null; done
	no_file out
	[ "$(stat -c '%a %s' out.part)" = "600 $((100000 + 8192))" ] || give_up "$(stat out.part)"
	expect_exit 0 "$GCRYPT" dec "${k[@]}" --part 2/4 -o out c
	says 'out: complete: all 4 parts'
	[ "$(stat -c '%a %Y' out)" = "600 $(stat -c %Y c)" ] || give_up "mode or time: $(stat out)"
	part_refused 6 'exists: not overwritten without -f' 1/4 -o out c
	decrypted
done

# More parts than groups, one part, nothing, holes, a detached container, a private key.
for n in 0 1 8192 30000; do
	bytes $n >few
	"$GCRYPT" enc "${small[@]}" "${k[@]}" -f -o c few
	for i in 4 2 5 1 3; do dec_part $i/5 -o out c 2>/dev/null; done
	same few out
	rm out
	dec_part 1/1 -o out c
	same few out
	rm out
done
truncate -s 200000 few
"$GCRYPT" enc "${small[@]}" "${k[@]}" --sparse -f -o c few
for i in 2 1; do dec_part $i/2 -o out c; done
same few out
rm out few
head -c 98304 plain >disk
"$GCRYPT" enc --detached "${small[@]}" "${k[@]}" -o image disk
for i in 1 3 2; do dec_part $i/3 -o out image.gcr; done
same disk out
rm out disk image image.gcr
"$GCRYPT" keygen --x25519 -o anna
"$GCRYPT" enc "${small[@]}" "${k[@]}" -r anna.pub -f -o c plain
dec_part 1/2 -o out c
"$GCRYPT" dec --engine cpu -i anna --part 2/2 -o out c
decrypted anna anna.pub
rm anna anna.pub
"$GCRYPT" enc "${small[@]}" "${k[@]}" -f -o c plain

# Damage of a part's payload: this part fails.  Damage of any page: all do.  The root of another version: all do.
cp c intact
flip c $(($(page 7) + 5000))
for i in 1 2 4; do dec_part $i/4 -o out c 2>/dev/null; done
part_refused 4 '(group 7)' 3/4 -o out c
part_refused 4 '(group 7)' 3/4 -o out c
no_file out
cp intact c
dec_part 3/4 -o out c
decrypted intact
flip c $(($(page 7) + 130))
for i in 1 2 3 4; do expect_exit 4 "$GCRYPT" dec "${k[@]}" --part $i/4 -o out c; done
no_file out
cp intact c
fresh
"$GCRYPT" enc "${small[@]}" "${k[@]}" --part 1/1 -o c2 plain # a page of another version, authentic
cp c2.part first
flip c2.part $(($(page 5) + 5000))
"$GCRYPT" enc "${small[@]}" "${k[@]}" --part 1/1 -o c2 plain
"$GCRYPT" join "${k[@]:2}" c2
part first "$(page 5)" 12288 | put c2 "$(page 5)"
for i in 1 2 3 4; do part_refused 4 'the root is wrong: groups of another version' $i/4 -o out c2; done
no_file out
fresh
rm c2 first

# A container that changes between parts: another one, and another version under the same file key.
dec_part 1/2 -o out c
"$GCRYPT" rekey "${k[@]}" c
part_refused 6 "out.part: not overwritten: it has no start record of this container's parts" 2/2 -o out c
fresh
"$GCRYPT" enc "${small[@]}" "${k[@]}" --part 1/2 -o c2 plain
cp c2.part start
"$GCRYPT" enc "${small[@]}" "${k[@]}" --part 2/2 -o c2 plain
cp c2.part-1-of-2 record
"$GCRYPT" join "${k[@]:2}" c2
dec_part 1/2 -o out c2
mv c2 c2.first
mv start c2.part
mv record c2.part-1-of-2
"$GCRYPT" enc "${small[@]}" "${k[@]}" --part 2/2 -o c2 plain # the same file key, other salts
"$GCRYPT" join "${k[@]:2}" c2
part_refused 3 'c2: changed since out.part was started: remove out.part to start again' 2/2 -o out c2
mv c2.first c2
bytes 32 78 >new
chmod 600 new
"$GCRYPT" key add --key-file key --new-key-file new c2 # key slots may change
"$GCRYPT" dec --engine cpu --key-file new --part 2/2 -o out c2
rm c2 new intact
decrypted
