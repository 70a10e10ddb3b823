"""Group 14: key slots and file keys that are changed.  Whatever happens, the container still opens."""
import os
import random
import shutil
import subprocess

from faults.calls import failing, interrupted, of, some_of, stopped, whole_or_nothing
from faults.harness import CPU, GROUP, KEY, Any, Case, Opens, page_at
from faults.outputs import TEMPORARY

OTHER = ["--key-file", "other-key"]
FILES = ("c", "key", "other-key")
IN_C = {"c": Opens("in")}
ADD = Case("key add", ["gcrypt", "key", "add", *KEY, "--new-key-file", "other-key", "c"], leaves=IN_C, files=FILES)
REMOVE = Case("key remove", ["gcrypt", "key", "remove", "-q", *KEY, "--slot", "1", "two"], leaves={"two": Opens("in")}, files=(
    "two", "key", "other-key"))
REKEY = Case("rekey", ["gcrypt", "rekey", *CPU, *KEY, "c"], leaves=IN_C, files=("c", "key"))
REKEY_TO = Case("rekey -o", ["gcrypt", "rekey", *CPU, *KEY, "--new-key-file", "other-key", "-o", "out", "c"],
                leaves={"out": Any}, files=FILES)


def whole_again(lab, name):
    """After it: the same again, uncut, or the slot is there already, and both copies of the header are right."""
    def check(folder):
        add = ["key", "add", *KEY, "--new-key-file", "other-key", name]
        for words in add, ["verify", *KEY, name], ["verify", *OTHER, name]:
            done = subprocess.run([lab.gcrypt, *words], cwd=folder, capture_output=True, text=True, check=False)
            there = words is add and done.returncode == 2 and "is for this key file already" in done.stderr
            if done.returncode != 0 and not there:
                return [f"{words[0]} afterwards: {done.stderr}"]
        return []

    return check


def slots(lab):
    for base in ADD, REMOVE:
        name = base.command[-1]
        kept = of(base, check=whole_again(lab, name))
        yield from failing(lab, base, ("open", "read", "pread"), f"/{name}")
        yield from whole_or_nothing(lab, base, ("lseek", "fstat"), f"/{name}")
        for case in failing(lab, kept, ("pwrite", "fsync"), f"/{name}"):
            yield of(case, leaves=base.leaves)
        for case in failing(lab, kept, ("close",), f"/{name}"):
            yield of(case, outcomes=((3, base.leaves, ()), (0, base.leaves, ())))
        yield from interrupted(lab, base, ("read", "pread", "pwrite"))
        yield from stopped(lab, kept, ("open", "read", "pread", "pwrite", "fsync"), unfinished=base.leaves)
    for n in range(1, lab.calls(of(ADD, fault_on="/c"))["pread"] + 1):
        for how in "flip", "eof":
            yield of(ADD, name=f"key add: {how} at read {n}", fault=f"pread:{n}:{how}", fault_on="/c",
                     outcomes=((0, IN_C, ()), ((3, 4, 5), {}, ())))
    full = ["bash", "-c", 'cp other-key kept; another() { head -c 32 /dev/urandom >other-key && "$0" "$@"; }; '
            'for n in 1 2 3 4 5 6 7; do another "$@" || exit; done; another "$@" || "$0" verify --key-file key c || exit; '
            'mv kept other-key && exit 9',
            *ADD.command]
    yield of(ADD, name="key add: a ninth slot", command=full, exit=9, says="all 8 key slots are in use", quiet_failure=True)
    for words, code, says in (
            (["add", *OTHER, "--new-key-file", "key", "c"], 5, ""), (["add", *KEY, "--new-key-file", "key", "nothing"], 3, ""),
            (["add", *KEY, "--new-key-file", "in", "c"], 2, ""), (["add", *KEY, "--new-key-file", "nothing", "c"], 3, ""),
            (["add", *KEY, "--new-key-file", ".", "c"], (2, 3), ""), (["add", *KEY, "--new-key-file", "/dev/zero", "c"], 2, ""),
            (["add", *KEY, "--new-recipient", "/dev/zero", "c"], 2, ""), (["add", *KEY, "--new-recipient", "in", "c"], 2, ""),
            (["remove", *KEY, "--slot", "0", "c"], 2, "last one"), (["remove", *KEY, "--slot", "7", "c"], 2, "no key slot"),
            (["remove", *KEY, "--slot", "8", "c"], 2, ""), (["add", *KEY, "--new-key-file", "other-key", "in"], 4, ""),
            (["add", *KEY, "--new-key-file", "other-key", "/dev/null"], (3, 4), ""),
            (["add", *KEY, "--new-key-file", "other-key", "."], (2, 3), "")):
        yield Case(f"key {' '.join(words)}", ["gcrypt", "key", *words], code, says=says, files=("in", *FILES))


def rekeyed(lab):
    for base in REKEY, REKEY_TO:
        yield from failing(lab, base, ("open", "pwrite", "fsync", "close", "fchmod"), TEMPORARY)
        yield from failing(lab, base, ("rename",))
        yield from failing(lab, base, ("open", "read", "pread"), "/c")
        yield from some_of(whole_or_nothing(lab, base, ("lseek", "fstat", "pread"), TEMPORARY), 12)
        yield from some_of(whole_or_nothing(lab, base, ("open", "fsync", "close", "fstat", "lseek"), "!" + TEMPORARY), 30)
        yield from interrupted(lab, base, ("read", "pread", "pwrite"))
        yield from some_of(stopped(lab, base, ("open", "read", "pread", "pwrite", "fsync", "rename"), stale=1), 40)
        for n in range(1, lab.calls(of(base, fault_on="/c"))["read"] + 1):
            for how in "shrink", "grow", "flip", "eof":
                yield of(base, name=f"{base.name}: {how} at read {n}", fault=f"read:{n}:{how}", fault_on="/c",
                         outcomes=(((3, 4, 5), {"c": Any}, ()), *([] if how in ("grow", "shrink") else [(0, base.leaves, ())])))
    pick = random.Random(14)
    for at in sorted(pick.sample(range(16384, len(lab.content["c"])), 20)):
        def damage(folder, at=at):
            with open(os.path.join(folder, "c"), "r+b") as file:
                file.seek(at)
                byte = file.read(1)[0] ^ 1 << pick.randrange(8)
                file.seek(at)
                file.write(bytes([byte]))

        yield of(REKEY, name=f"rekey: byte {at} is damaged", exit=4, leaves={}, prepare=damage)
    for n in (100, 16384, page_at(1), page_at(1) + 4096 + GROUP // 2, len(lab.content["c"]) - 1):
        yield of(REKEY, name=f"rekey: cut to {n}", exit=4, leaves={}, prepare=lambda folder, n=n: os.truncate(f"{folder}/c", n))
    yield of(REKEY, name="rekey: a link", command=[*REKEY.command[:-1], "link"], exit=2, leaves={}, says="only a regular file",
             prepare=lambda folder: os.symlink("c", f"{folder}/link"))
    yield of(REKEY, name="rekey -o itself", command=[*REKEY.command[:-1], "-f", "-o", "c", "c"], exit=6, leaves={})
    yield of(REKEY, name="rekey: wrong key", command=["gcrypt", "rekey", *CPU, *OTHER, "c"], exit=5, leaves={}, files=FILES)


def cases(lab):
    shutil.copyfile(lab.path("c"), lab.path("two"))
    subprocess.run([lab.gcrypt, "key", "add", *KEY, "--new-key-file", "other-key", "two"], cwd=lab.folder, check=True)
    yield from slots(lab)
    yield from rekeyed(lab)
