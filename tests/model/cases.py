"""What a case of the conformance set is, and the ways to make a container wrong.

A case starts from a right container (a Draft), changes it before it is signed, after that, or both,
and says what a reader must do with it.  All randomness is from the case's name.
"""
import hashlib
from dataclasses import dataclass, field

from model.reader import PAGE, Secret
from model.writer import Draft, Random

KEY = Secret(2, hashlib.sha256(b"key file").digest())
OTHER_KEY = Secret(2, hashlib.sha256(b"another key file").digest())
PASSPHRASE = Secret(1, b"correct horse")
SECRETS = {"key": KEY, "other-key": OTHER_KEY, "passphrase": PASSPHRASE}

GROUP = 4096
STRIDE = PAGE + GROUP
START = 16384

# Class of the outcome: exit status of dec, of verify, and a pattern of what is said.
REASONS = {
    "success": (0, 0, ""),
    "one copy damaged": (0, 4, "header copy [AB] is damaged"),
    "one copy older": (0, 4, "header copy [AB] is older"),
    "dear slots": (0, 0, "skipped: scrypt would need too much"),
    "not a container": (4, 4, "not a gcrypt container"),
    "too short": (4, 4, "too short for its header"),
    "header form": (4, 4, "the header is damaged: "),
    "header MAC": (4, 4, "the header is damaged: its MAC is wrong"),
    "no slot opens": (5, 5, "no key slot matches this"),
    "too dear": (5, 5, "skipped, for which scrypt would need too much"),
    "no such slot": (5, 5, "no key slot matches this [a-z ]* .key slots: "),
    "unknown number": (7, 7, "unknown .* in the header"),
    "page MAC": (4, 4, "the page is damaged or of another container"),
    "page index": (4, 4, "the page is of another group"),
    "page form": (4, 4, "the page is malformed"),
    "page length": (4, 4, "the page has an impossible length"),
    "page chunks": (4, 4, "the page has tags or holes of chunks that do not exist"),
    "page root": (4, 4, "the page has a root but is not the final one"),
    "chunk": (4, 4, "a chunk is damaged"),
    "padding": (4, 4, "the padding is not zero"),
    "truncated": (4, 4, "truncated"),
    "trailing": (4, 4, "more bytes after the end"),
    "root": (4, 4, "the root is wrong"),
    "length": (4, 4, "the length is not that in the header"),
}


def plaintext(n_bytes):
    """Without a block of zeros, and no two groups alike."""
    return b"".join(Random(f"plaintext {at}")(GROUP) for at in range(0, n_bytes, GROUP))[:n_bytes]


@dataclass
class Case:
    name: str
    reason: str
    change: callable = None  # of the Draft
    damage: callable = None  # bytes to bytes
    make: callable = None  # the bytes from the Draft, in another way than Draft.bytes
    released: int = None  # groups that may leave; None: all, or with a failure none
    plain: bytes = plaintext(3 * GROUP)
    how: dict = field(default_factory=dict)  # the Draft's arguments
    secret: str = "key"  # that it is opened with
    made_for: object = KEY

    def container(self):
        draft = Draft(self.made_for, self.plain, Random(self.name), **self.how)
        if self.change:
            self.change(draft)
        content = self.make(draft) if self.make else draft.bytes()
        if self.damage:
            content = self.damage(content)
        return content

    def expected(self):
        """What the JSON says of it."""
        dec, verify, says = REASONS[self.reason]
        out = self.plain
        if self.released is not None or dec != 0:
            out = out[: (self.released or 0) * GROUP]
        return {
            "name": self.name, "reason": self.reason, "secret": self.secret, "dec_exit": dec,
            "verify_exit": verify, "says": says, "released_bytes": len(out),
            "released_sha256": hashlib.sha256(out).hexdigest(),
        }


# ---- before it is signed -----------------------------------------------------------------------


def fields(**values):
    return lambda draft: draft.fields.update(values)


def page(number, **attributes):
    """Of group number; zeros={offset: byte} writes over reserved bytes."""

    def change(draft):
        for name, value in attributes.items():
            setattr(draft.groups[number], name, value)

    return change


def all_of(*changes):
    def change(draft):
        for one in changes:
            one(draft)

    return change


def in_copies(at, byte, copies=(0, 1)):
    def change(draft):
        for copy in copies:
            draft.copies[copy].setdefault("bytes", {})[at] = byte

    return change


def slots(make):
    """make: from a Draft to its slots."""

    def change(draft):
        draft.slots = make(draft)

    return change


# ---- after that --------------------------------------------------------------------------------


def at_page(group):
    return START + STRIDE * group


def flip(*places, bit=0):
    """One bit at each place."""

    def damage(content):
        content = bytearray(content)
        for at in places:
            content[at] ^= 1 << bit
        return bytes(content)

    return damage


def both(at):
    """Of both copies of the header."""
    return (at, 8192 + at)


def put(at, new):
    return lambda content: content[:at] + new + content[at + len(new) :]


def cut(n_bytes):
    return lambda content: content[:n_bytes]


def append(more):
    return lambda content: content + more


def then(*damages):
    def damage(content):
        for one in damages:
            content = one(content)
        return content

    return damage


def order(*numbers):
    """The groups in this order, as many."""

    def damage(content):
        return content[:START] + b"".join(
            content[at_page(n) : at_page(n + 1)] for n in numbers
        )

    return damage


def from_other(start, end, seed="another container", **how):
    """The same part of another container of the same plaintext, under the same secret."""

    def damage(content):
        other = Draft(KEY, plaintext(3 * GROUP), Random(seed), **how).bytes()
        return content[:start] + other[start:end] + content[end:]

    return damage
