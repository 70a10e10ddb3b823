#!/bin/bash
# Private keys that stay in a token (PKCS #11), by URI; SoftHSM in the place of hardware.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
bytes 9000 >in
openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out file.pem
openssl pkey -in file.pem -pubout -out file.pub
"$GCRYPT" enc "${small[@]}" -r file.pub in
mv in.gcr file.gcr

# Without a provider.
refused 2 "pkcs11:object=ec: no provider of libcrypto opens it" verify -i 'pkcs11:object=ec' file.gcr
expect_exit 2 "$GCRYPT" enc -r 'pkcs11:object=ec' in
no_file in.gcr

modules=(/usr/lib/softhsm/libsofthsm2.so /usr/lib/*/softhsm/libsofthsm2.so)
providers=(/usr/lib/*/ossl-modules/pkcs11.so)
if [ ! -e "${modules[0]}" ] || [ ! -e "${providers[0]}" ] || ! command -v pkcs11-tool >/dev/null; then
	skip "no SoftHSM or no pkcs11-provider"
fi
mkdir tokens
printf 'directories.tokendir = %s\nobjectstore.backend = file\nlog.level = ERROR\n' "$PWD/tokens" >softhsm.conf
export SOFTHSM2_CONF=$PWD/softhsm.conf
softhsm2-util --init-token --free --label box --pin 123456 --so-pin 5678 >/dev/null
tool() { pkcs11-tool --module "${modules[0]}" -l --pin 123456 "$@" >/dev/null 2>&1; }
tool --keypairgen --key-type EC:prime256v1 --label ec --id 01 --usage-derive
tool --keypairgen --key-type EC:prime256v1 --label other --id 03 --usage-derive
cat >openssl.cnf <<-CONF
	openssl_conf = init
	[init]
	providers = providers
	[providers]
	default = standard
	pkcs11 = token
	[standard]
	activate = 1
	[token]
	module = ${providers[0]}
	pkcs11-module-path = ${modules[0]}
	pkcs11-module-quirks = no-deinit no-operation-state
	activate = 1
CONF
export OPENSSL_CONF=$PWD/openssl.cnf PIN=123456 WRONG=000000
key='pkcs11:token=box;object=ec;type=private' public='pkcs11:token=box;object=ec;type=public'

# enc, dec, and what is in the slot is what a file would make.
"$GCRYPT" enc "${small[@]}" -r "$public" -r file.pub in
"$GCRYPT" dec -q -i "$key" --identity-passphrase env:PIN -o back in.gcr
same in back
printf 123456 >pin
"$GCRYPT" verify -q -i "$key?pin-source=file:$PWD/pin" in.gcr
id=$("$GCRYPT" key id "$public" | grep -o '[0-9a-f]*$')
grep -qF "$id" <<<"$("$GCRYPT" key list in.gcr)" || give_up "$("$GCRYPT" key list in.gcr)"
openssl pkey -pubin -in "$public" -pubout -out token.pub
"$GCRYPT" enc "${small[@]}" -r token.pub -o from-file.gcr in
"$GCRYPT" verify -q -i "$key" --identity-passphrase env:PIN from-file.gcr
"$GCRYPT" enc "${small[@]}" --anonymous -r "$public" -o anonymous.gcr in
"$GCRYPT" verify -q -i "$key" --identity-passphrase env:PIN anonymous.gcr

# One process: a token's session does not survive a fork.
for i in 1 2 3; do cp in.gcr "many$i.gcr"; done
"$GCRYPT" verify -q -j 3 -i "$key" --identity-passphrase env:PIN many1.gcr many2.gcr many3.gcr

# key and rekey
"$GCRYPT" key add -q -i file.pem --new-recipient 'pkcs11:token=box;object=other;type=public' in.gcr
"$GCRYPT" key remove -q -i "$key" --identity-passphrase env:PIN --recipient file.pub in.gcr
"$GCRYPT" info -i "$key" --identity-passphrase env:PIN in.gcr | grep -q "opened by the given secret\|opened by pkcs11" ||
	give_up "$("$GCRYPT" info in.gcr)"
"$GCRYPT" rekey -q -i "$key" --identity-passphrase env:PIN -r 'pkcs11:token=box;object=other;type=public' in.gcr
"$GCRYPT" verify -q -i 'pkcs11:token=box;object=other;type=private' --identity-passphrase env:PIN in.gcr

# Without a PIN, where another key opens.
expect_exit 0 setsid -w "$GCRYPT" verify -q -i "$key" -i file.pem file.gcr </dev/null

# Failures; a PIN in an argument would be seen by other users.
expect_exit 5 "$GCRYPT" verify -i "$key" --identity-passphrase env:WRONG in.gcr
expect_exit 5 "$GCRYPT" verify -i "$key" --identity-passphrase env:PIN file.gcr
refused 5 "no private key there, or the PIN is wrong" verify -i 'pkcs11:token=box;object=none;type=private' --identity-passphrase env:PIN in.gcr
refused 2 "several keys have this URI" enc -r 'pkcs11:token=box;type=public' -o many.gcr in
refused 2 "a recipient is a public key (type=public)" enc -r "$key" -o many.gcr in
refused 2 "use --identity-passphrase" verify -i "$key?pin-value=123456" in.gcr
! grep -q 123456 err || give_up "the PIN is in the message: $(cat err)"
