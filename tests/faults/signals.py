"""Group 8: signals at all moments.  Under its name there is nothing, what was there, or the whole."""
import random
import signal

from faults.calls import DEC, ENC, FORCED, KEYGEN, REMOVING, VERIFY, of
from faults.harness import CPU, KEY, Any, Case, Opens, Same, signal_after

DEADLY = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2,
          signal.SIGXCPU, signal.SIGVTALRM, signal.SIGPROF, signal.SIGKILL)
TINY = ["--chunk-log2", "12", "--group-log2", "12"]


def outcomes(base, number):
    """Ended by the signal, before or after the name was given; or done before it came."""
    stopped = 128 + number
    return (stopped, {}, ()), (stopped, base.leaves, base.gone), (stopped, base.leaves, ()), (0, base.leaves, base.gone)


def at_every_call(lab):
    """Before every call that reads, writes, syncs, renames or removes."""
    for base in ENC, DEC, FORCED, REMOVING, KEYGEN, VERIFY:
        counts = lab.calls(base)
        for kind in "open", "read", "pread", "write", "pwrite", "fsync", "rename", "unlink":
            for n in range(1, counts[kind] + 1):
                for how, number in ("kill", signal.SIGKILL), ("term", signal.SIGTERM):
                    yield of(base, name=f"{base.name}: {how} before {kind} {n} of {counts[kind]}", fault=f"{kind}:{n}:{how}",
                             outcomes=outcomes(base, number), stale=1 if how == "kill" else 0)


def at_random(lab):
    pick = random.Random(8)
    files = {"enc": ("wide", "key"), "dec": ("wide.gcr", "key"), "verify": ("wide.gcr", "key")}
    leaves = {"enc": {"out": Opens("wide")}, "dec": {"out": Same("wide")}, "verify": {}}
    for verb in "enc", "dec", "verify":
        out = [] if verb == "verify" else ["-o", "out"]
        base = Case(verb, ["gcrypt", verb, *CPU, *(TINY if verb == "enc" else []), *KEY, *out, files[verb][0]],
                    leaves=leaves[verb], files=files[verb])
        for number in DEADLY:
            for _ in range(4):
                seconds = pick.uniform(0, 0.06)
                yield of(base, name=f"{verb}: {number.name} after {seconds * 1000:.1f} ms", act=signal_after(number, seconds),
                         outcomes=outcomes(base, number), stale=1 if number == signal.SIGKILL else 0)


def others():
    """Signals that end nothing, and ends of pipes."""
    for number in signal.SIGCHLD, signal.SIGWINCH, signal.SIGCONT, signal.SIGURG:
        yield of(ENC, name=f"enc: {number.name} changes nothing", act=signal_after(number, 0.002))
    for verb, source in ("enc", "wide"), ("dec", "wide.gcr"):
        for n in 0, 1, 20000, 300000:
            yield Case(f"{verb}: who reads it goes away after {n} bytes", ["bash", "-c",
                       f'"$@" | head -c {n} | wc -c; exit ${{PIPESTATUS[0]}}', "-", "gcrypt", verb, *CPU, *(TINY if verb == "enc" else []),
                       *KEY, "-o", "-", source], (141, 0), files=(source, "key"), out=f"{n}\n".encode())
    ignored = ["bash", "-c", 'trap "" PIPE HUP INT; exec "$@"', "-"]
    yield Case("who reads it goes away, SIGPIPE is ignored", ["bash", "-c", 'trap "" PIPE; "$@" | head -c 1 >/dev/null; exit ${PIPESTATUS[0]}', "-",
                                                             "gcrypt", "dec", *CPU, *KEY, "-o", "-", "wide.gcr"], 3, files=("wide.gcr", "key"),
               says="Broken pipe")
    for number in signal.SIGHUP, signal.SIGINT:
        yield Case(f"enc: {number.name} was ignored before", [*ignored, "gcrypt", "enc", *CPU, *TINY, *KEY, "-o", "out", "wide"],
                   files=("wide", "key"), leaves={"out": Opens("wide")}, act=signal_after(number, 0.03))


def after_kill(lab):
    """What SIGKILL left is in nobody's way."""
    name = ".gcrypt-0123456789abcdef.part"
    for base in ENC, DEC:
        yield of(base, name=f"{base.name} beside a stale temporary file", files=(*base.files, "other"),
                 prepare=lambda folder: open(f"{folder}/{name}", "wb").close(), stale=1)


def cases(lab):
    lab.add("wide", random.Random(88).randbytes(6000000))
    lab.make("wide.gcr", "enc", *CPU, *TINY, *KEY, "wide")
    yield from at_every_call(lab)
    yield from at_random(lab)
    yield from others()
    yield from after_kill(lab)
