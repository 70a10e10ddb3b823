#!/bin/bash
# Rekey: a new file key, cipher and mode, other slots; the old container goes only for a good one.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 32 78 >new.key
bytes 50000 >in
for name in anna ben; do "$GCRYPT" keygen --x25519 -o "$name.pem"; done
"$GCRYPT" enc "${small[@]}" --key-file key --recipient anna.pem.pub --recipient ben.pem.pub in
chmod 640 in.gcr
cp -p in.gcr first

# In place: Ben has left the group.
expect 0 "dropped: slot 2: x25519, 256 bits, key id" "$GCRYPT" rekey --key-file key --recipient anna.pem.pub --drop-slot 2 in.gcr
[ "$(grep -c dropped err)" -eq 1 ] || give_up "words: $(cat err)"
expect_exit 5 "$GCRYPT" dec --identity ben.pem -o out in.gcr
for how in "--key-file key" "--identity anna.pem"; do
	expect_exit 0 "$GCRYPT" dec -f $how -o out in.gcr
	same in out
done
[ "$(stat -c %a in.gcr)" = 640 ] || give_up "mode $(stat -c %a in.gcr)"
[ "$(stat -c %s in.gcr)" = "$(stat -c %s first)" ] || give_up "another size"
[ "$("$GCRYPT" info --json first | field file_salt)" != "$("$GCRYPT" info --json in.gcr | field file_salt)" ] ||
	give_up "the same file salt"
"$GCRYPT" info --show-keys --key-file key first >before
"$GCRYPT" info --show-keys --key-file key in.gcr >after
[ "$(sed 's/.*key \([0-9a-f]*\) .*/\1/' before after | sort -u | wc -l)" -eq 14 ] || give_up "a key came again"
peer dec key in.gcr out
same in out

# Another cipher, mode, size of the groups, and secret; into another file, the old one stays.
expect_exit 0 "$GCRYPT" rekey -q --identity anna.pem --new-key-file new.key --drop-slot 0 --cipher camellia --bits 128 \
	--mode xts --group-log2 12 -o other in.gcr
[ ! -s err ] || give_up "words: $(cat err)"
"$GCRYPT" info --json other >header
[ "$(field cipher bits mode group_bytes plaintext_bytes <header)" = 'camellia 128 xts 4096 50000' ] || give_up "$(cat header)"
expect_exit 0 "$GCRYPT" dec -f --key-file new.key -o out other
same in out
expect_exit 5 "$GCRYPT" verify --identity anna.pem other
expect_exit 0 "$GCRYPT" verify --identity anna.pem in.gcr
expect_exit 6 "$GCRYPT" rekey --key-file key -o other in.gcr
expect_exit 6 "$GCRYPT" rekey -f --key-file key -o in.gcr in.gcr

# The key that opens it is not in it twice; --dry-run changes nothing.
expect_exit 0 "$GCRYPT" rekey -q --identity anna.pem --recipient anna.pem.pub --recipient ben.pem.pub --drop-slot 0 -o both in.gcr
[ "$("$GCRYPT" key list both | grep -c '^slot')" -eq 2 ] || give_up "$("$GCRYPT" key list both)"
cp in.gcr kept
expect_exit 0 "$GCRYPT" rekey --dry-run --json --key-file key --drop-slot 1 --cipher camellia in.gcr >plan
id=$(openssl pkey -in anna.pem -pubout -outform DER | sha256sum | head -c 16)
[ "$(field cipher pass kept dropped <plan)" = "camellia on the engine, from ciphertext to ciphertext slot 0: key file slot 1: x25519, 256 bits, key id $id" ] || give_up "$(cat plan)"
same in.gcr kept
expect_exit 0 "$GCRYPT" rekey -q --key-file key --drop-slot 1 in.gcr
cp in.gcr kept

# Other groups, or holes: through memory, and -v says so; what comes out has the same content.
for way in "--engine cpu" "--engine opencl" "--engine opencl --group-log2 14" "--engine cpu --sparse" \
	"--engine cpu --cipher sc2000 --mode ecb" "--engine opencl --cipher camellia --mode xts"; do
	expect_exit 0 "$GCRYPT" rekey -v -f --key-file key $way -o new in.gcr
	case $way in
	*group* | *sparse*) says "pass: through memory, as plaintext: " ;;
	*) says "pass: on the engine, from ciphertext to ciphertext" ;;
	esac
	expect_exit 0 "$GCRYPT" dec -f --key-file key -o out new
	same in out
done
rm new

# To a pipe, from an input whose length was not known.
"$GCRYPT" enc "${small[@]}" --key-file key - <in >piped
"$GCRYPT" rekey -q --key-file key -o - piped | "$GCRYPT" dec --key-file key - >out
same in out

# What is damaged, or does not open, stays as it is; nothing is left behind.
cp in.gcr bad
flip bad 40000
cp bad kept
refused 4 "bad: corrupt at byte" rekey --key-file key bad
same bad kept
expect_exit 4 "$GCRYPT" rekey --key-file key -o new bad
no_file new
expect_exit 5 "$GCRYPT" rekey --key-file new.key in.gcr
expect_exit 3 "$GCRYPT" rekey --key-file key nosuch
head -c 40000 in.gcr >bad
expect_exit 4 "$GCRYPT" rekey --key-file key bad
ln -s in.gcr link
expect_exit 2 "$GCRYPT" rekey --key-file key link
(
	flock 9
	refused 3 "locked" rekey --key-file key in.gcr
) 9<"$PWD/in.gcr"
[ -z "$(find . -name '.gcrypt-*')" ] || give_up "left: $(find . -name '.gcrypt-*')"

# A damaged copy of the header is no obstacle, and is gone afterwards.
flip in.gcr 5000
expect 0 "copy A is damaged" "$GCRYPT" rekey --key-file key in.gcr
expect_exit 0 "$GCRYPT" verify --key-file key in.gcr

# A detached container stays one, beside the old one; key slots are in its detached header.
head -c 49152 in >disk
"$GCRYPT" enc -q "${small[@]}" --detached --sector-size 1024 --key-file key -o img disk
expect_exit 6 "$GCRYPT" rekey -f --key-file key -o img img.gcr
no_file new new.gcr
for how in "--engine cpu" "--engine opencl --cipher camellia" "--engine cpu --group-log2 14 --bits 128"; do
	expect_exit 0 "$GCRYPT" rekey -q -f --key-file key --new-key-file new.key $how -o new img.gcr
	[ "$("$GCRYPT" info --json new.gcr | field sector_bytes)" = 1024 ] || give_up "$("$GCRYPT" info --json new.gcr)"
	[ "$(stat -c %s new)" = 49152 ] || give_up "size of the image"
	! cmp -s img new || give_up "the same image"
	expect_exit 0 "$GCRYPT" dec -f --key-file new.key -o out.img new.gcr
	same disk out.img
	expect_exit 5 "$GCRYPT" verify --key-file key new.gcr
done
expect_exit 6 "$GCRYPT" rekey --key-file key -o new img.gcr
mv img elsewhere
expect_exit 3 "$GCRYPT" rekey --key-file key -o other.img img.gcr
expect_exit 0 "$GCRYPT" rekey --key-file key --image elsewhere -o other.img img.gcr
expect_exit 0 "$GCRYPT" verify --key-file key other.img.gcr
flip elsewhere 20000
refused 4 "elsewhere: corrupt at byte 16384" rekey --key-file key --image elsewhere -o third img.gcr
no_file third third.gcr
flip elsewhere 20000
mv elsewhere img
expect_exit 0 "$GCRYPT" key add --key-file key --new-key-file new.key img.gcr
expect_exit 0 "$GCRYPT" dec -f --key-file new.key -o out.img img.gcr
same disk out.img
