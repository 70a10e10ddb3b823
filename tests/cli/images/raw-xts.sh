#!/bin/bash
# Raw XTS of a real ext4 image: decrypted unit by unit by libcrypto, and numbered as dm-crypt does.
. "${BASH_SOURCE[0]%/*}/../lib.sh"

k128=$(bytes 32 8 | hex -)
k192=$(bytes 48 8 | hex -)
k256=$(bytes 64 8 | hex -)
mkdir files
cp "$here"/* files
truncate -s 4M disk.img
mke2fs -q -F -t ext4 -d files disk.img

xts=(--raw --mode xts)
"$GCRYPT" enc "${xts[@]}" --cipher aes --bits 256 --sector-size 512 --key-hex "$k256" --iv-start 0 \
	-o disk.xts disk.img
peer xts decrypt aes "$k256" 512 0 1 disk.xts back.img
same disk.img back.img
e2fsck -fn back.img >/dev/null 2>&1 || give_up "e2fsck refuses the image"

# against CIPHER BITS KEY UNIT FIRST STEP OPTION…: both directions.
head -c 65536 disk.img >in
against() {
	local cipher=$1 bits=$2 key=$3 unit=$4 first=$5 step=$6
	shift 6
	peer xts encrypt "$cipher" "$key" "$unit" "$first" "$step" in want
	"$GCRYPT" enc "${xts[@]}" --cipher "$cipher" --bits "$bits" --key-hex "$key" \
		--sector-size "$unit" "$@" -o - in | cmp - want
	"$GCRYPT" dec "${xts[@]}" --cipher "$cipher" --bits "$bits" --key-hex "$key" \
		--sector-size "$unit" "$@" -o - want | cmp - in
}
against aes 128 "$k128" 512 256 1 --iv-start 256
against aes 128 "$k128" 4096 256 8 --iv-start 256
against aes 256 "$k256" 2048 4294967292 4 --iv-start 4294967292
against aes 256 "$k256" 4096 32 1 --iv-start 256 --iv-large-sectors
against aes 192 "$k192" 1024 10 2 --iv-start 10
against camellia 128 "$k128" 512 7 1 --iv-start 7
against camellia 192 "$k192" 4096 0 8 --iv-start 0
against camellia 256 "$k256" 512 0 1 --iv-start 0
# A tweak given byte by byte, the lowest first.
against aes 128 "$k128" 512 258 1 --iv-hex 02010000000000000000000000000000
# Ciphertext stealing in the last unit.
for n in 16 17 511 513 528 529 4111; do
	tail=$((n % 512))
	bytes "$n" >in
	if [ "$tail" -gt 0 ] && [ "$tail" -lt 16 ]; then
		expect_exit 2 "$GCRYPT" enc "${xts[@]}" --cipher aes --bits 128 --key-hex "$k128" \
			--iv-start 0 -o out in
		no_file out
	else
		against aes 128 "$k128" 512 0 1 --iv-start 0
		against camellia 256 "$k256" 512 0 1 --iv-start 0
	fi
done

# A volume within a larger file, as VeraCrypt's.
bytes 400000 >in
part in 131072 131072 >volume
peer xts encrypt aes "$k256" 512 256 1 volume want
"$GCRYPT" enc "${xts[@]}" --cipher aes --bits 256 --key-hex "$k256" --offset 131072 --length 131072 \
	--iv-start 256 -o - in | cmp - want
