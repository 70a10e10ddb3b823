"""Writes gcrypt containers (gcrypt(5), inline layout), right ones and, with right MACs, wrong ones.

A Draft is a right container that is not built yet.  All that is stored can be set before its keys
are derived and its MACs made; a field that is None is computed when it is needed.
"""
import hashlib

from model.primitives import mac, wrap
from model.reader import CIPHERS, MAGIC, MODES, PAGE_MAGIC, SLOT, UNKNOWN_LENGTH, FileKeys, GroupKeys


class Random:
    """Bytes that only look random: SHA-256 of a seed and a counter."""

    def __init__(self, seed):
        self.seed, self.n = seed, 0

    def __call__(self, n_bytes):
        self.n += 1
        text = f"{self.seed} {self.n}".encode()
        return b"".join(
            hashlib.sha256(text + bytes([i])).digest() for i in range(-(-n_bytes // 32))
        )[:n_bytes]


class Group:
    """A page and its payload; what is None follows from the plaintext and the place."""

    def __init__(self, number, plain, last, salt):
        self.place = number  # what its keys derive from, where a reader will look for it
        self.plain, self.last, self.salt = plain, last, salt
        self.magic, self.index, self.n, self.flags = PAGE_MAGIC, number, len(plain), None
        self.holes, self.tags = 0, None
        self.root = None  # or a function of the file's keys and the page MACs so far
        self.zeros = {}  # bytes of the page, by offset, written over it before its MAC
        self.padding = None
        self.hole_bytes = {}  # bytes of the payload, by offset, stored in holes

    def payload(self, keys, suite, chunk):
        padding = self.padding
        if padding is None:
            padding = bytes(0 if suite[1] == "ctr" else -len(self.plain) % 16)
        stored = bytearray(keys.crypt(suite, self.plain + padding, True))
        for i in range(-(-len(stored) // chunk)):
            if self.holes >> i & 1:
                end = min((i + 1) * chunk, len(stored))
                stored[i * chunk : end] = bytes(end - i * chunk)
        for at, byte in self.hole_bytes.items():
            stored[at] = byte
        return bytes(stored)

    def build(self, file_keys, suite, chunk, macs):
        """(page, payload)."""
        keys = GroupKeys(file_keys, self.place, self.salt)
        payload, flags, tags = self.payload(keys, suite, chunk), self.flags, self.tags
        if flags is None:
            flags = (1 if self.last else 0) | (2 if self.holes else 0)
        root = mac(file_keys.root, macs) if self.last else bytes(32)
        if self.root:
            root = self.root(file_keys, macs)
        if tags is None:
            tags = [
                bytes(16) if self.holes >> i & 1 else tag
                for i, tag in enumerate(keys.tags(payload, chunk))
            ]
        page = self.magic + self.index.to_bytes(8, "little") + self.n.to_bytes(8, "little")
        page += flags.to_bytes(4, "little") + bytes(4) + self.salt + self.holes.to_bytes(16, "little")
        page = bytearray((page + root + bytes(32) + b"".join(tags)).ljust(4064, b"\0"))
        for at, byte in self.zeros.items():
            page[at] = byte
        return bytes(page) + mac(keys.page, bytes(page)), payload


def make_slot(secret, file_key, file_salt, salt, log2_n=10, p=1):
    if secret.type > 2:  # salt: what the ephemeral key, or the seed of OAEP, is made of
        salt, body = secret.bytes.seal(file_key, file_salt, salt)
        slot = bytes([secret.type]) + bytes(3) + len(body).to_bytes(2, "little") + bytes(2)
        slot = (slot + secret.bytes.id + salt + body[:912]).ljust(SLOT, b"\0")
        return slot if len(body) <= 912 else slot + (bytes([18]).ljust(48, b"\0") + body[912:]).ljust(SLOT, b"\0")
    cost = bytes([log2_n, p]) if secret.type == 1 else bytes(2)
    wrapped = wrap(secret.kek(salt, log2_n, p, file_salt), file_key)
    slot = bytes([secret.type]) + cost + bytes(1) + (40).to_bytes(2, "little") + bytes(10) + salt
    return (slot + wrapped).ljust(SLOT, b"\0")


class Draft:
    def __init__(self, secret, plain, random, cipher="aes", bits=256, mode="ctr",
                 chunk_log2=12, group_log2=12, log2_n=10, holes=False):
        size = 1 << group_log2
        parts = [plain[at : at + size] for at in range(0, len(plain), size)] or [b""]
        self.suite, self.chunk, self.random = (cipher, mode, bits // 8), 1 << chunk_log2, random
        self.fields = {
            "magic": MAGIC, "version": 1, "layout": 0, "content": 0, "cipher": CIPHERS[cipher],
            "key_bytes": bits // 8, "mode": MODES[mode], "tag": 1, "chunk_log2": chunk_log2,
            "group_log2": group_log2, "sector_log2": 0, "zero": 0, "flags": 0, "length": len(plain),
        }
        self.file_salt, self.file_key = random(32), random(32)
        self.slots = [make_slot(secret, self.file_key, self.file_salt, random(32), log2_n)]
        self.copies = [{}, {}]  # what differs: sequence, slots, and bytes by offset
        self.groups = [
            Group(number, part, number == len(parts) - 1, random(16))
            for number, part in enumerate(parts)
        ]
        if holes:
            self.leave_holes()

    def leave_holes(self):
        """Every chunk of zeros becomes a hole."""
        for group in self.groups:
            for i, at in enumerate(range(0, len(group.plain), self.chunk)):
                if not any(group.plain[at : at + self.chunk]):
                    group.holes |= 1 << i

    def slot(self, secret, **cost):
        """One more slot, that opens with the secret."""
        return make_slot(secret, self.file_key, self.file_salt, self.random(32), **cost)

    def first64(self):
        widths = {"version": 2, "flags": 4, "length": 8}
        return b"".join(
            value if name == "magic" else value.to_bytes(widths.get(name, 1), "little")
            for name, value in self.fields.items()
        ) + self.file_salt

    def copy(self, changes, keys):
        body = bytearray(self.first64() + changes.get("sequence", 1).to_bytes(8, "little") + bytes(408))
        body += b"".join(changes.get("slots", self.slots)).ljust(8 * SLOT, b"\0")
        for at, byte in changes.get("bytes", {}).items():
            body[at] = byte
        return bytes(body) + mac(keys.header, bytes(body))

    def build(self):
        """(both copies of the header, [page + payload])."""
        keys, macs, parts = FileKeys(self.file_key, self.first64()), b"", []
        for group in self.groups:
            page, payload = group.build(keys, self.suite, self.chunk, macs)
            parts.append(page + payload)
            macs += page[-32:]
        return b"".join(self.copy(changes, keys) for changes in self.copies), parts

    def bytes(self):
        header, parts = self.build()
        return header + b"".join(parts)
