"""Group 19: keys of others, and one's own: damaged, hostile, or not the right ones."""
import os
import random
import subprocess
from pathlib import Path

from faults.calls import failing, interrupted, of
from faults.flips import flip
from faults.harness import CPU, SMALL, Any, Case, Same

FILES = ("in", "me.pem", "me.pem.pub", "rsa.pem", "rsa.pub")
ENC = Case("enc --recipient", ["gcrypt", "enc", *CPU, *SMALL, "--recipient", "me.pem.pub", "-o", "out", "in"], leaves={"out": Any}, files=FILES)


def dec(name, identity, source="r", **more):
    return Case(name, ["gcrypt", "dec", *CPU, "--identity", identity, "-o", "out", source],
                **{"leaves": {"out": Same("in")}, "files": ("me.pem", "rsa.pem", "other.pem", source), **more})


def damaged(lab):
    """A bit of a key's file: refused, or another key; never a crash, never another plaintext."""
    pick = random.Random(19)
    for name in "me.pem", "rsa.pem", "me.pem.pub", "rsa.pub":
        size = len(lab.content[name])
        public = name.endswith(".pub")
        for at in sorted(pick.sample(range(size), min(size, 40))):
            changes = {"prepare": flip(name, 8 * at + pick.randrange(8))}
            if public:
                command = [*ENC.command[:6], *SMALL[2:], "--recipient", name, "-o", "out", "in"]
                yield of(ENC, name=f"byte {at} of {name}", command=command, outcomes=((0, {"out": Any}, ()), (2, {}, ())), **changes)
            else:
                yield dec(f"byte {at} of {name}", name, outcomes=((0, {"out": Same("in")}, ()), ((2, 4, 5), {}, ())), **changes)
        for n in (0, 1, 26, size // 2, size - 2, size - 1):
            cut = {"prepare": lambda folder, name=name, n=n: os.truncate(os.path.join(folder, name), n)}
            whole = (0, {"out": Any}, ()), (2, {}, ())
            if public:
                yield of(ENC, name=f"{n} bytes of {name}", command=[*ENC.command[:6], *SMALL[2:], "--recipient", name, "-o", "out", "in"],
                         outcomes=whole, **cut)
            else:
                yield dec(f"{n} bytes of {name}", name, outcomes=whole, **cut)


def slots(lab):
    pick = random.Random(190)
    for slot, identity in (0, "me.pem"), (1, "rsa.pem"):
        start, used = 480 + 960 * slot, 48 + (40 if slot == 0 else 256)
        for at in sorted(pick.sample(range(used), 40)):
            bits = 8 * (start + at), 8 * (8192 + start + at)
            yield dec(f"byte {at} of slot {slot}, both copies", identity, exit=(4, 5), leaves={}, prepare=flip("r", *bits))
        yield dec(f"byte 60 of slot {slot}, copy A", identity, prepare=flip("r", 8 * (start + 60)), says="copy A is damaged")
    for source in "other.pem", "key.pem":
        yield dec(f"identity {source}", source, exit=5, leaves={}, files=("me.pem", "other.pem", "key.pem", "r"))
    yield dec("a container without such slots", "me.pem", source="c", exit=5, leaves={})


def hostile():
    """Files that are no keys: endless, huge, folders, none, the right half of the pair in the wrong place."""
    for name, code in (("/dev/zero", 2), ("/dev/null", 2), (".", (2, 3)), ("nothing", 3), ("in", 2), ("r", 2), ("many", 2), ("huge", 2),
                       ("/proc/self/mem", (2, 3))):
        def prepare(folder):
            Path(folder, "many").write_bytes(b"-----BEGIN PUBLIC KEY-----\n" * 2000)
            with open(os.path.join(folder, "huge"), "wb") as file:
                file.truncate(1 << 40)

        more = {"exit": code, "leaves": {}, "prepare": prepare, "timeout": 20}
        yield of(ENC, name=f"--recipient {name}", command=[*ENC.command[:6], *SMALL[2:], "--recipient", name, "-o", "out", "in"],
                 files=("in", "r"), **more)
        yield dec(f"--identity {name}", name, files=("in", "r"), **more)
        for option in ["--key-file", name], ["--passphrase", f"file:{name}"]:
            if name not in ("in", "r", "many"):  # those are passphrases
                bad = code if option[0] == "--key-file" or name != "/dev/null" else 2
                yield Case(f"{' '.join(option)}", ["gcrypt", "enc", *CPU, *SMALL, *option, "-o", "out", "in"], bad, files=("in", "r"),
                           prepare=prepare, timeout=20)
    yield of(ENC, name="a private key as --recipient", command=[*ENC.command[:6], *SMALL[2:], "--recipient", "me.pem", "-o", "out", "in"],
             exit=2, leaves={}, says="private key")
    yield dec("a public key as --identity", "me.pem.pub", exit=2, leaves={}, files=("me.pem.pub", "r"))
    yield dec("the container as --identity", "r", exit=2, leaves={})
    for option in "me.pem.pub", "rsa.pub":
        yield of(ENC, name=f"{option} twice", command=[*ENC.command[:-3], "--recipient", option, "--recipient", option, "-o", "out", "in"],
                 exit=2, leaves={})
    base = dec("onto the identity", "me.pem", exit=6, leaves={})
    yield of(base, command=["gcrypt", "dec", "-f", *CPU, "--identity", "me.pem", "-o", "me.pem", "r"])


def cases(lab):
    for name in "me.pem", "other.pem":
        subprocess.run([lab.gcrypt, "keygen", "--x25519", "-o", name], cwd=lab.folder, check=True, stderr=subprocess.DEVNULL)
    for name in "rsa", "key":
        subprocess.run(["openssl", "genrsa", "-out", f"{name}.pem", "2048"], cwd=lab.folder, check=True, stderr=subprocess.DEVNULL)
    subprocess.run(["openssl", "pkey", "-in", "rsa.pem", "-pubout", "-out", "rsa.pub"], cwd=lab.folder, check=True)
    for name in "me.pem", "me.pem.pub", "other.pem", "rsa.pem", "rsa.pub", "key.pem":
        lab.content[name] = Path(lab.path(name)).read_bytes()
    lab.make("r", "enc", *CPU, *SMALL, "--recipient", "me.pem.pub", "--recipient", "rsa.pub", "in")
    yield from failing(lab, ENC, ("open", "read", "pread"), ".pub")
    yield from failing(lab, dec("dec --identity", "me.pem"), ("open", "read", "pread"), ".pem")
    yield from interrupted(lab, ENC, ("read", "pread"))
    yield from interrupted(lab, dec("dec --identity", "rsa.pem"), ("read", "pread"))
    yield from damaged(lab)
    yield from slots(lab)
    yield from hostile()
