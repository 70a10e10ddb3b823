"""Group 22: a manifest: after any failure no container and no record is lost, and no incomplete manifest has the manifest's name."""
import json
import os
import subprocess
from pathlib import Path

from faults.calls import each, interrupted, of, some_of, stopped
from faults.harness import CPU, KEY, Any, Case, Opens

MANIFEST = "M"
INPUTS = ("in", "long")
RUN = ["enc", "-q", *CPU, *KEY, "--manifest", MANIFEST, *INPUTS]
FILES = (*INPUTS, "key")
OLDER = {"long.gcr": b"of the day before"}
MADE = {"in.gcr": Opens("in"), "long.gcr": Opens("long")}
FIRST = Case("enc --manifest", ["gcrypt", *RUN], files=FILES, leaves={**MADE, MANIFEST: Any})


def run(lab, folder, *words):
    return subprocess.run([lab.gcrypt, *words], cwd=folder, capture_output=True, check=False)


def names(lab, folder, manifest):
    """Those that a manifest records; None: it is no whole manifest."""
    done = run(lab, folder, "dec", *CPU, *KEY, "-o", "-", manifest)
    lines = [json.loads(line) for line in done.stdout.splitlines()] if done.returncode == 0 else []
    return [line["name"] for line in lines[1:]] if lines and lines[0]["files"] == len(lines) - 1 else None


def completed(lab, recorded=()):
    """Each file under its final name is complete, and earlier records are kept; the next run completes the manifest."""
    def check(folder):
        problems = []
        if os.path.exists(f"{folder}/{MANIFEST}"):
            have = names(lab, folder, MANIFEST)
            problems += ["no manifest"] if have is None else []
            problems += [f"lost {name}" for name in recorded if have is not None and name not in have]
        for name, want in MADE.items():
            if os.path.exists(f"{folder}/{name}"):
                done = run(lab, folder, "dec", *CPU, *KEY, "-o", "-", name)
                problems += [] if done.stdout in (lab.content[want.name], OLDER.get(name)) else [f"{name}: another plaintext"]
        # A container that is not recorded, because the run could not write the manifest, needs -f.
        for words in ([RUN[0], "-f", *RUN[1:]], ["verify", *CPU, *KEY, "--manifest", MANIFEST]):
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


def runs(lab, base, check):
    """A run that fails: each of its containers, and its manifest, is complete or missing; nothing else has changed."""
    base = of(base, check=check, quiet_failure=True)
    failed = tuple((code, there, ()) for code in (3, 4, 6) for there in subsets(base.leaves))
    always, sometimes = KINDS
    for _, case in [*each(lab, base, always, None), *some_of(each(lab, base, sometimes, None), MOST)]:
        # A recorded container that cannot be opened is not known to be unchanged: its input is encrypted again.
        again = [(0, {**MADE, **base.leaves}, ())] if case.fault.startswith("open:") else []
        yield of(case, outcomes=(*failed, *again, *([] if "fsync" in case.fault else [(0, base.leaves, ())])))
    for case in stopped(lab, base, ("pwrite", "fsync", "rename"), stale=2, most=6):
        killed = tuple((code, {**there, **lock}, ()) for code in (137, 143) for there in subsets(base.leaves)
                       for lock in ({}, {MANIFEST + ".lock": b""}))
        yield of(case, outcomes=(*case.outcomes, *killed))


def cases(lab):
    yield from runs(lab, FIRST, completed(lab))
    yield from interrupted(lab, FIRST, ("pwrite",))
    # A manifest of the day before, and an input that has changed since.
    def changed(folder):
        Path(f"{folder}/long").write_bytes(OLDER["long.gcr"])
        before(lab, RUN)(folder)
        Path(f"{folder}/long").write_bytes(lab.content["long"])

    yield from runs(lab, of(FIRST, name=f"{FIRST.name} again", prepare=changed, leaves={"long.gcr": Opens("long"), MANIFEST: Any}),
                    completed(lab, INPUTS))
