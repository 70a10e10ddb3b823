#!/bin/bash
# Raw mode refuses what would be weak, ambiguous or impossible, and writes nothing.
# shellcheck source=tests/scenarios/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
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
# Keys and IVs of the wrong length, or none.
refused enc "${aes[@]}" --mode ecb
refused enc "${aes[@]}" --mode ecb --key-hex 0001
refused enc "${aes[@]}" --mode ecb --key-hex "$h32"
refused enc "${aes[@]}" --mode ecb --key-hex "${h16}0"
refused enc "${aes[@]}" --mode ecb --key-hex "${h16%f}g"
refused enc --cipher aes --bits 256 --mode ecb --key-hex "$h16"
refused enc "${aes[@]}" --mode xts --key-hex "$h16" --iv-start 0
refused enc "${aes[@]}" --mode ctr --key-hex "$h16"
refused enc "${aes[@]}" --mode ctr --key-hex "$h16" --iv-hex 00
refused enc "${aes[@]}" --mode ctr --key-hex "$h16" --iv-hex "${h16}00"
refused enc "${aes[@]}" --mode xts --key-hex "$other"
refused enc "${aes[@]}" --mode xts --key-hex "$other" --iv-start 0 --iv-hex "$h16"
refused enc "${aes[@]}" --mode ecb --key-hex "$h16" --key-file key16
# Options of other modes, and of containers.
refused enc "${aes[@]}" --mode ecb --key-hex "$h16" --iv-hex "$h16"
refused enc "${aes[@]}" --mode ctr --key-hex "$h16" --iv-hex "$h16" --no-padding
refused enc "${aes[@]}" --mode ctr --key-hex "$h16" --iv-hex "$h16" --sector-size 512
refused enc "${aes[@]}" --mode ctr --key-hex "$h16" --iv-hex "$h16" --chunk-log2 12
refused enc "${aes[@]}" --mode ecb --passphrase fd:0
# XTS: equal halves, sector sizes, numbers that do not fit.
xts=(--mode xts --iv-start 0)
refused enc "${aes[@]}" "${xts[@]}" --key-hex "$h32"
for size in 0 256 513 8192; do
	refused enc "${aes[@]}" "${xts[@]}" --key-hex "$other" --sector-size "$size"
done
refused enc "${aes[@]}" --mode xts --iv-start 4 --key-hex "$other" --sector-size 4096 --iv-large-sectors
bytes 515 >in
refused enc "${aes[@]}" "${xts[@]}" --key-hex "$other"
refused dec "${aes[@]}" "${xts[@]}" --key-hex "$other"
# Lengths.
refused enc "${aes[@]}" --mode ecb --key-hex "$h16" --no-padding
refused dec "${aes[@]}" --mode ecb --key-hex "$h16" --no-padding
refused enc "${aes[@]}" --mode ctr --key-hex "$h16" --iv-hex "$h16" --offset 516
refused enc "${aes[@]}" --mode ctr --key-hex "$h16" --iv-hex "$h16" --offset 500 --length 16

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
