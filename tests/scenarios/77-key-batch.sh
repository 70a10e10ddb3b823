#!/bin/bash
# A user joins: RSA key slots in many containers, wrapped at once by either engine.
# shellcheck source=tests/scenarios/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
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
expect_exit 0 "$GCRYPT" key add -v --engine cpu --key-file key --new-recipient anna.pub f*.gcr
grep -q 'RSA-2048: 24 keys wrapped by cpu in' err || give_up "words: $(cat err)"
expect_exit 0 "$GCRYPT" verify --identity anna.pem f*.gcr

# So few that OpenCL is not asked.
fresh
expect_exit 0 "$GCRYPT" key add --json --key-file key --new-recipient anna.pub f*.gcr >out
[ "$(field wrapped.0.engine <out)" = cpu ] || give_up "$(cat out)"
[ "$(field changed <out)" = 24 ] || give_up "$(cat out)"

# One that fails is told, once, and does not keep the others, which have both new slots.
fresh
flip f7.gcr 5000
flip f7.gcr 13000
expect_exit 4 "$GCRYPT" key add --json --key-file key --new-recipient anna.pub \
	--new-recipient carl.pem.pub f*.gcr >out
says f7.gcr
[ "$(field changed <out)" = 23 ] || give_up "$(cat out)"
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

# The device; where there is none, that is said before anything is changed.
fresh
if [ "$("$GCRYPT" devices --json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["devices"]))')" -gt 0 ]; then
	expect_exit 0 "$GCRYPT" key add --json --engine opencl --key-file key --new-recipient anna.pub f*.gcr \
		>out
	[ "$(field wrapped.0.engine <out)" = opencl ] || give_up "$(cat out)"
	expect_exit 0 "$GCRYPT" verify --identity anna.pem f*.gcr
fi
fresh
mkdir none
OCL_ICD_VENDORS=$PWD/none XDG_CACHE_HOME=$PWD/none expect_exit 8 "$GCRYPT" key add --engine opencl \
	--key-file key --new-recipient anna.pub f1.gcr f2.gcr
same f1.gcr kept/f1.gcr
