"""Group 21: one file by several runs: whatever fails in a part or in join, the next runs complete it."""
import os
import subprocess
from pathlib import Path

from faults.calls import each, interrupted, of, stopped
from faults.harness import CPU, KEY, SMALL, Any, Case, Opens, Same

PART, RECORD = "in.gcr.part", "in.gcr.part-1-of-2"
ENC = ["enc", *CPU, *SMALL, *KEY, "--part"]
FIRST = Case("enc --part", ["gcrypt", *ENC, "1/2", "in"], leaves={PART: Any, RECORD: Any})
JOIN = Case("join", ["gcrypt", "join", *KEY, "in.gcr"], leaves={"in.gcr": Opens("in")},
            gone=(PART, RECORD, "in.gcr.part-2-of-2"))

DEC = [["dec", *CPU, *KEY, "--part", f"{part}/2", "-o", "out", "c"] for part in (1, 2)]
PARTS = ("out.part", "out.part-1-of-2", "out.part-2-of-2")
DEC_FIRST = Case("dec --part", ["gcrypt", *DEC[0]], files=("c", "key"), leaves={PARTS[0]: Any, PARTS[1]: Any})
DEC_LAST = Case("dec --part, the last one", ["gcrypt", *DEC[0]], files=("c", "key"), leaves={"out": Same("in")},
                gone=(PARTS[0], PARTS[2]))


def run(lab, folder, *words):
    return subprocess.run([lab.gcrypt, *words], cwd=folder, capture_output=True, text=True, check=False)


def made(lab):
    """Both parts, before join."""
    def prepare(folder):
        for part in "1/2", "2/2":
            run(lab, folder, *ENC, part, "in").check_returncode()

    return prepare


def completed(lab):
    """All parts and join again: the container, and no file beside it."""
    def check(folder):
        steps = [[*ENC, part, "in"] for part in ("2/2", "1/2")] + [["join", *KEY, "in.gcr"]]
        if os.path.exists(f"{folder}/{PART}") and not os.path.exists(f"{folder}/{RECORD}"):
            steps = steps[2:] + steps  # join may have been stopped after the records
        if os.path.exists(f"{folder}/in.gcr"):
            steps = []
        for step in steps:
            if os.path.exists(f"{folder}/in.gcr"):
                break
            done = run(lab, folder, *step)
        if not os.path.exists(f"{folder}/in.gcr"):
            return [f"not completed: {step[0]}: exit {done.returncode}: {done.stderr}"]
        done = subprocess.run([lab.gcrypt, "dec", *CPU, *KEY, "-o", "-", "in.gcr"], cwd=folder, capture_output=True, check=False)
        return [] if done.stdout == lab.content["in"] else [f"another plaintext: {done.stderr}"]

    return check


def encryption(lab):
    first = of(FIRST, check=completed(lab), stale=1)
    left = (3, {}, ()), (3, {PART: Any}, ()), (3, FIRST.leaves, ()), (6, {}, ()), (6, {PART: Any}, ())
    for _, case in each(lab, first, ("open", "read", "pread", "pwrite", "fsync", "close", "fchmod", "rename", "fstat"), None):
        yield of(case, outcomes=(*left, *([] if "fsync" in case.fault else [(0, FIRST.leaves, ())])))
    yield from interrupted(lab, FIRST, ("read", "pread", "pwrite"))
    for case in stopped(lab, first, ("open", "pread", "pwrite", "fsync", "rename"), unfinished={PART: Any}, stale=1):
        codes = tuple((code, there, ()) for code in (137, 143) for there in ({}, {PART: Any}, FIRST.leaves))
        yield of(case, outcomes=(*case.outcomes, *codes))
    join = of(JOIN, prepare=made(lab), check=completed(lab))
    some = [(code, there, gone) for code in (3, 4, 6) for there in ({}, {PART: Any}) for gone in ((), (RECORD,), JOIN.gone[1:])]
    named = (3, JOIN.leaves, JOIN.gone)
    for _, case in each(lab, join, ("open", "pread", "pwrite", "fsync", "close", "fchmod", "rename", "unlink", "fstat"), None):
        late = [named, *([] if "fsync" in case.fault else [(0, JOIN.leaves, JOIN.gone)])]
        late += [(0, JOIN.leaves, JOIN.gone[:2]), (0, JOIN.leaves, JOIN.gone[::2])]  # a record that cannot be removed
        yield of(case, outcomes=(*some, *late))
    for case in stopped(lab, join, ("pread", "pwrite", "fsync", "rename", "unlink"), unfinished={}):
        codes = tuple((code, there, gone) for code in (137, 143) for _, there, gone in some)
        yield of(case, outcomes=(*case.outcomes, *codes))


def decrypted(lab):
    """All parts again: the content, never other bytes under its name, and no file beside it but records."""
    def check(folder):
        for words in (DEC[1], DEC[0], DEC[1]):
            if os.path.exists(f"{folder}/out"):
                break
            done = run(lab, folder, *words)
        if not os.path.exists(f"{folder}/out"):
            return [f"not completed: exit {done.returncode}: {done.stderr}"]
        same = Path(f"{folder}/out").read_bytes() == lab.content["in"]
        return ([] if same else ["another plaintext"]) + (["a part file"] if os.path.exists(f"{folder}/{PARTS[0]}") else [])

    return check


def decryption(lab):
    def second(folder):
        run(lab, folder, *DEC[1]).check_returncode()

    kinds = ("open", "read", "pread", "pwrite", "fsync", "close", "fchmod", "rename", "fstat")
    first = of(DEC_FIRST, check=decrypted(lab), stale=1)
    left = [(code, there, ()) for code in (3, 6) for there in ({}, {PARTS[0]: Any}, DEC_FIRST.leaves)]
    for _, case in each(lab, first, kinds, None):
        yield of(case, outcomes=(*left, *([] if "fsync" in case.fault else [(0, DEC_FIRST.leaves, ())])))
    yield from interrupted(lab, DEC_FIRST, ("read", "pread", "pwrite"))
    for case in stopped(lab, first, ("open", "pread", "pwrite", "fsync", "rename"), unfinished={PARTS[0]: Any}, stale=1):
        codes = tuple((code, there, ()) for code in (137, 143) for there in ({}, {PARTS[0]: Any}, DEC_FIRST.leaves))
        yield of(case, outcomes=(*case.outcomes, *codes))
    last = of(DEC_LAST, prepare=second, check=decrypted(lab))
    named = [(code, {"out": Same("in"), **records}, gone) for code in (0, 3) for records in ({}, {PARTS[1]: Any})
             for gone in (PARTS[:1], DEC_LAST.gone)]
    some = [(code, there, ()) for code in (3, 6) for there in ({}, {PARTS[0]: Any}, {PARTS[0]: Any, PARTS[1]: Any}, {PARTS[1]: Any})]
    for _, case in each(lab, last, (*kinds, "unlink"), None):
        yield of(case, outcomes=(*some, *(one for one in named if one[0] == 3 or "fsync" not in case.fault)))
    for case in stopped(lab, last, ("pread", "pwrite", "fsync", "rename", "unlink"), unfinished={}):
        codes = tuple((code, *rest) for code in (137, 143) for _, *rest in (*some, *named))
        yield of(case, outcomes=(*case.outcomes, *codes))


def cases(lab):
    yield from encryption(lab)
    yield from decryption(lab)
