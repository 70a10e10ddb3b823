#!/bin/bash
# rekey --part and join: a container under a new file key by several runs, in any order and after kills; nothing counts
# that was not authenticated, and the old container stays as it is.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 32 78 >new
chmod 600 new
bytes 100000 >plain # 13 groups
k=(--engine cpu --key-file key)

fresh() { rm -f out.part*; }
rekey_part() { "$GCRYPT" rekey "${k[@]}" --new-key-file new -q -o out --part "$@"; }

# joined [WORDS of rekey_part for dec]: out has the content, by this program and by the independent reader.
joined() {
	expect_exit 0 "$GCRYPT" join --key-file new out
	! compgen -G 'out.part*' >/dev/null || give_up "left: $(ls)"
	"$GCRYPT" dec --engine cpu --key-file new -o back out
	same "${1:-plain}" back
	"$GCRYPT" verify -q --key-file new out >/dev/null
	expect_exit 5 "$GCRYPT" verify --key-file key out # the old secret has no slot any more
	same intact c
	rm back
}

# Any order; a missing part is named; one runs twice; more parts than groups; other ciphers and modes.
"$GCRYPT" enc "${small[@]}" "${k[@]}" -o c plain
touch -d '2020-02-03 04:05:06' c
cp -p c intact
for i in 3 1 3; do rekey_part $i/4 c; done
refused 4 'parts 2, 4 of 4 are missing or incomplete: run them again' join --key-file new out
no_file out
for i in 4 2; do rekey_part $i/4 c; done
joined
[ "$(stat -c %Y out)" != "$(stat -c %Y c)" ] || give_up "another file with the time of the old one"
peer dec new out back
same plain back
cmp -s <(tail -c +16385 c) <(tail -c +16385 out) && give_up "the same ciphertext"
rm out back
for how in '--mode xts' '--cipher camellia --bits 128' '--mode ecb' '--align 4096'; do
	parts=(3 1 2)
	[ "$how" != '--align 4096' ] || parts=(2 15 3 1 14 13 5 4 6 7 8 9 12 11 10)
	for i in "${parts[@]}"; do rekey_part "$i/${#parts[@]}" $how c 2>/dev/null; done
	joined
	peer dec new out back
	same plain back
	rm out back
done

# Content: nothing, one byte, a length that the header does not tell, holes, a directory, compressed.
for n in 0 1 8192 30000; do
	bytes $n >few
	"$GCRYPT" enc "${small[@]}" "${k[@]}" -o - - <few >c
	cp c intact
	for i in 3 1 2; do rekey_part $i/3 c; done
	joined few
	rm out
done
truncate -s 200000 few
"$GCRYPT" enc "${small[@]}" "${k[@]}" --sparse -f -o c few
cp -p c intact
for i in 2 1; do rekey_part $i/2 c; done
joined few
rm out few
mkdir tree
echo text >tree/file
"$GCRYPT" enc "${small[@]}" "${k[@]}" --zstd=1 -f -o c tree
for i in 2 1; do rekey_part $i/2 c; done
"$GCRYPT" join --key-file new out
"$GCRYPT" dec --engine cpu --key-file new -o copy out
same tree/file copy/file
rm -r tree copy out

# Recipients: none is lost silently, and all parts have the same ones.
"$GCRYPT" keygen --x25519 -o anna
"$GCRYPT" keygen --x25519 -o bert
"$GCRYPT" enc "${small[@]}" "${k[@]}" -r anna.pub -f -o c plain
cp -p c intact
expect 2 'rekey would lose' rekey_part 1/2 c
no_file out.part
rekey_part 1/2 -r anna.pub c
expect 2 'started for other recipients' rekey_part 2/2 -r anna.pub -r bert.pub c
expect 2 'started for other recipients' rekey_part 2/2 --drop-slot 1 c
expect 2 'started with aes-256-ctr' rekey_part 2/2 -r anna.pub --mode xts c
expect 2 'started with 2 parts' rekey_part 2/3 -r anna.pub c
rekey_part 2/2 -r anna.pub c
joined
"$GCRYPT" dec --engine cpu -i anna -o back out
same plain back
rm out back bert bert.pub
for i in 1 2; do "$GCRYPT" rekey -q --engine cpu -i anna --new-key-file new --drop-slot 0 -o out --part $i/2 c; done
joined
rm out
"$GCRYPT" enc "${small[@]}" "${k[@]}" -r anna.pub --anonymous -f -o c plain
expect 2 'anonymous' rekey_part 1/2 -r anna.pub --anonymous c
no_file out.part
rm anna anna.pub

# A part that is killed at any write leaves no record; run again it takes fresh salts, and no salt comes twice.
"$GCRYPT" enc "${small[@]}" "${k[@]}" -f -o c plain
cp -p c intact
logged() { PAGE_LOG=$PWD/pages faulty "$@"; }
rekey_part 1/2 c
for at in 1 4 7; do
	expect_exit 137 logged pwrite:$at:kill \
		"$GCRYPT" rekey "${k[@]}" -T 1 --new-key-file new -q -o out --part 2/2 c
	refused 4 'part 2 of 2 is missing or incomplete: run it again' join --key-file new out
done
for _ in 1 2; do
	logged none "$GCRYPT" rekey "${k[@]}" --new-key-file new -q -o out --part 2/2 c
done
joined
python3 - <<'PY' || give_up "a group was encrypted twice under one salt"
pages = open("pages").read().splitlines()
assert len(pages) >= 7 * 2 + 9 and len(set(pages)) == len(pages), (len(pages), len(set(pages)))
PY
rm out pages

# Damage: of the payload, the part that reads it fails; of any page or the root, every part.  Nothing is joined, and the
# record of an earlier run of the part does not count.
rekey_part 4/4 c
flip c $(($(page 12) + 4200))
touch -r intact c
expect 4 '(group 12)' rekey_part 4/4 c
for i in 1 2 3; do rekey_part $i/4 c; done
refused 4 'part 4 of 4 is missing' join --key-file new out
no_file out
fresh
cp intact c
flip c $(($(page 7) + 130))
for i in 1 2 3 4; do expect_exit 4 rekey_part $i/4 c; done
no_file out
fresh

# The old container changes between parts: by its time, by its content with the same time, by its key slots.
cp -p intact c
rekey_part 1/2 c
touch -d '2021-01-01' c
expect 3 'c: changed since out.part was started: remove out.part to start again' rekey_part 2/2 c
fresh
"$GCRYPT" enc "${small[@]}" "${k[@]}" --part 1/2 -o two plain
cp two.part start
"$GCRYPT" enc "${small[@]}" "${k[@]}" --part 2/2 -o two plain
cp two.part-1-of-2 record
"$GCRYPT" join --key-file key two
mv two two.first
mv start two.part
mv record two.part-1-of-2
"$GCRYPT" enc "${small[@]}" "${k[@]}" --part 2/2 -o two plain # the same file key, other salts
"$GCRYPT" join --key-file key two
cp two.first c
touch -d '2022-01-01' c
cp -p c intact
rekey_part 1/2 c
cat two >c # the same inode
touch -r intact c
expect 3 'c: changed since out.part was started' rekey_part 2/2 c
part two "$(page 9)" 12288 | put c "$(page 9)"
cat two.first >c
part two "$(page 9)" 12288 | put c "$(page 9)" # an authentic group of another version
touch -r intact c
expect 4 'the root is wrong: groups of another version' rekey_part 2/2 c
expect_exit 4 "$GCRYPT" join --key-file new out
cat two.first >c
touch -r intact c
"$GCRYPT" key add --key-file key --new-key-file new c
expect 3 'c: changed since out.part was started' rekey_part 2/2 --drop-slot 1 c
cat two.first >c
touch -r intact c
rekey_part 2/2 c
joined
rm out two two.first

# Secrets, locks, other files, options.
rekey_part 1/2 c
bytes 32 79 >wrong
chmod 600 wrong
expect_exit 5 "$GCRYPT" rekey --key-file wrong --new-key-file new -o out --part 2/2 c
expect_exit 5 "$GCRYPT" rekey "${k[@]}" --new-key-file wrong -o out --part 2/2 c
expect_exit 5 "$GCRYPT" join --key-file key out
expect_exit 3 "$GCRYPT" enc "${small[@]}" --engine cpu --key-file new --part 2/2 -o out c
locked out.part 2
expect 6 'out.part: another run is writing part 2' rekey_part 2/2 c
unlocked
in_use='c: cannot be locked: it is being re-encrypted, or its key slots are being changed'
exec {input}<c
flock -s "$input" # as rekey --part
refused 3 "$in_use" key add --key-file key --new-key-file new c
flock -n "$input" # as key add
expect 3 "$in_use" rekey_part 2/2 c
exec {input}<&-
fresh
echo 'my notes' >out.part
expect 6 'out.part: not overwritten' rekey_part 1/2 c
[ "$(cat out.part)" = 'my notes' ] || give_up "overwritten"
fresh
expect_exit 6 "$GCRYPT" rekey "${k[@]}" --part 1/2 -f -o c c
rm wrong
same intact c
only plain c key new intact
