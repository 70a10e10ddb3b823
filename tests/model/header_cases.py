"""The conformance set: headers and key slots."""
from model.cases import (
    GROUP, KEY, OTHER_KEY, PASSPHRASE, Case, all_of, both, cut, fields, flip, from_other, in_copies, put, slots, then)
from model.reader import SLOT, UNKNOWN_LENGTH

UNUSED = bytes(SLOT)


def of_type(number, body, key_id=b"", salt=b"", length=None):
    """A slot of another type than those here, well formed unless an argument says otherwise."""
    slot = bytes([number, 0, 0, 0]) + (length or len(body)).to_bytes(2, "little") + bytes(2)
    return (slot + key_id.ljust(8, b"\0") + salt.ljust(32, b"\0") + body).ljust(SLOT, b"\0")


def x25519(draft):
    return of_type(3, draft.random(40), draft.random(8), draft.random(32))


def changed(slot, at, value):
    return slot[:at] + bytes([value]) + slot[at + 1 :]


def rsa(draft, n_bytes=256):
    return of_type(4, draft.random(n_bytes), draft.random(8))


def group(draft, n, kind=3, said=None):
    """Members of nobody in a shared slot."""
    return bytes([kind, n if said is None else said]) + draft.random(32 + 48 * n)


def shared(draft, *groups):
    return of_type(17, b"".join(groups))


def strange(draft):
    return bytes([77]) + draft.random(SLOT - 1)


def dear(draft, log2_n=24, p=16):
    slot = bytearray(draft.slot(PASSPHRASE))
    slot[1:3] = bytes([log2_n, p])
    return bytes(slot)


def foreign(draft):
    """Opens with the key, but to another file key."""
    own, draft.file_key = draft.file_key, draft.random(32)
    slot, draft.file_key = draft.slot(KEY), own
    return slot


def second_copy(**changes):
    return lambda draft: draft.copies[1].update(changes)


def older(copy, **changes):
    """The other copy is one change newer."""
    return lambda draft: (draft.copies[copy].update(changes), draft.copies[1 - copy].update(sequence=2))


def removed(draft):
    """The slot that opens is only in the older copy."""
    draft.copies[1].update(sequence=2, slots=[draft.slot(OTHER_KEY)])


UNKNOWN = {
    "version": (0, 2, 256, 65535), "layout": (2, 255), "content": (5, 255), "cipher": (0, 4, 255),
    "mode": (0, 4, 255), "tag": (0, 2), "flags": (1, 1 << 31),
}

FORM = {
    "key_bytes": (0, 17, 33, 255), "chunk_log2": (0, 11, 21), "group_log2": (11, 20, 27, 255),
    "sector_log2": (9, 12), "zero": (1,), "length": (2**63, 2**64 - 2),
}

SLOT_FORM = {  # byte of the first slot, value, secret of the slot
    "length 39": (4, 39, KEY), "length 296": (5, 1, KEY), "cost of a key file's": (1, 10, KEY),
    "p of a key file's": (2, 1, KEY), "byte 3": (3, 1, KEY), "byte 6": (6, 1, KEY),
    "byte 7": (7, 128, KEY), "key id of a key file's": (8, 1, KEY), "key id, last byte": (15, 1, KEY),
    "after the body": (88, 1, KEY), "the last byte": (959, 1, KEY), "unused, yet not zero": (0, 0, KEY),
    "N 2^9": (1, 9, PASSPHRASE), "N 2^25": (1, 25, PASSPHRASE), "N 2^255": (1, 255, PASSPHRASE),
    "p 0": (2, 0, PASSPHRASE), "p 17": (2, 17, PASSPHRASE), "key id of a passphrase's": (8, 1, PASSPHRASE),
    "length 41 of a passphrase's": (4, 41, PASSPHRASE),
}

HEADER_CASES = [
    *(Case(f"{name} {value}", "unknown number", fields(**{name: value}))
      for name, values in UNKNOWN.items() for value in values),
    *(Case(f"{name} {value}", "header form", fields(**{name: value}))
      for name, values in FORM.items() for value in values),
    *(Case(f"slot: {name}", "header form", in_copies(480 + at, value), made_for=secret)
      for name, (at, value, secret) in SLOT_FORM.items()),
    Case("detached, but CTR", "header form", fields(layout=1, sector_log2=9)),
    *(Case(f"detached, units of 2^{n} bytes", "header form", fields(layout=1, sector_log2=n), how={"mode": "xts"})
      for n in (0, 8, 13)),
    Case("sequence number 0", "header form", lambda draft: [copy.update(sequence=0) for copy in draft.copies]),
    *(Case(f"reserved byte {at} of the header", "header form", in_copies(at, 1)) for at in (72, 300, 479)),
    Case("slot of RSA, 255 bytes", "header form", slots(lambda d: [rsa(d, 255), *d.slots])),
    Case("slot of RSA, 513 bytes", "header form", slots(lambda d: [rsa(d, 513), *d.slots])),
    Case("slot of RSA with a salt", "header form",
         slots(lambda d: [of_type(4, d.random(256), salt=b"\1"), *d.slots])),
    *(Case(f"slot of type {kind}: byte {at} is {value}", "header form",
           slots(lambda d, kind=kind, at=at, value=value: [
               changed(rsa(d) if kind == 4 else of_type(kind, d.random(40), d.random(8), d.random(32)), at, value), *d.slots]))
      for kind, at, value in ((3, 1, 1), (3, 2, 1), (3, 7, 1), (3, 88, 1), (3, 959, 1), (3, 4, 0), (3, 5, 255), (3, 0, 4),
                              (5, 1, 1), (5, 88, 1), (5, 4, 255), (4, 48 + 256, 1))),
    Case("slot of X25519, 41 bytes", "header form", slots(lambda d: [of_type(3, d.random(41)), *d.slots])),
    Case("shared slot of all sizes", "success",
         slots(lambda d: [shared(d, group(d, 18)), shared(d, *(group(d, 1, 3 + 2 * (i % 2)) for i in range(11))),
                          shared(d, group(d, 7), group(d, 9, 5)), *d.slots])),
    Case("shared slot, a member too many", "header form", slots(lambda d: [shared(d, group(d, 18, said=19)), *d.slots])),
    Case("shared slot, a member too few", "header form", slots(lambda d: [shared(d, group(d, 3, said=2)), *d.slots])),
    Case("shared slot, a group without members", "header form",
         slots(lambda d: [shared(d, group(d, 1), group(d, 0)), *d.slots])),
    Case("shared slot, without groups", "header form", slots(lambda d: [shared(d), *d.slots])),
    Case("shared slot of RSA", "header form", slots(lambda d: [shared(d, group(d, 2, 4)), *d.slots])),
    Case("shared slot in a shared slot", "header form", slots(lambda d: [shared(d, group(d, 2, 17)), *d.slots])),
    Case("shared slot, half a group", "header form",
         slots(lambda d: [shared(d, group(d, 2), d.random(20)), *d.slots])),
    Case("shared slot with a key id", "header form",
         slots(lambda d: [of_type(17, group(d, 2), key_id=b"\1"), *d.slots])),
    Case("shared slot with a salt", "header form",
         slots(lambda d: [of_type(17, group(d, 2), salt=b"\1"), *d.slots])),
    Case("shared slot of 913 bytes", "header form", slots(lambda d: [of_type(17, group(d, 18), length=913), *d.slots])),
    Case("slot of P-256, 41 bytes", "header form", slots(lambda d: [of_type(5, d.random(41)), *d.slots])),
    # Nothing of a header
    Case("empty file", "too short", damage=cut(0)),
    Case("half a header", "too short", damage=cut(8192)),
    Case("one byte short of a header", "too short", damage=cut(16383)),
    Case("both magics wrong", "not a container", damage=flip(*both(0))),
    Case("a page's magic", "not a container", damage=then(put(3, b"P"), put(8195, b"P"))),
    # MAC, and what the keys derive from
    Case("bit of both MACs", "header MAC", damage=flip(*both(8191))),
    Case("bit of both lengths", "header MAC", damage=flip(*both(24))),
    Case("bit of both sequence numbers", "header MAC", damage=flip(*both(65))),
    Case("a slot more, unsigned", "header MAC", damage=then(put(1440, b"\x4d"), put(9632, b"\x4d"))),
    Case("MACs of another container", "header MAC",
         damage=then(from_other(8160, 8192), from_other(16352, 16384))),
    Case("bit of both file salts", "no slot opens", damage=flip(*both(32))),
    Case("bit of both slots' salts", "no slot opens", damage=flip(*both(496))),
    Case("bit of both wrapped keys", "no slot opens", damage=flip(*both(567))),
    Case("cipher changed in both", "header MAC", damage=then(put(12, b"\2"), put(8204, b"\2"))),
    Case("mode changed in both", "header MAC", damage=then(put(14, b"\3"), put(8206, b"\3"))),
    # One copy
    *(Case(f"copy {name} damaged at {at}", "one copy damaged", damage=flip(copy + at))
      for name, copy in (("A", 0), ("B", 8192)) for at in (0, 8, 13, 24, 40, 64, 100, 500, 1500, 8160)),
    Case("copy A all zeros", "one copy damaged", damage=put(0, bytes(8192))),
    Case("copy B all zeros", "one copy damaged", damage=put(8192, bytes(8192))),
    Case("copy A of another container", "page MAC", damage=from_other(0, 8192)),
    Case("copy B of another container", "one copy damaged", damage=from_other(8192, 16384)),
    Case("copy A of a later version, B damaged", "unknown number", damage=then(put(8, b"\2"), flip(8192))),
    Case("copy B of a later version, A damaged", "unknown number", damage=then(flip(0), put(8200, b"\2"))),
    Case("copy A older", "one copy older", older(0)),
    Case("copy B older", "one copy older", older(1)),
    Case("copy B newer by much", "one copy older", second_copy(sequence=2**64 - 1)),
    Case("newer copy damaged", "one copy damaged", older(0), flip(8192 + 100)),
    Case("slot only in the older copy", "no slot opens", removed),
    Case("slot only in the newer copy", "one copy older",
         lambda d: (d.copies[0].update(slots=[d.slot(OTHER_KEY)]), d.copies[1].update(sequence=2))),
    # Slots
    Case("8 slots, the last opens", "success",
         slots(lambda d: [d.slot(OTHER_KEY) for _ in range(7)] + d.slots)),
    Case("8 slots, none opens", "no slot opens", slots(lambda d: [d.slot(OTHER_KEY) for _ in range(8)])),
    Case("only the last slot used", "success", slots(lambda d: [UNUSED] * 7 + d.slots)),
    Case("no slot used", "no such slot", slots(lambda d: [])),
    Case("slots of all types", "success",
         slots(lambda d: [d.slot(PASSPHRASE), x25519(d), rsa(d), rsa(d, 512), strange(d), UNUSED, *d.slots])),
    Case("slots of all types, by passphrase", "success", secret="passphrase",
         change=slots(lambda d: [x25519(d), strange(d), *d.slots, rsa(d), d.slot(PASSPHRASE)])),
    Case("a slot twice", "success", slots(lambda d: d.slots * 2)),
    Case("a slot of a later release only", "no such slot", slots(lambda d: [strange(d)])),
    Case("a slot to another file key first", "success", slots(lambda d: [foreign(d), *d.slots])),
    Case("only a slot to another file key", "header MAC", slots(lambda d: [foreign(d)])),
    Case("another key file", "no slot opens", secret="other-key"),
    Case("a passphrase, and no slot for one", "no such slot", secret="passphrase"),
    Case("a key file, and no slot for one", "no such slot", made_for=PASSPHRASE),
    Case("passphrase", "success", made_for=PASSPHRASE, secret="passphrase"),
    Case("passphrase, p = 3", "success", secret="passphrase",
         change=slots(lambda d: [d.slot(PASSPHRASE, p=3)])),
    # Cost: refused at once, without its memory or time
    Case("cost bomb: N = 2^24, p = 16", "too dear", slots(lambda d: [dear(d)]), secret="passphrase"),
    Case("cost bomb: N = 2^21", "too dear", slots(lambda d: [dear(d, 21, 1)]), secret="passphrase"),
    Case("cost bomb: N = 2^20, p = 3", "too dear", slots(lambda d: [dear(d, 20, 3)]), secret="passphrase"),
    Case("8 cost bombs", "too dear", slots(lambda d: [dear(d, 21 + i % 4) for i in range(8)]), secret="passphrase"),
    Case("7 cost bombs, then a slot that opens", "dear slots", secret="passphrase",
         change=slots(lambda d: [dear(d) for _ in range(7)] + [d.slot(PASSPHRASE)])),
    # Length
    Case("length not known", "success", fields(length=UNKNOWN_LENGTH)),
    Case("length one more", "length", fields(length=3 * GROUP + 1), released=2),
    Case("length one less", "length", fields(length=3 * GROUP - 1), released=2),
    Case("length 0", "length", fields(length=0), released=2),
    Case("length 2^63 - 1", "length", fields(length=2**63 - 1), released=2),
    Case("length 0, as it is", "success", all_of(fields(length=0)), plain=b""),
]
