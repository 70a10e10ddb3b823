"""Group 6: outputs that are there already, cannot be made, cannot be written, or become full."""
import os
import subprocess

from faults.calls import DEC, ENC, FORCED, KEYGEN, REMOVING, failing, interrupted, whole_or_nothing
from faults.harness import CPU, KEY, SMALL, Any, Case, Opens, Same, Skip

CONTAINER = 16384 + 4 * 4096 + 30000  # bytes of c
TEMPORARY = ".gcrypt-"


def links(folder):
    """Names that lead to in, to c, to another folder, to nothing."""
    for target, name in (("in", "soft"), ("c", "soft.c"), ("nowhere", "dangling"), ("there", "to-folder")):
        os.symlink(target, os.path.join(folder, name))
    os.link(os.path.join(folder, "in"), os.path.join(folder, "hard"))
    os.mkdir(os.path.join(folder, "there"))
    os.mkfifo(os.path.join(folder, "fifo"))


PLACES = [  # verb, -f, output, exit, message
    ("enc", 0, "c", 6, "exists"), ("enc", 0, "soft.c", 6, "exists"), ("enc", 0, "dangling", 6, "exists"),
    ("enc", 0, "in", 6, "it is the input"), ("enc", 1, "in", 6, "it is the input"), ("enc", 1, "./in", 6, "it is the input"),
    ("enc", 1, "hard", 6, "it is the input"), ("enc", 1, "soft", 6, "it is the input"),
    ("enc", 1, "there/../in", 6, "it is the input"), ("enc", 0, "there", 3, ""), ("enc", 1, "there", 3, ""),
    ("enc", 1, "to-folder", 3, ""), ("enc", 0, "there/", 3, ""), ("enc", 0, "nowhere/out", 3, ""), ("enc", 0, "", 2, "empty"),
    ("enc", 0, "in/out", 3, ""), ("enc", 0, "x" * 256, 3, ""), ("enc", 0, "there/" + "x/" * 2100, 3, ""),
    ("dec", 0, "in", 6, "exists"), ("dec", 0, "soft", 6, "exists"), ("dec", 0, "dangling", 6, "exists"),
    ("dec", 1, "c", 6, "it is the input"), ("dec", 1, "soft.c", 6, "it is the input"), ("dec", 0, "there", 3, ""),
    ("dec", 0, "nowhere/out", 3, ""), ("dec", 0, "/dev/full", 3, "No space"), ("enc", 0, "/dev/full", 3, "No space"),
    ("dec", 0, "/proc/version", 6, "exists"), ("dec", 1, "/proc/version", 3, ""), ("enc", 1, "/proc/gcrypt", 3, ""),
]


def node(path):
    status = os.stat(path)
    return status.st_mode, status.st_rdev, status.st_ino, status.st_uid


def named(verb, force, out, code, says):
    sizes, source = (SMALL, "in") if verb == "enc" else ([], "c")
    command = ["gcrypt", verb, *(["-f"] if force else []), *CPU, *sizes, *KEY, "-o", out, source]
    return Case(f"{verb} {'-f ' if force else ''}-o {out[:40]}", command, code, says=says, files=("in", "c", "key"), prepare=links)


def devices():
    """What is no regular file is written as it is, and stays what it is."""
    for verb, source in ("enc", "in"), ("dec", "c"):
        for force in [], ["-f"]:
            before = node("/dev/null")
            yield Case(f"{verb} {' '.join(force)} -o /dev/null", ["gcrypt", verb, *force, *CPU, *KEY, "-o", "/dev/null", source],
                       files=(source, "key"), check=lambda _, before=before: [] if node("/dev/null") == before else ["changed"])
        yield Case(f"{verb} to /dev/full by standard output", ["gcrypt", verb, *CPU, *KEY, "-o", "-", source], 3,
                   files=(source, "key"), stdout="/dev/full", says="No space")
    yield Case("dec -o FIFO", ["sh", "-c", 'cat fifo > got & "$@"; code=$?; wait; exit $code', "-", "gcrypt", "dec", *CPU, *KEY,
                               "-o", "fifo", "c"], files=("in", "c", "key"), prepare=links, leaves={"got": Same("in")})
    yield Case("dec -o /dev/stdout", ["gcrypt", "dec", *CPU, *KEY, "-o", "/dev/stdout", "c"], files=("c", "key", "in"),
               stdout="made", leaves={"made": Same("in")})


def forced():
    """-f replaces the name, not what it leads to."""
    yield named("enc", 1, "c", 0, "")
    for out in "soft.c", "dangling", "to-container":
        case = named("enc", 1, out, 0, "")
        case.prepare = lambda folder: (links(folder), os.symlink("c", os.path.join(folder, "to-container")))
        yield case


def limits(verb, source, target, size):
    """RLIMIT_FSIZE, at all pages and around the end."""
    for n in sorted({*range(0, size, 8192), 1, 4095, 16383, 16385, size - 1}):
        sizes = SMALL if verb == "enc" else []
        yield Case(f"{verb}, files of at most {n} bytes", ["prlimit", f"--fsize={n}", "gcrypt", verb, *CPU, *sizes, *KEY, "-o",
                                                           target, source], 3, files=(source, "key"), says="File too large")
    yield Case(f"{verb}, files of at most {size} bytes", ["prlimit", f"--fsize={size}", "gcrypt", verb, *CPU, *KEY,
                                                         *(SMALL if verb == "enc" else []), "-o", target, source],
               files=(source, "key"), leaves={target: Opens("in") if verb == "enc" else Same("in")})


def mounted(options):
    def prepare(folder):
        os.mkdir(os.path.join(folder, "small"))
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", os.path.join(folder, "small")], check=True)

    return prepare


def unmount(folder):
    small, problems = os.path.join(folder, "small"), []
    if os.listdir(small) not in ([], ["out"]):
        problems.append(f"left in it: {os.listdir(small)}")
    subprocess.run(["umount", small], check=True)
    os.rmdir(small)
    return problems


def full(lab):
    """A file system that is full after so many pages; one without room for a name; one that is read-only."""
    try:
        with_mount = os.path.join(lab.folder, "try")
        os.mkdir(with_mount)
        mounted("size=4k")(with_mount)
        unmount(with_mount)
    except (OSError, subprocess.CalledProcessError):
        yield Skip("full file systems", "a tmpfs cannot be mounted")
        return
    for pages in range(1, 17):
        for verb, source, need in ("enc", "in", -(-CONTAINER // 4096)), ("dec", "c", -(-30000 // 4096)):
            fits = pages >= need
            yield Case(f"{verb}, {pages} pages free", ["gcrypt", verb, *CPU, *(SMALL if verb == "enc" else []), *KEY, "-o",
                                                      "small/out", source], 0 if fits else 3, files=(source, "key"),
                       prepare=mounted(f"size={4 * pages}k"), check=unmount, says="" if fits else "No space left",
                       leaves={"small": "something else", **({"small/out": Any} if fits else {})})
    for options, says in ("size=1m,nr_inodes=1", "No space left"), ("size=1m,ro", "Read-only"):
        for verb, source in ("enc", "in"), ("dec", "c"), ("keygen", None):
            how = [*CPU, *KEY, source] if source else []
            yield Case(f"{verb}, tmpfs {options}", ["gcrypt", verb, "-o", "small/out", *how], 3, files=(source or "in", "key"),
                       prepare=mounted(options), check=unmount, says=says, leaves={"small": "something else"})


def cases(lab):
    yield from (named(*place) for place in PLACES)
    yield from devices()
    yield from limits("enc", "in", "out", CONTAINER)
    yield from limits("dec", "c", "out", 30000)
    yield from full(lab)
    for base in ENC, DEC, FORCED, KEYGEN, REMOVING:
        yield from failing(lab, base, ("open", "write", "pwrite", "fsync", "close", "fchmod"), TEMPORARY)
        yield from failing(lab, base, ("rename",))
        yield from whole_or_nothing(lab, base, ("lseek", "fstat"), TEMPORARY)
        yield from whole_or_nothing(lab, base, ("open", "fsync", "close", "unlink", "fstat", "lseek"), "!" + TEMPORARY)
        yield from interrupted(lab, base, ("write", "pwrite"))
