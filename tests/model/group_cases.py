"""The conformance set: suites and sizes, pages, payloads, the order and number of groups."""
from model.cases import (
    GROUP, START, STRIDE, Case, all_of, append, at_page, cut, fields, flip, from_other, order, page, plaintext, put)
from model.primitives import mac
from model.reader import MAGIC, UNKNOWN_LENGTH
from model.writer import Group

ZEROS = plaintext(GROUP) + bytes(GROUP) + plaintext(GROUP)
BIG = {"group_log2": 15}


def suite(name):
    cipher, bits, mode = name.split("-")
    return {"cipher": cipher, "bits": int(bits), "mode": mode}


SUITES = [f"{cipher}-{bits}-{mode}" for cipher in ("aes", "camellia") for bits in (128, 192, 256)
          for mode in ("ctr", "xts", "ecb")]
SIZES = {"ctr": (0, 1, 15, 16, 17, GROUP - 1, GROUP, GROUP + 1, 2 * GROUP - 1, 2 * GROUP),
         "xts": (0, 1, 16, 17, GROUP - 1, GROUP + 1), "ecb": (0, 1, 17, GROUP + 1)}

PAGE_FORM = {  # of the final page, signed
    "another magic": ({"magic": MAGIC}, "form"), "index one more": ({"index": 3}, "index"),
    "index of the group before": ({"index": 1}, "index"), "index 2^64 - 1": ({"index": 2**64 - 1}, "index"),
    "one byte too long": ({"n": GROUP + 1}, "length"), "no bytes, yet not the first": ({"n": 0}, "length"),
    "2^64 - 1 bytes": ({"n": 2**64 - 1}, "length"), "reserved flag 2": ({"flags": 5}, "form"),
    "reserved flag 31": ({"flags": 1 | 1 << 31}, "form"), "holes flag without holes": ({"flags": 3}, "chunks"),
    "holes without their flag": ({"holes": 1, "flags": 1}, "chunks"),
    "hole behind the last chunk": ({"holes": 2}, "chunks"), "hole 127": ({"holes": 1 << 127}, "chunks"),
    "tag of a hole": ({"holes": 1, "tags": [b"\1" * 16]}, "chunks"),
    "tag behind the last chunk": ({"tags": [bytes(16), b"\1" * 16]}, "chunks"),
    **{f"reserved byte {at}": ({"zeros": {at: 1}}, "form") for at in (28, 31, 96, 127, 2176, 4063)},
}

NOT_FINAL = {  # of the second page
    "root, not final": ({"root": lambda keys, macs: b"\1" + bytes(31)}, "root"), "not full, not final": ({"n": GROUP - 1}, "length"),
    "empty, not final": ({"n": 0}, "length"),
}



def empty_tail(draft):
    draft.groups[-1].last = False
    draft.groups.append(Group(3, b"", True, draft.random(16)))


def older_group(draft):
    """All of one version but the first group, which is signed as well, of the same file."""
    new = draft.bytes()
    draft.groups[0].salt = draft.random(16)
    return new[:START] + draft.bytes()[START : at_page(1)] + new[at_page(1) :]


GROUP_CASES = [
    *(Case(f"{name}, 3 groups and 77 bytes", "success", plain=plaintext(3 * GROUP + 77), how=suite(name))
      for name in SUITES),
    *(Case(f"aes-256-{mode}, {n} bytes", "success", plain=plaintext(n), how={"mode": mode})
      for mode, sizes in SIZES.items() for n in sizes),
    Case("groups of 8 chunks", "success", plain=plaintext(15 * GROUP + 9), how=BIG),
    Case("groups of 8 chunks, XTS", "success", plain=plaintext(15 * GROUP + 9), how={**BIG, "mode": "xts"}),
    Case("128 chunks", "success", plain=plaintext(40000), how={"group_log2": 19}),
    Case("chunks of 8 KiB", "success", plain=plaintext(40000), how={"chunk_log2": 13, "group_log2": 14}),
    Case("chunks of 1 MiB, groups of 64", "success", plain=plaintext(100), how={"chunk_log2": 20, "group_log2": 26}),
    # Holes
    *(Case(f"a hole, {mode}", "success", plain=ZEROS, how={"mode": mode, "holes": True})
      for mode in ("ctr", "xts", "ecb")),
    Case("nothing but holes", "success", plain=bytes(3 * GROUP), how={"holes": True}),
    Case("holes among 8 chunks, the last one short", "success", plain=ZEROS + bytes(GROUP + 20),
         how={**BIG, "mode": "xts", "holes": True}),
    Case("a hole that is not empty", "chunk", page(1, hole_bytes={77: 1}), released=1, plain=ZEROS,
         how={"holes": True}),
    Case("a hole that is not empty at its end", "chunk", page(1, hole_bytes={GROUP - 1: 128}), released=1,
         plain=ZEROS, how={"holes": True}),
    Case("a hole filled afterwards", "chunk", damage=put(at_page(1) + 4096, b"\1"), released=1, plain=ZEROS,
         how={"holes": True}),
    # Pages, signed
    *(Case(f"page: {name}", f"page {reason}", page(2, **change), released=2)
      for name, (change, reason) in PAGE_FORM.items()),
    *(Case(f"page: {name}", f"page {reason}", page(1, **change), released=1)
      for name, (change, reason) in NOT_FINAL.items()),
    Case("page: shorter than its payload", "trailing", page(2, n=GROUP - 1), released=2),
    Case("page: payload one byte short", "truncated", page(2, n=GROUP), released=2, plain=plaintext(3 * GROUP - 1)),
    Case("keys of another place", "page MAC", page(1, place=2), released=1),
    Case("a tag that is wrong", "chunk", page(1, tags=[b"\1" * 16]), released=1),
    Case("a tag of zeros", "chunk", page(1, tags=[]), released=1),
    Case("two chunks swapped", "chunk", how=BIG, plain=plaintext(3 * GROUP),
         damage=lambda content: content[:20480] + content[24576:28672] + content[20480:24576] + content[28672:]),
    *(Case(f"padding not zero at byte {at}, {mode}", "padding", page(0, padding=bytes(at) + b"\1" + bytes(10 - at)),
           plain=plaintext(GROUP - 11), how={"mode": mode}) for mode in ("xts", "ecb") for at in (0, 10)),
    # Bits, afterwards
    *(Case(f"bit of a page at {at}", "page MAC", damage=flip(at_page(1) + at, bit=at % 8), released=1)
      for at in (0, 8, 16, 24, 28, 32, 48, 64, 96, 128, 144, 2176, 4063, 4064, 4095)),
    *(Case(f"bit of a payload at {at}", "chunk", damage=flip(at_page(1) + 4096 + at), released=1)
      for at in (0, 1, 2048, GROUP - 1)),
    *(Case(f"bit of {name}", reason, damage=flip(at_page(g) + at), released=g)
      for name, reason, g, at in (("the first page", "page MAC", 0, 40), ("the first payload", "chunk", 0, 4096),
                                  ("the last page", "page MAC", 2, 40), ("the last byte", "chunk", 2, STRIDE - 1))),
    # Length
    *(Case(f"cut to {name}", "truncated", damage=cut(at), released=groups) for name, at, groups in (
        ("its header", START, 0), ("a byte of a page", START + 1, 0), ("a page", START + 4096, 0),
        ("one byte less than a group", at_page(1) - 1, 0), ("one group", at_page(1), 0),
        ("one group and a byte", at_page(1) + 1, 1), ("one group and a page", at_page(1) + 4096, 1),
        ("two groups", at_page(2), 1), ("two groups and half a page", at_page(2) + 2048, 2),
        ("all but one byte", at_page(3) - 1, 2), ("all but 16 bytes", at_page(3) - 16, 2))),
    *(Case(f"{n} bytes more", "trailing", damage=append(bytes(n)), released=2)
      for n in (1, 16, 4095, 4096, STRIDE, START)),
    Case("a byte more, after a short group", "trailing", damage=append(b"\0"), plain=plaintext(100)),
    Case("the container twice", "trailing", damage=lambda content: content + content, released=2),
    Case("the final group twice", "trailing", damage=order(0, 1, 2, 2), released=2),
    # Order and origin
    *(Case(name, "page MAC", damage=order(*numbers), released=groups) for name, numbers, groups in (
        ("two groups swapped", (1, 0, 2), 0), ("the last two swapped", (0, 2, 1), 1), ("first group again", (0, 0, 2), 1),
        ("first group twice", (0, 0, 1, 2), 1), ("first group dropped", (1, 2), 0), ("a group dropped", (0, 2), 1),
        ("groups reversed", (2, 1, 0), 0))),
    Case("final group dropped", "truncated", damage=order(0, 1), released=1),
    Case("no groups", "truncated", damage=order()),
    *(Case(f"{name} of another container", reason, damage=from_other(start, end), released=groups)
      for name, reason, start, end, groups in (
          ("a group", "page MAC", at_page(1), at_page(2), 1), ("a page", "page MAC", at_page(1), at_page(1) + 4096, 1),
          ("a payload", "chunk", at_page(1) + 4096, at_page(2), 1), ("the header", "page MAC", 0, START, 0),
          ("the final group", "page MAC", at_page(2), at_page(3), 2), ("everything but the header", "page MAC", START,
                                                                       at_page(3), 0))),
    Case("a group of an older version", "root", make=older_group, released=2),
    # The final flag, and the root
    Case("final flag cleared", "truncated", page(2, last=False), released=2),
    Case("final flag set early", "trailing", page(1, last=True), released=1),
    Case("final flag and no more, length as it was", "length", page(1, last=True), cut(at_page(2)), released=1),
    Case("final flag and no more, length not known", "success", all_of(fields(length=UNKNOWN_LENGTH), page(1, last=True)),
         cut(at_page(2)), released=2),
    Case("an empty group at the end", "page length", empty_tail, released=3),
    *(Case(f"root {name}", "root", page(2, root=root), released=2) for name, root in (
        ("wrong", lambda keys, macs: b"\1" * 32), ("of zeros", lambda keys, macs: bytes(32)),
        ("of no groups", lambda keys, macs: mac(keys.root, b"")),
        ("of the groups in another order", lambda keys, macs: mac(keys.root, macs[32:] + macs[:32])),
        ("without its last group", lambda keys, macs: mac(keys.root, macs[:-32])),
        ("under another key", lambda keys, macs: mac(keys.header, macs)))),
]
