#!/bin/bash
# A forged copy B of the header, with a higher sequence number and a wrong MAC, changes nothing: copy A counts.
# With GCRYPT_TEST_ONE_IN each forged copy meets one in as many groups of commands, and dec and verify.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
chmod 600 key
bytes 70000 >plain
mkdir tree
echo leaf >tree/leaf
k=(--engine cpu --key-file key)
"$GCRYPT" enc -q "${k[@]}" --cipher aes "${small[@]}" plain
"$GCRYPT" enc -q "${k[@]}" --cipher aes tree
bytes 69632 >disk
"$GCRYPT" enc -q "${k[@]}" --cipher aes --detached -o image disk
mv plain.gcr good.gcr
mv tree.gcr good-tree.gcr
cp image.gcr good-image.gcr

# turn N: the Nth group of commands has its turn.
number=0 one_in=${GCRYPT_TEST_ONE_IN:-1}
turn() { [ $((number % one_in)) -eq $(($1 % one_in)) ]; }

read_file() {
	expect_exit 0 "$GCRYPT" dec "${k[@]}" -f -o out - <plain.gcr
	same plain out
	expect_exit 0 "$GCRYPT" dec "${k[@]}" -f -o out --offset 5000 --length 10000 plain.gcr
	same <(part plain 5000 10000) out
	expect_exit 0 "$GCRYPT" dec "${k[@]}" -f -o out --salvage plain.gcr
	same plain out
	refused 2 'holds a file' list "${k[@]}" plain.gcr
}

change_key() {
	cp plain.gcr rekeyed.gcr
	expect_exit 0 "$GCRYPT" rekey "${k[@]}" rekeyed.gcr
	expect_exit 0 "$GCRYPT" dec "${k[@]}" -f -o out rekeyed.gcr
	same plain out
	expect_exit 0 "$GCRYPT" key add --key-file key --new-key-file key plain.gcr
	expect_exit 0 "$GCRYPT" verify "${k[@]}" plain.gcr
}

read_directory() {
	cp good-tree.gcr tree.gcr
	forge copy-b tree.gcr "$@"
	rm -rf out-tree
	expect_exit 0 "$GCRYPT" dec "${k[@]}" -o out-tree tree.gcr
	same tree/leaf out-tree/leaf
	[ "$("$GCRYPT" list "${k[@]}" tree.gcr)" = "$("$GCRYPT" list "${k[@]}" good-tree.gcr)" ] || give_up "list: $*"
}

read_image() {
	cp good-image.gcr image.gcr
	forge copy-b image.gcr "$@"
	expect_exit 0 "$GCRYPT" dec "${k[@]}" -f -o out image.gcr
	same disk out
	expect_exit 0 "$GCRYPT" retag --key-file key image.gcr
	expect_exit 0 "$GCRYPT" verify "${k[@]}" image.gcr
}

for forged in "10=1 14=3 18=9" "11=1" "11=2" "12=3" "13=16" "14=1" "16=14 17=16" "16=12 17=12" "24=9" "32=0" "488=1"; do
	read -ra changes <<<"$forged"
	cp good.gcr plain.gcr
	forge copy-b plain.gcr "${changes[@]}"
	expect 0 'header copy B is damaged' "$GCRYPT" dec "${k[@]}" -f -o out plain.gcr
	same plain out
	refused 4 'header copy B is damaged' verify "${k[@]}" plain.gcr
	! turn 0 || read_file
	! turn 1 || change_key
	! turn 2 || read_directory "${changes[@]}"
	! turn 3 || read_image "${changes[@]}"
	number=$((number + 1))
done
