#!/bin/bash
# Raw AES and Camellia in ECB and CTR are what `openssl enc` makes, on both engines.  With GCRYPT_TEST_ONE_IN the
# device has one key size.
. "${BASH_SOURCE[0]%/*}/../lib.sh"

engines=(cpu)
! "$GCRYPT" enc -q --raw --engine opencl --cipher aes --bits 128 --mode ecb \
	--key-hex "$(printf '%032x' 1)" -o probe /dev/null 2>no-opencl || engines+=(opencl)
rm -f probe

# The counter wraps in the block after the first.
iv=ffffffffffffffffffffffffffffffff
for cipher in aes camellia; do
	for bits in 128 192 256; do
		key=$(bytes $((bits / 8)) 5 | hex -)
		raw=(-q --raw --cipher "$cipher" --bits "$bits" --key-hex "$key")
		sizes=(17 1048579)
		[ "$bits" -ne 256 ] || sizes=(0 1 15 16 17 1000 65536 1048579)
		for n in "${sizes[@]}"; do
			bytes "$n" >in
			openssl enc "-$cipher-$bits-ctr" -K "$key" -iv "$iv" <in >want.ctr
			openssl enc "-$cipher-$bits-ecb" -K "$key" <in >want.ecb
			for engine in "${engines[@]}"; do
				case $engine$n in
				opencl17 | opencl1048579) [ "$bits" -eq 256 ] || [ "${GCRYPT_TEST_ONE_IN:-1}" -eq 1 ] || continue ;;
				cpu*) ;;
				*) continue ;;
				esac
				for mode in ctr ecb; do
					how=(--engine "$engine" --mode "$mode")
					[ "$mode" = ecb ] || how+=(--iv-hex "$iv")
					"$GCRYPT" enc "${raw[@]}" "${how[@]}" -o - in | cmp - "want.$mode"
					"$GCRYPT" dec "${raw[@]}" "${how[@]}" -o - "want.$mode" | cmp - in
				done
			done
		done
		head -c 1048576 in >blocks
		openssl enc "-$cipher-$bits-ecb" -nopad -K "$key" <blocks >want
		"$GCRYPT" enc "${raw[@]}" --mode ecb --no-padding -o - blocks | cmp - want
		"$GCRYPT" dec "${raw[@]}" --mode ecb --no-padding -o - want | cmp - blocks
	done
done

# A part of the input: only it is done, and counted from its start.
openssl enc -aes-128-ctr -K "$(printf '%032x' 3)" -iv "$iv" < <(part in 4096 70000) >want
"$GCRYPT" enc -q --raw --cipher aes --bits 128 --mode ctr --key-hex "$(printf '%032x' 3)" --iv-hex "$iv" \
	--offset 4K --length 70000 -o - in | cmp - want
# From a pipe.
openssl enc -aes-128-ctr -K "$(printf '%032x' 3)" -iv "$iv" <in >want
"$GCRYPT" enc -q --raw --cipher aes --bits 128 --mode ctr --key-hex "$(printf '%032x' 3)" --iv-hex "$iv" \
	- <in | cmp - want

# What raw mode refuses is in refusals.tsv.
bytes 512 >in
bytes 16 9 >key16
h16=000102030405060708090a0b0c0d0e0f h32=$h16$h16
aes=(--cipher aes --bits 128)
xts=(--mode xts --iv-start 0)
# ECB is warned about whatever is asked.
expect 0 'warning: mode ecb' "$GCRYPT" enc -q --raw "${aes[@]}" --mode ecb --key-hex "$h16" -o out in
rm out

# Equal halves when allowed, and always for decryption.
expect_exit 0 "$GCRYPT" enc -q --raw "${aes[@]}" "${xts[@]}" --key-hex "$h32" --allow-weak-key -o c in
expect_exit 0 "$GCRYPT" dec --raw "${aes[@]}" "${xts[@]}" --key-hex "$h32" -o out c
same in out
rm out
# A key from a file; a wrong key is not noticed.
expect_exit 0 "$GCRYPT" enc -q --raw "${aes[@]}" --mode ctr --key-file key16 --iv-hex "$h16" -o c2 in
openssl enc -aes-128-ctr -K "$(hex key16)" -iv "$h16" <in | cmp - c2
expect_exit 0 "$GCRYPT" dec --raw "${aes[@]}" --mode ctr --key-hex "$h16" --iv-hex "$h16" -o out c2
! cmp -s in out || give_up "a wrong key decrypted"

[ ${#engines[@]} -eq 2 ] || skip "the CPU is right; no OpenCL device: $(tail -n 1 no-opencl)"
