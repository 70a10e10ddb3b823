#!/bin/bash
# rekey loses nothing of a LUKS volume without a word: no unbound key slot, and not its header.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
with_library || skip "skipped: $GCRYPT was built without libcryptsetup"
needs cryptsetup
bytes 262144 >img
printf 'correct horse' >pass
printf 'battery staple' >other
chmod 600 pass other
p=(--passphrase file:pass)
enc=(enc -q --luks2 --kdf-cost 10 "${p[@]}")
rekey=(rekey -q --kdf-cost 10 "${p[@]}")

# A slot of another key than the volume's.
"$GCRYPT" "${enc[@]}" -o volume img
cryptsetup luksAddKey -q --unbound --key-slot 5 -s 256 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 volume other
cryptsetup luksDump volume | grep '5: luks2 (unbound)' >/dev/null || give_up "no unbound slot: $(cryptsetup luksDump volume)"
refused 2 'would lose key slot 5: name it with --drop-slot 5' "${rekey[@]}" -o new volume
no_file new
expect 0 'dropped: slot 5' "$GCRYPT" rekey --kdf-cost 10 "${p[@]}" --drop-slot 5 -o new volume
cryptsetup_opens new pass
"$GCRYPT" dec -q "${p[@]}" -o back new
same img back
expect_exit 5 "$GCRYPT" dec -q --passphrase file:other -f -o back volume

# Tags of a volume from an earlier release: the volume is read and rekeyed, and the tags are rejected in one line.
"$GCRYPT" "${enc[@]}" -f -o volume img
"$GCRYPT" enc -q "${p[@]}" --kdf-cost 10 --detached -o tagged img
{ part volume 0 $((16 << 20)) && cat tagged; } >joined
mv joined tagged
cp tagged.gcr before
for words in "verify -q" "dec -q -o bare" "rekey -q -o bare" "retag -q"; do
	expect_exit 7 "$GCRYPT" $words "${p[@]}" tagged.gcr
	says 'tagged.gcr: cannot read the tags of a LUKS volume, which an earlier release wrote: decrypt the volume itself, tagged'
done
expect_exit 4 "$GCRYPT" dec -q --in-place "${p[@]}" tagged.gcr
same before tagged.gcr
no_file bare bare.gcr
"$GCRYPT" "${rekey[@]}" -f -o new volume
cryptsetup_opens new pass
