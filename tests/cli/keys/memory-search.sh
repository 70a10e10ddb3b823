#!/bin/bash
# When the program ends, its memory holds neither keys nor passphrases nor plaintext, and what
# drivers keep on disk holds none either.
. "${BASH_SOURCE[0]%/*}/../lib.sh"

cat >dump.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The last thing that runs: all that can be written and is not zero, as a core file would have it. */
__attribute__((destructor)) static void dump(void)
{
	static char zeros[4096];
	FILE *maps = fopen("/proc/self/maps", "r");
	int out = open(getenv("DUMP"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	unsigned long from, to;
	char line[512], write_flag;

	while (fgets(line, sizeof line, maps))
		if (sscanf(line, "%lx-%lx %*c%c", &from, &to, &write_flag) == 3 && write_flag == 'w')
			for (; from < to; from += sizeof zeros)
				if (__builtin_memcmp((char *)from, zeros, sizeof zeros) != 0 &&
				        write(out, (char *)from, sizeof zeros) < 0)
					continue;
	close(out);
}

#ifdef KEEP
/* In place of libcrypto's: nothing is overwritten. */
void OPENSSL_cleanse(void *bytes, size_t n_bytes) { (void)bytes, (void)n_bytes; }
#endif
C
make_shim dump.c
cc -shared -fPIC -DKEEP -o keep.so dump.c

# search.py SECRET CONTAINER PLAIN FILE…: print what of the container's keys, the secret and the
# plaintext is in the files, as bytes and as words of the other order, as round keys are.
cat >search.py <<'PY'
import os, sys
sys.path.insert(0, os.environ["READER"])
from model.primitives import mac, unwrap
from model.reader import FileKeys, GroupKeys, read_secret, slots_of
secret, data = read_secret(sys.argv[1]), open(sys.argv[2], "rb").read()
copy = data[:8192]
slot = slots_of(copy)[0]
kek = secret.kek(slot[16:48], slot[1], slot[2], copy[32:64])
file_key = unwrap(kek, slot[48:88])
prk = mac(copy[32:64], file_key)
keys = FileKeys(file_key, copy[:64])
needles = {"the secret": secret.bytes, "KEK": kek, "file key": file_key, "PRK": prk,
           "K_hdr": keys.header, "K_root": keys.root, "K_grp": keys.group}
for g in range((len(data) - 16384 - 4096) // (4096 + (1 << copy[17])) + 1):
    at = 16384 + g * (4096 + (1 << copy[17]))
    group = GroupKeys(keys, g, data[at + 32 : at + 48])
    needles.update({f"cipher key {g}": group.cipher[:16], f"K2 {g}": group.cipher[copy[13]:][:16],
                    f"r {g}": group.r, f"tag key {g}": group.tag, f"page key {g}": group.page})
plain = open(sys.argv[3], "rb").read()
needles.update({f"plaintext at {at}": plain[at : at + 16] for at in (0, 9000, len(plain) - 16)})
for key in list(needles):
    key_bytes = needles[key]
    if len(key_bytes) % 4 == 0:
        needles[key + " in words"] = b"".join(
            key_bytes[i : i + 4][::-1] for i in range(0, len(key_bytes), 4))
for name in sys.argv[4:]:
    text = open(name, "rb").read()
    for needle in needles:
        if needles[needle] in text:
            print(f"{os.path.basename(name)}: {needle}")
PY
READER=$tests
export READER DUMP=$PWD/memory
export POCL_CACHE_DIR=$PWD/cache # of its own: in the common one, files of others come and go
mkdir -p "$POCL_CACHE_DIR"

bytes 21000 5 >in
make_key
key_file=(--key-file key)
passphrase=(--passphrase env:P)

# ended PRELOADED COMMAND…
ended() { P='a passphrase of 32 bytes, exactly' LD_PRELOAD="$PWD/$1" "$GCRYPT" "${@:2}"; }
# nothing_left KEY: of in.gcr's keys, in memory and in the drivers' files.
nothing_left() {
	local files found
	mapfile -t files < <(find "$POCL_CACHE_DIR" -type f)
	found=$(P='a passphrase of 32 bytes, exactly' python3 search.py "$1" in.gcr in memory "${files[@]}")
	[ -z "$found" ] || give_up "left: $found"
}

# Each way to compute, both directions.
for suite in 'aes ctr' 'camellia xts' 'sc2000 ecb'; do
	read -r cipher mode <<<"$suite"
	engine=(--engine cpu)
	ended dump.so enc -f "${engine[@]}" --cipher "$cipher" --mode "$mode" "${key_file[@]}" "${small[@]}" \
		in 2>err
	nothing_left key
	ended dump.so dec -f "${engine[@]}" "${key_file[@]}" -o out in.gcr
	nothing_left key
done
ended dump.so enc -f "${engine[@]}" --kdf-cost 10 "${passphrase[@]}" "${small[@]}" in
nothing_left env:P

# A failure is no other way out.
cp in.gcr good
flip in.gcr $(($(page 1) + 5000))
code=0
ended dump.so dec "${engine[@]}" "${passphrase[@]}" -o failed in.gcr 2>err || code=$?
[ "$code" -eq 4 ] || give_up "exit $code"
mv good in.gcr
nothing_left env:P

# What is not overwritten is found.
ended dump.so enc -f --engine cpu "${key_file[@]}" "${small[@]}" in
ended keep.so dec -f --engine cpu "${key_file[@]}" -o out in.gcr
python3 search.py key in.gcr in memory >found
if ! grep -q plaintext found || ! grep -q K_ found; then
	give_up "the search finds too little: $(cat found)"
fi

# On a device: round keys in its local memory, and in its constant memory.
if "$GCRYPT" devices --json | grep -q '"driver"'; then
	pocl=$("$GCRYPT" devices | sed -n 's/^device \([0-9]*\): .*Portable Computing Language.*/\1/p' | head -n 1)
	engine=(--engine opencl ${pocl:+--device "$pocl"})
	ended dump.so enc -f "${engine[@]}" "${key_file[@]}" "${small[@]}" --mode xts in
	nothing_left key
	[ -z "$pocl" ] || [ -n "$(find "$POCL_CACHE_DIR" -type f)" ] || give_up "no file of the driver was searched"
	constant=(dec -f "${engine[@]}" --key-space constant "${key_file[@]}" -o out in.gcr)
	"$GCRYPT" "${constant[@]}" # compiles the program: the memory of a compiler has been searched once
	ended dump.so "${constant[@]}"
	nothing_left key
fi
