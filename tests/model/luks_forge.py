#!/usr/bin/env python3
"""usage: forge VOLUME SEED OUT   OUT, a copy of VOLUME, gets its header with one value of the JSON text changed, or one
byte of its binary part, and right checksums in both copies."""
import hashlib
import json
import random
import sys

VALUES = [None, "", "0", "-1", 0, -1, 1, 511, 1 << 31, (1 << 64) - 1, "18446744073709551615", "9" * 40, [], {}, True,
          "aes-cbc-essiv:sha256", "cipher_null-ecb", "xts-plain64", "aes-xts-plain64" * 9, "dynamic", "linear", 1e300]


def places(value, path=()):
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(pairs):
        yield value, key
        yield from places(inner, path + (key,))


def forge_text(text, pick):
    header = json.loads(text.rstrip(b"\0"))
    holder, key = pick.choice(list(places(header)))
    if pick.randrange(4) == 0:
        del holder[key]
    else:
        holder[key] = pick.choice(VALUES)
    return json.dumps(header, separators=(",", ":")).encode().ljust(len(text), b"\0")


def forge(copy, pick):
    copy = bytearray(copy)
    if pick.randrange(8) == 0:
        copy[pick.choice([6, 7, *range(8, 264)])] ^= 1 << pick.randrange(8)
    else:
        copy[4096:] = forge_text(bytes(copy[4096:]), pick)
    copy[448:512] = bytes(64)
    copy[448:480] = hashlib.sha256(copy).digest()
    return copy


def main():
    volume, seed, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    with open(volume, "rb") as file:
        size = int.from_bytes(file.read(16)[8:], "big")
        file.seek(0)
        copies = file.read(size), file.read(size)
    with open(out, "r+b") as file:
        for copy in copies:
            file.write(forge(copy, random.Random(seed)))


main()
