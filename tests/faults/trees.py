"""Group 20: directories on their way in: what cannot be read, what changes, what others put there."""
import os
import random
import shutil
import subprocess
from pathlib import Path

from faults.calls import each, failing, interrupted, of, some_of, stopped, whole_or_nothing
from faults.harness import CPU, KEY, SMALL, Any, Case, Skip
from faults.outputs import TEMPORARY

ENC = Case("enc of a directory", ["gcrypt", "enc", *CPU, *SMALL, *KEY, "-o", "out", "t"], leaves={"out": Any}, files=("key",), inside=("t",))


def small_tree(folder):
    noise = random.Random(20)
    for n in range(6):
        where = os.path.join(folder, "t", f"{n % 2}")
        os.makedirs(where, exist_ok=True)
        Path(os.path.join(where, str(n))).write_bytes(noise.randbytes(3000 * n))
    os.symlink("../../key", os.path.join(folder, "t", "soft"))
    os.link(os.path.join(folder, "t", "1", "3"), os.path.join(folder, "t", "hard"))


def comes_back(lab):
    """What is there decrypts to the tree."""
    def check(folder):
        if not os.path.exists(os.path.join(folder, "out")):
            return []
        words = [lab.gcrypt, "dec", *CPU, *KEY, "-o", "back", "out"]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return [done.stderr]
        done = subprocess.run(["diff", "-r", "--no-dereference", "t", "back"], cwd=folder, capture_output=True, text=True, check=False)
        return done.stdout.splitlines()

    return check


def verifies(lab):
    """What was left out is reported by the exit status; what is there is a container all the same."""
    def check(folder):
        if not os.path.exists(os.path.join(folder, "out")):
            return []
        done = subprocess.run([lab.gcrypt, "list", *KEY, "out"], cwd=folder, capture_output=True, text=True, check=False)
        return [done.stderr] if done.returncode != 0 else []

    return check


def left_out(lab, base):
    outcomes, base = ((3, {}, ()), (3, {"out": Any}, ())), of(base, check=verifies(lab), quiet_failure=True)
    asked_ahead = (0, {"out": Any}, ())  # what fails there is opened once more, when it is read
    for _, case in some_of(each(lab, base, ("open", "read", "pread"), "/t"), 80):
        yield of(case, outcomes=(*outcomes, asked_ahead), whole=comes_back(lab))
    for kind, n_calls in lab.calls(of(base, fault_on="/t/")).items():
        for n in range(1, n_calls + 1) if kind in ("read", "pread") else ():
            for how in "shrink", "grow", "eof":
                changed = {f"t/{name}": Any for name in ("0/0", "0/2", "0/4", "1/1", "1/3", "1/5", "hard")}
                empty = kind == "pread" and n == 1 and how != "grow"  # 0/0, which cannot shrink, and ends at once
                yield of(base, name=f"enc of a directory: {how} at {kind} {n}", fault=f"{kind}:{n}:{how}", fault_on="/t/",
                         outcomes=((0 if empty else 3, {"out": Any, **changed}, ()),))


def replaced(lab, base):
    """A file or folder of the tree is something else when it is read."""
    def as_link(path, target):
        def act(folder):
            where = os.path.join(folder, "t", path)
            shutil.rmtree(where) if os.path.isdir(where) else os.unlink(where)
            os.symlink(target, where)

        return act

    for path, target in ("1", "nowhere"), ("0/2", "/etc/passwd"), ("soft", "/dev/zero"), ("0", "1"), ("1/3", "../0/2"):
        def prepare(folder, path=path, target=target):
            small_tree(folder)
            as_link(path, target)(folder)

        yield of(base, name=f"enc of a directory: {path} is a link to {target}", prepare=prepare, check=comes_back(lab))
    for kind, make in ("a FIFO", os.mkfifo), ("a socket", lambda path: bind(path)), ("a file of mode 0", lambda path: closed(path)):
        def prepare(folder, make=make):
            small_tree(folder)
            make(os.path.join(folder, "t", "odd"))

        outcomes = ((0, {"out": Any}, ()), (3, {"out": Any}, ()))
        yield of(base, name=f"enc of a directory with {kind}", prepare=prepare, outcomes=outcomes, timeout=20, check=verifies(lab))


def bind(path):
    import socket
    here = os.getcwd()
    os.chdir(os.path.dirname(path))
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.path.basename(path))
    finally:
        os.chdir(here)


def closed(path):
    with open(path, "wb"):
        os.chmod(path, 0)


def unreadable(lab):
    if os.getuid() != 0:
        yield Skip("directories of others", "needs root")
        return
    for what, mode in ("t/0", 0), ("t/0/2", 0), ("t", 0o111), ("t/1", 0o444):
        def prepare(folder, what=what, mode=mode):
            small_tree(folder)
            for where, folders, files in os.walk(os.path.join(folder, "t")):
                os.chmod(where, 0o755)
            os.chmod(os.path.join(folder, what), mode)
            os.chmod(os.path.join(folder, "key"), 0o644)

        yield of(ENC, name=f"enc of a directory: {what} has mode {mode:o}", user=65534, prepare=prepare, says="Permission denied",
                 outcomes=((3, {}, ()), (3, {"out": Any}, ())), check=verifies(lab), quiet_failure=True)


def cases(lab):
    base = of(ENC, prepare=small_tree, check=comes_back(lab))
    plain = of(ENC, prepare=small_tree)
    for case in some_of(failing(lab, plain, ("open", "pwrite", "fsync", "close", "fchmod", "rename"), TEMPORARY), 60):
        yield case
    yield from left_out(lab, plain)
    yield from some_of(whole_or_nothing(lab, plain, ("fstat", "lseek", "close"), None), 40)
    yield from some_of(interrupted(lab, base, ("read", "pread", "pwrite")), 60)
    yield from some_of(stopped(lab, plain, ("open", "read", "pread", "pwrite", "fsync", "rename"), stale=1), 60)
    yield from replaced(lab, plain)
    yield from unreadable(lab)
