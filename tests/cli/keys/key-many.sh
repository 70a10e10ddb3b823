#!/bin/bash
# A user joins: RSA key slots in many containers.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out anna.pem 2>/dev/null
openssl pkey -in anna.pem -pubout -out anna.pub
"$GCRYPT" keygen --x25519 -o carl.pem
mkdir kept
for ((i = 0; i < 24; i++)); do echo "$i" >"f$i"; done
"$GCRYPT" enc --engine cpu "${small[@]}" --key-file key f?*
mv f*.gcr kept
rm f?*
fresh() { cp kept/f*.gcr .; }

# slots N FILE: has so many
slots() { [ "$("$GCRYPT" key list "$2" | grep -c '^slot')" -eq "$1" ] || give_up "slots of $2"; }

fresh
expect_exit 0 "$GCRYPT" key add --json --key-file key --new-recipient anna.pub f*.gcr >out
[ "$(field changed <out)" = 24 ] || give_up "$(cat out)"
expect_exit 0 "$GCRYPT" verify --identity anna.pem f*.gcr

# One container fails, with one message; the others have both new slots.
fresh
flip f7.gcr 5000
flip f7.gcr 13000
expect_exit 4 "$GCRYPT" key add --json --key-file key --new-recipient anna.pub \
	--new-recipient carl.pem.pub f*.gcr >out
says f7.gcr
[ "$(field changed <out)" = 23 ] || give_up "$(cat out)"
python3 - <<'TEXT' || give_up "results: $(cat out)"
import json
results = json.load(open("out"))["results"]
bad = [r for r in results if r["status"] != 0]
assert len(results) == 24 and [r["file"] for r in bad] == ["f7.gcr"] and bad[0]["status"] == 4 and bad[0]["error"], bad
TEXT
rm f7.gcr
for f in f*.gcr; do slots 3 "$f"; done
expect_exit 0 "$GCRYPT" verify --identity anna.pem f*.gcr
expect_exit 0 "$GCRYPT" verify --identity carl.pem f*.gcr

# A wrong secret changes nothing.
bytes 32 99 >wrong
fresh
code=0
"$GCRYPT" key add --key-file wrong --new-recipient anna.pub f1.gcr f2.gcr 2>err || code=$?
[ "$code.$(failures)" = 5.2 ] || give_up "exit $code: $(cat err)"
same f1.gcr kept/f1.gcr
