"""Group 17: parts of a container, reading it twice, and salvage."""
import os
import random
from pathlib import Path

from faults.calls import each, failing, interrupted, of, some_of
from faults.flips import flip
from faults.harness import CPU, GROUP, KEY, Any, Case, Same, page_at

AT, N = 9000, 12000  # of groups 1 and 2
FILES = ("c", "key")


def dec(lab, name, *options, out=None, source="c"):
    whole = lab.content["in"] if out is None else out
    return Case(name, ["gcrypt", "dec", *CPU, *KEY, *options, "-o", "-", source], files=FILES, out=whole)


def only_prefix(whole):
    return whole.startswith


def ranges(lab):
    content = lab.content["in"]
    base = dec(lab, "a part", "--offset", str(AT), "--length", str(N), out=content[AT : AT + N])
    to_file = Case("a part to a file", [*base.command[:-2], "out", "c"], files=FILES, leaves={"out": content[AT : AT + N]})
    for case in failing(lab, base, ("open", "read", "pread"), "/c"):
        yield of(case, out=only_prefix(base.out))
    yield from failing(lab, to_file, ("open", "pwrite", "write", "fsync", "close", "fchmod"), ".gcrypt-")
    yield from interrupted(lab, base, ("read", "pread"))
    for n in range(1, lab.calls(of(base, fault_on="/c"))["pread"] + 1):
        for how in "flip", "eof", "shrink", "grow":
            yield of(base, name=f"a part: {how} at read {n}", fault=f"pread:{n}:{how}", fault_on="/c", out=only_prefix(base.out),
                     outcomes=((4, {"c": Any}, ()), (3, {"c": Any}, ()), (0, {"c": Any}, ())))
    pick, last = random.Random(17), len(lab.content["c"])
    for at in sorted(pick.sample(range(16384, last), 60)):
        group = (at - 16384) // (4096 + GROUP)
        inside = at - page_at(group) - 4096
        chunk = group * GROUP + max(0, inside) // 4096 * 4096
        page = inside < 0 and (group in (1, 2) or page_at(group + 1) >= last)
        read = page or inside >= 0 and chunk < AT + N and chunk + 4096 > AT
        yield of(base, name=f"a part: byte {at} is damaged", prepare=flip("c", 8 * at), **(
            {"exit": 4, "out": only_prefix(base.out)} if read else {}))
    for offset, length in ((30000, None), (30000, 0), (29999, 1), (0, 30000), (0, 0), (4095, 2), (8191, 2), (8192, 8192)):
        words = ["--offset", str(offset), *(["--length", str(length)] if length is not None else [])]
        yield dec(lab, f"a part, {' '.join(words)}", *words, out=content[offset:][:length])
    for offset, length in ((30001, None), (30000, 1), (0, 30001), (1 << 62, 1), ((1 << 63) - 1, (1 << 63) - 1), (1, (1 << 63) - 1)):
        words = ["--offset", str(offset), *(["--length", str(length)] if length is not None else [])]
        yield of(dec(lab, f"a part, {' '.join(words)}", *words), exit=2, out=b"")
    for offset in "-1", "1x", "", "0x10", str(1 << 63), "9" * 40, "1e3", " 1", "9999999T":
        yield of(dec(lab, f"a part, --offset '{offset}'", f"--offset={offset}"), exit=2, out=b"")
    for n in (page_at(3), page_at(3) + 4096, last - 1, last + 1, last + 4096):
        yield of(base, name=f"a part of {n} bytes", exit=4, out=b"", prepare=lambda folder, n=n: os.truncate(f"{folder}/c", n))


def twice(lab):
    base = dec(lab, "--verify-first", "--verify-first")
    for case in failing(lab, base, ("open", "read", "pread"), "/c"):
        yield of(case, out=only_prefix(base.out))
    yield from interrupted(lab, base, ("read", "pread"))
    counts = lab.calls(of(base, fault_on="/c"))
    for kind in "read", "pread":
        for n in range(1, counts[kind] + 1):
            for how in "flip", "shrink", "grow":  # between the two readings too
                yield of(base, name=f"--verify-first: {how} at {kind} {n}", fault=f"{kind}:{n}:{how}", fault_on="/c",
                         out=only_prefix(base.out), outcomes=((4, {"c": Any}, ()), (3, {"c": Any}, ()), (0, {"c": Any}, ())))
    for at in range(16384 + 50, len(lab.content["c"]), 2500):
        yield of(base, name=f"--verify-first: byte {at} is damaged", exit=4, out=b"", prepare=flip("c", 8 * at))


def salvage(lab):
    content = lab.content["in"]
    base = Case("salvage", ["gcrypt", "dec", "--salvage", *CPU, *KEY, "-o", "out", "c"], leaves={"out": Same("in")}, files=FILES)

    def no_other(folder):
        """What it wrote is the plaintext, or zeros, chunk by chunk."""
        path = os.path.join(folder, "out")
        if not os.path.exists(path):
            return []
        out = Path(path).read_bytes()
        bad = [at for at in range(0, len(out), 4096) if out[at : at + 4096] != content[at : at + 4096] and any(out[at : at + 4096])]
        return [f"another plaintext at {bad}"] if bad or len(out) > len(content) + GROUP else []

    some_way = of(base, check=no_other, quiet_failure=True, out=lambda out: True)
    outcomes = (3, {}, ()), (4, {"out": Any}, ()), (4, {}, ())
    for _, case in each(lab, some_way, ("read", "pread"), "/c"):
        yield of(case, outcomes=outcomes)
    yield from some_of(failing(lab, base, ("open", "pwrite", "write", "fsync", "close", "rename"), ".gcrypt-"), 30)
    pick = random.Random(171)
    for at in sorted(pick.sample(range(16384, len(lab.content["c"])), 40)):
        yield of(some_way, name=f"salvage: byte {at} is damaged", outcomes=((4, {"out": Any}, ()),), prepare=flip("c", 8 * at))
    for at in sorted(pick.sample(range(64, 480), 10)):
        both = of(some_way, name=f"salvage: byte {at} of both headers", prepare=flip("c", 8 * at, 8 * (8192 + at)))
        yield of(both, outcomes=((4, {}, ()), (5, {}, ()), (7, {}, ())))
    for n in sorted(pick.sample(range(16384, len(lab.content["c"])), 20)):
        yield of(some_way, name=f"salvage of the first {n} bytes", outcomes=((4, {"out": Any, "c": Any}, ()), (4, {"c": Any}, ())),
                 prepare=lambda folder, n=n: os.truncate(f"{folder}/c", n))
    yield of(base, name="salvage, another key", exit=5, leaves={}, command=["gcrypt", "dec", "--salvage", *CPU, "--key-file", "other-key", "-o",
                                                                            "out", "c"], files=(*FILES, "other-key"))


def cases(lab):
    yield from ranges(lab)
    yield from twice(lab)
    yield from salvage(lab)
