#!/bin/bash
# Raw mode: the OpenCL device and the CPU make the same bytes, for every cipher and mode, and every key size.
# With GCRYPT_TEST_ONE_IN a cipher's modes take a key size each.
. "${BASH_SOURCE[0]%/*}/../lib.sh"

"$GCRYPT" enc -q --raw --engine opencl --cipher aes --bits 128 --mode ecb \
	--key-hex "$(printf '%032x' 1)" -o probe /dev/null 2>err || skip "no OpenCL device: $(cat err)"
bytes 300005 >in # an odd length: padding, a partial block, ciphertext stealing
n=0
for cipher in aes camellia sc2000; do
	for bits in 128 192 256; do
		modes=(ecb ctr xts)
		[ "${GCRYPT_TEST_ONE_IN:-1}" -eq 1 ] || modes=("${modes[$(((n + n / 3) % 3))]}")
		n=$((n + 1))
		for mode in "${modes[@]}"; do
			how=(-q --raw --cipher "$cipher" --bits "$bits" --mode "$mode")
			case $mode in
			ecb) how+=(--key-hex "$(bytes $((bits / 8)) 6 | hex -)") ;;
			ctr)
				how+=(--key-hex "$(bytes $((bits / 8)) 6 | hex -)")
				how+=(--iv-hex fffffffffffffffffffffffffffffff0)
				;;
			xts)
				how+=(--key-hex "$(bytes $((bits / 4)) 6 | hex -)")
				how+=(--iv-start 4294967295 --sector-size 4096)
				;;
			esac
			"$GCRYPT" enc "${how[@]}" --engine cpu -o a in
			"$GCRYPT" enc "${how[@]}" --engine opencl -o b in
			same a b
			! cmp -s a in || give_up "not encrypted"
			if [ "$bits" -eq 256 ] || [ ${#modes[@]} -eq 1 ]; then
				"$GCRYPT" dec "${how[@]}" --engine opencl -o - a | cmp - in
			fi
			"$GCRYPT" dec "${how[@]}" --engine cpu -o - b | cmp - in
			rm a b
		done
	done
done
