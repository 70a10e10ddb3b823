#!/bin/bash
# rekey of LUKS volumes: a new volume key, and the payload is the image under it; what has to stay stays,
# and nothing is lost without a word.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
with_library || skip "skipped: $GCRYPT was built without libcryptsetup"
needs cryptsetup
bytes $((9 << 20)) >img
printf 'correct horse' >pass
printf 'battery staple' >new
chmod 600 pass new
header=$((16 << 20))
rekey=(rekey -q --kdf-cost 10 --passphrase file:pass)

# check VOLUME PASSPHRASE-FILE CIPHER SECTOR: its payload, decrypted by the peer.
check() {
	cryptsetup_opens "$1" "$2"
	part "$1" $header 100000000 >payload
	xts decrypt "$3" "$(volume_key "$1" "$2")" "$4" payload back
	same img back
	rm payload
}

# made OPTION…: the old volume.
made() { "$GCRYPT" enc -q --luks2 --kdf-cost 10 --passphrase file:pass -f -o volume "$@" img; }

# The values of the old volume stay, by both engines; the volume key does not, nor does the input change.
for kind in "aes 256 512 cpu" "aes 256 4096 opencl" "aes 128 2048 cpu"; do
	read -r cipher bits sector engine <<<"$kind"
	made --cipher "$cipher" --bits "$bits" --sector-size "$sector" --label 'my disk'
	cp volume before
	"$GCRYPT" "${rekey[@]}" --engine "$engine" -f -o other volume
	same before volume
	check other pass "$cipher" "$sector"
	stays=(uuid label cipher bits sector_bytes)
	[ "$("$GCRYPT" info --json volume | field "${stays[@]}")" = "$("$GCRYPT" info --json other | field "${stays[@]}")" ] ||
		give_up "$kind: $("$GCRYPT" info --json volume other)"
	[ "$(volume_key volume pass)" != "$(volume_key other pass)" ] || give_up "$kind: the same volume key"
	cmp -s <(part volume $header 4096) <(part other $header 4096) && give_up "$kind: the same payload"
	rm before
done

# Another cipher, key size and secret; a key file has any length.
bytes 5000 5 >any
chmod 600 any
"$GCRYPT" "${rekey[@]}" --cipher camellia --bits 256 --new-passphrase file:new -f -o other volume
check other new camellia 2048
expect_exit 5 "$GCRYPT" verify -q --passphrase file:pass other
"$GCRYPT" "${rekey[@]}" --new-key-file any -f -o other volume
check other any aes 2048

# LUKS1, and a key derivation function that is not the default, which stays.
rm other
truncate -s 0 old
truncate -s $((2 << 20)) old
cryptsetup luksFormat -q --type luks1 -c aes-xts-plain64 -s 512 --pbkdf-force-iterations 1000 --key-file pass old
offset=$(($(cryptsetup luksDump old | sed -n 's/^Payload offset:[[:space:]]*//p') * 512))
xts encrypt aes "$(volume_key old pass)" 512 img payload
truncate -s $offset old
put old $offset <payload
"$GCRYPT" "${rekey[@]}" -o other old
check other pass aes 512
cryptsetup luksDump other >dump
grep 'PBKDF:\s*pbkdf2' dump >/dev/null || give_up "$(cat dump)"
grep 'Iterations:\s*1024' dump >/dev/null || give_up "$(cat dump)"

# To a pipe.
"$GCRYPT" "${rekey[@]}" -o - old | cat >other
check other pass aes 512

# No key slot is lost without a word.
cryptsetup luksAddKey -q --key-file pass --pbkdf pbkdf2 --pbkdf-force-iterations 1000 volume new
refused 2 'would lose key slot 1: name it with --drop-slot 1' "${rekey[@]}" -o lost volume
refused 2 '--drop-slot 0: the volume has no other' "${rekey[@]}" --drop-slot 0 --drop-slot 1 -o lost volume
refused 2 '--drop-slot 31: the volume has no other' "${rekey[@]}" --drop-slot 1 --drop-slot 31 -o lost volume
expect 0 'dropped: slot 0' "$GCRYPT" rekey --kdf-cost 10 --passphrase file:new --drop-slot 0 -f -o other volume
check other new aes 2048
"$GCRYPT" rekey --dry-run --passphrase file:pass --drop-slot 1 -o lost volume | grep 'layout: LUKS volume, sectors of 2048' >/dev/null

# Not in place; and what no volume has.
cp volume before
refused 2 'a LUKS volume is rekeyed to a new file only: give -o OUT' "${rekey[@]}" --drop-slot 1 volume
expect_exit 6 "$GCRYPT" "${rekey[@]}" --drop-slot 1 -f -o volume volume
for option in '--cipher sc2000' '--bits 192' '--mode ctr' --sparse '--chunk-log2 12' '--engine all'; do
	expect_exit 2 "$GCRYPT" "${rekey[@]}" --drop-slot 1 $option -o lost volume
done
expect_exit 5 "$GCRYPT" rekey -q --passphrase file:any --drop-slot 1 -o lost volume
truncate -s -100 volume
expect_exit 4 "$GCRYPT" "${rekey[@]}" --drop-slot 1 -o lost volume
no_file lost
part before 0 $((header + 100)) >short
expect_exit 4 "$GCRYPT" "${rekey[@]}" --drop-slot 1 -o lost short
no_file lost

# A slot of another key than the volume's.
made
cryptsetup luksAddKey -q --unbound --key-slot 5 -s 256 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 volume new
cryptsetup luksDump volume | grep '5: luks2 (unbound)' >/dev/null || give_up "no unbound slot: $(cryptsetup luksDump volume)"
refused 2 'would lose key slot 5: name it with --drop-slot 5' "${rekey[@]}" -o lost volume
no_file lost
expect 0 'dropped: slot 5' "$GCRYPT" rekey --kdf-cost 10 --passphrase file:pass --drop-slot 5 -o lost volume
cryptsetup_opens lost pass
"$GCRYPT" dec -q --passphrase file:pass -f -o back lost
same img back
expect_exit 5 "$GCRYPT" dec -q --passphrase file:new -f -o back volume

# Tags of a volume from an earlier release: the volume is read and rekeyed, and the tags are rejected in one line.
made
"$GCRYPT" enc -q --passphrase file:pass --kdf-cost 10 --detached -o tagged img
{ part volume 0 $((16 << 20)) && cat tagged; } >joined
mv joined tagged
cp tagged.gcr before
for words in "verify -q" "dec -q -o bare" "rekey -q -o bare" "retag -q"; do
	expect_exit 7 "$GCRYPT" $words --passphrase file:pass tagged.gcr
	says 'tagged.gcr: cannot read the tags of a LUKS volume, which an earlier release wrote: decrypt the volume itself, tagged'
done
expect_exit 4 "$GCRYPT" dec -q --in-place --passphrase file:pass tagged.gcr
same before tagged.gcr
no_file bare bare.gcr
"$GCRYPT" "${rekey[@]}" -f -o lost volume
cryptsetup_opens lost pass
