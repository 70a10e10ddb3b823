#!/bin/bash
# dec --part: the run that finds all parts complete gives the file its name, in any order of the parts; nothing gets the
# name that was not authenticated, and what does not fit the start is refused.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 100000 >plain # 13 groups
k=(--engine cpu --key-file key)

# For dec --part: the container c of plain; the output is out.
dec_part() { "$GCRYPT" dec "${k[@]}" --part "$@"; }

# decrypted [FILE…]: out is complete, and nothing but these files is beside it.
decrypted() {
	same plain out
	rm out
	only plain c key "$@"
}
fresh() { rm -f out.part*; }

for mode in ctr xts; do
	"$GCRYPT" enc "${small[@]}" "${k[@]}" --mode $mode -f -o c plain
	touch -d '2020-02-03 04:05:06' c
	chmod 640 c
	expect 0 'out: part 3 of 4 is complete; missing: 1, 2, 4' "$GCRYPT" dec "${k[@]}" --part 3/4 -o out c
	for i in 1 4; do dec_part $i/4 -o out c 2>/dev/null; done
	no_file out
	[ "$(stat -c '%a %s' out.part)" = "600 $((100000 + 8192))" ] || give_up "$(stat out.part)"
	expect 0 'out: complete: all 4 parts' "$GCRYPT" dec "${k[@]}" --part 2/4 -o out c
	[ "$(stat -c '%a %Y' out)" = "600 $(stat -c %Y c)" ] || give_up "mode or time: $(stat out)"
	expect 6 'exists: not overwritten without -f' dec_part 1/4 -o out c
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
expect 4 '(group 7)' dec_part 3/4 -o out c
expect 4 '(group 7)' dec_part 3/4 -o out c
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
for i in 1 2 3 4; do expect 4 'the root is wrong: groups of another version' dec_part $i/4 -o out c2; done
no_file out
fresh
rm c2 first

# A container that changes between parts: another one, and another version under the same file key.
dec_part 1/2 -o out c
"$GCRYPT" rekey "${k[@]}" c
expect 6 "out.part: not overwritten: it has no start record of this container's parts" dec_part 2/2 -o out c
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
expect 3 'c2: changed since out.part was started: remove out.part to start again' dec_part 2/2 -o out c2
mv c2.first c2
bytes 32 78 >new
chmod 600 new
"$GCRYPT" key add --key-file key --new-key-file new c2 # key slots may change
"$GCRYPT" dec --engine cpu --key-file new --part 2/2 -o out c2
rm c2 new intact
decrypted

"$GCRYPT" enc "${small[@]}" "${k[@]}" -f -o c plain

# Another number of parts, another key, a run of the part elsewhere, other files under the names.
dec_part 1/3 -o out c
cp out.part before
expect 2 'out.part: started with 3 parts: give the same --part I/N' dec_part 2/4 -o out c
bytes 32 78 >wrong
chmod 600 wrong
expect_exit 5 "$GCRYPT" dec --key-file wrong --part 2/3 -o out c
rm wrong
for byte in 2 0; do
	locked out.part $byte
	if [ $byte = 2 ]; then
		expect 6 'out.part: another run is writing part 2' dec_part 2/3 -o out c
	fi
	expect 0 'another run still writes the file, or has completed it' "$GCRYPT" dec "${k[@]}" --part 3/3 -o out c
	unlocked
done
expect_exit 6 "$GCRYPT" enc "${small[@]}" "${k[@]}" --part 2/3 -o out plain
expect_exit 6 "$GCRYPT" enc "${small[@]}" "${k[@]}" --resume -o out plain
expect_exit 6 "$GCRYPT" join --key-file key out
dec_part 3/3 -o out c 2>/dev/null
for n in 100 100000 108192 200000; do
	bytes $n 5 >out.part
	touch -d '2001-02-03 04:05:06' out.part
	chmod 640 out.part
	cp -p out.part mine
	expect 6 'not overwritten: it has no start record' dec_part 1/3 -o out c
	same mine out.part
	[ "$(stat -c '%a %Y' out.part)" = "$(stat -c '%a %Y' mine)" ] || give_up "$(stat out.part)"
done
mv before out.part # an older one: records of this inode are not its own
expect 6 'no start record' dec_part 2/3 -o out c
rm mine out.part
echo 'my notes' >out.part-2-of-3
expect 6 'out.part-2-of-3: not overwritten: it is not the record of a part' dec_part 2/3 -o out c
rm out.part-2-of-3

# Records of an earlier file, of another part, and single bits of a record do not complete this one.
fresh
for i in 1 2; do dec_part $i/3 -o out c 2>/dev/null; done
mkdir old
cp out.part-* old
rm out.part
dec_part 3/3 -o out c 2>err
grep -q 'missing: 1, 2' err || give_up "$(cat err)"
for at in 0 9 17 25 49 65 72 104 119 120 5000 8160 8191; do
	dec_part 1/3 -o out c 2>/dev/null
	flip out.part-1-of-3 $at
	case $at in
	0) expect 6 'not the record of a part' dec_part 3/3 -o out c && rm out.part-1-of-3 ;;
	*) dec_part 3/3 -o out c 2>err && says 'missing: 1, 2' ;;
	esac
done
flip out.part 100100 # the start record
expect 6 'no start record' dec_part 1/3 -o out c
flip out.part 100100
dec_part 1/3 -o out c
cp out.part-1-of-3 out.part-2-of-3
dec_part 3/3 -o out c 2>err
says 'missing: 2'
dec_part 2/3 -o out c
rm -r old
decrypted

# A run that is killed before the name is given: the records complete the file, and only all of them do.
for i in 1 2; do dec_part $i/3 -o out c 2>/dev/null; done
expect_exit 137 faulty rename:1:kill "$GCRYPT" dec "${k[@]}" --part 3/3 -o out c
[ "$(stat -c %s out.part)" = 100000 ] || give_up "not cut: $(stat out.part)"
cp out.part-2-of-3 record
: >out.part-2-of-3
expect 6 'no start record' dec_part 1/3 -o out c
cp record out.part-2-of-3
expect 0 'out: complete: all 3 parts' "$GCRYPT" dec "${k[@]}" --part 2/3 -o out c
rm record
decrypted
fresh
only plain c key
