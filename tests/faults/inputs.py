"""Group 7: inputs of all sizes and kinds; inputs that change, end or fail while they are read."""
import os
import subprocess
from pathlib import Path

from faults.calls import DEC, ENC, REMOVING, VERIFY, failing, interrupted, of, whole_or_nothing
from faults.harness import CPU, GROUP, KEY, SMALL, Any, Case, Opens, Same, Skip

CHUNK = 4096
SIZES = (0, 1, 15, 16, 17, CHUNK - 1, CHUNK, CHUNK + 1, GROUP - 1, GROUP, GROUP + 1, 2 * GROUP - 1, 2 * GROUP,
         2 * GROUP + 1, 5 * GROUP + CHUNK)
THERE_AND_BACK = '"$0" enc -q $SUITE --key-file key -o c $FROM && "$0" verify --key-file key c && "$0" dec --key-file key -o out $BACK'


def there_and_back(name, n, mode, source, back):
    """Encrypted, verified, decrypted; from a file, or from a pipe by cat."""
    how = {"SUITE": " ".join([*CPU, *SMALL, "--mode", mode]), "FROM": source, "BACK": back}
    script = THERE_AND_BACK if source != "-" else "cat data | " + THERE_AND_BACK
    script = script if back != "-" else script.replace('"$0" dec', 'cat c | "$0" dec')

    def same(folder):
        return [] if Path(folder, "data").read_bytes() == Path(folder, "out").read_bytes() else ["another plaintext"]

    def prepare(folder):
        Path(folder, "data").write_bytes((b"plaintext " * (n // 10 + 1))[:n])

    return Case(name, ["bash", "-o", "pipefail", "-c", script, "gcrypt"], env=how, files=("key",), prepare=prepare,
                check=same, leaves={"c": Any, "out": Any})


def kinds(lab):
    """What is no ordinary file."""
    def fifo(folder):
        os.mkfifo(os.path.join(folder, "fifo"))

    feed = ["bash", "-c", 'cat {} > fifo & "$@"; code=$?; wait; exit $code', "-"]
    fed = {"prepare": fifo, "files": ("in", "c", "key")}
    feed_in, feed_c = ([word.format(name) for word in feed] for name in ("in", "c"))
    yield Case("enc FIFO", [*feed_in, "gcrypt", "enc", *CPU, *SMALL, *KEY, "-o", "out", "fifo"], leaves={"out": Opens("in")}, **fed)
    yield Case("dec FIFO", [*feed_c, "gcrypt", "dec", *CPU, *KEY, "-o", "out", "fifo"], leaves={"out": Same("in")}, **fed)
    yield Case("verify FIFO", [*feed_c, "gcrypt", "verify", *KEY, "fifo"], **fed)
    yield Case("dec of a FIFO that ends early", ["bash", "-c", 'head -c 40000 c > fifo & "$@"; code=$?; wait; exit $code', "-",
                                                 "gcrypt", "dec", *CPU, *KEY, "-o", "out", "fifo"], 4, says="truncated", **fed)
    slow = 'for at in 0 1 2 3 4 5 6 7; do tail -c +$((at * 8192 + 1)) {} | head -c 8192; sleep 0.02; done | "$@"'
    for verb, source, leaves in ("enc", "in", Opens("in")), ("dec", "c", Same("in")):
        sizes = SMALL if verb == "enc" else []
        yield Case(f"{verb} of a slow pipe", ["bash", "-c", slow.format(source), "-", "gcrypt", verb, *CPU, *sizes, *KEY, "-o",
                                              "out", "-"], files=("in", "c", "key"), leaves={"out": leaves})
    yield Case("enc of a folder's name as a file", ["gcrypt", "enc", *CPU, *KEY, "-o", "out", "in/"], 3)
    for verb in "dec", "verify", "info":
        yield Case(f"{verb} of a folder", ["gcrypt", verb, *(CPU + KEY if verb != "info" else []), "."], (2, 3))
        yield Case(f"{verb} of nothing", ["gcrypt", verb, *(CPU + KEY if verb != "info" else []), "nothing"], 3, says="nothing")
    yield Case("enc of nothing", ["gcrypt", "enc", *CPU, *KEY, "nothing"], 3, says="nothing")
    yield Case("enc of a link to nothing", ["gcrypt", "enc", *CPU, *KEY, "link"], 3,
               prepare=lambda folder: os.symlink("nothing", os.path.join(folder, "link")))
    lab.add("version", Path("/proc/version").read_bytes())
    yield Case("enc of /proc/version, of size 0", ["gcrypt", "enc", *CPU, *KEY, "-o", "out", "/proc/version"],
               leaves={"out": Opens("version")})
    yield Case("enc of /dev/null", ["gcrypt", "enc", *CPU, *KEY, "-o", "out", "/dev/null"], leaves={"out": Any})
    yield Case("standard input is closed", ["bash", "-c", 'exec "$0" "$@" <&-', "gcrypt", "enc", *CPU, *KEY, "-o", "out", "-"], 3)
    yield Case("standard input is for writing", ["bash", "-c", 'exec "$0" "$@" 0>made', "gcrypt", "enc", *CPU, *KEY, "-o", "out",
                                                 "-"], 3, leaves={"made": b""})
    yield Case("two inputs, the first is not there", ["gcrypt", "enc", *CPU, *SMALL, *KEY, "nothing", "in"], 3,
               says="nothing was done")
    yield Case("two inputs, the first is no container", ["gcrypt", "dec", *CPU, *KEY, "in.gcr", "c.gcr"], 4,
               files=("in", "c", "key"), leaves={"c": Same("in")},
               gone=(), prepare=lambda folder: [os.rename(os.path.join(folder, name), os.path.join(folder, name + ".gcr"))
                                                for name in ("in", "c")])


def unreadable():
    if os.getuid() != 0:
        yield Skip("files of others", "needs root")
        return
    for verb, source in ("enc", "in"), ("dec", "c"), ("verify", "c"):
        yield Case(f"{verb} without permission", ["gcrypt", verb, *CPU, *KEY, source], 3, files=(source, "key"), user=65534,
                   prepare=lambda folder, source=source: os.chmod(os.path.join(folder, source), 0), says="Permission denied")
    yield Case("key file without permission", ["gcrypt", "enc", *CPU, *KEY, "in"], 3, user=65534, says="Permission denied",
               prepare=lambda folder: os.chmod(os.path.join(folder, "key"), 0))


def there_and_back_with_holes():
    """A TiB with some islands, one of which begins with the last byte of a chunk: neither holes nor their ciphertext take time or space."""
    tib = 1 << 40
    islands = {offset: b"\1" + os.urandom(299999) for offset in (0, 123456789012, tib // 2, tib - (1 << 29) - 1, tib - 300000)}

    def prepare(folder):
        with open(os.path.join(folder, "big"), "wb") as file:
            file.truncate(tib)
            for offset, content in islands.items():
                file.seek(offset)
                file.write(content)

    def check(folder):
        back = os.path.join(folder, "back")
        wrong = [] if os.stat(back).st_size == tib else ["another length"]
        for name, least_mib in ("big.gcr", 64), ("back", 2):
            mib = os.stat(os.path.join(folder, name)).st_blocks / 2048
            wrong += [] if mib <= least_mib + 8 else [f"{name}: {mib:.0f} MiB on the disk"]
        # Where there is data, chunks of 512 KiB around the islands, there is nothing else.
        with open(back, "rb", buffering=0) as file:
            end = 0
            while end < tib and not wrong:
                start = os.lseek(file.fileno(), end, os.SEEK_DATA)
                end = os.lseek(file.fileno(), start, os.SEEK_HOLE)
                want = bytearray(end - start)
                for offset, content in islands.items():
                    if start <= offset < end:
                        want[offset - start : offset - start + len(content)] = content
                file.seek(start)
                wrong += [] if file.read(end - start) == want else [f"other bytes from {start}"]
            if sum(os.lseek(file.fileno(), offset, os.SEEK_DATA) == offset for offset in islands) < len(islands):
                wrong.append("an island is missing")
        return wrong

    script = '"$0" enc --sparse --key-file key big && "$0" verify --key-file key big.gcr && "$0" dec --key-file key -o back big.gcr'
    return Case("1 TiB with holes there and back", ["bash", "-c", script, "gcrypt"], files=("key",), prepare=prepare, check=check,
                leaves={"big.gcr": Any, "back": Any}, timeout=300)


def sparse():
    """A TiB that is not there: what is read of it is encrypted as it comes."""
    def prepare(folder):
        with open(os.path.join(folder, "big"), "wb") as file:
            file.truncate(1 << 40)

    yield Case("enc of 1 TiB into head", ["bash", "-c", '"$@" | head -c 4000000 | wc -c; exit ${PIPESTATUS[0]}', "-", "gcrypt", "enc",
                                          *CPU, *KEY, "-o", "-", "big"], 141, files=("key",), prepare=prepare, out=b"4000000\n")
    yield there_and_back_with_holes()
    yield Case("plan of 1 TiB", ["gcrypt", "enc", "--dry-run", *CPU, *KEY, "big"], files=("key",), prepare=prepare,
               out=lambda out: b"output: big.gcr" in out)


def changing(lab):
    """The file is cut to its half, or grows, before the n-th time it is read."""
    half, more = lab.content["in"][:15000], lab.content["in"] + b"more"
    for base in ENC, REMOVING:
        for n in range(1, lab.calls(of(base, fault_on="/in"))["pread"] + 1):
            for how, content in ("shrink", half), ("grow", more):
                # Or it was read before: the container is kept, with a warning; --rm keeps the input then.
                outcomes = ((3, 4), {"in": content}, ()), (3, {"in": content, "in.gcr": Opens("in")}, ())
                yield of(base, name=f"{base.name}: {how} before read {n}", fault=f"pread:{n}:{how}", fault_on="/in",
                         outcomes=outcomes)
    counts = lab.calls(of(DEC, fault_on="/c"))
    for n in range(1, counts["pread"] + 1):
        for how in "shrink", "grow", "flip", "eof":
            yield of(DEC, name=f"dec: {how} at read {n}", fault=f"pread:{n}:{how}", fault_on="/c", leaves={"c": Any}, exit=(3, 4),
                     outcomes=(((3, 4), {"c": Any}, ()), (0, {"c": Any, "out": Same("in")}, ())))
    appended = 'head -c 20000 in; sleep 0.1; tail -c +20001 in'
    yield Case("enc of a pipe that stops and goes on", ["bash", "-c", f'({appended}) | "$@"', "-", "gcrypt", "enc", *CPU, *SMALL, *KEY,
                                                       "-o", "out", "-"], leaves={"out": Opens("in")})


def block_devices(lab):
    """A container on a device that is longer than it."""
    def attach(folder):
        image = os.path.join(folder, "image")
        Path(image).write_bytes(lab.content["c"] + bytes((1 << 20) - len(lab.content["c"])))
        done = subprocess.run(["losetup", "-f", "--show", image], capture_output=True, text=True, check=True)
        os.symlink(done.stdout.strip(), os.path.join(folder, "device"))

    def detach(folder):
        subprocess.run(["losetup", "-d", os.path.realpath(os.path.join(folder, "device"))], check=True)

    device = {"files": ("key", "in"), "prepare": attach, "check": detach}
    try:
        os.mkdir(lab.path("loop"))
        attach(lab.path("loop"))
        detach(lab.path("loop"))
    except (OSError, subprocess.CalledProcessError):
        yield Skip("block devices", "no loop device")
        return
    yield Case("dec of a block device", ["gcrypt", "dec", *CPU, *KEY, "-o", "out", "device"], leaves={"out": Same("in")}, **device)
    yield Case("verify of a block device", ["gcrypt", "verify", *KEY, "device"], **device)
    yield Case("enc of a block device", ["gcrypt", "enc", *CPU, *SMALL, *KEY, "-o", "out", "device"], leaves={"out": Any}, **device)
    yield Case("block device, no -f", ["gcrypt", "enc", *CPU, *SMALL, *KEY, "-o", "device", "in"], 6, **device)
    yield Case("block device, -f", ["gcrypt", "enc", "-f", *CPU, *SMALL, *KEY, "-o", "device", "in"], leaves={"image": Any}, **device)
    yield Case("block device that is too small", ["gcrypt", "enc", "-f", *CPU, *SMALL, *KEY, "-o", "device", "/dev/zero"], 3,
               leaves={"image": Any}, **device)
    yield Case("block device onto itself", ["gcrypt", "enc", "-f", *CPU, *KEY, "-o", "device", "device"], 6, **device)


def cases(lab):
    for mode in "ctr", "xts", "ecb":
        for n in SIZES:
            for source, back in ("data", "c"), ("-", "-"):
                how = "files" if back == "c" else "pipes"
                yield there_and_back(f"{n} bytes, {mode}, {how}", n, mode, source, back)
    yield from kinds(lab)
    yield from unreadable()
    yield from sparse()
    yield from changing(lab)
    yield from block_devices(lab)
    for base in ENC, DEC, VERIFY, REMOVING:
        yield from failing(lab, base, ("read", "pread"))
        yield from failing(lab, base, ("open",), "/in" if base in (ENC, REMOVING) else "/c")
        yield from whole_or_nothing(lab, base, ("open",), "/key")
        yield from interrupted(lab, base, ("read", "pread"))
