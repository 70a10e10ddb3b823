"""Group 18: holes, which are authenticated, asked for of the file system, and made again."""
import os
import random

from faults.calls import each, failing, interrupted, of, some_of, stopped, whole_or_nothing
from faults.flips import flip
from faults.harness import CPU, KEY, SMALL, Any, Case, Opens, Same
from faults.outputs import TEMPORARY

ENC = Case("enc --sparse", ["gcrypt", "enc", "--sparse", *CPU, *SMALL, *KEY, "sparse"], leaves={"sparse.gcr": Opens("sparse")},
           files=("key",))
DEC = Case("dec of holes", ["gcrypt", "dec", *CPU, *KEY, "-o", "out", "h"], leaves={"out": Same("sparse")}, files=("h", "key"))


def make_sparse(lab):
    """Holes, data, a hole in its middle, data in the last chunk only."""
    def prepare(folder):
        content = lab.content["sparse"]
        with open(os.path.join(folder, "sparse"), "wb") as file:
            for at in range(0, len(content), 4096):
                if any(content[at : at + 4096]):
                    file.seek(at)
                    file.write(content[at : at + 4096])
            file.truncate(len(content))

    return prepare


def changing(lab, base):
    counts = lab.calls(of(base, fault_on="/sparse$"))
    for kind in "lseek", "pread", "read":
        for n in range(1, counts[kind] + 1):
            for how in "shrink", "grow":
                kept = {"sparse": Any, "sparse.gcr": Any}  # all was read before, which is reported, or nothing
                yield of(base, name=f"enc --sparse: {how} at {kind} {n}", fault=f"{kind}:{n}:{how}", fault_on="/sparse$",
                         outcomes=((3, {"sparse": Any}, ()), (3, kept, ()), *([(0, kept, ())] if n < 3 or n == counts[kind] else [])))


def cases(lab):
    noise = random.Random(18).randbytes
    lab.add("sparse", bytes(20000) + noise(9000) + bytes(40000) + noise(4096) + bytes(8192) + noise(10))
    make_sparse(lab)(lab.folder)
    lab.make("h", *ENC.command[1:])
    enc = of(ENC, prepare=make_sparse(lab))
    for base in enc, DEC:
        yield from failing(lab, base, ("open", "pwrite", "write", "fsync", "close", "fchmod"), TEMPORARY)
        yield from failing(lab, base, ("rename",))
        yield from some_of(whole_or_nothing(lab, base, ("lseek", "fstat"), None), 60)
        yield from interrupted(lab, base, ("read", "pread", "pwrite", "write"))
        yield from some_of(stopped(lab, base, ("pread", "pwrite", "fsync", "rename"), stale=1), 40)
    for on, base in ("/sparse$", enc), ("/h$", DEC):
        yield from failing(lab, base, ("read", "pread"), on)
    yield from changing(lab, enc)
    pick, size = random.Random(180), len(lab.content["h"])
    for at in sorted(pick.sample(range(16384, size), 60)):
        yield of(DEC, name=f"dec of holes: byte {at} is damaged", exit=4, leaves={}, prepare=flip("h", 8 * at))
    for n in sorted(pick.sample(range(16384, size), 20)) + [size - 1, size + 1, size + 4096]:
        yield of(DEC, name=f"dec of holes: {n} bytes", exit=4, leaves={}, prepare=lambda folder, n=n: os.truncate(f"{folder}/h", n))
    for _, case in some_of(each(lab, of(DEC, command=[*DEC.command[:-2], "-", "h"], leaves={}, out=lab.content["sparse"].startswith), (
            "read", "pread"), "/h$"), 20):
        yield of(case, exit=3)
