#!/bin/bash
# dec and verify of LUKS1 and LUKS2 volumes of cryptsetup and qemu-img, and of our own.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
with_library || skip "skipped: $GCRYPT was built without libcryptsetup"
needs cryptsetup
printf 'correct horse' >pass
printf 'wrong horse' >wrong
chmod 600 pass wrong
dec=(dec -q --passphrase file:pass)

# fresh BYTES: a new image.
fresh() { bytes "$1" $((++seed)) >img; }
seed=20

# format VOLUME BYTES OPTION…: cryptsetup's header, and room for as many bytes of payload.
format() {
	local volume=$1 n=$2
	shift 2
	rm -f "$volume"
	truncate -s $((n + (32 << 20))) "$volume"
	cryptsetup luksFormat -q --key-file pass "$@" "$volume" 2>err || give_up "luksFormat $*: $(cat err)"
	offset=$(cryptsetup luksDump "$volume" | sed -n 's/^Payload offset:[[:space:]]*\([0-9]*\)$/\1 512/p; s/^\toffset: \([0-9]*\) .*/\1 1/p')
	offset=$((${offset/ / * }))
	truncate -s $((offset + n)) "$volume"
}

# reads VOLUME OPTION…: dec gives the image, and verify accepts the header.
reads() {
	"$GCRYPT" "${dec[@]}" -f -o back "${@:2}" "$1"
	same img back
	"$GCRYPT" verify --passphrase file:pass "${@:2}" "$1" >said
	grep 'header verified' said >/dev/null || give_up "verify: $(cat said)"
}

light=(--pbkdf pbkdf2 --pbkdf-force-iterations 1000)
argon2=(--pbkdf argon2id --pbkdf-force-iterations 4 --pbkdf-memory 1024 --pbkdf-parallel 1)
for kind in "luks1 256 512 65536 opencl" "luks1 128 512 512 cpu" "luks2 256 512 66048 cpu" "luks2 256 4096 131072 cpu" \
	"luks2 128 1024 9216 opencl" "luks2 128 2048 1048576 cpu" "luks2 128 4096 9437184 cpu"; do
	read -r type bits sector n engine <<<"$kind"
	fresh "$n"
	sizes=(--type "$type" -c aes-xts-plain64 -s $((2 * bits)))
	if [ "$type" = luks1 ]; then
		format volume "$n" "${sizes[@]}" "${light[@]}"
	else
		format volume "$n" "${sizes[@]}" --sector-size "$sector" "${argon2[@]}"
	fi
	xts encrypt aes "$(volume_key volume pass)" "$sector" img payload
	put volume "$offset" <payload
	cp volume before
	reads volume --engine "$engine"
	"$GCRYPT" info --json volume >info.json
	[ "$(field format cipher bits uuid payload_offset sector_bytes <info.json)" = \
		"$type aes $bits $(cryptsetup luksUUID volume) $offset $sector" ] || give_up "$(cat info.json)"
	same before volume
done

# Our own: both ciphers; a header in a file of its own.
for cipher in camellia aes; do
	"$GCRYPT" enc -q --luks2 --cipher $cipher --kdf-cost 10 --passphrase file:pass -f -o volume img
	reads volume
	"$GCRYPT" enc -q --luks2 --cipher $cipher --kdf-cost 10 --passphrase file:pass --luks2-header head -f -o bare img
	reads bare --luks2-header head
	"$GCRYPT" "${dec[@]}" -o - volume | cmp - img || give_up "to a pipe"
done

# A second slot, and the passphrase of no slot; a slot that takes too much memory.
printf 'battery staple' >second
chmod 600 second
cryptsetup luksAddKey -q --key-file pass "${argon2[@]}" volume second
"$GCRYPT" dec -q --key-file second -f -o back volume
same img back
"$GCRYPT" info volume >said
grep '^slot 0: argon2id, 1024 KiB, 4 passes, [0-9]* threads$' said >/dev/null || give_up "slots: $(cat said)"
grep '^slot 1: argon2id, 1024 KiB, 4 passes, 1 threads$' said >/dev/null || give_up "slots: $(cat said)"
grep 'not authenticated' said >/dev/null || give_up "info is not authenticated"
rm back
refused 5 'no key slot matches' dec -q --passphrase file:wrong -o back volume
for option in '--identity pass' '--passphrase file:pass --image img' '--passphrase file:pass --part 1/2'; do
	refused 2 'volume: a LUKS volume: not with' verify $option volume
done
cryptsetup luksFormat -q --key-file pass --pbkdf-force-iterations 4 --pbkdf-memory 4096 volume
refused 5 'more memory than --max-kdf-memory' "${dec[@]}" --max-kdf-memory 2M -o back volume

# A damaged copy of the header is not repaired in the input; a volume whose end is lost is refused.
"$GCRYPT" enc -q --luks2 --kdf-cost 10 --passphrase file:pass -f -o volume img
for at in 5000 21384; do
	flip volume $at
	cp volume before
	"$GCRYPT" "${dec[@]}" -f -o back volume
	same img back
	refused 4 'a copy of its LUKS2 header is damaged' verify -q --passphrase file:pass volume
	same before volume
	flip volume $at
done
reads volume
expect_exit 3 "$GCRYPT" dec --passphrase 'cmd:touch volume; cat pass' -f -o back volume
says 'volume: changed while it was read'
flip volume 5000
flip volume 21384
rm back
expect_exit 4 "$GCRYPT" "${dec[@]}" -o back volume
flip volume 5000
truncate -s -100 volume
refused 4 truncated "${dec[@]}" -o back volume
truncate -s 1M volume
expect_exit 4 "$GCRYPT" "${dec[@]}" -o back volume

# Other modes and ciphers, with the reason.
for cipher in aes-cbc-essiv:sha256 aes-xts-plain; do
	format volume 65536 --type luks1 -c $cipher -s 256 "${light[@]}"
	refused 7 "its payload is $cipher: only xts-plain64 is read here" "${dec[@]}" -o back volume
	"$GCRYPT" info volume | grep "mode: ${cipher#aes-}" >/dev/null || give_up "mode"
done
rm -f head
cryptsetup reencrypt -q --encrypt --init-only --type luks2 --header head --pbkdf-force-iterations 4 --pbkdf-memory 1024 \
	--key-file pass img >/dev/null
refused 7 're-encryption' "${dec[@]}" --luks2-header head -o back img
"$GCRYPT" enc -q --luks2 --kdf-cost 10 --passphrase file:pass -f -o volume img
for option in '--offset 512' --rm --salvage --verify-first; do
	expect_exit 2 "$GCRYPT" "${dec[@]}" $option -o back volume
done
no_file back
