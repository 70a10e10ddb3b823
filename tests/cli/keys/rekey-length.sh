#!/bin/bash
# A signed length that the payload does not have: rekey through groups of another size finds the
# container corrupt, as dec does, and does not take it for a file that grew.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 32 78 >new
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

# The right length is none of these.
forge length key good.gcr 12291 12291
"$GCRYPT" dec -q --engine cpu --key-file key -o plain good.gcr
"$GCRYPT" rekey -q --engine cpu --key-file key --new-key-file new --group-log2 13 good.gcr
"$GCRYPT" dec -q --engine cpu --key-file new -o again good.gcr
same plain again
