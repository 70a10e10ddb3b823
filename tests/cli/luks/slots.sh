#!/bin/bash
# Key slots of a forged LUKS2 header: a slot with a null cipher opens nothing, and all slots share one budget.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
with_library || skip "skipped: $GCRYPT was built without libcryptsetup"
bytes 65536 >img
printf 'correct horse' >pass
printf 'wrong horse' >wrong
chmod 600 pass wrong
verify=(timeout 20 "$GCRYPT" verify -q --passphrase file:pass)
"$GCRYPT" enc -q --luks2 --bits 256 --kdf pbkdf2 --kdf-cost 10 --passphrase file:pass -o volume img

# forge CODE: in Python, over the header h and its slot 0 s; the checksums of both copies are right.
forge() {
	python3 - "$1" <<'TEXT'
import copy, hashlib, json, sys
content = bytearray(open("volume", "rb").read())
size = int.from_bytes(content[8:16], "big")
h = json.loads(content[4096:size].rstrip(b"\0"))
s = h["keyslots"]["0"]
def slots(*all):
    h["keyslots"] = {str(i): slot for i, slot in enumerate(all)}
    h["digests"]["0"]["keyslots"] = list(h["keyslots"])
def other(**values):  # slot 0, with these values: an area of its own has only slot 0
    new = copy.deepcopy(s)
    for key, value in values.items():
        (new if key == "key_size" else new["kdf"])[key] = value
    new["area"]["offset"] = str(32768 + 258048 * other.count)
    other.count += 1
    return new
other.count = 1
exec(sys.argv[1])
text = json.dumps(h, separators=(",", ":")).encode().ljust(size - 4096, b"\0")
for at in (0, size):
    content[at + 4096:at + size] = text
    content[at + 448:at + 512] = bytes(64)
    content[at + 448:at + 480] = hashlib.sha256(content[at:at + size]).digest()
open("forged", "wb").write(content)
TEXT
}

# costs LINE: what info says about unlocking.  1024 iterations for 64 bytes of SHA-256 are 2048, and the digest has 1000.
costs() {
	"$GCRYPT" info forged >said
	grep -x "unlocking: $1" said >/dev/null || give_up "not '$1': $(cat said)"
}

forge ''
"${verify[@]}" forged
costs 'tries 1 key slots and skips 0, at most 3048 of 134217728 iterations and 0 KiB'
[ "$("$GCRYPT" info --json forged | field unlocking.iterations)" -eq 3048 ] || give_up "the cost in JSON"

# Under a null cipher, and under one that is not known, each passphrase would open the slot.
for cipher in cipher_null-ecb cipher_null null capi:ecb\(cipher_null\)-null aes-ecb aes aesx-xts-plain64; do
	forge "s['area']['encryption'] = '$cipher'"
	expect 5 'slots without a known cipher' "${verify[@]}" forged
	costs 'tries 0 key slots and skips 1, at most 0 of 134217728 iterations and 0 KiB'
done
for size in 0 15 65 2147483647 -1; do
	forge "s['area']['key_size'] = $size"
	expect 7 "a key slot's area has a key of less than 16 or more than 64 bytes" "${verify[@]}" forged
	"$GCRYPT" info forged | grep -x 'unlocking: dec and verify reject this volume' >/dev/null || give_up "info of $size"
done

# libcryptsetup 2.6 accepts each volume key if the digest or its salt is not as long as it has to be.
for change in "digest'] = 'AAAA'" "salt'] = 'AAAA'" "hash'] = 'sha512'" "hash'] = 'none'"; do
	forge "h['digests']['0']['$change"
	for secret in pass wrong; do
		if "$GCRYPT" verify -q --passphrase file:$secret forged 2>err; then give_up "opened by $secret: $change"; fi
	done
done

# A slot of another size than the volume key's, before and behind the one of the volume.
for order in 'slots(s, other(key_size=32))' 'slots(other(key_size=32), s)' 'slots(s, other(key_size=100))'; do
	forge "$order"
	refused 5 'no key slot matches' verify -q --passphrase file:wrong forged
done

# Together the slots and the digest, which each slot needs, have one budget; a slot that is over it is skipped.
forge 'slots(*(other(iterations=1 << 25) for _ in range(8)), s)'
costs 'tries 2 key slots and skips 7, at most 67112912 of 134217728 iterations and 0 KiB'
forge 'slots(*(other(iterations=1 << 27) for _ in range(8)), s)'
"${verify[@]}" forged
forge 'h["digests"]["0"]["iterations"] = 1 << 27'
expect 5 'need too much time' "${verify[@]}" forged
forge 's["kdf"] = {"type": "argon2id", "time": 4, "memory": 1048576, "cpus": 4, "salt": s["kdf"]["salt"]}'
costs 'tries 1 key slots and skips 0, at most 4195304 of 134217728 iterations and 1048576 KiB'
expect 5 'more memory than --max-kdf-memory' "${verify[@]}" --max-kdf-memory 1023M forged
forge 's["kdf"] = {"type": "argon2id", "time": 4, "memory": 1048576, "cpus": 5, "salt": s["kdf"]["salt"]}'
expect_exit 5 "${verify[@]}" forged
