"""Group 16: what a run with --resume left is gone on with, or refused; never believed without a check."""
import os
import random
import shutil
import subprocess
import threading
from pathlib import Path

from faults.calls import closes_lock, failing, interrupted, of, some, some_of, stopped, whole_or_nothing
from faults.harness import CPU, KEY, SMALL, Any, Case, Opens

RESUME = Case("resume", ["gcrypt", "enc", "--resume", *CPU, *SMALL, *KEY, "in"], leaves={"in.gcr": Opens("in")})
PART = {"in.gcr.part": Any}


def goes_on(lab):
    """The same command finishes what is left."""
    def check(folder):
        done = subprocess.run([lab.gcrypt, *RESUME.command[1:]], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 6) or os.path.exists(f"{folder}/in.gcr.part") and done.returncode == 0:
            return [f"again: exit {done.returncode}: {done.stderr}"]
        done = subprocess.run([lab.gcrypt, "dec", *CPU, *KEY, "-o", "-", "in.gcr"], cwd=folder, capture_output=True, check=False)
        return [] if done.stdout == lab.content["in"] else [f"another plaintext: {done.stderr}"]

    return check


def failures(lab):
    base = of(RESUME, check=goes_on(lab))
    left = (3, {}, ()), (3, PART, ()), (3, RESUME.leaves, ())
    for case in failing(lab, base, ("open", "pwrite", "fsync", "close", "fchmod", "rename"), "in.gcr"):
        yield case if closes_lock(case) else of(case, outcomes=left)
    for case in failing(lab, base, ("open", "read", "pread"), "/in$"):
        yield of(case, outcomes=left)
    for case in some_of(whole_or_nothing(lab, base, ("fstat", "lseek", "pread", "fsync", "close"), None), 60):
        in_use = (6, PART, ()), (6, {}, ())  # nor can it be told then whether another run has it
        yield of(case, outcomes=(*left, *in_use, *([(0, base.leaves, ())] if "fsync" not in case.fault else [])))
    yield from interrupted(lab, RESUME, ("read", "pread", "pwrite"))
    for case in stopped(lab, base, ("open", "pread", "read", "pwrite", "fsync", "rename"), unfinished=PART, stale=1):
        yield of(case, outcomes=(*case.outcomes, (137, {}, ()), (143, {}, ())))
    for n in range(1, lab.calls(of(RESUME, fault_on="/in$"))["pread"] + 1):
        for how in "shrink", "grow", "eof":
            done = [] if how == "grow" else [(0, {"in": Any, **RESUME.leaves}, ())]  # when all had been read
            yield of(RESUME, name=f"resume: {how} at read {n} of the source", fault=f"pread:{n}:{how}", fault_on="/in$",
                     outcomes=((3, {"in": Any, **PART}, ()), *(done if n > 3 else [])))


def begun(lab, n):
    """A folder as a run leaves it that is killed at its n-th write: its source and part file."""
    folder = lab.path(f"part-{n}")
    os.mkdir(folder)
    for name in "in", "key":
        shutil.copyfile(lab.path(name), os.path.join(folder, name))
    lab.finish(RESUME, folder, lab.environment_of(of(RESUME, fault=f"pwrite:{n}:kill"), folder))
    return folder, Path(folder, "in.gcr.part").read_bytes()


def damaged(lab):
    """The record names the very file, so each case has that of the run that was killed, and one case at a time: a link
    that another case makes or removes meanwhile would be a change of the file."""
    pick, noise = random.Random(160), random.Random(161).randbytes
    n_writes = lab.calls(RESUME)["pwrite"]
    for n in some(n_writes, 4)[1:]:
        folder, part = begun(lab, n)
        alone = threading.Lock()
        places = [8, 100, 500, 8100, 8192, 8200, 8230, 16383, *(pick.randrange(16384, len(part)) for _ in range(8 if len(part) > 16384 else 0))]
        ways = {f"byte {at}": part[:at] + bytes([part[at] ^ 1]) + part[at + 1 :] for at in places}
        ways |= {f"{size} bytes": part[:size] for size in (0, 1, 8191, 8192, 16384, 16385, 20480, len(part) - 1) if size < len(part)}
        ways |= {"zeros": bytes(len(part)), "noise": noise(len(part)), "longer": part + noise(50000), "a container": lab.content["c"],
                 "copy A twice": part[:8192] * 2 + part[16384:], "groups moved": part[:16384] + part[28672:] + part[16384:28672]}
        for how, content in ways.items():
            def prepare(here, content=content, folder=folder, alone=alone):
                alone.acquire()
                os.link(os.path.join(folder, "in"), os.path.join(here, "in"))
                Path(here, "in.gcr.part").write_bytes(content)

            def check(here, alone=alone):
                os.unlink(os.path.join(here, "in"))
                alone.release()

            kept = tuple((code, {}, ()) for code in (2, 3, 5, 6, 7))
            yield of(RESUME, name=f"resume, killed at write {n}: the part file is {how}", files=("key",), prepare=prepare, check=check,
                     outcomes=((0, RESUME.leaves, ("in.gcr.part",)), *kept))


def updates(lab):
    """The container stays as it was or is the new one; in place, the same command makes it the new one."""
    base = Case("update", ["gcrypt", "enc", "--update", *CPU, *KEY, "-o", "c", "changed"], files=("c", "changed", "key"),
                leaves={"c": Opens("changed")})
    for case in failing(lab, base, ("open", "read", "pread"), "/c$"):
        yield case
    for case in failing(lab, base, ("open", "pwrite", "fsync", "close", "fchmod", "rename"), ".gcrypt-"):
        yield case
    yield from interrupted(lab, base, ("read", "pread", "pwrite"))
    yield from stopped(lab, base, ("open", "pread", "pwrite", "fsync", "rename"), stale=1, most=20)

    def completed(folder):
        subprocess.run([lab.gcrypt, *in_place.command[1:]], cwd=folder, capture_output=True, check=False)
        done = subprocess.run([lab.gcrypt, "dec", *CPU, *KEY, "-o", "-", "c"], cwd=folder, capture_output=True, check=False)
        left = [name for name in os.listdir(folder) if "journal" in name]
        return [] if done.stdout == lab.content["changed"] and not left else [f"not completed: {done.stderr} {left}"]

    in_place = of(base, name="update in place", command=[*base.command[:-1], "--in-place", "changed"])
    in_place.check = completed
    left = tuple((code, leaves, ()) for code in (0, 3, 137, 143)
                 for leaves in ({}, {"c": Any}, {"c": Any, "c.journal": Any}))
    for case in (*some_of(whole_or_nothing(lab, in_place, ("open", "pread", "pwrite", "fsync", "close", "unlink", "rename")), 80),
                 *stopped(lab, in_place, ("open", "pwrite", "fsync", "rename", "unlink"), stale=1)):
        yield of(case, outcomes=left)


def cases(lab):
    yield from failures(lab)
    yield from damaged(lab)
    yield from updates(lab)
