"""Group 4: headers of garbage.  Nothing is believed, nothing takes long, nothing falls over."""
import os
import random

from faults.harness import CPU, KEY, Case

EXTREMES = (0, 1, 2, 127, 128, 254, 255)


def patched(changes):
    """Function of the folder: the same bytes at the same places of both copies of c."""

    def prepare(folder):
        with open(os.path.join(folder, "c"), "r+b") as file:
            for at, byte in changes.items():
                for copy in (0, 8192):
                    file.seek(copy + at)
                    file.write(bytes([byte]))

    return prepare


def shell(name, changes):
    """All that reads a header, in 5 seconds of a processor: dec needs the time of no key derivation."""
    files, gcrypt = ("c", "key"), ["prlimit", "--cpu=5", "gcrypt"]
    yield Case(f"{name}: dec", [*gcrypt, "dec", *CPU, *KEY, "-o", "out", "c"], (4, 5, 7), files=files,
               prepare=patched(changes))
    yield Case(f"{name}: info", [*gcrypt, "info", "c"], (0, 4, 7), files=files, prepare=patched(changes),
               out=lambda out: True)


def cases(lab):
    pick = random.Random(4)
    for at in (8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 23, 24, 31, 64, 71, 480, 481, 482, 483, 484, 485):
        have = lab.content["c"][at]
        for byte in pick.sample([value for value in EXTREMES if value != have], 2):
            yield from shell(f"byte {at} becomes {byte}", {at: byte})
    for number in range(40):
        places = pick.sample(range(8, 8160), pick.choice((2, 5, 20, 300)))
        yield from shell(f"garbage {number}", {at: pick.randrange(256) for at in places})
    for number in range(10):  # slots of all types, of garbage
        changes = {480 + 960 * slot: pick.randrange(1, 6) for slot in range(8)}
        changes |= {480 + 960 * slot + at: pick.choice(EXTREMES) for slot in range(8) for at in range(1, 16)}
        yield from shell(f"slots of garbage {number}", changes)
    yield Case("not a container", ["gcrypt", "dec", *CPU, *KEY, "-o", "out", "in"], 4, says="not a gcrypt container")
    yield Case("nothing", ["gcrypt", "dec", *CPU, *KEY, "-o", "out", "-"], 4, stdin=b"", files=("key",))
    yield Case("zeros without end", ["gcrypt", "dec", *CPU, *KEY, "-o", "out", "/dev/zero"], 4, files=("key",))
    yield Case("random bytes without end", ["gcrypt", "dec", *CPU, *KEY, "-o", "-", "/dev/urandom"], 4,
               files=("key",))
