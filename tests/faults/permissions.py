"""Group 9: nobody gets at a file who could not get at its source."""
import os
import stat
from pathlib import Path

from faults.calls import of
from faults.harness import CPU, KEY, SMALL, Any, Case, Opens, Same, Skip

MODES = (0o600, 0o640, 0o644, 0o660, 0o666, 0o400, 0o444, 0o700, 0o755, 0o4755, 0o2755, 0o1777, 0o6777)
UMASKS = (0o022, 0o077, 0o000, 0o027)


def mode_of(folder, name):
    return stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode)


def has_mode(name, wanted):
    def check(folder):
        mode = mode_of(folder, name)
        return [] if mode == wanted else [f"{name} has mode {mode:o} instead of {wanted:o}"]

    return check


def with_mode(name, mode):
    return lambda folder: os.chmod(os.path.join(folder, name), mode)


def modes():
    """A container: its source's, without set-user-ID and the like.  Plaintext: its owner's only."""
    for mode in MODES:
        yield Case(f"enc of mode {mode:o}", ["gcrypt", "enc", *CPU, *SMALL, *KEY, "in"], prepare=with_mode("in", mode),
                   check=has_mode("in.gcr", mode & 0o777), leaves={"in.gcr": Opens("in")})
        yield Case(f"dec of mode {mode:o}", ["gcrypt", "dec", *CPU, *KEY, "-o", "out", "c"], prepare=with_mode("c", mode),
                   check=has_mode("out", mode & 0o600), files=("c", "key"), leaves={"out": Same("in")})
        yield Case(f"enc -f over a file of mode {mode:o}", ["gcrypt", "enc", "-f", *CPU, *SMALL, *KEY, "-o", "long", "in"],
                   files=("in", "key", "long"), check=has_mode("long", 0o640),
                   prepare=lambda folder, mode=mode: [with_mode("in", 0o640)(folder), with_mode("long", mode)(folder)],
                   leaves={"long": Opens("in")})
    for umask in UMASKS:
        yield Case(f"enc of a pipe, umask {umask:o}", ["gcrypt", "enc", *CPU, *SMALL, *KEY, "-o", "out", "-"], stdin="in",
                   umask=umask, check=has_mode("out", 0o666 & ~umask), leaves={"out": Opens("in")})
        yield Case(f"dec of a pipe, umask {umask:o}", ["gcrypt", "dec", *CPU, *KEY, "-o", "out", "-"], stdin="c", files=("c", "key"),
                   umask=umask, check=has_mode("out", 0o666 & ~umask & 0o600), leaves={"out": Same("in")})
        yield Case(f"enc of a file, umask {umask:o}", ["gcrypt", "enc", *CPU, *SMALL, *KEY, "in"], umask=umask,
                   prepare=with_mode("in", 0o640), check=has_mode("in.gcr", 0o640), leaves={"in.gcr": Opens("in")})
        yield Case(f"keygen, umask {umask:o}", ["gcrypt", "keygen", "-o", "new"], umask=umask, check=has_mode("new", 0o600),
                   leaves={"new": Any})


def refused():
    """A target without modes and times: one warning, and the file; plaintext is private from the start."""
    enc = ["gcrypt", "enc", *CPU, *SMALL, *KEY, "in"]
    for error in "EPERM", "EACCES", "EOPNOTSUPP", "ENOSYS":
        both = f"fchmod:0:{error},futimens:0:{error}"
        yield Case(f"enc, {error} for attributes", enc, fault=both, fault_on=".gcrypt-", prepare=with_mode("in", 0o640),
                   says="^gcrypt: in.gcr: warning: cannot set its mode, modification time: ", leaves={"in.gcr": Opens("in")},
                   check=has_mode("in.gcr", 0o600))
        yield Case(f"dec, {error} for attributes", ["gcrypt", "dec", *CPU, *KEY, "-o", "out", "c"], fault=both, fault_on=".gcrypt-",
                   files=("c", "key"), prepare=with_mode("c", 0o644), says="^gcrypt: out: warning: cannot set its modification time: ",
                   leaves={"out": Same("in")}, check=has_mode("out", 0o600))
    yield Case("enc -q, EPERM for attributes", [*enc[:2], "-q", *enc[2:]], fault="fchmod:0:EPERM", fault_on=".gcrypt-", says="^$",
               prepare=with_mode("in", 0o640), leaves={"in.gcr": Opens("in")})
    yield Case("enc, EIO for attributes", enc, 3, fault="futimens:0:EIO", fault_on=".gcrypt-", says="modification time")


def while_writing(lab):
    """Killed at each write: what is left has mode 600."""
    def check(folder):
        left = [name for name in os.listdir(folder) if name.startswith(".gcrypt-")]
        return [f"{name} has mode {mode_of(folder, name):o}" for name in left if mode_of(folder, name) != 0o600] + (
            [] if left else ["nothing was left"])

    enc = Case("enc", ["gcrypt", "enc", *CPU, *SMALL, *KEY, "in"], 137, prepare=with_mode("in", 0o666), check=check, stale=1, umask=0)
    dec = Case("dec", ["gcrypt", "dec", *CPU, *KEY, "-o", "out", "c"], 137, prepare=with_mode("c", 0o666), check=check, stale=1, umask=0,
               files=("c", "key"))
    for base in enc, dec:
        for n in range(1, lab.calls(of(base, check=None, exit=0))["pwrite"] + 1):
            yield of(base, name=f"{base.name}, mode while writing, write {n}", fault=f"pwrite:{n}:kill")


def owners():
    """What root writes of others' files, and others of root's."""
    if os.getuid() != 0:
        yield Skip("owners", "needs root")
        return

    def given_away(name, uid, gid, mode):
        def prepare(folder):
            os.chown(os.path.join(folder, name), uid, gid)
            os.chmod(os.path.join(folder, name), mode)

        return prepare

    def belongs(name, uid, gid, mode):
        def check(folder):
            status = os.stat(os.path.join(folder, name))
            have = (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode))
            return [] if have == (uid, gid, mode) else [f"{name} has owner, group, mode {have}"]

        return check

    yield Case("root: enc of another's file", ["gcrypt", "enc", *CPU, *SMALL, *KEY, "in"], leaves={"in.gcr": Opens("in")},
               prepare=given_away("in", 1000, 1000, 0o640), check=belongs("in.gcr", 0, 1000, 0o640))
    yield Case("root: dec of another's file", ["gcrypt", "dec", *CPU, *KEY, "-o", "out", "c"], leaves={"out": Same("in")},
               files=("c", "key"), prepare=given_away("c", 1000, 1000, 0o644), check=belongs("out", 0, 0, 0o600))
    for mode, wanted in (0o640, 0o600), (0o664, 0o644), (0o646, 0o644), (0o604, 0o600):
        yield Case(f"another: enc of a file of a foreign group, mode {mode:o}", ["gcrypt", "enc", *CPU, *SMALL, *KEY, "-o", "out", "in"],
                   user=65534, leaves={"out": Opens("in")},
                   prepare=lambda folder, mode=mode: [given_away("in", 65534, 1000, mode)(folder), with_mode("key", 0o644)(folder)],
                   check=belongs("out", 65534, 0, wanted))

    def trap(folder):
        """A link of the output's name to a file of root's."""
        Path(folder, "roots").write_bytes(b"root's")
        os.chmod(os.path.join(folder, "roots"), 0o600)
        os.symlink("roots", os.path.join(folder, "out"))

    for verb, source in ("enc", "in"), ("dec", "c"):
        yield Case(f"{verb} over a link to root's file", ["gcrypt", verb, *CPU, *KEY, "-o", "out", source], 6, files=(source, "key"),
                   prepare=trap)
        yield Case(f"{verb} -f over a link to root's file", ["gcrypt", verb, "-f", *CPU, *KEY, "-o", "out", source],
                   files=(source, "key"), prepare=trap, leaves={"out": Any}, check=has_mode("roots", 0o600))

    def closed(folder):
        os.mkdir(os.path.join(folder, "closed"), 0o755)

    for verb, source in ("enc", "in"), ("dec", "c"):
        yield Case(f"{verb} into a folder of another", ["gcrypt", verb, *CPU, *KEY, "-o", "closed/out", source], 3, user=65534,
                   files=(source, "key"), prepare=closed, says="Permission denied")


def cases(lab):
    yield from modes()
    yield from refused()
    yield from while_writing(lab)
    yield from owners()
