#!/bin/bash
# What scrypt costs is said when writing and limited when reading.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
bytes 5000 >in
make_key
export P=secret
p=(--passphrase env:P --engine cpu)

"$GCRYPT" enc "${p[@]}" --kdf-cost 10 in
grep -q 'N = 2^10,' <("$GCRYPT" info in.gcr) || give_up "another cost: $("$GCRYPT" info in.gcr)"
expect_exit 0 "$GCRYPT" dec "${p[@]}" --max-kdf-memory 1M -o out in.gcr
same in out

# Dearer slots are skipped, with a word; no other slot opens.
"$GCRYPT" enc "${p[@]}" --kdf-cost 11 -o dear in
refused 5 'scrypt would need too much memory' dec "${p[@]}" --max-kdf-memory 1M -o no dear
no_file no
expect_exit 0 "$GCRYPT" verify "${p[@]}" --max-kdf-memory 2M dear
# Written by others: over the default limit.
peer enc --log2-n 10 env:P in bomb
put_byte bomb 481 15 # log2 N of copy A's slot: 21
put_byte bomb $((8192 + 481)) 15
refused 5 'scrypt would need too much memory' verify "${p[@]}" bomb

# New slots, and rekey.
NEW=new "$GCRYPT" key add "${p[@]:0:2}" --new-passphrase env:NEW --kdf-cost 12 in.gcr
grep -q 'N = 2^12,' <("$GCRYPT" key list in.gcr) || give_up "another cost: $("$GCRYPT" key list in.gcr)"
NEW=new "$GCRYPT" rekey "${p[@]}" --new-passphrase env:NEW --drop-slot 1 --kdf-cost 11 -o rekeyed in.gcr
grep -q 'N = 2^11,' <("$GCRYPT" info rekeyed) || give_up "another cost: $("$GCRYPT" info rekeyed)"

# A second here; between the least and the most that writers spend.
"$GCRYPT" enc -f "${p[@]}" --kdf-cost auto in
log2_n=$("$GCRYPT" info in.gcr | sed -n 's/.*N = 2^\([0-9]*\),.*/\1/p')
if [ "$log2_n" -lt 10 ] || [ "$log2_n" -gt 20 ]; then
	give_up "auto took $log2_n"
fi
