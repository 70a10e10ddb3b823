"""Group 2: a bit turned over in a header copy, in both, in a page, in a payload."""
import os
import random

from faults.harness import CPU, GROUP, KEY, Case, Same, page_at


def flip(name, *bits):
    """Function of the folder: turn these bits of the file over."""

    def prepare(folder):
        with open(os.path.join(folder, name), "r+b") as file:
            for bit in bits:
                file.seek(bit // 8)
                byte = file.read(1)[0] ^ 1 << bit % 8
                file.seek(bit // 8)
                file.write(bytes([byte]))

    return prepare


def dec(name, exit, bits, says="", **more):
    return Case(name, ["gcrypt", "dec", *CPU, *KEY, "-o", "out", "c"], exit, says=says, files=("c", "key"),
                prepare=flip("c", *bits), **more)


def cases(lab):
    pick = random.Random(2)
    for copy in (0, 1):
        for bit in sorted(pick.sample(range(8 * 8192), 40)):
            at = 8 * 8192 * copy + bit
            yield dec(f"bit {bit} of copy {'AB'[copy]}", 0, [at], f"header copy {'AB'[copy]} is damaged",
                      leaves={"out": Same("in")})
            if bit % 4 == 0:
                yield Case(f"bit {bit} of copy {'AB'[copy]}, verify", ["gcrypt", "verify", *KEY, "c"], 4,
                           files=("c", "key"), prepare=flip("c", at), says="damaged")
    for bit in sorted(pick.sample(range(8 * 480), 30) + pick.sample(range(8 * 480, 8 * 8192), 20)):
        yield dec(f"bit {bit} of both copies", (4, 5, 7), [bit, bit + 8 * 8192])
    for group in range(4):
        page = page_at(group)
        for bit in sorted(pick.sample(range(8 * 128), 12) + pick.sample(range(8 * 128, 8 * 4096), 12)):
            yield dec(f"bit {bit} of page {group}", 4, [8 * page + bit], rf"byte {page} of this file \(group {group}\)")
        payload = min(GROUP, len(lab.content["in"]) - group * GROUP)
        for bit in sorted(pick.sample(range(8 * payload), 12)):
            chunk = page + 4096 + bit // 8 // 4096 * 4096
            yield dec(f"bit {bit} of payload {group}", 4, [8 * (page + 4096) + bit],
                      rf"byte {chunk} of this file \(group {group}\): a chunk")
