#!/bin/bash
# enc --part and join: no space in one part, a lost part, forged records, two jobs on one output; what does not fit the
# start is refused, and nothing gets the final name.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 100000 >in # 13 groups
touch -d '2020-02-03 04:05:06' in
chmod 640 in
k=(--engine cpu --key-file key)
enc_part() { "$GCRYPT" enc "${small[@]}" "${k[@]}" --part "$@"; }
join=("$GCRYPT" join --key-file key in.gcr)
good() {
	"${join[@]}"
	only in in.gcr key "$@"
	peer dec key in.gcr back
	same in back
	"$GCRYPT" verify --key-file key in.gcr
	rm in.gcr back
}
all() { for i in 1 2 3; do enc_part "$i/3" in 2>/dev/null; done; }

# The finished file has mode and time of the source.
all
[ "$(stat -c %a in.gcr.part-2-of-3)" = 600 ] || give_up "mode of a record"
"${join[@]}"
[ "$(stat -c '%a %Y %s' in.gcr)" = "640 $(stat -c %Y in) $((16384 + 13 * 4096 + 100000))" ] ||
	give_up "mode, time or size: $(stat -c '%a %Y %s' in.gcr)"
expect_exit 6 "$GCRYPT" enc "${small[@]}" "${k[@]}" --part 1/3 in
expect_exit 3 "${join[@]}"
rm in.gcr

# Lost: the record; the page of a group; a whole part.  Run again, groups that verify stay.
all
rm in.gcr.part-2-of-3
expect 4 'in.gcr.part: not joined: part 2 of 3 is missing or incomplete: run it again' "${join[@]}"
no_file in.gcr
expect 0 'in.gcr: part 2 of 3: 32.8 kB of 32.8 kB had been done by an earlier run' "$GCRYPT" enc "${small[@]}" "${k[@]}" --part 2/3 in
head -c 4096 /dev/zero | put in.gcr.part "$(page 0)"
: >in.gcr.part-3-of-3
expect 4 'parts 1, 3 of 3 are missing or incomplete: run them again' "${join[@]}"
expect 0 'part 1 of 3: 24.6 kB of 32.8 kB had been done' "$GCRYPT" enc "${small[@]}" "${k[@]}" --part 1/3 in
enc_part 3/3 in
good

# Forged: another bit, the record of another part, of another container of the same key, of another run of the part;
# a page that was authentic before.
all
cp in.gcr.part-1-of-3 old
for at in 0 9 20 30 40 48 56 64 72 100 103 104 5000 8160 8191; do
	flip in.gcr.part-1-of-3 $at
	case $at in
	0) expect_exit 6 "${join[@]}" && says 'not the record of a part' ;;
	*) expect_exit 4 "${join[@]}" && says 'part 1 of 3' ;;
	esac
	cp old in.gcr.part-1-of-3
done
cp in.gcr.part-2-of-3 in.gcr.part-1-of-3
expect 4 'part 1 of 3' "${join[@]}"
cp old in.gcr.part-1-of-3
cp in.gcr.part before
flip in.gcr.part $(($(page 1) + 4096))
enc_part 1/3 in
cp in.gcr.part-1-of-3 new
cp old in.gcr.part-1-of-3
expect_exit 4 "${join[@]}"
cp new in.gcr.part-1-of-3
part before "$(page 1)" 12288 | put in.gcr.part "$(page 1)"
expect 4 'part 1 of 3' "${join[@]}"
mkdir other
cp -p in other/in
(cd other && key=../key && for i in 1 2 3; do
	"$GCRYPT" enc "${small[@]}" --engine cpu --key-file "$key" --part $i/3 in
done)
cp other/in.gcr.part-1-of-3 .
expect 4 'part 1 of 3' "${join[@]}"
rm -r other before old new
flip in.gcr.part 8200 # the start record
expect 6 'no start record for parts of this passphrase or key file' "${join[@]}"
refused 6 'no start record for parts' enc "${small[@]}" "${k[@]}" --part 1/3 in
flip in.gcr.part 8200
flip in.gcr.part 200 # the header
expect 4 'the header is damaged' "${join[@]}"
flip in.gcr.part 200
bytes 32 78 >wrong
chmod 600 wrong
expect_exit 5 "$GCRYPT" join --key-file wrong in.gcr
expect_exit 5 "$GCRYPT" enc "${small[@]}" --engine cpu --key-file wrong --part 1/3 in
rm wrong
enc_part 1/3 in
good

# No space in one part, while others have theirs.
full=(bash -c 'trap "" XFSZ; ulimit -f 88; exec "$@"' -) # up to the page of group 6
enc_part 1/3 in
enc_part 3/3 in
expect 3 'File too large' "${full[@]}" "$GCRYPT" enc "${small[@]}" "${k[@]}" --part 2/3 in
expect 4 'part 2 of 3 is missing' "${join[@]}"
expect 0 'part 2 of 3: 16.4 kB of 32.8 kB had been done' "$GCRYPT" enc "${small[@]}" "${k[@]}" --part 2/3 in
expect_exit 3 "${full[@]}" "${join[@]}"
no_file in.gcr
good

# Two jobs on one output: other numbers of parts, options, sources; --resume; a join while a part runs, and two joins.
enc_part 1/3 in
cp in.gcr.part before
refused 2 'in.gcr.part: started with 3 parts, aligned to 4096 bytes: give the same --part I/N and --align' enc "${small[@]}" "${k[@]}" --part 2/4 in
expect_exit 2 "$GCRYPT" enc "${small[@]}" "${k[@]}" --align 8K --part 2/3 in
refused 2 'started with aes-256-ctr' enc "${small[@]}" "${k[@]}" --mode xts --part 2/3 in
expect_exit 2 "$GCRYPT" enc --chunk-log2 12 --group-log2 14 "${k[@]}" --part 2/3 in
"$GCRYPT" keygen --x25519 -o anna
refused 2 'started for other recipients' enc "${small[@]}" "${k[@]}" -r anna.pub --part 2/3 in
rm anna anna.pub
bytes 100000 2 >in2
refused 3 'changed since' enc "${small[@]}" "${k[@]}" --part 2/3 -o in.gcr in2
rm in2
refused 6 'runs with --part write it' enc "${small[@]}" "${k[@]}" --resume in
same before in.gcr.part
rm before
locked in.gcr.part 2
refused 6 'in.gcr.part: another run is writing part 2, or joins the parts' enc "${small[@]}" "${k[@]}" --part 2/3 in
expect 6 'in.gcr.part: another run is writing it' "${join[@]}"
enc_part 3/3 in
unlocked
locked in.gcr.part 3
enc_part 2/3 in
expect_exit 6 "${join[@]}"
unlocked
"${join[@]}" 2>err & "${join[@]}" 2>err2 & wait -n || true; wait || true
rm -f err2
[ -e in.gcr ] || give_up "two joins, and no container"
peer dec key in.gcr back
same in back
rm in.gcr back
only in key

# A source that changes between parts.
enc_part 1/3 in
cp -p in keep
printf x | put in 50000
refused 3 'in: changed since in.gcr.part was started: remove in.gcr.part to start again' enc "${small[@]}" "${k[@]}" --part 2/3 in
rm in in.gcr.part in.gcr.part-1-of-3
mv keep in

# Files of others under the names.
bytes 20000 3 >in.gcr.part
refused 6 'not the beginning of a container' enc "${small[@]}" "${k[@]}" --part 1/3 in
rm in.gcr.part
echo 'my notes' >in.gcr.part-1-of-3
refused 6 'in.gcr.part-1-of-3: not overwritten: it is not the record of a part' enc "${small[@]}" "${k[@]}" --part 1/3 in
grep -q 'my notes' in.gcr.part-1-of-3
rm in.gcr.part-1-of-3
ln -s in in.gcr.part-1-of-3
expect_exit 3 "$GCRYPT" enc "${small[@]}" "${k[@]}" --part 1/3 in
rm in.gcr.part-1-of-3 in.gcr.part

# A join that is killed after copy B: joined again without records.
all
cp in.gcr.part start
"${join[@]}"
mv in.gcr in.gcr.part
good start
rm start

# More parts than groups; one part; nothing; recipients beside the secret.
for n in 0 1 8192 30000; do
	bytes $n >in
	for i in 4 2 5 1 3; do enc_part $i/5 in 2>/dev/null; done
	good
done
enc_part 1/1 in
good
"$GCRYPT" keygen --x25519 -o anna
for i in 2 1; do enc_part $i/2 -r anna.pub in; done
"${join[@]}"
"$GCRYPT" dec --identity anna -o back in.gcr
same in back
rm in.gcr back
only in key anna anna.pub
