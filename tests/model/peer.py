#!/usr/bin/env python3
"""Reads gcrypt containers (gcrypt(5)) and writes them in the inline layout: a test oracle.

Written from the description of the format alone, with Python's standard library and, for the
block ciphers, libcrypto's ECB and CTR; see the other files of this folder.  For tests only.

    peer.py enc [options] KEY IN OUT       IN, OUT: a file, or - for standard input, output
    peer.py dec [--image IMAGE] KEY IN OUT      IMAGE: that of a detached header
    peer.py xts decrypt|encrypt aes|camellia KEYHEX UNIT FIRST STEP IN OUT
    peer.py journal KEY HEADER IMAGE      the start record of a decryption in place, to standard output
    peer.py bound KEY IN       is the manifest bound to the secret?  Exit 4: no
    peer.py selftest

KEY is a key file (32 bytes, or 64 hexadecimal digits and a newline), env:NAME for a passphrase, or
pem:FILE for an X25519, Ed25519, P-256 or RSA key in PEM or of OpenSSH: public or private to write, private to read.
Exit: 0, 4 corrupt, 5 no slot opened, 7 unknown, as gcrypt itself; 2 usage.
"""
import argparse
import io
import os
import sys
from pathlib import Path

sys.dont_write_bytecode = sys.pycache_prefix is None
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from model.primitives import Refused, evp, expand, mac, selftest, xts
from model import manifest, recipients
from model.reader import (
    CIPHERS, COPY, MODES, UNKNOWN_LENGTH, decrypt, join, open_header, read_secret,
)
from model.writer import SLOT, Draft


def encrypt(options, secret, source, sink):
    draft = Draft(
        secret, source.read(), os.urandom, options.cipher, options.bits, options.mode,
        options.chunk_log2, options.group_log2, options.log2_n, options.holes,
    )
    if options.unknown_length:
        draft.fields["length"] = UNKNOWN_LENGTH
    draft.fields["content"] = options.content
    if options.slot:
        draft.slots.append(draft.slot(read_secret(options.slot)))
    if options.content == 4 and secret.type < 3:
        manifest.bind(draft, secret)
    sink.write(draft.bytes())


def open_files(source, sink):
    return (
        sys.stdin.buffer if source == "-" else open(source, "rb"),
        sys.stdout.buffer if sink == "-" else open(sink, "wb"),
    )


def decryption_record(secret, header, image):
    """gcrypt(5), "In place"."""
    copy, keys, _ = open_header([header[:COPY], header[COPY : 2 * COPY]], secret)
    there = os.stat(image)
    body = bytes.fromhex("894743530d0a1a0a") + bytes(8) + there.st_ino.to_bytes(8, "little")
    body = (body + there.st_size.to_bytes(8, "little")).ljust(COPY - 32, b"\0")
    return body + mac(expand(keys.root, b"gcrypt/1 start", 32), body)


def xts_raw(options, text):
    """Raw XTS: unit by unit with libcrypto's AES-XTS where it has one, else with ours."""
    encrypting, unit = options.direction == "encrypt", options.unit
    if options.cipher == "aes" and len(options.keys) != 48:
        name = f"aes-{4 * len(options.keys)}-xts"
        return b"".join(
            evp(name, options.keys, (options.first + options.step * (at // unit)).to_bytes(16, "little"),
                text[at : at + unit], encrypting)
            for at in range(0, len(text), unit)
        )
    return xts(options.cipher, options.keys, options.first, options.step, unit, text, encrypting)


def main():
    parser = argparse.ArgumentParser(description="independent reader and writer of gcrypt containers")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("selftest")
    enc, dec, raw, bound, journal = map(verbs.add_parser, ("enc", "dec", "xts", "bound", "journal"))
    enc.add_argument("--cipher", choices=CIPHERS, default="aes")
    enc.add_argument("--bits", type=int, choices=(128, 192, 256), default=256)
    enc.add_argument("--mode", choices=MODES, default="ctr")
    enc.add_argument("--chunk-log2", type=int, default=17)
    enc.add_argument("--group-log2", type=int, default=24)
    enc.add_argument("--log2-n", type=int, default=17, help="scrypt cost")
    enc.add_argument("--unknown-length", action="store_true", help="as if the input were a pipe")
    enc.add_argument("--content", type=int, default=0, help="what it is said to hold: 1 pax, 2 pax in zstd, 3 bytes in zstd, 4 a manifest")
    enc.add_argument("--slot", metavar="KEY", help="a slot more, for another key")
    enc.add_argument("--holes", action="store_true", help="leave chunks of zeros out")
    dec.add_argument("--image")
    for verb in (enc, dec, bound, journal):
        verb.add_argument("key")
    raw.add_argument("direction", choices=("encrypt", "decrypt"))
    raw.add_argument("cipher", choices=CIPHERS)
    raw.add_argument("keys", type=bytes.fromhex)
    for number in ("unit", "first", "step"):
        raw.add_argument(number, type=int)
    for verb in (enc, dec, raw, bound, journal):
        verb.add_argument("source")
    for verb in (enc, dec, raw):
        verb.add_argument("sink")
    journal.add_argument("image")
    options = parser.parse_args()
    try:
        if options.verb == "selftest":
            selftest()
            recipients.selftest()
            print("peer: selftest passed")
            return 0
        if options.verb == "bound":
            return 0 if manifest.is_bound(read_secret(options.key), Path(options.source).read_bytes()) else 4
        if options.verb == "journal":
            with open(options.source, "rb") as source:
                record = decryption_record(read_secret(options.key), source.read(2 * COPY), options.image)
            sys.stdout.buffer.write(record)
            return 0
        source, sink = open_files(options.source, options.sink)
        with source, sink:
            if options.verb == "xts":
                sink.write(xts_raw(options, source.read()))
            elif options.verb == "enc":
                encrypt(options, read_secret(options.key), source, sink)
            else:
                if options.image:
                    source = io.BytesIO(join(source.read(), Path(options.image).read_bytes()))
                note = decrypt(read_secret(options.key), source, sink, 1 if options.image else 0)
                if note:
                    print(f"peer: warning: {note}", file=sys.stderr)
    except Refused as refused:
        print(f"peer: {refused}", file=sys.stderr)
        return refused.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
