#!/bin/bash
# A signed header may claim any length: salvage works on, and writes, no more than what is there.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
"$GCRYPT" keygen --x25519 -o identity.pem

# salvage CODE CONTAINER OPTION…: into out, in 20 seconds and at most 1 MiB.
salvage() {
	local code=$1 container=$2
	shift 2
	rm -f out
	(
		ulimit -f 1024
		expect_exit "$code" timeout 20 "$GCRYPT" dec --salvage --engine cpu -o out "$@" "$container"
	)
}

for secret in "--identity identity.pem" "--key-file key"; do
	name=${secret##* }
	[ "$name" = key ] || name=pem:$name.pub
	for claimed in 4611686018427387904 9223372036854775807 8589934592; do
		forge length "$name" big.gcr $claimed
		salvage 4 big.gcr $secret
		[ "$(stat -c %s out)" = 4196 ] || give_up "$(stat -c %s out) bytes for $claimed"
		says "at byte 4196 of the plaintext: the container ends here: $((claimed - 4196)) bytes are missing"
		says "of $claimed bytes were salvaged"
	done
done

# To a pipe, and in JSON: what is missing is behind the output's end.
timeout 20 "$GCRYPT" dec --salvage -q --engine cpu --key-file key -o - big.gcr 2>err | head -c 1000000 >piped || true
same out piped
rm out
expect_exit 4 timeout 20 "$GCRYPT" dec --salvage --json --engine cpu --key-file key -o out big.gcr >list.json
python3 - <<'TEXT' || give_up "$(cat list.json)"
import json
found = json.load(open("list.json"))
assert found["plaintext_bytes"] == 4196 and found["good_bytes"] == 4196, found
last = found["damages"][-1]
assert (last["offset"], last["length"]) == (4196, 8589934592 - 4196), last
assert last["reason"] == "the container ends here: 8589930396 bytes are missing", last
zeros = sum(damage["length"] for damage in found["damages"] if damage["offset"] < 4196)
assert found["good_bytes"] + zeros == found["plaintext_bytes"], found
TEXT

# No group, a part of a metadata page, and a part of the payload.
forge length key big.gcr 8589934592 100 19
for n in 16384 16385 20479 20480 20481 20580; do
	head -c $n big.gcr >cut.gcr
	salvage 4 cut.gcr --key-file key
	there=$((n > 20480 ? n - 20480 : 0))
	[ "$(stat -c %s out)" = $there ] || give_up "$(stat -c %s out) bytes of $there"
	says "at byte $there of the plaintext: the container ends here: $((8589934592 - there)) bytes are missing"
done

# Less than the final page says, so that nothing of its payload is looked for.
forge length key big.gcr 0 4096
head -c 20480 big.gcr >cut.gcr
salvage 4 cut.gcr --key-file key
same /dev/null out
says 'at byte 0 of the plaintext: the length is not that in the header'

# A detached header with more pages and a greater length than its image has.
forge detached key image 8589934592 20000
truncate -s 5000 image
salvage 4 image.gcr --key-file key
[ "$(stat -c %s out)" = 5000 ] || give_up "$(stat -c %s out) bytes of an image of 5000"
says "at byte 5000 of the plaintext: the container ends here: $((8589934592 - 5000)) bytes are missing"
