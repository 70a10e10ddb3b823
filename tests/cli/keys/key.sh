#!/bin/bash
# Key slots are added and removed without touching the payload.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 32 78 >new.key
bytes 32 79 >other.key
chmod 600 new.key other.key
bytes 20000 >in
"$GCRYPT" keygen --x25519 -o me.pem
enc() { "$GCRYPT" enc -f "${small[@]}" "$@"; }
enc --key-file key in
cp in.gcr before

# Added: both open it, the payload is what it was.
expect_exit 0 "$GCRYPT" key add --key-file key --new-key-file new.key in.gcr
[ ! -s err ] || give_up "words: $(cat err)"
cmp <(tail -c +16385 before) <(tail -c +16385 in.gcr) || give_up "the payload changed"
for k in key new.key; do
	expect_exit 0 "$GCRYPT" verify --key-file "$k" in.gcr
done
expect_exit 0 "$GCRYPT" key add --key-file new.key --new-recipient me.pem.pub --new-key-file other.key in.gcr
expect_exit 0 "$GCRYPT" verify --identity me.pem in.gcr
expect_exit 0 "$GCRYPT" verify --key-file other.key in.gcr
[ "$("$GCRYPT" info --json in.gcr | field sequence)" = 3 ] || give_up "sequence"
[ "$("$GCRYPT" key list in.gcr | grep -c '^slot')" = 4 ] || give_up "slots: $("$GCRYPT" key list in.gcr)"
peer dec new.key in.gcr out
same in out
refused 2 "already" key add --key-file key --new-recipient me.pem.pub in.gcr

# Removed: exit 5 here; not from an older copy, which is said.
cp in.gcr older
expect 0 "revokes nothing" "$GCRYPT" key remove --key-file new.key --slot 0 in.gcr
says "rekey"
expect_exit 5 "$GCRYPT" dec -f --key-file key -o out in.gcr
expect_exit 0 "$GCRYPT" verify --key-file key older
expect_exit 0 "$GCRYPT" key remove --identity me.pem --slot 1 -q in.gcr
[ ! -s err ] || give_up "words: $(cat err)"
expect_exit 0 "$GCRYPT" key remove --identity me.pem --slot 2 in.gcr
cp in.gcr kept
refused 2 "last" key remove --identity me.pem --slot 3 in.gcr
expect_exit 2 "$GCRYPT" key remove --identity me.pem --slot 5 in.gcr
expect_exit 5 "$GCRYPT" key remove --key-file key --slot 3 in.gcr
same in.gcr kept

# A damaged copy is repaired on the way.
for at in 5000 13000; do
	cp before in.gcr
	flip in.gcr "$at"
	expect_exit 4 "$GCRYPT" verify --key-file key in.gcr
	expect 0 "damaged" "$GCRYPT" key add --key-file key --new-key-file new.key in.gcr
	expect_exit 0 "$GCRYPT" verify --key-file key in.gcr
done

# Many files: the passphrases are derived once, a file that fails does not keep the others.
for ((i = 0; i < 40; i++)); do head -c "$i" in >"f$i"; done
export Q=new
"$GCRYPT" enc --engine cpu "${small[@]}" --key-file key f?*
mv f7.gcr lost
expect_exit 3 timeout 30 "$GCRYPT" key add --key-file key --new-passphrase env:Q f?.gcr f7.gcr f??.gcr
[ "$("$GCRYPT" key list f39.gcr | grep -c '^slot')" = 2 ] || give_up "f39.gcr was not done"
expect_exit 0 timeout 30 "$GCRYPT" verify --passphrase env:Q f?.gcr f??.gcr
rm f*

# Usage, and nothing is changed.
cp before in.gcr
for wrong in "add --key-file key --slot 1" "remove --key-file key" "list --key-file key" \
	"remove --key-file key --slot 0 --new-key-file new.key" "list --slot 1" "add --engine all" \
	"add --engine cpu --device 0" "remove --slot 0 --json" \
	"add --key-file key --passphrase env:Q --new-key-file new.key" \
	"add --key-file key --new-passphrase env:Q --new-key-file new.key" "remove --key-file key --slot 8" "repair"; do
	expect_exit 2 "$GCRYPT" key $wrong in.gcr
done
same before in.gcr
expect_exit 3 "$GCRYPT" key add --key-file key --new-key-file new.key /nonexistent
expect_exit 4 "$GCRYPT" key add --key-file key --new-key-file new.key in
same in <(bytes 20000)
(
	flock 9
	refused 3 "being changed" key add --key-file key --new-key-file new.key in.gcr
) 9<"$PWD/in.gcr"
same before in.gcr

# Another container took its name while the new passphrase was made: that is not this one.
cp in.gcr other.gcr
expect_exit 3 "$GCRYPT" key add --key-file key --new-passphrase 'cmd:mv other.gcr in.gcr; echo x' in.gcr
says "cannot be locked"
same before in.gcr

# Whatever the payload's size: only the header is read, or it would take minutes.
truncate -s 100G sparse
{ head -c 20480 before; } | put sparse 0
expect_exit 0 timeout 30 "$GCRYPT" key add --key-file key --new-key-file new.key sparse
