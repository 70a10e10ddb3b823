#!/bin/bash
# Recipients and identities from several files, in several keys to a file; passphrases of private keys without a
# terminal.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
bytes 9000 >in
for who in anna ben carl; do
	"$GCRYPT" keygen --x25519 -o "$who.pem"
done
{ echo "People of the project:" && cat anna.pem.pub && echo "# ben" && cat ben.pem.pub; } >team
cat carl.pem ben.pem >ring
chmod 600 ring

# -r and --recipients-from count together, and every key of a file counts.
expect_exit 0 "$GCRYPT" enc "${small[@]}" -r carl.pem.pub --recipients-from team in
for who in anna ben carl; do
	expect_exit 0 "$GCRYPT" dec -i "$who.pem" -f -o out in.gcr
	same in out
done
[ "$("$GCRYPT" key list in.gcr | grep -c '^slot')" = 3 ] || give_up "slots: $("$GCRYPT" key list in.gcr)"
expect_exit 2 "$GCRYPT" enc --rm --recipients-from team -o new in
expect_exit 2 "$GCRYPT" enc --resume --recipients-from team -o new in
refused 2 "has a key that ben.pem.pub has too" enc -r ben.pem.pub --recipients-from team -o new in
expect_exit 2 "$GCRYPT" enc --recipients-from in -o new in
no_file new

# More private keys than a container has slots.
strangers=()
for i in {1..20}; do
	"$GCRYPT" keygen --x25519 -o "s$i.pem"
	strangers+=(-i "s$i.pem")
done
"$GCRYPT" enc -f "${small[@]}" -r ben.pem.pub in
refused 5 "any of these 20 private keys" verify "${strangers[@]}" in.gcr
expect_exit 0 "$GCRYPT" verify "${strangers[@]}" -i ring in.gcr

# One passphrase for all protected keys, and no terminal.
for who in anna ben; do
	openssl pkey -in "$who.pem" -aes256 -passout pass:open -out "$who.locked"
done
cat anna.locked ben.locked >locked
chmod 600 ./*locked
echo open >word
chmod 600 word
verify() { setsid -w "$GCRYPT" verify -i locked "$@" in.gcr; }
export OPEN=open WRONG=wrong EMPTY=''
expect_exit 0 verify --identity-passphrase env:OPEN
expect_exit 0 verify --identity-passphrase file:word
expect_exit 0 verify --identity-passphrase fd:3 3<word
expect_exit 0 verify --identity-passphrase 'cmd:echo open'
expect 5 "its passphrase is wrong" verify --identity-passphrase env:WRONG
expect 2 "--identity-passphrase: the passphrase is empty" verify --identity-passphrase env:EMPTY
expect 3 "--identity-passphrase: the command failed" verify --identity-passphrase 'cmd:exit 3'
expect 2 "never the passphrase itself" verify --identity-passphrase open
refused 2 "needs --identity" verify --identity-passphrase env:OPEN in.gcr
