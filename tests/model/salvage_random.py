"""salvage_random.py GCRYPT SEED N: N forged and damaged containers, the same for a seed, each through
dec --salvage and through the rule written in Python: exit status, output and JSON must be the same."""
import io
import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from model.cases import KEY, OTHER_KEY, plaintext
from model.primitives import Refused
from model.reader import COPY, PAGE, UNKNOWN_LENGTH, decrypt
from model.writer import Draft, Random
from salvage_rule import START, Salvage

SECRETS = {"key": KEY, "other": OTHER_KEY}


def make_draft(pick, name, secret):
    chunk = pick.choice((12, 12, 13))
    group, cipher = chunk + pick.randrange(3), pick.choice(("aes", "camellia"))
    n = pick.choice((0, 1, 4096, pick.randrange(40000), pick.randrange(40000), pick.randrange(40000)))
    plain = bytearray(plaintext(n))
    for _ in range(pick.randrange(3)):
        at = pick.randrange(n + 1) & -4096
        plain[at : at + 4096] = bytes(len(plain[at : at + 4096]))
    return Draft(secret, bytes(plain), Random(name), cipher, pick.choice((128, 192, 256)),
                 pick.choice(("ctr", "ctr", "xts", "ecb")), chunk, group, holes=pick.random() < 0.3)


# ---- signed, and wrong -------------------------------------------------------------------------


def wrong_length(pick, draft):
    n = draft.fields["length"]
    draft.fields["length"] = pick.choice((UNKNOWN_LENGTH, UNKNOWN_LENGTH, 0, min(n + 1, UNKNOWN_LENGTH), max(0, n - 1), pick.randrange(2**63)))


def wrong_tag(pick, draft):
    group = pick.choice(draft.groups)
    group.tags = [draft.random(16) for _ in range(-(-len(group.plain) // draft.chunk))]


def wrong_field(pick, draft):
    group = pick.choice(draft.groups)
    name, value = pick.choice((("index", 7), ("n", 4096), ("n", 0), ("flags", 0), ("flags", 1), ("flags", 3), ("flags", 4),
                               ("holes", 1), ("holes", 1 << 100), ("zeros", {100: 1}), ("zeros", {3000: 1})))
    setattr(group, name, value)


def early_final(pick, draft):
    draft.groups[0].last = True


def wrong_root(pick, draft):
    pick.choice(draft.groups).root = lambda keys, macs: draft.random(32)


def wrong_padding(pick, draft):
    group = pick.choice(draft.groups)
    group.padding = draft.random(-len(group.plain) % 16 if draft.suite[1] != "ctr" else 0)


def full_hole(pick, draft):
    group = pick.choice(draft.groups)
    if group.plain:
        group.holes |= 1
        group.hole_bytes = {pick.randrange(min(len(group.plain), draft.chunk)): 1}


SIGNED = [wrong_length, wrong_length, wrong_tag, wrong_field, early_final, wrong_root, wrong_padding, full_hole]


# ---- damaged afterwards ------------------------------------------------------------------------


def parts_of(draft, content):
    stride = PAGE + (1 << draft.fields["group_log2"])
    return [content[at : at + stride] for at in range(START, len(content), stride)]


def flip(pick, draft, content, *places):
    content = bytearray(content)
    for at in places:
        if at < len(content):
            content[at] ^= 1 << pick.randrange(8)
    return bytes(content)


def flip_any(pick, draft, content):
    return flip(pick, draft, content, *(pick.randrange(START, len(content) + 1) for _ in range(pick.randrange(1, 4))))


def flip_page(pick, draft, content):
    stride = PAGE + (1 << draft.fields["group_log2"])
    at = START + stride * pick.randrange(len(draft.groups))
    return flip(pick, draft, content, at + pick.choice((0, 8, 16, 24, 32, 48, 64, 128, 4000, 4064, 4095)))


def flip_copy(pick, draft, content):
    return flip(pick, draft, content, pick.choice((0, COPY)) + pick.randrange(COPY))


def cut(pick, draft, content):
    parts = parts_of(draft, content)
    near = START + sum(map(len, parts[: pick.randrange(len(parts) + 1)])) + pick.choice((0, PAGE)) + pick.randrange(-1, 2)
    return content[: pick.choice((near, near, pick.randrange(START, len(content) + 1)))]


def reorder(pick, draft, content):
    parts = parts_of(draft, content)
    return content[:START] + b"".join(pick.choice(parts) for _ in range(pick.randrange(1, len(parts) + 2)))


def append(pick, draft, content):
    return content + draft.random(pick.choice((1, 100, PAGE, 8000)))


def older(pick, draft, content):
    """Groups of an older version: other salts, the same file key."""
    for group in draft.groups:
        group.salt = draft.random(16)
    parts, old = parts_of(draft, content), parts_of(draft, draft.bytes())
    return content[:START] + b"".join(pick.choice((new, was)) for new, was in zip(parts, old))


DAMAGE = [flip_any, flip_any, flip_page, flip_page, flip_copy, cut, cut, reorder, append, older]


def make(seed, number):
    """(content, name of the secret)."""
    pick = random.Random(f"{seed} {number}")
    draft = make_draft(pick, f"{seed} {number}", KEY)
    for _ in range(pick.choice((0, 0, 1, 1, 2))):
        pick.choice(SIGNED)(pick, draft)
    content = draft.bytes()
    two = pick.random() < 0.2
    if two:  # secrets: copy A, copy B, and groups of either one
        other = make_draft(pick, f"{seed} {number} other", OTHER_KEY)
        second = other.bytes()
        at = sorted(pick.randrange(START, max(len(content), len(second)) + 1) for _ in range(2))
        content = content[:COPY] + second[COPY:START] + content[START : at[0]] + second[at[0] : at[1]] + content[at[1] :]
    for _ in range(pick.choice((0, 1, 1, 2))):
        if len(content) > START:
            content = pick.choice(DAMAGE)(pick, draft, content)
    return content, "other" if pick.random() < (0.5 if two else 0.05) else "key"


def expected(content, secret):
    """(exit status, output or None, JSON without the file's name or None)."""
    try:
        found = Salvage(content, secret).run()
    except Refused as refused:
        return refused.code, None, None
    damages = [dict(zip(("offset", "length", "reason"), damage)) for damage in found.damages]
    report = {"plaintext_bytes": len(found.plain), "good_bytes": found.good, "damages": damages}
    sink = io.BytesIO()
    try:
        decrypt(secret, io.BytesIO(content), sink)
        assert not damages and sink.getvalue() == found.plain, "the rule finds damage where the reader has none"
    except Refused:
        assert damages, "the rule finds no damage where the reader refuses"
    return (4 if damages else 0), bytes(found.plain), report


def answer(gcrypt, name, secret):
    done = subprocess.run(
        [gcrypt, "dec", "--salvage", "--json", "--engine", "cpu", "-T", "1", "--key-file", secret, "-o", f"{name}.out", name],
        capture_output=True, timeout=60, check=False,
    )
    if not os.path.exists(f"{name}.out"):
        return done.returncode, None, None
    out = Path(f"{name}.out").read_bytes()
    os.unlink(f"{name}.out")
    report = json.loads(done.stdout)
    assert report.pop("file") == name
    for damage in report["damages"]:  # a text from 2^53 on
        damage["length"] = int(damage["length"])
    return done.returncode, out, report


def check(gcrypt, seed, number):
    """(what is wrong or None, exit status that is expected, has reasons)."""
    content, secret = make(seed, number)
    name = f"{number}.gcr"
    Path(name).write_bytes(content)
    want, got = expected(content, SECRETS[secret]), answer(gcrypt, name, secret)
    os.unlink(name)
    reasons = [damage["reason"].split(":")[0] for damage in want[2]["damages"]] if want[2] else []
    if want == got:
        return None, want[0], reasons
    same_out = "the same" if want[1] == got[1] else "another"
    return f"{number}, {secret}: exit {got[0]} of {want[0]}, {same_out} output\n{got[2]}\n{want[2]}", want[0], reasons


def main():
    gcrypt, seed, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
    for name, secret in SECRETS.items():
        Path(name).write_bytes(secret.bytes)
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda number: check(gcrypt, seed, number), range(n)))
    wrong = [result[0] for result in results if result[0]]
    print("\n".join(wrong[:5]))
    seen = {reason for *_, reasons in results for reason in reasons}
    codes = {code: sum(result[1] == code for result in results) for code in (0, 4, 5)}
    print(f"{n} containers, {len(wrong)} wrong; exit statuses {codes}; {len(seen)} kinds of damage")
    return bool(wrong) or len(seen) < n // 20 or min(codes.values()) < n // 50


if __name__ == "__main__":
    sys.exit(main())
