"""Group 10: archives made to write elsewhere, strange names and kinds of files, damage, full disks.

The archives are Python's, and put into containers by the independent writer.
"""
import io
import os
import random
import subprocess
import tarfile
from pathlib import Path

from model.cases import KEY as CONFORMANCE_KEY
from model.writer import Draft, Random
from faults.calls import each, of, some, some_of
from faults.harness import CPU, KEY, SMALL, Case, Skip, signal_after
from faults.signals import outcomes

KINDS = {"dir": tarfile.DIRTYPE, "file": tarfile.REGTYPE, "sym": tarfile.SYMTYPE, "hard": tarfile.LNKTYPE, "chr": tarfile.CHRTYPE,
         "blk": tarfile.BLKTYPE, "fifo": tarfile.FIFOTYPE}

HOSTILE = {  # entries: kind, name, and where a link leads to; OUT is a folder beside the target
    "an absolute name": [("file", "/OUT/x", "")], "..": [("file", "..", "")], "a name with ..": [("file", "../OUT/x", "")],
    ".. in the middle": [("dir", "a", ""), ("file", "a/../../OUT/x", "")], ".. that stays inside": [("dir", "a", ""), ("file", "a/../x", "")],
    ".. at the end": [("dir", "a", ""), ("dir", "a/..", "")], "through a link": [("sym", "a", "../OUT"), ("file", "a/x", "")],
    "through an absolute link": [("sym", "a", "/tmp"), ("file", "a/gcrypt-faults", "")],
    "through two links": [("dir", "d", ""), ("sym", "d/b", ".."), ("sym", "c", "d/b/../OUT"), ("file", "c/x", "")],
    "through a link to itself": [("sym", "a", "."), ("sym", "a/b", ".."), ("file", "a/b/OUT/x", "")],
    "a folder becomes a link": [("dir", "a", ""), ("sym", "a", "../OUT"), ("file", "a/x", "")],
    "a folder over a link": [("sym", "a", "../OUT"), ("dir", "a", ""), ("file", "a/x", "")],
    "a file over a link": [("sym", "a", "../OUT/there"), ("file", "a", "")],
    "a file through a link to a file": [("sym", "a", "../OUT/there"), ("file", "a/x", "")],
    "hard link outside": [("hard", "a", "../OUT/there")], "hard link to an absolute name": [("hard", "a", "/etc/passwd")],
    "hard link to a symbolic one": [("sym", "a", "../OUT/there"), ("hard", "b", "a"), ("file", "b", "")],
    "hard link through a symbolic one": [("sym", "a", "../OUT"), ("hard", "b", "a/there")],
    "hard link to a folder": [("dir", "a", ""), ("hard", "b", "a")], "hard link to nothing": [("hard", "a", "b")],
    "hard link to itself": [("hard", "a", "a")], "hard link to a FIFO": [("fifo", "a", ""), ("hard", "b", "a")],
    "character device": [("chr", "null", "")], "block device": [("blk", "disk", "")], "a name twice": [("file", "a", ""), ("file", "a", "")],
    "a FIFO over a file": [("file", "a", ""), ("fifo", "a", "")], "a folder over a file": [("file", "a", ""), ("dir", "a", "")],
    "a file in a file": [("file", "a", ""), ("file", "a/b", "")], "a file in a FIFO": [("fifo", "a", ""), ("file", "a/b", "")],
    "a file without its folder": [("file", "a/b", "")], "the root is a link": [("sym", ".", "../OUT"), ("file", "x", "")],
    "the root twice": [("dir", ".", ""), ("sym", "./", "../OUT"), ("file", "x", "")],
    "a link to nowhere, empty": [("sym", "a", "")], "a name of 256 bytes": [("file", "n" * 256, "")],
    "a path of 5000 bytes": [("file", "/".join(["n" * 99] * 50), "")],
}

HARMLESS = {
    "./ before names": [("dir", "./a", ""), ("file", "./a/b", "")], "a link outside, unused": [("sym", "a", "../OUT")],
    "a dangling link": [("sym", "a", "nowhere")], "a FIFO": [("fifo", "a", "")], "hard links": [("file", "a", ""), ("hard", "b", "a")],
    "a name of 255 bytes": [("file", "n" * 255, "")], "a newline": [("file", "a\nb", "")], "not UTF-8": [("file", "a\udcff", "")],
    "-rf": [("file", "-rf", "")], "a name of blanks": [("file", "   ", "")], "a backslash": [("file", "a\\..\\b", "")],
    "escapes": [("file", "\x1b[2J", "")], "three dots": [("file", "...", "")], "..x": [("file", "..x", "")],
    "a temporary name": [("file", ".gcrypt-0123456789abcdef.part", "")], "folders of mode 0": [("closed", "a", ""), ("file", "a/b", "")],
}


LEFT_OUT = "character device", "block device", "a name of 256 bytes"  # no file system here has that name


def archive(entries):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for kind, name, target in [("file", "first", ""), *entries]:
            info = tarfile.TarInfo("x")
            info.name, info.type, info.linkname = name, KINDS.get(kind, tarfile.DIRTYPE), target
            info.mode = {"dir": 0o755, "closed": 0}.get(kind, 0o644)
            info.size, info.devmajor, info.devminor = 4 if kind == "file" else 0, 1, 3
            tar.addfile(info, io.BytesIO(b"text") if kind == "file" else None)
    return out.getvalue()


def container(name, content, kind=1):
    draft = Draft(CONFORMANCE_KEY, content, Random(name), group_log2=13)
    draft.fields["content"] = kind
    return draft.bytes()


def with_container(content):
    """t.gcr, and a folder OUT that nobody may write into by it."""
    def prepare(folder):
        Path(folder, "t.gcr").write_bytes(content)
        os.mkdir(os.path.join(folder, "OUT"))
        Path(folder, "OUT", "there").write_bytes(b"there")

    return prepare


def names_in(folder):
    return sorted(os.path.relpath(os.path.join(where, name), folder) for where, folders, files in os.walk(folder)
                  for name in [*folders, *files])


def forget(folder):
    subprocess.run(["rm", "-rf", os.path.join(folder, "t")], check=True)


DEC, LIST = ["gcrypt", "dec", *CPU, *KEY, "t.gcr"], ["gcrypt", "list", *KEY, "t.gcr"]


def has_first(folder):
    have = names_in(os.path.join(folder, "t"))
    return [] if have == ["first"] else [f"{have}"]


def hostile():
    for name, entries in HOSTILE.items():
        case = {"files": ("key",), "prepare": with_container(container(name, archive(entries)))}
        if name in LEFT_OUT:
            yield Case(f"{name}: dec", DEC, 3, says="is left out: ", inside=("t",), check=has_first, **case)
        else:
            yield Case(f"{name}: dec", DEC, 4, **case)
        yield Case(f"{name}: list", LIST, (0, 4), out=lambda out: b"\x1b" not in out, **case)
    for name in "..", "through a link", "a folder becomes a link", "hard link outside", "hard link to nothing", "a file without its folder":
        entries = [("chr", "null", ""), *HOSTILE[name]]  # what is missing may be what was left out
        yield Case(f"{name}, behind a device: dec", DEC, 3 if "nothing" in name or "without" in name else 4, files=("key",), inside=("t",),
                   prepare=with_container(container(name, archive(entries))))
    for kind in 1, 2:
        for name, content in ("nothing", b""), ("noise", random.Random(10).randbytes(30000)), ("half an entry", archive([])[:700]), (
                "no end", archive([])[:1024]), ("zeros", bytes(20000)):
            case = {"files": ("key",), "prepare": with_container(container(f"{name}{kind}", content, kind))}
            if (kind, name) not in ((1, "zeros"), (1, "no end")):  # an archive of nothing, and one without its end
                yield Case(f"content {kind} is {name}: dec", DEC, 4, **case)
                yield Case(f"content {kind} is {name}: list", LIST, 4, out=lambda out: True, **case)


def harmless():
    for name, entries in HARMLESS.items():
        content = archive(entries)

        def check(folder, entries=entries):
            want = sorted({os.path.normpath(entry[1]) for entry in entries} | {"first"})
            have = names_in(os.path.join(folder, "t"))
            forget(folder)
            return [] if have == want else [f"{have} instead of {want}"]

        yield Case(name, ["bash", "-c", '"$@" && cp -a t u && rm -rf u', "-", *DEC], files=("key",), check=check,
                   prepare=with_container(container(name, content)), inside=("t",))


def places(tree):
    """Where the folder is to appear something is already."""
    there = {
        "a file": lambda path: open(path, "wb").close(), "a folder": os.mkdir, "a link to OUT": lambda path: os.symlink("OUT", path),
        "a dangling link": lambda path: os.symlink("nowhere", path),
    }
    for name, make in there.items():
        def prepare(folder, make=make):
            with_container(tree)(folder)
            make(os.path.join(folder, "t"))

        yield Case(f"{name} is there", DEC, 6, files=("key",), prepare=prepare)
    yield Case("into a folder that is not there", [*DEC[:-1], "--output-dir", "nowhere", DEC[-1]], 3, files=("key",), prepare=with_container(tree))
    yield Case("without -o from a pipe to a file's name", [*DEC[:-1], "-o", "key", "-"], 6, files=("key",), stdin=tree)


def damaged(lab, tree):
    pick, files = random.Random(100), ("key",)
    for at in sorted(pick.sample(range(16384, len(tree)), 40)):
        flipped = tree[:at] + bytes([tree[at] ^ 1]) + tree[at + 1 :]
        yield Case(f"byte {at} of a directory's container", DEC, 4, files=files, prepare=with_container(flipped))
        yield Case(f"the first {at} bytes of it", DEC, 4, files=files, prepare=with_container(tree[:at]))


def differences(lab, without=0):
    """Compare with the tree; if the folder exists, this number of its members may be missing."""
    def check(folder):
        done = subprocess.run(["diff", "-r", "--no-dereference", lab.path("tree"), os.path.join(folder, "t")], capture_output=True,
                              text=True, check=False)
        lines = done.stdout.splitlines() if os.path.exists(os.path.join(folder, "t")) else []
        missing = [line for line in lines if line.startswith(f"Only in {lab.path('tree')}")]
        return lines if lines != missing or len(missing) > without else []

    return check


def targets(lab, tree):
    """Attributes that a target refuses, and members that it cannot have."""
    base = Case("dec of a directory", [*DEC[:2], "-p", *DEC[2:]], files=("key",), prepare=with_container(tree), inside=("t",),
                fault_on=".gcrypt-", check=differences(lab))
    for error in "EPERM", "EACCES", "EOPNOTSUPP", "ENOSYS":
        for call in "fchmod", "futimens":
            yield of(base, name=f"{base.name}: {error} at every {call}", fault=f"{call}:0:{error}",
                     says="^gcrypt: t.gcr: warning: not all modes, owners, times and attributes are set: ")
    for call in "fchmod", "futimens":
        yield of(base, name=f"{base.name}: EIO at every {call}", fault=f"{call}:0:EIO", exit=3, says="Input/output error")
    yield of(base, name=f"{base.name}: no symbolic links", fault="symlink:0:EPERM", exit=3, check=differences(lab, 1),
             says="warning: 'soft' is left out: Operation not permitted")
    for how, says in ("-q", "^gcrypt: t.gcr: decrypted without 1 of its members$"), ("-v", "left out"):
        yield of(base, name=f"{base.name} {how}: no hard links", command=[*base.command[:2], how, *base.command[2:]], exit=3,
                 fault="link:0:EPERM", says=says, check=differences(lab, 1))
    for call in "pwrite", "mkdir":
        yield of(base, name=f"{base.name}: ENOSPC at every {call}", fault=f"{call}:0:ENOSPC", exit=3, says=": No space left on device$")


def calls_and_signals(lab, tree):
    """What fails is reported, and a folder that is there is all that it was."""
    base = Case("dec of a directory", DEC, files=("key",), prepare=with_container(tree), inside=("t",), check=differences(lab))
    for kind, case in some_of(each(lab, base, ("write", "pwrite", "mkdir", "symlink", "link", "rename"), ".gcrypt-"), 40):
        yield of(case, exit=3)
    for kind, case in some_of(each(lab, base, ("open",), ".gcrypt-"), 40):
        left_out = {"check": differences(lab, 2), "whole": differences(lab)} if case.name.endswith("EACCES") else {}
        yield of(case, outcomes=((3, {}, ()), (0, {}, ())), **left_out)
    for kind, case in each(lab, base, ("pread", "read"), "/t.gcr"):
        yield of(case, exit=3)
    counts = lab.calls(base)
    for kind in "open", "write", "pwrite", "mkdir", "link", "rename", "fsync", "unlink":
        for n in some(counts[kind], 20):
            for how, number in ("kill", 9), ("term", 15):
                yield of(base, name=f"dec of a directory: {how} before {kind} {n} of {counts[kind]}", fault=f"{kind}:{n}:{how}",
                         outcomes=outcomes(base, number), stale=1 if how == "kill" else 0)
    pick = random.Random(101)
    for _ in range(20):
        seconds = pick.uniform(0, 0.03)
        yield of(base, name=f"dec of a directory: SIGINT after {seconds * 1000:.1f} ms", act=signal_after(2, seconds),
                 outcomes=outcomes(base, 2))


def a_tree(lab):
    """A container of a directory of 30 files, in several folders, with links."""
    noise, tree = random.Random(102), lab.path("tree")
    for n in range(30):
        where = os.path.join(tree, f"folder {n % 4}")
        os.makedirs(where, exist_ok=True)
        Path(os.path.join(where, str(n))).write_bytes(noise.randbytes(1000 + 100 * n))
    os.symlink("folder 1", os.path.join(tree, "soft"))
    os.link(os.path.join(tree, "folder 1", "1"), os.path.join(tree, "hard"))
    lab.make("tree.gcr", "enc", *CPU, *SMALL, *KEY, "tree")
    return lab.content["tree.gcr"]


def many(lab):
    """10^5 files there and back."""
    script = ('mkdir many && cd many && seq -f "%06.0f" 100000 | xargs touch && cd .. && "$0" enc -q --engine cpu --key-file key many && '
              '"$0" dec -q --engine cpu --key-file key -o back many.gcr && [ "$(ls back | sha256sum)" = "$(ls many | sha256sum)" ] && '
              "rm -rf many many.gcr back")
    yield Case("100,000 files", ["bash", "-c", script, "gcrypt"], files=("key",), timeout=300)


def cases(lab):
    tree = a_tree(lab)
    yield from many(lab)
    yield from hostile()
    yield from harmless()
    yield from places(tree)
    yield from damaged(lab, tree)
    yield from targets(lab, tree)
    yield from calls_and_signals(lab, tree)
