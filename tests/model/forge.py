#!/usr/bin/env python3
"""What an attacker forges who can write the storage, or who knows the file key of another container.

    forge.py copy-b FILE AT=VALUE… [SEQUENCE]    rewrite copy B of the header; its MAC becomes wrong
    forge.py gift PUBLIC.pem OUT FILE_KEY        a container for a public key, whose file key the attacker keeps
    forge.py file-key CONTAINER KEY OUT          what a recipient learns: the file key
    forge.py part FROM FILE_KEY SOURCE OUT       a part file for SOURCE with the slots of container FROM
    forge.py in-place FROM FILE_KEY IMAGE        detached header and journal for IMAGE, likewise
    forge.py strip HEADER FILE_KEY               remove all slots but the first, in both copies, with right MACs
    forge.py container FROM FILE_KEY CONTENT TEXT OUT    a container of TEXT, likewise; prints its digest
    forge.py reads FILE_KEY CONTAINER PLAIN [IMAGE]   exit 0 if the file key alone opens it and gives PLAIN

KEY as in peer.py.  The formats are those of gcrypt(5).
"""
import io
import os
import sys

from model.primitives import Refused, mac
from model.reader import (COPY, SLOT, FileKeys, Secret, decrypt, join, open_header, read_secret,
                               slots_of)
from model.writer import Draft

RECORD_MAGIC = bytes.fromhex("894743530d0a1a0a")


def copy_b(name, *changes):
    with open(name, "r+b") as file:
        copy = bytearray(file.read(2 * COPY)[COPY:])
        copy[64:72] = (2).to_bytes(8, "little")
        for change in changes:
            at, value = change.split("=")
            copy[int(at)] = int(value)
        file.seek(COPY)
        file.write(copy)


def gift(public, out, key_file):
    draft = Draft(read_secret(f"pem:{public}"), b"a gift", os.urandom)
    write(out, draft.bytes())
    write(key_file, draft.file_key)


def file_key(container, key, out):
    with open(container, "rb") as file:
        copies = [file.read(COPY), file.read(COPY)]
    secret = read_secret(key)
    copy, _, _ = open_header(copies, secret)
    keys = [secret.open(slot, copy[32:64]) for slot in slots_of(copy) if slot[0] == secret.type]
    write(out, next(key for key in keys if key))


def header(container, key, length, detached):
    """(copy A, K_hdr): the container's passphrase and key file slots under its own file key."""
    with open(container, "rb") as file:
        copy = file.read(COPY)
    with open(key, "rb") as file:
        key = file.read()
    first = bytearray(copy[:64])
    first[11] = 0
    first[24:32] = length.to_bytes(8, "little")
    if detached:
        first[10], first[14], first[18] = 1, 3, 9
    keys = FileKeys(key, bytes(first))
    slots = b"".join(slot for slot in slots_of(copy) if slot[0] in (1, 2)).ljust(8 * SLOT, b"\0")
    body = bytes(first) + (1).to_bytes(8, "little") + bytes(408) + slots
    return body + mac(keys.header, body), keys.header


def record(source, key, in_place, sign):
    """A start record as well as one can make it without the secret."""
    there = os.stat(source)
    time = (0, 0) if in_place else (there.st_mtime_ns // 10**9, there.st_mtime_ns % 10**9)
    numbers = (0 if in_place else there.st_dev, there.st_ino, there.st_size, *time)
    body = (RECORD_MAGIC + b"".join(n.to_bytes(8, "little") for n in numbers)).ljust(COPY - 32, b"\0")
    return body + mac(key, sign + body)


def part(container, key, source, out):
    copy, k_hdr = header(container, key, os.stat(source).st_size, False)
    write(out, copy + record(source, k_hdr, False, b"gcrypt/1 resume"))


def in_place(container, key, image):
    copy, k_hdr = header(container, key, os.stat(image).st_size, True)
    slot = next(slot for slot in slots_of(copy) if slot[0] in (1, 2))
    write(f"{image}.gcr", 2 * copy)
    write(f"{image}.gcr.journal", record(image, k_hdr, True, copy[:64] + slot))


def container(model, key, content, text, out):
    with open(model, "rb") as file:
        copy = file.read(COPY)
    with open(key, "rb") as file:
        key = file.read()
    with open(text, "rb") as file:
        draft = Draft(Secret(2, bytes(32)), file.read(), os.urandom)
    draft.file_key, draft.file_salt, draft.fields["content"] = key, copy[32:64], int(content)
    draft.slots = [slot for slot in slots_of(copy) if slot[0] in (1, 2)]
    write(out, draft.bytes())
    print(draft.build()[1][-1][4064:4096].hex())


def strip(name, key):
    with open(key, "rb") as file:
        key = file.read()
    with open(name, "r+b") as file:
        copy = file.read(COPY)
        body = copy[: 480 + SLOT] + bytes(7 * SLOT)
        file.seek(0)
        file.write(2 * (body + mac(FileKeys(key, copy[:64]).header, body)))


class Known(Secret):
    """Opens any slot of types 1 and 2, since the file key is known."""

    def __init__(self, kind, key):
        super().__init__(kind, b"")
        self.key = key

    def open(self, slot, file_salt):
        return self.key


def reads(key, container, plain, image=None):
    with open(key, "rb") as file:
        key = file.read()
    with open(container, "rb") as file:
        stored = file.read()
    if image:
        with open(image, "rb") as file:
            stored = join(stored, file.read())
    with open(plain, "rb") as file:
        plain = file.read()
    for kind in 1, 2:
        sink = io.BytesIO()
        try:
            decrypt(Known(kind, key), io.BytesIO(stored), sink, 1 if image else 0)
        except Refused:
            continue
        if sink.getvalue() == plain:
            return
    sys.exit(1)


def write(name, content):
    with open(name, "wb") as file:
        file.write(content)


COMMANDS = {"copy-b": copy_b, "gift": gift, "file-key": file_key, "part": part, "in-place": in_place,
            "container": container, "strip": strip, "reads": reads}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
