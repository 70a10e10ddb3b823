#!/bin/bash
# verify --part: every part finds damage of its payload and of any page; all parts print the digest of the whole.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 100000 >in # 13 groups
k=(--key-file key)
whole() { "$GCRYPT" verify "${k[@]}" "$1" | sed 's/.*digest //'; }

for mode in ctr xts; do
	"$GCRYPT" enc "${small[@]}" "${k[@]}" --mode $mode -f in
	sum=0
	for i in 3 1 4 2; do
		expect_exit 0 "$GCRYPT" verify --part $i/4 "${k[@]}" in.gcr >line
		grep -q "^in.gcr: part $i of 4 verified: [0-9]* bytes, aes-256-$mode, digest $(whole in.gcr)\$" line ||
			give_up "prints: $(cat line)"
		sum=$((sum + $(sed 's/.*verified: \([0-9]*\) bytes.*/\1/' line)))
	done
	[ "$sum" = 100000 ] || give_up "$sum bytes in all parts"
	"$GCRYPT" verify --json --part 1/4 "${k[@]}" in.gcr >json
	[ "$(field bytes <json)" = 24576 ] || give_up "bytes of the part: $(cat json)"
done

# Groups 0 to 2, 3 to 5, 6 to 8, 9 to 12.
cp in.gcr good
flip in.gcr $(($(page 7) + 5000))
for i in 1 2 4; do "$GCRYPT" verify --part $i/4 "${k[@]}" in.gcr >line; done
refused 4 'corrupt at byte' verify --part 3/4 "${k[@]}" in.gcr
says '(group 7)'
cp good in.gcr
flip in.gcr $(($(page 7) + 130))
for i in 1 2 3 4; do expect_exit 4 "$GCRYPT" verify --part $i/4 "${k[@]}" in.gcr; done
says 'in.gcr: corrupt: pages of part 3'
cp good in.gcr
"$GCRYPT" enc "${small[@]}" "${k[@]}" --mode xts --part 1/1 -o again in # a page of another version, authentic
cp again.part first
flip again.part $(($(page 5) + 5000))
"$GCRYPT" enc "${small[@]}" "${k[@]}" --mode xts --part 1/1 -o again in
"$GCRYPT" join "${k[@]}" again
part first "$(page 5)" 12288 | put again "$(page 5)"
for i in 1 2 3 4; do expect_exit 4 "$GCRYPT" verify --part $i/4 "${k[@]}" again; done
says 'the root is wrong: groups of another version'
truncate -s -1 in.gcr
expect_exit 4 "$GCRYPT" verify --part 1/4 "${k[@]}" in.gcr
cp good in.gcr
flip in.gcr 100
refused 4 'header copy A is damaged' verify --part 1/4 "${k[@]}" in.gcr
cp good in.gcr
bytes 32 78 >wrong
chmod 600 wrong
expect_exit 5 "$GCRYPT" verify --part 1/4 --key-file wrong in.gcr

# More parts than groups, an empty container, holes, a detached container.
for i in {1..20}; do "$GCRYPT" verify --part "$i/20" "${k[@]}" in.gcr >line; done
: >empty
"$GCRYPT" enc "${k[@]}" empty
for i in 1 2; do "$GCRYPT" verify --part $i/2 "${k[@]}" empty.gcr | grep -q "0 bytes, .* $(whole empty.gcr)"; done
truncate -s 200000 empty
"$GCRYPT" enc "${small[@]}" --sparse -f "${k[@]}" empty
for i in 1 2; do "$GCRYPT" verify --part $i/2 "${k[@]}" empty.gcr | grep -q "$(whole empty.gcr)"; done
head -c 98304 in >disk
"$GCRYPT" enc --detached "${small[@]}" "${k[@]}" -o image disk
for i in 1 2 3; do "$GCRYPT" verify --part $i/3 "${k[@]}" image.gcr | grep -q "$(whole image.gcr)"; done
flip image 70000
refused 4 'image: corrupt at byte' verify --part 3/3 "${k[@]}" image.gcr
