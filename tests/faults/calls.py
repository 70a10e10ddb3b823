"""Every call that a run makes on its files fails, at every time it is made."""
from faults.harness import CPU, KEY, SMALL, Any, Case, Opens, Same

ERRORS = {
    "open": ("EACCES", "EMFILE", "ENOSPC"), "read": ("EIO", "ESTALE"), "pread": ("EIO", "ESTALE"),
    "write": ("EIO", "ENOSPC", "EDQUOT"), "pwrite": ("EIO", "ENOSPC", "EDQUOT", "EFBIG", "eof"), "fsync": ("EIO", "ENOSPC"),
    "close": ("EIO", "EDQUOT"), "rename": ("EIO", "ENOSPC", "EACCES", "EROFS"), "unlink": ("EIO",), "fchmod": ("EIO",), "fstat": ("EIO",),
    "lseek": ("EIO",), "link": ("EIO", "ENOSPC"), "mkdir": ("EIO", "ENOSPC"), "symlink": ("EIO", "ENOSPC"),
}
HARMLESS = ("EINTR", "short")  # what only has to be repeated
INTERRUPTED = ("read", "pread", "write", "pwrite")

ENC = Case("enc", ["gcrypt", "enc", *CPU, *SMALL, *KEY, "in"], leaves={"in.gcr": Opens("in")})
DEC = Case("dec", ["gcrypt", "dec", *CPU, *KEY, "-o", "out", "c"], leaves={"out": Same("in")}, files=("c", "key"))
VERIFY = Case("verify", ["gcrypt", "verify", *KEY, "c"], files=("c", "key"))
FORCED = Case("enc -f over a file", ["gcrypt", "enc", "-f", *CPU, *SMALL, *KEY, "-o", "long", "in"],
              leaves={"long": Opens("in")}, files=("in", "key", "long"))
KEYGEN = Case("keygen", ["gcrypt", "keygen", "-o", "new"], leaves={"new": Any}, files=())
REMOVING = Case("enc --rm", ["gcrypt", "enc", "--rm", *CPU, *SMALL, *KEY, "in"], leaves={"in.gcr": Opens("in")},
                gone=("in",))


def some(n, most):
    """All of 1 … n, or that many spread over them."""
    return range(1, n + 1) if n <= most else sorted({1 + i * (n - 1) // (most - 1) for i in range(most)})


def some_of(cases, most):
    """So many of them, spread over all."""
    cases = list(cases)
    return [cases[n - 1] for n in some(len(cases), most)]


def of(case, **changes):
    return Case(**{**vars(case), **changes})


def each(lab, base, kinds, on):
    """base with each call of these kinds, on such paths, failing in each way: (call, case)."""
    counts = lab.calls(of(base, fault_on=on))
    for kind in kinds:
        for n in range(1, counts[kind] + 1):
            for error in ERRORS[kind]:
                name = f"{base.name}: {kind} {n} of {counts[kind]}{' on ' + on if on else ''}: {error}"
                yield kind, of(base, name=name, fault=f"{kind}:{n}:{error}", fault_on=on)


def closes_lock(case):
    """Every unfinished file is closed twice: its data before it has its name, its lock, to which nothing was written, after."""
    kind, n, _ = case.fault.split(":")
    return kind == "close" and case.fault_on in (".gcrypt-", "in.gcr") and int(n) % 2 == 0


def failing(lab, base, kinds, on=None):
    """Whatever fails is said, and all is as it was before; the lock of a file that has its name is of no consequence."""
    for _, case in each(lab, base, kinds, on):
        yield case if closes_lock(case) else of(case, exit=3, leaves={}, gone=())


def whole_or_nothing(lab, base, kinds, on=None):
    """Failures that may be of no consequence, or come when the output has its name: no file is half."""
    failed, done = ((3, 4), {}, ()), (0, base.leaves, base.gone)  # 4: reading back shows another length
    for kind, case in each(lab, base, kinds, on):
        late = (3, base.leaves, base.gone), (3, base.leaves, ())
        yield of(case, outcomes=(failed, *late, *([] if kind == "fsync" else [done])))


def interrupted(lab, base, kinds):
    """base with each call of these kinds interrupted or done by one byte: nothing changes."""
    counts = lab.calls(base)
    for kind in kinds:
        for n in range(0, counts[kind] + 1) if counts[kind] else ():
            for how in HARMLESS:
                if n or how == "short":  # always interrupted, it would never end
                    times = f"{n} of {counts[kind]}" if n else "every one"
                    yield of(base, name=f"{base.name}: {kind} {times}: {how}", fault=f"{kind}:{n}:{how}")


def stopped(lab, base, kinds, unfinished=None, stale=0, most=1000):
    """base ended by a signal before each call of these kinds: nothing, all, or what is said is left."""
    counts = lab.calls(of(base, check=None))
    leaves = {} if unfinished is None else unfinished
    for kind in kinds:
        for n in some(counts[kind], most) if counts[kind] else ():
            for how, number in ("kill", 9), ("term", 15):
                code = 128 + number
                yield of(base, name=f"{base.name}: {how} before {kind} {n} of {counts[kind]}", fault=f"{kind}:{n}:{how}",
                         stale=stale if how == "kill" else 0, outcomes=(
                             (code, leaves, ()), (code, base.leaves, base.gone), (code, base.leaves, ()), (0, base.leaves, base.gone)))
