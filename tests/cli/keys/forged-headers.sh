#!/bin/bash
# Headers that are forged, by who can write the storage or has the secret: rekey, key and retag are not deceived.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 32 78 >new
chmod 600 new

# A signed length that the payload does not have: rekey through groups of another size finds the
# container corrupt, as dec does, and does not take it for a file that grew.
for claimed in 0 1 4096 12290 12292 4611686018427387904; do
	forge length key bad.gcr $claimed 12291
	cp bad.gcr before
	for sizes in "" "--group-log2 13" "--chunk-log2 13 --group-log2 14"; do
		expect_exit 4 timeout 20 "$GCRYPT" rekey --engine cpu --key-file key --new-key-file new $sizes bad.gcr
		says 'the length is not that in the header'
		same before bad.gcr
		expect_exit 4 timeout 20 "$GCRYPT" rekey --engine cpu --key-file key --new-key-file new $sizes -o - bad.gcr >out
		[ "$(stat -c %s out)" -lt $((16384 + 12291 + 3 * 4096)) ] || give_up "a whole container for $claimed"
	done
done
only bad.gcr before key new out
rm bad.gcr before out

# The right length is none of these.
forge length key good.gcr 12291 12291
"$GCRYPT" dec -q --engine cpu --key-file key -o plain good.gcr
"$GCRYPT" rekey -q --engine cpu --key-file key --new-key-file new --group-log2 13 good.gcr
"$GCRYPT" dec -q --engine cpu --key-file new -o again good.gcr
same plain again

# rekey takes what the options leave open from the authenticated copy of the header, whatever the other one says.
bytes 70000 >plain
enc=("$GCRYPT" enc -q --engine cpu --cipher aes --key-file key)
header() { "$GCRYPT" info --json "$1" | field "${@:2}"; }

# ECB with 128 bits; SC2000; other chunks; another content.
n=0
for forged in "14=1 13=16" "12=3" "16=12 17=12" "11=1" "14=1 12=3 13=24 16=13 17=14"; do
	n=$((n + 1))
	"${enc[@]}" -o "$n.gcr" plain
	before=$(header "$n.gcr" cipher bits mode chunk_bytes content)
	forge copy-b "$n.gcr" $forged
	expect 0 'header copy B is damaged' "$GCRYPT" rekey --engine cpu --key-file key "$n.gcr"
	after=$(header "$n.gcr" cipher bits mode chunk_bytes content)
	[ "$before$after" = "aes 256 ctr 131072 bytesaes 256 ctr 131072 bytes" ] || give_up "$forged: $before became $after"
	peer dec key "$n.gcr" back
	same plain back
done

# The mode that stays is warned of, as one that is named is.
"${enc[@]}" --mode ecb -o ecb.gcr plain
expect 0 'mode ecb: equal blocks of plaintext stay equal' "$GCRYPT" rekey --engine cpu --key-file key ecb.gcr

# A header with the highest sequence number opens; its slots cannot be changed, but rekey makes a container that can.
for less in 0 1; do
	forge sequence key made.gcr "$less"
	cp made.gcr kept
	expect_exit 0 "$GCRYPT" dec --key-file key -f -o out made.gcr
	same out <(head -c 5000 /dev/zero)
	refused 2 "made.gcr: its key slots cannot be changed any more" key add --key-file key --new-key-file new made.gcr
	says "gcrypt rekey"
	refused 2 "gcrypt rekey" key remove --key-file key --slot 0 made.gcr
	same made.gcr kept
	expect_exit 0 "$GCRYPT" rekey --key-file key made.gcr
	[ "$("$GCRYPT" info --json made.gcr | field sequence)" = 1 ] || give_up "sequence"
	expect_exit 0 "$GCRYPT" key add --key-file key --new-key-file new made.gcr
	expect_exit 0 "$GCRYPT" verify --key-file new made.gcr
done

# The last number but one is the last that a change makes.
python3 - <<'PY'
from model.reader import read_secret
from model.writer import Draft, Random
draft = Draft(read_secret("key"), bytes(5000), Random("sequence"))
draft.copies = [{"sequence": 2**64 - 2}] * 2
open("made.gcr", "wb").write(draft.bytes())
PY
expect_exit 0 "$GCRYPT" key add --key-file key --new-key-file new made.gcr
expect_exit 0 "$GCRYPT" verify --key-file new made.gcr
expect_exit 2 "$GCRYPT" key remove --key-file key --slot 1 made.gcr

# Copy A of another container of the same key file: what writes a header refuses, and keeps the good copy B.
bytes 9000 1 >one
bytes 9000 2 >two
bytes 8192 3 >disk
for name in one two; do
	"$GCRYPT" enc -q --engine cpu --cipher aes --key-file key $name
done
for name in image other; do
	"$GCRYPT" enc -q --engine cpu --cipher aes --key-file key --detached -o $name disk
done

rm out
cp one.gcr whole.gcr
part two.gcr 0 8192 | put one.gcr 0
cp one.gcr mixed.gcr
refused 4 'of two containers' key add --key-file key --new-key-file new one.gcr
expect_exit 4 "$GCRYPT" rekey --engine cpu --key-file key one.gcr
expect_exit 4 "$GCRYPT" dec --engine cpu --key-file key -o out one.gcr
no_file out
same mixed.gcr one.gcr
part whole.gcr 0 8192 | put one.gcr 0
expect_exit 0 "$GCRYPT" verify --engine cpu --key-file key one.gcr

part other.gcr 0 8192 | put image.gcr 0
cp image.gcr mixed.gcr
refused 4 'of two containers' retag --key-file key image.gcr
same mixed.gcr image.gcr

# A container with another one's file salt does not keep that one from getting a new key slot.
export P=passphrase
openssl genrsa -out anna.pem 2048 2>err
openssl pkey -in anna.pem -pubout -out anna.pub
"$GCRYPT" keygen --x25519 -o ben.pem

for secret in "--passphrase env:P" "--key-file key" "--identity ben.pem"; do
	case $secret in
	--pass*) as=env:P ;;
	--key*) as=key ;;
	*) as=pem:ben.pem ;;
	esac
	rm -f ./*.gcr
	for name in a b c; do
		echo "$name" >"$name"
		peer enc --log2-n 10 "$as" "$name" "$name.gcr"
	done
	forge same-salt "$as" a.gcr 0.gcr
	forge same-salt "$as" c.gcr z.gcr
	expect_exit 0 "$GCRYPT" key add $secret --new-recipient anna.pub ./*.gcr
	expect_exit 0 "$GCRYPT" verify --identity anna.pem ./*.gcr
	for name in a b c; do
		peer dec pem:anna.pem "$name.gcr" out
		same "$name" out
	done
	peer dec pem:anna.pem 0.gcr out
	[ "$(cat out)" = "another content" ] || give_up "0.gcr holds: $(cat out)"
done
