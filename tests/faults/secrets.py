"""Group 5: passphrases and key files that are wrong, empty, strange, too many or none."""
import os
from pathlib import Path

from model.cases import PASSPHRASE
from model.reader import Secret
from model.writer import Draft, Random
from faults.harness import CPU, KEY, Case, Same

LONG = bytes(range(1, 256)) * 4113
MEBIBYTE = LONG[: 1 << 20]
STRANGE = b"a\0b\nc"
WORD = PASSPHRASE.bytes


def holds(name, content):
    def prepare(folder):
        Path(folder, name).write_bytes(content)

    return prepare


FILES = [  # content of the passphrase's file, container, exit, message
    ("right", WORD, "cheap", 0, ""), ("and a newline", WORD + b"\n", "cheap", 0, ""),
    ("and two newlines", WORD + b"\n\n", "cheap", 5, "no key slot matches"),
    ("with CR and newline", WORD + b"\r\n", "cheap", 5, "no key slot matches"),
    ("cut", WORD[:-1], "cheap", 5, "no key slot matches"), ("and a blank", WORD + b" ", "cheap", 5, "no key slot matches"),
    ("and NUL, which HMAC fills its key with as well", WORD + b"\0", "cheap", 0, ""), ("wrong", b"wrong", "cheap", 5, "no key slot matches"),
    ("empty", b"", "cheap", 2, "is empty"), ("a newline only", b"\n", "cheap", 2, "is empty"),
    ("with NUL and newline", STRANGE, "strange", 0, ""), ("up to NUL", STRANGE[:1], "strange", 5, "no key slot"),
    ("up to the newline", STRANGE[:3], "strange", 5, "no key slot"), ("of 1 MiB", MEBIBYTE, "mebibyte", 0, ""),
    ("of 1 MiB less one", MEBIBYTE[:-1], "mebibyte", 5, "no key slot"),
    ("of 1 MiB and one", LONG[: (1 << 20) + 1], "mebibyte", 2, "1048576|1 MiB|too long|longer"),
    ("for a key file's slot", WORD, "c", 5, "no key slot matches this passphrase \\(key slots: key file\\)"),
]

KEY_FILES = [  # content, exit, message
    ("another", bytes(range(32)), 5, "no key slot matches"), ("31 bytes", bytes(31), 2, ""), ("33 bytes", bytes(33), 2, ""),
    ("empty", b"", 2, ""), ("64 digits", b"0a" * 32, 2, ""), ("64 digits, CR, newline", b"0a" * 32 + b"\r\n", 2, ""),
    ("63 digits", b"0a" * 31 + b"0\n", 2, ""), ("64 letters", b"xy" * 32 + b"\n", 2, ""), ("printable", b"p" * 32, 2, "passphrase"),
    ("a megabyte", bytes(1 << 20), 2, ""),
]

WRONG = [  # options, exit, message, more of the case
    (["--passphrase", "secret"], 2, "", {}), (["--passphrase", "env:"], 2, "", {}),
    (["--passphrase", "env:NOT_THERE"], 2, "NOT_THERE", {}), (["--passphrase", "env:P"], 2, "is empty", {"env": {"P": ""}}),
    (["--passphrase", "env:P"], 5, "no key slot matches", {"env": {"P": "wrong"}}),
    (["--passphrase", "file:not-there"], 3, "not-there", {}), (["--passphrase", "file:."], 3, "", {}),
    (["--passphrase", "fd:99"], 3, "99", {}), (["--passphrase", "fd:-1"], 2, "", {}), (["--passphrase", "fd:x"], 2, "", {}),
    (["--passphrase", "cmd:exit 3"], 3, "exit status 3", {}), (["--passphrase", "cmd:true"], 2, "is empty", {}),
    (["--passphrase", "cmd:kill -KILL $$"], 3, "killed", {}), (["--passphrase", "cmd:not-a-command"], 3, "", {"quiet_failure": True}),
    (["--passphrase", "cmd:printf wrong"], 5, "no key slot matches", {}),
    (["--passphrase", "file:secret", "--passphrase", "file:secret"], 2, "", {}),
    (["--passphrase", "file:secret", *KEY], 2, "one secret", {}), ([*KEY, *KEY], 2, "", {}),
    (["--key-hex", "00" * 32], 2, "", {}), (["--key-file", "not-there"], 3, "not-there", {}), (["--key-file", "."], 3, "", {}),
    (["--key-file", "cheap"], 2, "", {}), (["--key-file", "key"], 5, "no key slot matches this key file \\(key slots: passphrase\\)", {}),
    (["--passphrase", "fd:0"], 5, "no key slot matches", {"stdin": b"wrong\n"}),
]


def cases(lab):
    for name, word in ("strange", STRANGE), ("mebibyte", MEBIBYTE):
        lab.add(name, Draft(Secret(1, word), lab.content["in"], Random(name), group_log2=13).bytes())
    for name, content, container, code, says in FILES:
        yield Case(f"passphrase {name}", ["gcrypt", "dec", *CPU, "--passphrase", "file:p", "-o", "out", container], code,
                   files=(container,), prepare=holds("p", content), says=says, leaves={} if code else {"out": Same("in")})
    for name, content, code, says in KEY_FILES:
        for verb in "dec", "enc":
            if code == 2 or verb == "dec":
                yield Case(f"{verb}, key file: {name}", ["gcrypt", verb, *CPU, "--key-file", "k", "-o", "out", "c"], code, files=("c",),
                           prepare=holds("k", content), says=says)
    for options, code, says, more in WRONG:
        for how, out in ("to a file", "out"), ("to a pipe", "-"):
            yield Case(f"{' '.join(options)}, {how}", ["gcrypt", "dec", *CPU, *options, "-o", out, "cheap"], code, says=says,
                       files=("cheap", "key", "secret"), **more)
    none = ["setsid", "--wait", "gcrypt"]
    for verb in ["enc", "in"], ["dec", "-o", "out", "cheap"], ["verify", "cheap"], ["info", "--show-keys", "cheap"]:
        yield Case(f"{verb[0]}, no secret and no terminal", [*none, *verb], 2, files=("in", "cheap"))
    same = "the input cannot be the secret"
    for secret in ["--passphrase", "fd:0"], ["--passphrase", "file:/dev/stdin"], ["--key-file", "/dev/stdin"]:
        yield Case(f"{' '.join(secret)} is the input", ["gcrypt", "enc", *CPU, *secret, "-o", "out", "-"], 2, stdin=WORD,
                   says=same)
    for name in "key", "./key", "link":
        yield Case(f"{name}: the secret is not overwritten", ["gcrypt", "enc", "-f", *CPU, *KEY, "-o", name, "in"], 6,
                   prepare=lambda folder: os.symlink("key", os.path.join(folder, "link")))
