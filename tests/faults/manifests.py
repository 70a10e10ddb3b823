"""Group 22: a manifest by parts: whatever fails, no container or record is lost, and no half manifest has its name."""
import json
import os
import subprocess

from faults.calls import each, interrupted, of, some_of, stopped
from faults.harness import CPU, KEY, Any, Case, Opens

MANIFEST, PART = "M", "M.files-1-of-1"
INPUTS = ("in", "long")
ENC = ["enc", "-q", *CPU, *KEY, "--manifest", MANIFEST]
RUN = [*ENC, "--part", "1/1", *INPUTS]
JOIN = ["join", *KEY, MANIFEST]
FILES = (*INPUTS, "key")
OLDER = {"long.gcr": b"of the day before"}
MADE = {"in.gcr": Opens("in"), "long.gcr": Opens("long")}
FIRST = Case("enc --manifest --part", ["gcrypt", *RUN], files=FILES, leaves={**MADE, PART: Any})
JOINED = Case("join of a manifest", ["gcrypt", *JOIN], files=FILES, leaves={MANIFEST: Any}, gone=(PART,))


def run(lab, folder, *words):
    return subprocess.run([lab.gcrypt, *words], cwd=folder, capture_output=True, check=False)


def names(lab, folder, manifest):
    """Those that a manifest records; None: it is no whole manifest."""
    done = run(lab, folder, "dec", *CPU, *KEY, "-o", "-", manifest)
    lines = [json.loads(line) for line in done.stdout.splitlines()] if done.returncode == 0 else []
    return [line["name"] for line in lines[1:]] if lines and lines[0]["files"] == len(lines) - 1 else None


def completed(lab, recorded=()):
    """Each file under its final name is whole, the records that were there are; the next runs complete the manifest."""
    def check(folder):
        problems = []
        for manifest in MANIFEST, PART:
            if os.path.exists(f"{folder}/{manifest}"):
                have = names(lab, folder, manifest)
                problems += [f"{manifest}: no manifest"] if have is None else []
                problems += [f"{manifest}: lost {name}" for name in recorded if have is not None and name not in have]
        for name, want in MADE.items():
            if os.path.exists(f"{folder}/{name}"):
                done = run(lab, folder, "dec", *CPU, *KEY, "-o", "-", name)
                problems += [] if done.stdout in (lab.content[want.name], OLDER.get(name)) else [f"{name}: another plaintext"]
        # A container that is not recorded, because the run could not write the manifest, needs -f.
        for words in ([RUN[0], "-f", *RUN[1:]], JOIN, ["verify", *CPU, *KEY, "--manifest", MANIFEST]):
            done = run(lab, folder, *words)
            problems += [f"{words[0]} again: exit {done.returncode}: {done.stderr.decode()}"] if done.returncode else []
        return problems + [f"left: {name}" for name in os.listdir(folder) if name.startswith("M.")]

    return check


def before(lab, *commands):
    def prepare(folder):
        for words in commands:
            run(lab, folder, *words).check_returncode()

    return prepare


def subsets(there):
    """Any of these may be there."""
    found = [{}]
    for name, want in there.items():
        found += [{**one, name: want} for one in found]
    return found


KINDS = ("pwrite", "fsync", "rename"), ("open", "read", "pread", "close", "fchmod")  # all of the first, some of the others
MOST = 16


def faults(lab, base, more=()):
    always, sometimes = KINDS
    for _, case in [*each(lab, base, (*always, *more), None), *some_of(each(lab, base, sometimes, None), MOST)]:
        yield case


def parts(lab, base, check):
    """A part that fails: its containers and its manifest are there or not, each whole; nothing else has changed."""
    base = of(base, check=check, quiet_failure=True)
    failed = tuple((code, there, ()) for code in (3, 4, 6) for there in subsets(base.leaves))
    for case in faults(lab, base):
        yield of(case, outcomes=(*failed, *([] if "fsync" in case.fault else [(0, base.leaves, ())])))
    for case in stopped(lab, base, ("pwrite", "fsync", "rename"), stale=2, most=6):
        killed = tuple((code, {**there, **lock}, ()) for code in (137, 143) for there in subsets(base.leaves)
                       for lock in ({}, {PART + ".lock": b""}))
        yield of(case, outcomes=(*case.outcomes, *killed))


def joins(lab, base, check):
    """The manifest is the old or the new one, and the parts go only when it is the new one."""
    base = of(base, check=check)
    failed = [(code, {}, ()) for code in (3, 4, 6)] + [(3, base.leaves, gone) for gone in ((), base.gone)]
    for case in faults(lab, base, ("unlink",)):
        late = (0, base.leaves, base.gone), (0, {**base.leaves, "M.lock": b""}, base.gone), (0, {**base.leaves, PART + ".lock": b""}, base.gone)
        yield of(case, outcomes=(*failed, *([] if "fsync" in case.fault else late)))
    locks = {"M.lock": b"", PART + ".lock": b""}
    for case in stopped(lab, base, ("pwrite", "fsync", "rename", "unlink"), stale=1, most=6):
        killed = tuple((code, {**there, **lock}, gone) for code in (137, 143) for there in ({}, base.leaves)
                       for gone in ((), base.gone) if there or not gone for lock in subsets(locks))
        yield of(case, outcomes=(*case.outcomes, *killed))


def cases(lab):
    yield from parts(lab, FIRST, completed(lab))
    yield from interrupted(lab, FIRST, ("pwrite",))
    yield from joins(lab, of(JOINED, prepare=before(lab, RUN)), completed(lab, INPUTS))
    # A manifest of the day before, and an input that has changed since.
    def changed(folder):
        with open(f"{folder}/long", "wb") as file:
            file.write(OLDER["long.gcr"])
        before(lab, RUN, JOIN)(folder)
        with open(f"{folder}/long", "wb") as file:
            file.write(lab.content["long"])

    yield from parts(lab, of(FIRST, name=f"{FIRST.name} again", prepare=changed, leaves={"long.gcr": Opens("long"), PART: Any}),
                     completed(lab, INPUTS))

    def changed_and_run(folder):
        changed(folder)
        before(lab, RUN)(folder)

    yield from joins(lab, of(JOINED, name=f"{JOINED.name} again", prepare=changed_and_run), completed(lab, INPUTS))
