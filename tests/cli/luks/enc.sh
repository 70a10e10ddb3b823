#!/bin/bash
# LUKS2 volumes that enc makes: cryptsetup opens them, and the payload is the image in XTS under the volume key.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
bytes 196608 >img
printf 'correct horse' >pass
chmod 600 pass
enc=(enc -q --luks2 --kdf-cost 10 --passphrase file:pass)
if ! with_library; then
	refused 7 'built without it' "${enc[@]}" -o volume img
	no_file volume
	skip "skipped: $GCRYPT was built without libcryptsetup"
fi
needs cryptsetup
header=$((16 << 20))

# check VOLUME CIPHER SECTOR: its payload, decrypted by the peer.
check() {
	cryptsetup_opens "$1" pass
	part "$1" $header 1000000 >payload
	xts decrypt "$2" "$(volume_key "$1" pass)" "$3" payload back
	same img back
}

for kind in "aes 256 512 cpu" "aes 256 4096 cpu" "aes 128 512 cpu" "aes 128 2048 cpu" "aes 128 4096 opencl" \
	"camellia 256 512 cpu" "camellia 256 4096 cpu" "camellia 128 1024 opencl"; do
	read -r cipher bits sector engine <<<"$kind"
	"$GCRYPT" "${enc[@]}" --cipher "$cipher" --bits "$bits" --sector-size "$sector" --engine "$engine" -f -o volume img
	[ "$(stat -c %s volume)" -eq $((header + 196608)) ] || give_up "size of the volume"
	check volume "$cipher" "$sector"
	cryptsetup luksDump volume >dump
	grep "cipher: $cipher-xts-plain64" dump >/dev/null || give_up "$kind: $(cat dump)"
	grep "sector: $sector " dump >/dev/null || give_up "$kind: $(cat dump)"
	grep "Key: *$((2 * bits)) bits" dump >/dev/null || give_up "$kind: $(cat dump)"
done

# What the options say is in the header; the key file has any length and may end in a newline.
uuid=0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0
bytes 5000 5 >any
echo >>any
chmod 600 any
"$GCRYPT" enc -q --luks2 --kdf pbkdf2 --kdf-cost 12 --label 'my disk' --uuid $uuid --key-file any -o labelled img
cryptsetup_opens labelled any
cryptsetup luksDump labelled >dump
for line in "UUID:\s*$uuid" 'Label:\s*my disk' 'PBKDF:\s*pbkdf2' 'Iterations:\s*4096'; do
	grep "$line" dump >/dev/null || give_up "no $line: $(cat dump)"
done
"$GCRYPT" "${enc[@]}" -f -o volume img
cryptsetup luksDump volume | grep 'PBKDF:\s*argon2id' >/dev/null || give_up "not Argon2id"

# A detached header: the volume is the payload.
"$GCRYPT" "${enc[@]}" --cipher aes --luks2-header head -o bare img
cryptsetup_opens bare pass --header head
xts decrypt aes "$(volume_key head pass)" 512 bare back
same img back

# A pipe gets the same kind of volume.
"$GCRYPT" "${enc[@]}" --cipher aes -o - img | cat >piped
check piped aes 512

# Two volumes of one image have nothing in common.
"$GCRYPT" "${enc[@]}" --cipher aes -f -o volume img
! cmp -s <(part volume $header 512) <(part piped $header 512) || give_up "two volumes under one key"

# A dry run makes nothing; refusals leave what was there.
rm -f err
"$GCRYPT" "${enc[@]}" --dry-run -o none img | grep 'layout: LUKS volume, sectors of 512 bytes' >/dev/null
no_file none
cp volume before
expect_exit 6 "$GCRYPT" "${enc[@]}" -o volume img
refused 2 'both the volume and its detached header' "${enc[@]}" --luks2-header volume -f -o volume img
expect_exit 2 "$GCRYPT" "${enc[@]}" --luks2-header ./volume -f -o volume img
expect_exit 2 "$GCRYPT" "${enc[@]}" -f -o volume - < <(cat img)
refused 2 'UUID' "${enc[@]}" --uuid nonsense -f -o volume img
refused 2 '--label: longer than 47 bytes' "${enc[@]}" --label "$(printf '%048d' 0)" -f -o volume img
head -c 1000 img >odd
refused 2 'not whole sectors' "${enc[@]}" -f -o volume odd
for option in '--cipher sc2000' '--bits 192' '--mode ctr' --detached --resume --rm --zstd --sparse '--recipient any' '--chunk-log2 12'; do
	expect_exit 2 "$GCRYPT" "${enc[@]}" $option -f -o volume img
done
same before volume
rm before
only any back bare dump head img labelled odd pass payload piped volume volume.key
