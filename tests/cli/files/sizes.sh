#!/bin/bash
# Every length around the borders of blocks, chunks and groups comes back unchanged.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key

# suite CIPHER MODE BITS ENGINE LENGTH…
suite() {
	local n blocks options=(--cipher "$1" --mode "$2" --bits "$3" --engine "$4")
	shift 4
	for n; do
		bytes "$n" >in
		expect_exit 0 "$GCRYPT" enc -f "${options[@]}" "${small[@]}" --key-file key in
		expect_exit 0 "$GCRYPT" dec -f --key-file key -o out in.gcr
		same in out
		# The container is as long as the format says.
		[ "${options[3]}" = ctr ] || n=$(((n + 15) / 16 * 16))
		blocks=$(((n + group_bytes - 1) / group_bytes))
		[ "$blocks" -gt 0 ] || blocks=1
		[ "$(stat -c %s in.gcr)" -eq $((16384 + 4096 * blocks + n)) ] || give_up "length for $n"
	done
	expect_exit 0 "$GCRYPT" verify --key-file key in.gcr
	rm in
	expect_exit 0 "$GCRYPT" dec --key-file key in.gcr # back to the name it had
	same in out
	rm in in.gcr out
}

borders=(0 1 15 16 17 4095 4096 4097 8191 8192 8193 24576 24581)
suite aes ctr 256 cpu "${borders[@]}"
suite camellia xts 192 cpu "${borders[@]}"
suite sc2000 ecb 128 cpu "${borders[@]}"
suite aes xts 256 auto 8193 24581
suite sc2000 ctr 256 auto 8193 24581

# The default sizes: chunks of 128 KiB, groups of 8 MiB, and a passphrase; once at the default cost.
cost=()
export P=secret
for n in $(((8 << 20) - 1)) $(((8 << 20) + 1)); do
	bytes "$n" >big.img
	expect_exit 0 "$GCRYPT" enc --cipher camellia "${cost[@]}" --passphrase env:P big.img
	expect_exit 0 "$GCRYPT" dec --passphrase env:P -o back.img big.img.gcr
	same big.img back.img
	rm big.img big.img.gcr back.img
	cost=(--kdf-cost 10)
done
only key
