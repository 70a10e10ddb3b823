#!/bin/bash
# Containers travel both ways between gcrypt and an independent implementation of the format.  (Every cipher, mode and
# length: tests/model/run.)
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
export P=secret
{ bytes 9000; head -c 20000 /dev/zero; bytes 12347; } >in
sizes=(--chunk-log2 12 --group-log2 14)

# Passphrases; an input whose length was not known; the empty input; the sizes' extremes.
"$GCRYPT" enc --kdf-cost 10 "${sizes[@]}" --passphrase env:P -o ours - <in
peer dec env:P ours out
same in out
peer enc --log2-n 10 "${sizes[@]}" --unknown-length env:P in theirs
"$GCRYPT" dec --passphrase env:P -o back theirs
same in back
: >empty
for group in 12 19 26; do
	sizes=(--chunk-log2 $((group < 13 ? 12 : group - 7)) --group-log2 "$group")
	for file in in empty; do
		"$GCRYPT" enc -f "${sizes[@]}" --key-file key -o ours "$file"
		peer dec key ours out
		same "$file" out
		peer enc "${sizes[@]}" key "$file" theirs
		"$GCRYPT" dec -f --key-file key -o back theirs
		same "$file" back
	done
done

# A slot of a type from the future is listed; damaged and wrong containers are in ../containers.
peer enc "${sizes[@]}" key in theirs
put_byte theirs 1440 4d
put_byte theirs 9632 4d
expect_exit 0 "$GCRYPT" key list theirs
