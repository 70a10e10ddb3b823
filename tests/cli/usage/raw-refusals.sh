#!/bin/bash
# Raw mode refuses what would be weak, ambiguous or impossible before it opens the output.  (All of it: test_raw_refusals,
# test_options.)
. "${BASH_SOURCE[0]%/*}/../lib.sh"
bytes 100 >in
bytes 16 9 >key16
mkfifo fifo
h16=000102030405060708090a0b0c0d0e0f h32=$h16$h16 other=${h16}f0e0d0c0b0a090807060504030201000

refused() {
	expect_exit 2 "$GCRYPT" "$1" -q --raw "${@:2}" -o out in
	no_file out
	expect_exit 2 "$GCRYPT" "$1" -q --raw --dry-run "${@:2}" -o out in
	# Nobody reads the FIFO: opening it would wait.
	expect_exit 2 timeout 60 "$GCRYPT" "$1" -q --raw "${@:2}" -o fifo in
}
aes=(--cipher aes --bits 128)
xts=(--mode xts --iv-start 0)
refused enc "${aes[@]}" --mode ecb --key-hex "$h32"
refused enc "${aes[@]}" --mode ecb --passphrase fd:0
refused enc "${aes[@]}" --mode ctr --key-hex "$h16" --iv-hex "${h16}00"
refused enc "${aes[@]}" "${xts[@]}" --key-hex "$h32" # equal halves
refused enc "${aes[@]}" "${xts[@]}" --key-hex "$other" --sector-size 513
refused enc "${aes[@]}" --mode ctr --key-hex "$h16" --iv-hex "$h16" --offset 101
refused enc "${aes[@]}" --mode ctr --key-hex "$h16" --iv-hex "$h16" --offset 50 --length 51
bytes 515 >in
refused enc "${aes[@]}" "${xts[@]}" --key-hex "$other"
refused dec "${aes[@]}" --mode ecb --key-hex "$h16" --no-padding

# A pipe that is too short.
expect_exit 3 "$GCRYPT" enc -q --raw "${aes[@]}" --mode ecb --key-hex "$h16" --length 200 -o out - \
	< <(bytes 100)
says 'ended after 100 bytes'
no_file out
# ECB is warned about whatever is asked.
expect_exit 0 "$GCRYPT" enc -q --raw "${aes[@]}" --mode ecb --key-hex "$h16" -o out in
says 'warning: mode ecb'
rm out

# Equal halves when allowed, and always for decryption.
bytes 512 >in
expect_exit 0 "$GCRYPT" enc -q --raw "${aes[@]}" "${xts[@]}" --key-hex "$h32" --allow-weak-key -o c in
expect_exit 0 "$GCRYPT" dec --raw "${aes[@]}" "${xts[@]}" --key-hex "$h32" -o out c
same in out
rm out
# Padding that is wrong.
expect_exit 4 "$GCRYPT" dec --raw "${aes[@]}" --mode ecb --key-hex "$h16" -o out in
no_file out
# A key from a file; a wrong key is not noticed.
expect_exit 0 "$GCRYPT" enc -q --raw "${aes[@]}" --mode ctr --key-file key16 --iv-hex "$h16" -o c2 in
openssl enc -aes-128-ctr -K "$(od -An -tx1 key16 | tr -d ' \n')" -iv "$h16" <in | cmp - c2
expect_exit 0 "$GCRYPT" dec --raw "${aes[@]}" --mode ctr --key-hex "$h16" --iv-hex "$h16" -o out c2
! cmp -s in out || give_up "a wrong key decrypted"
