#!/bin/bash
# From what `info --show-keys` prints, the openssl program alone decrypts every group.
# shellcheck source=tests/cli/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
make_key
bytes 30000 >in
k=(--key-file key)

# recover CIPHER BITS MODE
recover() {
	local g n offset length key_hex iv how
	expect_exit 0 "$GCRYPT" enc --cipher "$1" --bits "$2" --mode "$3" "${small[@]}" "${k[@]}" in
	"$GCRYPT" info --show-keys --json "${k[@]}" in.gcr >keys.json
	n=$(python3 -c 'import json; print(len(json.load(open("keys.json"))["groups"]))')
	[ "$n" -eq 4 ] || give_up "$n groups"
	: >out
	for ((g = 0; g < n; g++)); do
		offset=$(field "groups.$g.offset" <keys.json)
		length=$(field "groups.$g.length" <keys.json)
		key_hex=$(field "groups.$g.key" <keys.json)
		iv=$(field "groups.$g.iv" <keys.json)
		how=(-iv "$iv")
		[ "$3" = ctr ] || how=(-nopad)
		[ "$offset" -eq $(($(page "$g") + 4096)) ] || give_up "group $g at $offset"
		part in.gcr "$offset" "$length" |
			openssl enc -d "-$1-$2-$3" -K "$key_hex" "${how[@]}" >>out
		"$GCRYPT" info "--show-keys=$g" --json "${k[@]}" in.gcr >one.json
		[ "$(field groups.0.key <one.json)" = "$key_hex" ] || give_up "key of group $g alone"
	done
	same in out
	rm in.gcr
}

for bits in 128 192 256; do
	recover aes "$bits" ctr
	recover camellia "$bits" ctr
done
recover aes 256 ecb

expect_exit 0 "$GCRYPT" enc "${small[@]}" "${k[@]}" in
expect_exit 2 "$GCRYPT" info --show-keys=4 "${k[@]}" in.gcr
bytes 32 99 >wrong
expect_exit 5 "$GCRYPT" info --show-keys --key-file wrong in.gcr
flip in.gcr $(($(page 1) + 200))
expect_exit 4 "$GCRYPT" info --show-keys "${k[@]}" in.gcr
