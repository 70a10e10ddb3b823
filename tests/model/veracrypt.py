#!/usr/bin/env python3
"""Headers of a VeraCrypt container of one cipher, AES, by its "Volume Format Specification": a test peer.

    veracrypt.py PASSPHRASEFILE PIM KEYHEX CONTAINER

writes the header and its backup into CONTAINER, a file that already has its size; the payload, all
but 128 KiB at either end, is left as it is.  KEYHEX is the XTS key of the payload, 64 bytes.
"""
import hashlib
import os
import struct
import sys
import zlib
from pathlib import Path

sys.dont_write_bytecode = sys.pycache_prefix is None
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from model.primitives import evp

SALT_BYTES, HEADER_BYTES, RESERVED = 64, 512, 131072
VERSION, PROGRAM = 5, 0x010B


def header(payload_bytes, keys):
    """The encrypted part as plaintext: offsets 64 to 511 of the specification."""
    area = keys.ljust(256, b"\0")
    fields = struct.pack(
        ">4sHHI16xQQQQII120x", b"VERA", VERSION, PROGRAM, zlib.crc32(area),
        0, payload_bytes, RESERVED, payload_bytes, 0, 512,
    )
    return fields + struct.pack(">I", zlib.crc32(fields)) + area


def sealed(text, passphrase, pim):
    """Salt, and the rest as data unit 0 of XTS under the key that the passphrase gives."""
    salt = os.urandom(SALT_BYTES)
    key = hashlib.pbkdf2_hmac("sha512", passphrase, salt, 15000 + 1000 * pim, 64)
    return salt + evp("aes-256-xts", key, bytes(16), text)


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    passphrase = Path(sys.argv[1]).read_bytes()
    pim, keys = int(sys.argv[2]), bytes.fromhex(sys.argv[3])
    size = os.path.getsize(sys.argv[4])
    text = header(size - 2 * RESERVED, keys)
    assert len(text) == HEADER_BYTES - SALT_BYTES and len(keys) == 64
    with open(sys.argv[4], "r+b") as container:
        for area in (0, size - RESERVED):
            container.seek(area)
            container.write(os.urandom(RESERVED))
            container.seek(area)
            container.write(sealed(text, passphrase, pim))


if __name__ == "__main__":
    main()
