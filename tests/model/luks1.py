#!/usr/bin/env python3
"""The volume key of a LUKS1 image, by its on-disk format specification (version 1.2.3): a test oracle.

    luks1.py PASSPHRASEFILE IMAGE

prints {"cipher","mode","key","offset"}, the key in hexadecimal digits, the payload's offset in bytes.
Exit 1 when no key slot opens.
"""
import hashlib
import json
import os
import struct
import sys

sys.dont_write_bytecode = sys.pycache_prefix is None
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from model.primitives import evp, xor

SECTOR = 512
SLOTS, SLOT_BYTES, ENABLED = 208, 48, 0x00AC71F3


def name(field):
    return field.rstrip(b"\0").decode()


def diffuse(block, algorithm):
    """Section 2.4, figure 4: each digest-sized piece hashed with its number before it."""
    size = hashlib.new(algorithm).digest_size
    return b"".join(
        hashlib.new(algorithm, struct.pack(">I", number) + block[at : at + size]).digest()[: len(block) - at]
        for number, at in enumerate(range(0, len(block), size))
    )


def merge(stripes, size, algorithm):
    """The anti-forensic splitter backwards: section 2.4."""
    block = bytes(size)
    for at in range(0, len(stripes) - size, size):
        block = diffuse(xor(block, stripes[at : at + size]), algorithm)
    return xor(block, stripes[-size:])


def sectors(cipher, key, text):
    """Key material is encrypted like a volume that begins with sector 0."""
    return b"".join(
        evp(cipher, key, (at // SECTOR).to_bytes(16, "little"), text[at : at + SECTOR], False)
        for at in range(0, len(text), SECTOR)
    )


def open_slots(image, passphrase):
    magic, version, cipher, mode, algorithm, offset, size, digest, salt, rounds = struct.unpack_from(
        ">6sH32s32s32sII20s32sI", image
    )
    assert (magic, version) == (b"LUKS\xba\xbe", 1)
    cipher, mode, algorithm = name(cipher), name(mode), name(algorithm)
    assert mode in ("xts-plain64", "xts-plain"), mode
    for slot in range(SLOTS, SLOTS + 8 * SLOT_BYTES, SLOT_BYTES):
        active, iterations, slot_salt, first, stripes = struct.unpack_from(">II32sII", image, slot)
        if active != ENABLED:
            continue
        key = hashlib.pbkdf2_hmac(algorithm, passphrase, slot_salt, iterations, size)
        length = -(-size * stripes // SECTOR) * SECTOR
        material = image[first * SECTOR : first * SECTOR + length]
        split = sectors(f"{cipher}-{4 * size}-xts", key, material)[: size * stripes]
        volume_key = merge(split, size, algorithm)
        if hashlib.pbkdf2_hmac(algorithm, volume_key, salt, rounds, 20) == digest:
            return {"cipher": cipher, "mode": mode, "key": volume_key.hex(), "offset": offset * SECTOR}
    return None


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as secret, open(sys.argv[2], "rb") as image:
        found = open_slots(image.read(), secret.read())
    if not found:
        sys.exit("luks1: no key slot opens")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
