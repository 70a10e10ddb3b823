#!/bin/bash
# dec --part: what does not fit the start is refused; only the records of this file complete it.
# shellcheck disable=SC2119 # decrypted: without files
# shellcheck source=tests/nodes/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
make_key
bytes 100000 >plain # 13 groups
k=(--engine cpu --key-file key)

"$GCRYPT" enc "${small[@]}" "${k[@]}" -o c plain

# Another number of parts, another key, a run of the part elsewhere, other files under the names.
dec_part 1/3 -o out c
cp out.part before
part_refused 2 'out.part: started with 3 parts: give the same --part I/N' 2/4 -o out c
bytes 32 78 >wrong
chmod 600 wrong
expect_exit 5 "$GCRYPT" dec --key-file wrong --part 2/3 -o out c
rm wrong
for byte in 2 0; do
	coproc { python3 -c '
import fcntl, struct, sys
file = open("out.part", "r+b")
fcntl.fcntl(file, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, int(sys.argv[1]), 1, 0)) # F_OFD_SETLK
print("locked", flush=True)
sys.stdin.read()' $byte; }
	read -r _ <&"${COPROC[0]}"
	input=${COPROC[1]} pid=$COPROC_PID
	if [ $byte = 2 ]; then
		part_refused 6 'out.part: another run is writing part 2' 2/3 -o out c
	fi
	expect_exit 0 "$GCRYPT" dec "${k[@]}" --part 3/3 -o out c
	says 'another run is at work, or has ended the file'
	exec {input}>&-
	wait "$pid"
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
	part_refused 6 'not overwritten: it has no start record' 1/3 -o out c
	same mine out.part
	[ "$(stat -c '%a %Y' out.part)" = "$(stat -c '%a %Y' mine)" ] || give_up "$(stat out.part)"
done
mv before out.part # an older one: records of this inode are not its own
part_refused 6 'no start record' 2/3 -o out c
rm mine out.part
echo 'my notes' >out.part-2-of-3
part_refused 6 'out.part-2-of-3: not overwritten: it is not the record of a part' 2/3 -o out c
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
	0) part_refused 6 'not the record of a part' 3/3 -o out c && rm out.part-1-of-3 ;;
	*) dec_part 3/3 -o out c 2>err && says 'missing: 1, 2' ;;
	esac
done
flip out.part 100100 # the start record
part_refused 6 'no start record' 1/3 -o out c
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
part_refused 6 'no start record' 1/3 -o out c
cp record out.part-2-of-3
expect_exit 0 "$GCRYPT" dec "${k[@]}" --part 2/3 -o out c
says 'out: complete: all 3 parts'
rm record
decrypted
fresh

for option in --salvage "--offset 1" "--length 1" --verify-first --in-place --rm "--luks2-header x"; do
	# shellcheck disable=SC2086
	expect_exit 2 "$GCRYPT" dec "${k[@]}" --part 1/2 $option -o out c
done
expect_exit 2 "$GCRYPT" dec "${k[@]}" --part 1/2 -o - c
# shellcheck disable=SC2016 # expanded by bash
expect_exit 2 bash -c 'cat c | "$GCRYPT" dec --key-file key --part 1/2 -o out -'
mkdir tree
"$GCRYPT" enc "${k[@]}" -o t tree
expect_exit 2 "$GCRYPT" dec "${k[@]}" --part 1/2 -o out t
"$GCRYPT" enc "${k[@]}" --zstd -f -o t plain
part_refused 2 'containers of one file, without --zstd' 1/2 -o out t
rm -r t tree
only plain c key
