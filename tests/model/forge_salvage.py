"""Forged containers for salvage, parts and rekeying: lengths that are claimed, and two secrets.

    forge_salvage.py length KEY OUT LENGTH [BYTES] [GROUP_LOG2]  a right container of BYTES (4196),
        but for the LENGTH in its signed header; of groups of 4 KiB
    forge_salvage.py detached KEY IMAGE LENGTH BYTES  the same in two files, IMAGE and IMAGE.gcr, of
        which tags are right and no more
    forge_salvage.py collision KEY1 KEY2 OUT     one chunk whose tag is right under two file keys
    forge_salvage.py sizes KEY1 KEY2 OUT         two header copies with two sizes of groups

Of the last two, copy A of the header is for KEY1, who reads a whole container; copy B is for KEY2.
KEY is what model.reader.read_secret() takes.
"""
import sys

from model.cases import plaintext
from model.primitives import ctr
from model.reader import COPY, PAGE, FileKeys, GroupKeys, read_secret
from model.writer import Draft, Random

FIRST, SECOND = b"what the first secret reads".ljust(2048, b"."), b"what the second secret reads".ljust(1024, b".")
PRIME, CLAMP = 2**130 - 5, 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF


def le(text):
    return int.from_bytes(text, "little")


def length(key, out, claimed, n_bytes="4196", group_log2="12"):
    draft = Draft(read_secret(key), plaintext(int(n_bytes)), Random(out), group_log2=int(group_log2))
    draft.fields["length"] = int(claimed)
    save(out, draft.bytes())


def detached(key, image, claimed, n_bytes):
    draft = Draft(read_secret(key), plaintext(int(n_bytes)), Random(image), mode="xts")
    draft.fields.update(layout=1, sector_log2=9, length=int(claimed))
    header, groups = draft.build()
    save(f"{image}.gcr", header + b"".join(group[:PAGE] for group in groups))
    save(image, b"".join(group[PAGE:] for group in groups))


def save(name, content):
    with open(name, "wb") as file:
        file.write(content)


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
    save(out, copies[:COPY] + second.build()[0][COPY:] + groups[0])


def sizes(key1, key2, out):
    """The payload of the first one's last group is page and payload of the second one's last group."""
    random = Random(out)
    first = Draft(read_secret(key1), (FIRST + bytes(6144)) * 2, random, group_log2=13)
    second = Draft(read_secret(key2), bytes(8192) + SECOND * 4, random, group_log2=12)
    copies, groups = second.build()
    group = first.groups[1]
    group.plain = keys_of(first, 1, group.salt).crypt(first.suite, groups[2], False)
    own, groups = first.build()
    save(out, own[:COPY] + copies[COPY:] + b"".join(groups))


if __name__ == "__main__":
    {"length": length, "detached": detached, "collision": collision, "sizes": sizes}[sys.argv[1]](*sys.argv[2:])
