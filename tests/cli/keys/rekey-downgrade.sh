#!/bin/bash
# rekey takes what the options leave open from the authenticated copy of the header, whatever the other one says.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
chmod 600 key
bytes 70000 >plain
enc=("$GCRYPT" enc -q --engine cpu --cipher aes --key-file key)
header() { "$GCRYPT" info --json "$1" | field "$2"; }

# ECB with 128 bits; SC2000; other chunks; another content.
n=0
for forged in "14=1 13=16" "12=3" "16=12 17=12" "11=1" "14=1 12=3 13=24 16=13 17=14"; do
	n=$((n + 1))
	"${enc[@]}" -o "$n.gcr" plain
	header "$n.gcr" chunk_bytes >chunk
	forge copy-b "$n.gcr" $forged
	expect 0 'header copy B is damaged' "$GCRYPT" rekey --engine cpu --key-file key "$n.gcr"
	for want in "cipher aes" "bits 256" "mode ctr" "chunk_bytes $(cat chunk)" "content bytes"; do
		read -r name value <<<"$want"
		[ "$(header "$n.gcr" "$name")" = "$value" ] || give_up "$forged: the new container has $name $(header "$n.gcr" "$name")"
	done
	peer dec key "$n.gcr" back
	same plain back
done

# The mode that stays is warned of, as one that is named is.
"${enc[@]}" --mode ecb -o ecb.gcr plain
expect 0 'mode ecb: equal blocks of plaintext stay equal' "$GCRYPT" rekey --engine cpu --key-file key ecb.gcr
