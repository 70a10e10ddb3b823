#!/usr/bin/env python3
"""Seeds of the fuzz targets that read the format in the compact form of tests/fuzz/compact.h, and of raw mode.

    seeds.py FOLDER     writes FOLDER/TARGET/NAME
"""
import itertools
import os
import sys

# Flags of header copies, pages and groups.
SEALED, POKED, TAGGED, ROOTED = 1, 2, 4, 8
COUNTING = bytes(range(256)) * 5
POKES = {"body": (60, 1), "cost": (1, 0xF0), "id": (8, 8), "length": (4, 0xF0), "type": (0, 8), "zero": (900, 8), "zero-a": (3, 0xF0)}


def le(value, n):
    return value.to_bytes(n, "little")


def changed(data, changes):
    """Other bytes at the offsets of changes."""
    data = bytearray(data)
    for at, new in changes.items():
        new = new if isinstance(new, bytes) else bytes([new])
        data[at:at + len(new)] = new
    return bytes(data)


def known_slot(place):
    """A slot that the known secret opens."""
    return bytes([place | 8])


def slot(place, kind, log2_n=0, p=0, length=40, zero=0, key_id=bytes(8), body=b"S" * 32):
    return bytes([place, kind, log2_n, p, 0]) + le(length, 2) + bytes([zero, 0]) + key_id + body + b"w"


def long_slot(place, kind, length=0, body=b""):
    return bytes([place | 16, kind, 0, 0, 0]) + le(length, 2) + bytes(42) + body.ljust(208, b"\0")


def strange_slot(place):
    """A slot of an unknown type."""
    return bytes([place, 77]) + b"\5" * 47


def copy(changes=None, slots=(known_slot(0),), flags=SEALED, poked=b""):
    head = b"\x89GCR\r\n\x1a\n" + bytes([1, 0, 0, 0, 1, 32, 2, 1, 12, 13]).ljust(16, b"\0") + b"\xff" * 8 + COUNTING[:32] + le(1, 8)
    return changed(head, changes or {}) + bytes([flags | (POKED if poked else 0), len(slots)]) + b"".join(slots) + poked


def header_seeds():
    alone = {
        "plain": copy(), "pax": copy({11: 1}), "layout2": copy({10: 2}), "detached": copy({10: 1, 14: 3, 18: 12}),
        "detached-ctr": copy({10: 1, 18: 9}), "sector": copy({18: 9}), "content3": copy({11: 3}), "version2": copy({8: 2}),
        "notmagic": copy({0: b"x"}), "cipher9": copy({12: 9}), "key17": copy({13: 17}), "mode9": copy({14: 9}),
        "tag2": copy({15: 2}), "chunk11": copy({16: 11}), "group27": copy({16: 20, 17: 27}), "flag": copy({20: 1}),
        "length": copy({24: bytes(7) + b"\x80"}), "seq0": copy({64: 0}), "no-slot": copy(slots=()), "unsealed": copy(flags=0),
        "eight": copy(slots=[known_slot(place) for place in range(8)]), "reserved": copy(poked=le(100, 2) + b"\1"),
        "tail": copy(poked=b"\x9f\5\1"), "wrapped-poked": copy(poked=b"\x1c\2\1"), "body": copy(slots=[slot(0, 2, length=41)]),
        "cost9": copy(slots=[slot(0, 1, 9, 1)]), "p0": copy(slots=[slot(0, 1, 10, 0)]), "kf-cost": copy(slots=[slot(0, 2, 1)]),
        "id": copy(slots=[slot(0, 2, key_id=b"12345678")]), "zero": copy(slots=[slot(0, 2, zero=5)]),
        "unused-full": copy(slots=[slot(0, 0)]), "rsa-salt": copy(slots=[slot(0, 4, length=256)]),
        "rsa-short": copy(slots=[slot(0, 4, length=100, body=bytes(32))]),
        "cost-bomb": copy(slots=[slot(0, 1, 24, 16), known_slot(1)]),
        "slots": copy(slots=[slot(0, 1, 17, 1), slot(1, 2), slot(2, 3, key_id=b"12345678"),
                             slot(3, 4, length=256, key_id=b"12345678", body=bytes(32)), slot(4, 77), known_slot(5)]),
    }
    for name, seed in alone.items():  # as both copies, which the last byte asks for, and before a newer copy B
        yield name, seed + b"\1"
        yield f"{name}-twice", seed + copy({64: 2})
    passphrase = slot(0, 1, 10, 1)
    anonymous = copy(slots=[slot(place, 3, key_id=bytes([place]) * 8, body=COUNTING[1:33])[:-1] + b"\t" for place in (0, 1)])
    yield "anonymous", anonymous * 2
    yield "dear", copy(slots=[slot(0, 1, 24, 1), known_slot(1)])
    yield "passphrase", copy(slots=[passphrase])
    yield "passphrases", copy(slots=[passphrase, slot(1, 1, 24, 16), slot(2, 1, 20, 16)]) + copy(slots=[passphrase])
    yield "newer-no-slot", copy() + copy({64: 2}, [passphrase])
    yield "none", copy() + copy(slots=[slot(3, 1, 24, 1), known_slot(0)])
    yield "salt", copy() + copy({40: 255})
    yield "same-seq", copy() + copy(slots=[known_slot(0), known_slot(1)])
    yield "older", copy({64: 3}) + copy({64: 2})
    pair, second_half = long_slot(0, 6, 1128), long_slot(1, 18)
    yield "pair", copy(slots=[pair, second_half, strange_slot(2)], flags=0) + b"\1"
    yield "half-pair", copy(slots=[pair, strange_slot(1)], flags=0) + b"\1"
    named = b"\1" + COUNTING[:32] + b"abcdefgh" + COUNTING[:40]
    for name, shared in {"shared": b"\3\2" + COUNTING[:32] + (bytes(8) + COUNTING[:40]) * 2,
                         "shared-bad": b"\4\1" + COUNTING[:32] + bytes(8) + COUNTING[:40],
                         "shared-named": b"\5" + named + b"\3" + named}.items():
        yield name, copy(slots=[long_slot(0, 17, len(shared), shared), strange_slot(1)], flags=0) + b"\1"


def page(number, n_bytes, kind, flags, tags, **changes):
    at = {int(name[2:]): value for name, value in changes.items()}
    head = b"\x89GCP\r\n\x1a\n" + le(number, 8) + le(n_bytes, 8) + le(kind, 8) + b"s" * 16
    return changed(head.ljust(112, b"\0"), at) + bytes([flags, len(tags)]) + tags


def page_seeds():
    start = bytes([0, 1, 0])
    both = SEALED | TAGGED
    root = b"r" * 32
    for name, seed in {
        "empty": page(0, 0, 1, both, b""), "final": page(0, 100, 1, both, b"a", at64=root), "first": page(0, 8192, 0, both, b"ab"),
        "flag4": page(0, 8192, 4, both, b"ab"), "hole-beyond": page(0, 8192, 2, both, b"ab", at48=4),
        "hole-none": page(0, 8192, 2, both, b"ab"), "hole-tag": page(0, 8192, 2, both, b"ab", at48=1),
        "hole-unflagged": page(0, 8192, 0, both, b"\0b", at48=1), "holes": page(0, 8192, 2, both, b"\0b", at48=1),
        "long": page(0, 8193, 1, both, b"ab"), "magic": page(0, 8192, 0, both, b"ab", at0=b"x"), "other": page(5, 8192, 0, both, b"ab"),
        "root": page(0, 8192, 0, both, b"ab", at64=root), "short": page(0, 8191, 0, both, b"ab"),
        "tag-beyond": page(0, 8192, 0, both, b"abc"), "unsealed": page(0, 8192, 0, 0, b""), "zero": page(0, 8192, 0, both, b"ab", at28=1),
        "zero-b": page(0, 8192, 0, SEALED | POKED, b"ab") + le(100, 2) + b"\1", "zero-c": page(0, 8192, 0, SEALED | POKED, b"ab") + le(3000, 2) + b"\1",
    }.items():
        yield name, start + seed
    yield "empty1", bytes([0, 1, 1]) + page(1, 0, 1, both, b"")


def group(number, n_bytes, kind=0, flags=SEALED | TAGGED, tags=b"", payload=b"x" * 16, n_payload=None, **changes):
    return page(number, n_bytes, kind, flags, tags, **changes) + le(n_bytes if n_payload is None else n_payload, 2) + payload


def container_seeds():
    def whole(header, *groups, two=0):
        return bytes([max(len(groups) - 1, 0), two]) + header + b"".join(groups)

    rooted = SEALED | TAGGED | ROOTED
    one, first = group(0, 96, 1, rooted), group(0, 8192)
    for (mode, number), cipher in itertools.product((("ecb", 1), ("ctr", 2), ("xts", 3)), (1, 2, 3)):
        yield f"{mode}-{cipher}", whole(copy({12: cipher, 14: number}), first, group(1, 96, 1, rooted))
    three = group(2, 10, 1, rooted)
    yield "three", whole(copy(), first, group(1, 8192), three)
    yield "swapped", whole(copy(), group(1, 8192), first, three)
    yield "after-final", whole(copy(), one, group(1, 10, 1, rooted))
    yield "holes", whole(copy(), group(0, 8192, 2, SEALED, payload=bytes(16), at48=3), group(1, 96, 1, rooted))
    yield "not-final", whole(copy(), first)
    yield "older", whole(copy() + copy({64: 2}), one, two=1)
    yield "slot", whole(copy(slots=[slot(0, 2)]), one)
    yield "filler", whole(copy({14: 3}), group(0, 95, 1, rooted, n_payload=96))
    yield "truncated", whole(copy(), one) + b"c" * 50
    yield "truncated-page", whole(copy(), one) + b"c" * 2000
    for name, header in {"detached": {10: 1, 14: 3, 18: 12}, "pax": {11: 1}, "length": {24: le(96, 8)}, "length-wrong": {24: le(97, 8)}}.items():
        yield name, whole(copy(header), one)
    for name, last in {"empty": group(0, 0, 1, rooted), "trailing": group(0, 96, 1, rooted, n_payload=97),
                       "unrooted": group(0, 96, 1, SEALED | TAGGED), "unsealed": group(0, 96, 1, TAGGED | ROOTED),
                       "untagged": group(0, 96, 1, SEALED | ROOTED)}.items():
        yield name, whole(copy(), last)


def slot_seeds():
    def poke(at, turned):
        return le(at, 2) + bytes([turned])

    for pair in range(6):
        for cost in range(3):
            yield f"{pair}-{cost}", bytes([pair, cost]) + bytes(32)
        for name, where in POKES.items():
            yield f"{pair}-poked-{name}", bytes([pair, 1]) + bytes(32) + poke(*where)
    for name, pair, choice in (("anonymous-p256", 6, 0x81), ("anonymous-rsa", 3, 0x81), ("anonymous-x25519", 2, 0x81),
                               ("shared-anonymous", 2, 0xC0), ("shared-p256", 6, 0x40), ("shared-x25519", 2, 0x40)):
        yield name, bytes([pair, choice]) + COUNTING[:32]
    body = bytes(i % 251 for i in range(1128))
    yield "two-slots", b"\7\0" + body
    yield "two-slots-anonymous", b"\7\x80" + body + bytes(32)
    yield "two-slots-poked", b"\7\0" + body + poke(960, 1) * 3
    yield "shared-poked", b"\2\x40" + COUNTING[:32] + poke(49, 3) * 2


def raw_seeds():
    def raw(suite, flags, key_length, key=COUNTING[:64], where=b"", iv=bytes(16), n=600):
        return bytes([*suite, flags]) + key + bytes([key_length]) + where + iv + le(7, 8) + le(n, 2) + b"some data"

    for cipher, mode, (name, flags) in itertools.product(range(3), range(3), {"iv": 1, "none": 0, "nopad": 16, "start": 2}.items()):
        for suffix, length in ("", 64), ("-32", 32):
            yield f"{cipher}-{mode}-{name}{suffix}", raw((cipher, mode, 2), flags, length)
    yield "range", raw((0, 1, 0), 0xC1, 16, where=le(100, 2) + le(50, 2), n=5000)
    yield "sector", raw((0, 2, 0), 0x26, 32, where=le(4096, 2), n=5000)
    yield "empty-source", raw((0, 0, 2), 1, 32, n=0)
    yield "weak", raw((0, 2, 0), 2, 32, key=bytes(64), n=100)


def record_seeds():
    """A built-in record, but for the name of a speed."""
    with open(os.path.join(os.path.dirname(__file__), "../../ppf/devices/h200.json"), "rb") as file:
        yield "speed-name", file.read().replace(b"sc2000-128-ctr-none", b"sc2000-128-ctr-n\\n", 1)


def main():
    for target, seeds in (("header", header_seeds), ("page", page_seeds), ("container", container_seeds), ("slot", slot_seeds),
                          ("raw", raw_seeds), ("record", record_seeds)):
        os.makedirs(os.path.join(sys.argv[1], target))
        for name, seed in seeds():
            with open(os.path.join(sys.argv[1], target, name), "xb") as file:
                file.write(seed)


if __name__ == "__main__":
    main()
