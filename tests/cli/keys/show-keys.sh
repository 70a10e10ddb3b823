#!/bin/bash
# From what `info --show-keys` prints, the openssl program alone decrypts every group.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 30000 >in
k=(--key-file key)

# recover CIPHER BITS MODE
recover() {
	local g=0 offset length key_hex iv how last
	expect_exit 0 "$GCRYPT" enc --cipher "$1" --bits "$2" --mode "$3" "${small[@]}" "${k[@]}" in
	"$GCRYPT" info --show-keys --json "${k[@]}" in.gcr >keys.json
	: >out
	while read -r offset length key_hex iv; do
		how=(-iv "$iv")
		[ "$3" = ctr ] || how=(-nopad)
		[ "$offset" -eq $(($(page "$g") + 4096)) ] || give_up "group $g at $offset"
		part in.gcr "$offset" "$length" |
			openssl enc -d "-$1-$2-$3" -K "$key_hex" "${how[@]}" >>out
		last=$key_hex g=$((g + 1))
	done < <(python3 -c '
import json
for group in json.load(open("keys.json"))["groups"]:
    print(group["offset"], group["length"], group["key"], group["iv"])')
	[ "$g" -eq 4 ] || give_up "$g groups"
	same in out
	"$GCRYPT" info --show-keys=3 --json "${k[@]}" in.gcr >one.json
	[ "$(field groups.0.key <one.json)" = "$last" ] || give_up "key of one group alone"
	rm in.gcr
}

for bits in 128 192 256; do
	recover aes "$bits" ctr
	recover camellia "$bits" ctr
done
recover aes 256 ecb

expect_exit 0 "$GCRYPT" enc "${small[@]}" "${k[@]}" in
bytes 32 99 >wrong
expect_exit 5 "$GCRYPT" info --show-keys --key-file wrong in.gcr
flip in.gcr $(($(page 1) + 200))
expect_exit 4 "$GCRYPT" info --show-keys "${k[@]}" in.gcr
