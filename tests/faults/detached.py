"""Group 15: images with a detached header: written, read, tagged anew, and encrypted and decrypted where they are."""
import os
import random
import shutil
import subprocess
from pathlib import Path

from faults.calls import failing, interrupted, of, some, some_of, stopped, whole_or_nothing
from faults.harness import CPU, GROUP, KEY, SMALL, Any, Case, Opens, Same
from faults.outputs import TEMPORARY

SIZE = 28672  # three groups and a half
PAIR = ("d", "d.gcr", "key")
MADE = {"d": Any, "d.gcr": Opens("image")}
ENC = Case("enc --detached", ["gcrypt", "enc", "--detached", *CPU, *SMALL, *KEY, "-o", "d", "image"], leaves=MADE, files=("image", "key"))
DEC = Case("dec of an image", ["gcrypt", "dec", *CPU, *KEY, "-o", "out", "d.gcr"], leaves={"out": Same("image")}, files=PAIR)
VERIFY = Case("verify of an image", ["gcrypt", "verify", *KEY, "d.gcr"], files=PAIR)
RETAG = Case("retag", ["gcrypt", "retag", *KEY, "d.gcr"], leaves={"d.gcr": Opens("image")}, files=PAIR)
DONE = {"image": Any, "image.gcr": Opens("image")}
BEGUN = {"image": Any, "image.gcr": Any, "image.gcr.journal": Any}
IN_PLACE = Case("in place", ["gcrypt", "enc", "--detached", "--in-place", *CPU, *SMALL, *KEY, "image"], leaves=DONE, files=("image", "key"))

UNDO = Case("undo in place", ["gcrypt", "dec", "--in-place", *CPU, *KEY, "d.gcr"], leaves={"d": Same("image")}, files=PAIR, gone=("d.gcr",))


def written(lab):
    yield from failing(lab, ENC, ("open", "pwrite", "fsync", "close", "fchmod"), TEMPORARY)
    yield from failing(lab, ENC, ("rename",))
    yield from failing(lab, ENC, ("open", "read", "pread"), "/image$")
    yield from interrupted(lab, ENC, ("read", "pread", "pwrite"))
    for case in some_of(stopped(lab, ENC, ("open", "pwrite", "fsync", "rename"), stale=2), 60):
        alone = tuple((code, {"d": Any}, ()) for code in (137, 143) if "enc" in case.name)
        yield of(case, outcomes=(*case.outcomes, *alone))  # between the two names there is an image alone
    for base in ENC, IN_PLACE:
        for n in range(1, lab.calls(of(base, fault_on="/image$"))["pread"] + 1):
            for how in "shrink", "grow", "eof":
                left, header = {"image": Any} if base is ENC else BEGUN, {"image": Any, "image.gcr": Any}
                # Cut when all of it had been read, and then not whole in place; a change is reported, the end alone is not seen.
                done = (0 if how == "eof" else 3, {**base.leaves, "image": Any}, ())
                yield of(base, name=f"{base.name}: {how} at read {n} of the image", fault=f"pread:{n}:{how}", fault_on="/image$",
                         outcomes=((3, left, ()), (4, left, ()), (3, header, ()), (4, header, ()), *([done] if base is ENC and how != "grow" else [])))
    for n in 0, 511, 513, SIZE - 1:
        for base in ENC, IN_PLACE:
            yield of(base, name=f"{base.name}: {n} bytes", prepare=lambda folder, n=n: os.truncate(f"{folder}/image", n),
                     **({"exit": 2, "leaves": {}} if n else {"leaves": {name: Any for name in base.leaves if base is ENC or name != "image"}}))


def read(lab):
    for base in DEC, VERIFY:
        for on in "/d$", "/d.gcr":
            yield from failing(lab, base, ("open", "read", "pread"), on)
        yield from interrupted(lab, base, ("read", "pread"))
    pick = random.Random(15)
    for name in "d", "d.gcr":
        size = len(lab.content[name])
        for at in sorted(pick.sample(range(16384 if name == "d.gcr" else 0, size), 40)):
            def damage(folder, name=name, at=at):
                with open(os.path.join(folder, name), "r+b") as file:
                    file.seek(at)
                    byte = file.read(1)[0] ^ 1 << at % 8
                    file.seek(at)
                    file.write(bytes([byte]))

            yield of(DEC, name=f"byte {at} of {name}", exit=4, leaves={}, prepare=damage)
        for n in sorted({0, 1, 511, 512, 16383, 16384, 16385, 20480, size - 4096, size - 512, size - 1, size + 1, size + 4096}):
            yield of(DEC, name=f"{name} has {n} bytes", exit=(2, 4), leaves={}, prepare=lambda folder, n=n, name=name: os.truncate(
                f"{folder}/{name}", n))
    both = (*PAIR, "e", "e.gcr")
    for image, side in ("e", "d.gcr"), ("d", "e.gcr"):
        command = ["gcrypt", "dec", *CPU, *KEY, "--image", image, "-o", "out", side]
        yield of(DEC, name=f"image {image} with {side}", command=command, exit=4, leaves={}, files=both)
    for image, code in ("nothing", 3), (".", (2, 3)), ("/dev/zero", (2, 3, 4)), ("key", 4), ("d.gcr", 4):
        yield of(DEC, name=f"--image {image}", command=["gcrypt", "dec", *CPU, *KEY, "--image", image, "-o", "out", "d.gcr"], exit=code,
                 leaves={}, timeout=10)
    yield of(DEC, name="onto the image", command=["gcrypt", "dec", "-f", *CPU, *KEY, "-o", "d", "d.gcr"], exit=6, leaves={})


def tagged(lab):
    yield from failing(lab, RETAG, ("open", "pwrite", "fsync", "close", "fchmod"), TEMPORARY)
    yield from failing(lab, RETAG, ("rename",))
    for on in "/d$", "/d.gcr":
        yield from failing(lab, RETAG, ("open", "read", "pread"), on)
    yield from interrupted(lab, RETAG, ("read", "pread", "pwrite"))
    yield from stopped(lab, RETAG, ("pwrite", "fsync", "rename"), stale=1)
    yield from some_of(whole_or_nothing(lab, RETAG, ("fsync", "close", "fstat", "lseek"), "!" + TEMPORARY), 20)
    for n in range(1, lab.calls(of(RETAG, fault_on="/d$"))["pread"] + 1):
        for how in "shrink", "grow":
            yield of(RETAG, name=f"retag: {how} at read {n} of the image", fault=f"pread:{n}:{how}", fault_on="/d$",
                     outcomes=(((2, 3, 4), {"d": Any}, ()), *([(3, {"d": Any, "d.gcr": Any}, ())] if how == "shrink" else [])))  # all was read
    for n in 0, SIZE - 512, SIZE + 512:
        yield of(RETAG, name=f"retag of {n} bytes", exit=4, leaves={}, prepare=lambda folder, n=n: os.truncate(f"{folder}/d", n))


def goes_on(lab):
    """The same command finishes what was begun; without a detached header nothing was begun."""
    def check(folder):
        path = os.path.join(folder, "image")
        if not os.path.exists(path + ".gcr"):
            return [] if Path(path).read_bytes() == lab.content["image"] else ["no detached header, and another image"]
        done = subprocess.run([lab.gcrypt, *IN_PLACE.command[1:]], cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 6) or done.returncode == 6 and "already" not in done.stderr:
            return [f"again: exit {done.returncode}: {done.stderr}"]
        if os.path.exists(path + ".gcr.journal"):
            return ["the journal is left"]
        done = subprocess.run([lab.gcrypt, "dec", *CPU, *KEY, "-o", "-", "image.gcr"], cwd=folder, capture_output=True, check=False)
        return [] if done.stdout == lab.content["image"] else [f"another plaintext: {done.stderr}"]

    return check


def in_place(lab):
    base = of(IN_PLACE, check=goes_on(lab))
    late = (3, DONE, ()), (3, BEGUN, ()), (3, {"image": Any, "image.gcr": Any}, ()), (3, {"image.gcr": Any}, ()), (3, {}, ())
    for case in whole_or_nothing(lab, base, ("open", "pwrite", "fsync", "pread", "lseek"), "/image"):
        yield of(case, outcomes=late)
    for case in whole_or_nothing(lab, base, ("close", "unlink", "fstat"), "/image"):
        yield of(case, outcomes=(*late, (0, DONE, ()), (0, {**DONE, "image.gcr.journal": Any}, ())))
    yield from interrupted(lab, IN_PLACE, ("read", "pread", "pwrite"))
    for case in stopped(lab, base, ("open", "pread", "pwrite", "fsync", "unlink"), unfinished=BEGUN):
        ends = {code for code, *_ in case.outcomes}
        yield of(case, outcomes=tuple((code, {name: Any for name in names}, ()) for code in ends for names in (
            (), BEGUN, ("image.gcr",), ("image.gcr", "image.gcr.journal"), ("image", "image.gcr"))))


def goes_back(lab):
    """The same command finishes what was begun; where it says that nothing is to be done, the image is plaintext."""
    def check(folder):
        image, header, journal = (os.path.join(folder, name) for name in ("d", "d.gcr", "d.gcr.journal"))
        if os.path.exists(header):
            done = subprocess.run([lab.gcrypt, *UNDO.command[1:]], cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode not in (0, 6) or done.returncode == 6 and "decryption is complete" not in done.stderr:
                return [f"again: exit {done.returncode}: {done.stderr}"]
        wrong = [] if Path(image).read_bytes() == lab.content["image"] else ["another plaintext"]
        return wrong + (["the journal is left"] if os.path.exists(journal) else [])

    return check


def undo(lab):
    base = of(UNDO, check=goes_back(lab))
    changed, journal = {"d": Any, "d.gcr": Any}, {"d.gcr.journal": Any}
    states = ({}, ()), (changed, ()), ({**changed, **journal}, ()), (journal, ()), ({"d": Same("image")}, ("d.gcr",))
    for case in whole_or_nothing(lab, base, ("open", "pwrite", "fsync", "pread", "lseek"), "/d"):
        yield of(case, outcomes=tuple((3, *state) for state in states))
    for case in whole_or_nothing(lab, base, ("close", "unlink", "fstat"), "/d"):
        check = case.check if "unlink" not in case.name else None  # then the journal or the header is left
        yield of(case, outcomes=tuple((code, *state) for code in (0, 3) for state in states), check=check)
    yield from interrupted(lab, UNDO, ("read", "pread", "pwrite"))
    for case in stopped(lab, base, ("open", "pread", "pwrite", "fsync", "unlink")):
        yield of(case, outcomes=tuple((code, *state) for code in (0, 137, 143) for state in states))
    pick = random.Random(153)
    for at in sorted(pick.sample(range(SIZE), 20)):
        def damage(folder, at=at):
            with open(os.path.join(folder, "d"), "r+b") as file:
                file.seek(at)
                byte = file.read(1)[0] ^ 1 << at % 8
                file.seek(at)
                file.write(bytes([byte]))

        yield of(UNDO, name=f"undo in place: byte {at} of the image", exit=4, leaves={"d": Any}, gone=(), prepare=damage)


def begun(lab, n):
    """The three files as a run leaves them that is killed at its n-th write."""
    folder = lab.path(f"begun-{n}")
    os.mkdir(folder)
    for name in "image", "key":
        shutil.copyfile(lab.path(name), os.path.join(folder, name))
    lab.finish(IN_PLACE, folder, lab.environment_of(of(IN_PLACE, fault=f"pwrite:{n}:kill"), folder))
    files = {}
    for name in "image", "image.gcr", "image.gcr.journal":
        if os.path.exists(os.path.join(folder, name)):
            files[name] = Path(folder, name).read_bytes()
    return files


def written_ahead(lab, files):
    """Has the image a group whose page is not there?  Then nothing but the journal tells of it."""
    pages = (len(files.get("image.gcr", b"")) - 16384) // 4096
    groups = [files["image"][at : at + GROUP] == lab.content["image"][at : at + GROUP] for at in range(0, SIZE, GROUP)]
    return pages >= 0 and groups.index(True) > pages if True in groups else pages < len(groups)


def put(files):
    def prepare(folder):
        for name, content in files.items():
            Path(folder, name).write_bytes(content)

    return prepare


def damaged_state(lab):
    """What a stopped run left is damaged: it is gone on with to the same plaintext, or refused as it is."""
    pick, noise = random.Random(151), random.Random(152).randbytes
    for n in some(lab.calls(IN_PLACE)["pwrite"], 6):
        files = begun(lab, n)
        for name in ("image.gcr",) if written_ahead(lab, files) else ("image.gcr", "image.gcr.journal"):
            old = files.get(name, b"")
            at = pick.randrange(16384, len(old)) if len(old) > 16384 else pick.randrange(max(1, len(old)))
            ways = {"is empty": b"", "is zeros": bytes(len(old)), "is noise": noise(len(old)), "is cut": old[: len(old) // 2],
                    "is longer": old + noise(100), "is another": lab.content["d.gcr"],
                    "has a bit turned": old[:at] + bytes([old[at] ^ 1]) + old[at + 1 :] if old else b"x"}
            for how, content in ways.items():
                begin = {**files, name: content}
                empty = tuple(name for name, content in begin.items() if not content)
                yield of(IN_PLACE, name=f"in place, killed at write {n}; {name} {how}", files=("key",), prepare=put(begin), outcomes=(
                    ((3, 4, 5, 6), {}, empty), (0, {"image": Any, "image.gcr": Any}, ("image.gcr.journal",))), check=honest(lab, begin))


def honest(lab, begin):
    """Exit 0 means the plaintext; and whoever refuses has not touched the image."""
    def check(folder):
        image = Path(folder, "image").read_bytes()
        if image == begin["image"]:
            return []
        done = subprocess.run([lab.gcrypt, "dec", *CPU, *KEY, "-o", "-", "image.gcr"], cwd=folder, capture_output=True, check=False)
        return [] if done.stdout == lab.content["image"] else [f"another plaintext: {done.stderr}"]

    return check


def cases(lab):
    lab.add("image", random.Random(150).randbytes(SIZE))
    for name in "d", "e":
        subprocess.run([lab.gcrypt, *ENC.command[1:-1], "-o", name, "image"], cwd=lab.folder, check=True)
        for made in name, f"{name}.gcr":
            lab.content[made] = Path(lab.path(made)).read_bytes()
    yield from written(lab)
    yield from read(lab)
    yield from tagged(lab)
    yield from in_place(lab)
    yield from undo(lab)
    yield from damaged_state(lab)
