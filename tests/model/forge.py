#!/usr/bin/env python3
"""What an attacker forges who can write the storage, who knows the file key of another container, or who has the secret.

    forge.py copy-b FILE AT=VALUE… [SEQUENCE]    rewrite copy B of the header; its MAC becomes wrong
    forge.py gift PUBLIC.pem OUT FILE_KEY        a container for a public key, whose file key the attacker keeps
    forge.py file-key CONTAINER KEY OUT          what a recipient learns: the file key
    forge.py part FROM FILE_KEY SOURCE OUT       a part file for SOURCE with the slots of container FROM
    forge.py in-place FROM FILE_KEY IMAGE        detached header and journal for IMAGE, likewise
    forge.py strip HEADER FILE_KEY               remove all slots but the first, in both copies, with right MACs
    forge.py container FROM FILE_KEY CONTENT TEXT OUT    a container of TEXT, likewise; prints its digest
    forge.py reads FILE_KEY CONTAINER PLAIN [IMAGE]   exit 0 if the file key alone opens it and gives PLAIN
    forge.py length KEY OUT LENGTH [BYTES] [GROUP_LOG2]  a right container of BYTES (4196), but for the LENGTH in its
        signed header; of groups of 4 KiB
    forge.py detached KEY IMAGE LENGTH BYTES  the same in two files, IMAGE and IMAGE.gcr, of which tags are right and no
        more
    forge.py collision KEY1 KEY2 OUT     one chunk whose tag is right under two file keys
    forge.py sizes KEY1 KEY2 OUT         two header copies with two sizes of groups
    forge.py sequence KEY OUT LESS       the header has the highest sequence number, LESS less in copy B
    forge.py slots KEY OUT               slots 1 to 5 are for anna.pem, ben.pem, rsa.pem, a passphrase, and a secret of a
        type that no release knows
    forge.py same-salt KEY OTHER OUT     the file salt is that of the container OTHER
    forge.py weak-rsa GOOD.pem           NAME.pub for each kind of weak RSA key; the modulus is the good one's

Of collision and sizes, copy A of the header is for KEY1, who reads a whole container; copy B is for KEY2.
KEY as in peer.py.  The formats are those of gcrypt(5).
"""
import io
import os
import sys
from pathlib import Path

from model.cases import plaintext
from model.primitives import Refused, ctr, mac
from model.reader import COPY, PAGE, SLOT, FileKeys, GroupKeys, Secret, decrypt, join, open_header, read_secret, slots_of
from model.recipients import Key, rsa_public_pem
from model.writer import Draft, Random

RECORD_MAGIC = bytes.fromhex("894743530d0a1a0a")
FIRST, SECOND = b"what the first secret reads".ljust(2048, b"."), b"what the second secret reads".ljust(1024, b".")
PRIME, CLAMP = 2**130 - 5, 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF


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
    Path(out).write_bytes(draft.bytes())
    Path(key_file).write_bytes(draft.file_key)


def file_key(container, key, out):
    content = Path(container).read_bytes()
    copies = [content[:COPY], content[COPY:2 * COPY]]
    secret = read_secret(key)
    copy, _, _ = open_header(copies, secret)
    keys = [secret.open(slot, copy[32:64]) for slot in slots_of(copy) if slot[0] == secret.type]
    Path(out).write_bytes(next(key for key in keys if key))


def header(container, key, length, detached):
    """(copy A, K_hdr): the container's passphrase and key file slots under its own file key."""
    copy = Path(container).read_bytes()[:COPY]
    key = Path(key).read_bytes()
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
    Path(out).write_bytes(copy + record(source, k_hdr, False, b"gcrypt/1 resume"))


def in_place(container, key, image):
    copy, k_hdr = header(container, key, os.stat(image).st_size, True)
    slot = next(slot for slot in slots_of(copy) if slot[0] in (1, 2))
    Path(f"{image}.gcr").write_bytes(2 * copy)
    Path(f"{image}.gcr.journal").write_bytes(record(image, k_hdr, True, copy[:64] + slot))


def container(model, key, content, text, out):
    copy = Path(model).read_bytes()[:COPY]
    key = Path(key).read_bytes()
    draft = Draft(Secret(2, bytes(32)), Path(text).read_bytes(), os.urandom)
    draft.file_key, draft.file_salt, draft.fields["content"] = key, copy[32:64], int(content)
    draft.slots = [slot for slot in slots_of(copy) if slot[0] in (1, 2)]
    Path(out).write_bytes(draft.bytes())
    print(draft.build()[1][-1][4064:4096].hex())


def strip(name, key):
    key = Path(key).read_bytes()
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
    key = Path(key).read_bytes()
    stored = Path(container).read_bytes()
    if image:
        stored = join(stored, Path(image).read_bytes())
    plain = Path(plain).read_bytes()
    for kind in 1, 2:
        sink = io.BytesIO()
        try:
            decrypt(Known(kind, key), io.BytesIO(stored), sink, 1 if image else 0)
        except Refused:
            continue
        if sink.getvalue() == plain:
            return
    sys.exit(1)


def le(text):
    return int.from_bytes(text, "little")


def length(key, out, claimed, n_bytes="4196", group_log2="12"):
    draft = Draft(read_secret(key), plaintext(int(n_bytes)), Random(out), group_log2=int(group_log2))
    draft.fields["length"] = int(claimed)
    Path(out).write_bytes(draft.bytes())


def detached(key, image, claimed, n_bytes):
    draft = Draft(read_secret(key), plaintext(int(n_bytes)), Random(image), mode="xts")
    draft.fields.update(layout=1, sector_log2=9, length=int(claimed))
    header, groups = draft.build()
    Path(f"{image}.gcr").write_bytes(header + b"".join(group[:PAGE] for group in groups))
    Path(image).write_bytes(b"".join(group[PAGE:] for group in groups))


def keys_of(draft, number, salt):
    return GroupKeys(FileKeys(draft.file_key, draft.first64()), number, salt)


def before_last(r, text):
    """Poly1305's sum before its last block is added."""
    total = 0
    for at in range(0, len(text), 16):
        total = (total + le(text[at : at + 16] + b"\1")) * r % PRIME
    return total


def colliding(one, two, text):
    """The block after the text with which both keys give one tag, or None."""
    r = [le(keys.r) & CLAMP for keys in (one, two)]
    s = [le(ctr("aes", keys.tag, bytes(16), bytes(16))) for keys in (one, two)]
    sums = [before_last(r[i], text) * r[i] for i in (0, 1)]
    for wraps in range(-4, 5):
        a = (s[1] - s[0] + (wraps << 128) - sums[0] + sums[1]) * pow(r[0] - r[1], -1, PRIME) % PRIME
        if a >> 128 == 1:
            chunk = text + (a - 2**128).to_bytes(16, "little")
            if one.tags(chunk, 4096) == two.tags(chunk, 4096):
                return chunk
    return None


def collision(key1, key2, out):
    random = Random(out)
    first, second = (Draft(read_secret(key), bytes(4096), random) for key in (key1, key2))
    salt = first.groups[0].salt
    one, two = keys_of(first, 0, salt), keys_of(second, 0, salt)
    suite, chunk = first.suite, None
    start = one.crypt(suite, FIRST, True) + two.crypt(suite, bytes(2048) + SECOND, True)[2048:]
    while chunk is None:
        chunk = colliding(one, two, start + random(4080 - len(start)))
    first.groups[0].plain = one.crypt(suite, chunk, False)
    copies, groups = first.build()
    Path(out).write_bytes(copies[:COPY] + second.build()[0][COPY:] + groups[0])


def sizes(key1, key2, out):
    """The payload of the first one's last group is page and payload of the second one's last group."""
    random = Random(out)
    first = Draft(read_secret(key1), (FIRST + bytes(6144)) * 2, random, group_log2=13)
    second = Draft(read_secret(key2), bytes(8192) + SECOND * 4, random, group_log2=12)
    copies, groups = second.build()
    group = first.groups[1]
    group.plain = keys_of(first, 1, group.salt).crypt(first.suite, groups[2], False)
    own, groups = first.build()
    Path(out).write_bytes(own[:COPY] + copies[COPY:] + b"".join(groups))


def sequence(key, out, less):
    draft = Draft(read_secret(key), bytes(5000), Random("sequence"))
    draft.copies = [{"sequence": 2**64 - 1}, {"sequence": 2**64 - 1 - int(less)}]
    Path(out).write_bytes(draft.bytes())


def slots(key, out):
    draft = Draft(read_secret(key), bytes(range(256)) * 20, Random("slots"))
    draft.slots += [draft.slot(read_secret(f"pem:{name}.pem")) for name in ("anna", "ben", "rsa")]
    draft.slots += [draft.slot(Secret(1, b"passphrase")), bytes([77]).ljust(SLOT, b"\1")]
    Path(out).write_bytes(draft.bytes())


def same_salt(key, other, out):
    draft = Draft(read_secret(key), b"another content", Random("salt"))
    draft.file_salt = Path(other).read_bytes()[32:64]
    draft.slots = [draft.slot(read_secret(key))]
    Path(out).write_bytes(draft.bytes())


def weak_rsa(good):
    n, _ = Key(good).public
    keys = {
        "exponent-1": (n, 1),
        "exponent-2": (n, 2),
        "exponent-3": (n, 3),
        "exponent-65535": (n, 65535),
        "exponent-65538": (n, 65538),
        "exponent-large": (n, n - 2),
        "bits-2041": (2**2040 | n >> 8 | 1, 65537),
        "bits-2047": (n >> 1 | 1, 65537),
        "modulus-even": (n & ~1, 65537),
        "modulus-3": (2**2047 + 1, 65537),
        "modulus-smooth": (2**2048 - 1, 65537),
        "modulus-65521": (65521 * (2**2203 - 1), 65537),  # a prime above those that libcrypto divides by
        "modulus-prime": (2**2203 - 1, 65537),
        "modulus-square": ((2**1279 - 1) ** 2, 65537),
    }
    for name, numbers in keys.items():
        Path(f"{name}.pub").write_text(rsa_public_pem(*numbers), encoding="ascii")


COMMANDS = {"copy-b": copy_b, "gift": gift, "file-key": file_key, "part": part, "in-place": in_place,
            "container": container, "strip": strip, "reads": reads, "length": length,
            "detached": detached, "collision": collision, "sizes": sizes, "sequence": sequence, "slots": slots,
            "same-salt": same_salt, "weak-rsa": weak_rsa}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
