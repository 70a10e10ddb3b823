#!/bin/bash
# What a run takes keys or passphrases from, it neither overwrites nor changes nor removes, whatever
# option names it, under whatever name, and with -f.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--key-file key)
bytes 20000 >in
bytes 32 78 >new.key
echo secret >pass
echo other >new.pass
"$GCRYPT" keygen --x25519 -o me.pem
"$GCRYPT" keygen --x25519 -o you.pem
"$GCRYPT" enc -q "${small[@]}" "${k[@]}" --recipient me.pem.pub in
bytes 16384 >image
ln -s key soft
ln you.pem.pub hard
cp key in2.gcr.part
cp key image.gcr

all() { sha256sum -- [!e]* && ls -l -I err; } # but for what expect_exit writes
before=$(all)

# spared OPTION COMMAND…: refused because --OPTION reads it, in one line.
spared() {
	local option=$1
	shift
	expect_exit 6 "$GCRYPT" "$@"
	grep -qE ": not (overwritten|changed): --$option reads it" err || give_up "$*: $(cat err)"
	[ "$(failures)" -eq 1 ] || give_up "$*: $(cat err)"
	[ "$(all)" = "$before" ] || give_up "$*: changed something"
}

# shellcheck disable=SC2094 # key is opened, and not written to
for name in key soft "$PWD/key" /dev/fd/9; do
	spared key-file enc -f "${k[@]}" -o "$name" in
	spared key-file dec -f "${k[@]}" -o "$name" in.gcr
	spared key-file rekey -f "${k[@]}" -o "$name" in.gcr
	spared key-file enc --raw --cipher aes --bits 256 --mode ctr -f "${k[@]}" \
		--iv-hex "$(printf '%032x' 1)" -o "$name" in
done 9>>key
spared passphrase enc -f --passphrase file:pass -o pass in
spared identity dec -f --identity me.pem -o me.pem in.gcr
spared identity rekey -f --identity me.pem -o me.pem in.gcr
spared recipient enc -f --recipient me.pem.pub -o me.pem.pub in
spared recipient enc -f "${k[@]}" --recipient me.pem.pub --recipient you.pem.pub -o hard in
spared recipient rekey -f "${k[@]}" --recipient you.pem.pub -o you.pem.pub in.gcr
spared new-key-file rekey -f "${k[@]}" --new-key-file new.key -o new.key in.gcr
spared new-passphrase rekey -f "${k[@]}" --new-passphrase file:new.pass -o new.pass in.gcr
# shellcheck disable=SC2094
spared new-passphrase rekey -f "${k[@]}" --new-passphrase fd:8 -o new.pass in.gcr 8<new.pass

# Where files are changed as they lie, or have names of their own.
spared new-passphrase key add "${k[@]}" --new-passphrase file:in.gcr in.gcr
spared key-file enc --resume --key-file in2.gcr.part -o in2.gcr in
spared key-file enc --detached --in-place --key-file image.gcr image
spared recipient enc --detached --in-place "${k[@]}" --recipient you.pem.pub you.pem.pub

refused 6 "$PWD/in2.gcr.part: not overwritten: --key-file reads it" enc --resume --key-file in2.gcr.part -o "$PWD/in2.gcr" in

# What is read is not removed; another file is written.
expect_exit 2 "$GCRYPT" enc --rm --recipient me.pem.pub me.pem.pub
[ "$(all)" = "$before" ] || give_up "--rm removed a key"
expect_exit 0 "$GCRYPT" enc -q "${small[@]}" --recipient me.pem.pub -o out in
