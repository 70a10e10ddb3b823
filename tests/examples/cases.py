"""What happens with each display of the manual pages, in the order of the page."""
import json
import os
import re
import subprocess
from dataclasses import dataclass

PASSPHRASE = "correct horse"
NEW_PASSPHRASE = "battery staple"


class Failed(Exception):
    pass


@dataclass
class Run:
    """Shell commands: before makes the files that they need, after says whether they did what they should.

    fill prints NAME=VALUE lines for the words that a reader has to replace.  Numbers with commas in the
    words before the display are output that the page shows.
    """

    before: str = ""
    after: str = ""
    fill: str = ""

    def run(self, words, text, laboratory):
        laboratory.shell(self.before, "what it needs")
        for line in laboratory.shell(self.fill, "what is filled in").splitlines():
            name, value = line.split("=", 1)
            text, n = re.subn(rf"(?<![\w-]){re.escape(name)}\b", value, text)
            if n == 0:
                raise Failed(f"no {name} to fill in")
        out = laboratory.example(text)
        for number in re.findall(r"\b\d{1,3}(?:,\d{3})+\b", words):
            if number.replace(",", "") not in out.replace(",", ""):
                raise Failed(f"the page says {number}, the program:\n{out}")
        laboratory.shell(self.after, "what should be so then")


@dataclass
class Layout:
    """A layout or formula, not to be run: how it begins."""

    begin: str

    def run(self, _words, text, _laboratory):
        if not text.startswith(self.begin):
            raise Failed(f"expected: {self.begin}")


def squeezed(c):
    """C without comments, with one space for any."""
    return " ".join(re.sub(r"/\*.*?\*/", " ", c, flags=re.DOTALL).split())


@dataclass
class Source:
    """A file of the tree without its head comment and its prototypes."""

    path: str

    def run(self, _words, text, laboratory):
        with open(os.path.join(laboratory.root, self.path)) as file:
            source = re.sub(r"^\w.*\);\n", "", file.read(), flags=re.MULTILINE)
        if squeezed(text) != squeezed(source):
            raise Failed(f"{self.path} is different")


class Declaration:
    """A struct of the public header, as it is there."""

    def run(self, _words, text, laboratory):
        with open(os.path.join(laboratory.root, "gpucrypt/gpucrypt.h")) as file:
            header = squeezed(file.read())
        if squeezed(text) not in header:
            raise Failed("gpucrypt.h declares it differently")


@dataclass
class Function:
    """Statements in C: compiled as the body of a function, which the rest calls."""

    head: str
    tail: str
    after: str

    def run(self, _words, text, laboratory):
        with open(os.path.join(laboratory.folder, "example.c"), "w") as file:
            file.write(f"{self.head}\n{text}\n{self.tail}")
        build, root = laboratory.build, laboratory.root
        command = [
            "cc", "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{root}/gpucrypt", "-o", ".bin/example",
            "example.c", f"{build}/libgpucrypt.a", "-lcrypto", "-lOpenCL", "-pthread",
        ]
        done = subprocess.run(command, cwd=laboratory.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(done.stderr)
        laboratory.shell(self.after, "what should be so then")


class Predictions:
    """The table of ppf(1): file, N_tbl, N_key, N_inst, SA and SI of each line, by the options around it."""

    def run(self, words, text, laboratory):
        lines = text.splitlines()
        if lines[0].split() != ["N_tbl", "N_key", "N_inst", "SA", "cycles", "SI", "cycles"] or len(lines) < 2:
            raise Failed("another head of the table")
        size, groups, items = re.search(r"with (\d+ MiB), (\d+) work-groups of (\d+)", words).groups()
        for line in lines[1:]:
            name, *numbers = line.replace(",", "").split()
            source = f"examples/ciphers/{name}"
            function = "encrypt_block" if name.startswith("camellia_") else f"{name.removesuffix('.c')}_encrypt"
            counts = json.loads(laboratory.shell(f"ppf analyze --json --function {function} {source}", name))
            times = json.loads(laboratory.shell(
                f"ppf predict --json --device gtx580 --source {source} --function {function}"
                f" --size {size.replace(' ', '')} --work-groups {groups} --work-items {items}", name))
            found = [counts[key] for key in ("n_tbl", "n_key", "n_inst")]
            found += [round(times["l_enc_total"][key]) for key in ("sa", "si")]
            if found != [int(number) for number in numbers]:
                raise Failed(f"the page says {line}, the program {found}")


BIG = "head -c 20000000 /dev/urandom >big.img\n"
DISK = "head -c 1048576 /dev/urandom >disk.img\n"
HOME = "mkdir -p home/letters; echo hello >home/letters/one; head -c 300000 /dev/zero >home/zeros\n"
KEY = "gcrypt keygen -o backup.key\n"
ARCHIVE = HOME + KEY + "tar c home >home.tar; gcrypt enc -q --cipher aes --key-file backup.key home.tar; rm -r home\n"
TWO = BIG + "gcrypt keygen --x25519 -o anna.pem; gcrypt keygen --x25519 -o ben.pem; gcrypt keygen --x25519 -o carl.pem\n"
FOR_TWO = TWO + "gcrypt enc -q --recipient anna.pem.pub --recipient ben.pem.pub big.img\n"
GROUP = """gcrypt info --show-keys={group} --json {secret} {file} >group.json
python3 -c 'import json; g = json.load(open("group.json"))["groups"][0]; print(*map("=".join, {names}), sep="\\n")'
"""

CASES = {
    "gcrypt.1": [
        Run(BIG, "cmp back.img big.img; gcrypt info big.img.gcr | grep -qi camellia"),
        Run(HOME + "cp -r home kept", "tar c home | tar t >/dev/null; diff -r home kept; test -s home.tar"),
        Run(HOME + KEY, 'diff -r home restored; grep -q letters/one printed'),
        Run(BIG + "gcrypt keygen --x25519 -o ben.pem", "cmp back.img big.img; gcrypt verify -q --identity ben.pem big.img.gcr"),
        # One cipher, or it takes minutes.
        Run(
            "", 'grep -q "^<?xml" advice.svg; grep -q "^camellia-256" printed',
            fill='echo "16G=16G --cipher camellia --bits 256"',
        ),
        Run(BIG + "gcrypt keygen -o K", "gcrypt dec -q --key-file K -o back.img big.img.gcr; cmp back.img big.img; test ! -e big.img.gcr.part"),
        Run(
            BIG + "gcrypt keygen -o K; gcrypt enc -q --cipher aes --key-file K big.img; mv big.img old",
            "cmp big.img old; test ! -e big.img.part",
        ),
        Run(
            BIG + "gcrypt keygen -o K; gcrypt keygen -o K2; gcrypt enc -q --cipher aes --key-file K big.img",
            "gcrypt dec -q --key-file K2 -o back.img new.gcr; cmp back.img big.img; test ! -e new.gcr.part\n"
            "code=0; gcrypt verify -q --key-file K new.gcr || code=$?; test $code = 5",
        ),
        Run(DISK, "cmp -s disk.img IMAGE && exit 1; test $(stat -c %s IMAGE) = 1048576; gcrypt verify -q IMAGE.gcr"),
        Run(DISK + "gcrypt enc -q --cipher aes --detached -o IMAGE disk.img", "cmp name disk.img"),
        Run(DISK + "cp disk.img old", "test ! -e disk.img.gcr.journal; gcrypt dec -q -o new disk.img.gcr; cmp new old"),
        Run(
            DISK + "cp disk.img old; gcrypt enc -q --cipher aes --detached --in-place disk.img; ! cmp -s disk.img old",
            "cmp disk.img old; test ! -e disk.img.gcr; test ! -e disk.img.gcr.journal",
        ),
        Run(DISK, "cmp disk.img back.img; test $(head -c 4 disk.luks) = LUKS; gcrypt dec -q -f -o back.img new.luks; cmp disk.img back.img"),
        Run(
            HOME + "mkdir -p home/videos home/a/.cache home/a/tmp home/tmp home/logs; touch home/a/x.o home/logs/1.gz; gcrypt keygen -o k",
            "gcrypt list --key-file k part.gcr >names; grep -q ^a/tmp names; test -z \"$(grep -E '^tmp|gz' names)\"; test -e restored/a/tmp\n"
            "test ! -e restored/a/x.o; test ! -e restored/a/.cache; test ! -e restored/videos",
        ),
        Run(
            HOME + "gcrypt keygen -o k; gcrypt enc -q --key-file k home; echo changed >home/letters/one; echo mine >home/mine",
            "test $(cat home/letters/one) = hello; test $(cat home/mine) = mine; grep -q '^output: home' printed",
        ),
        Run(
            "mkdir data; echo one >data/one; echo two >data/two; gcrypt keygen -o k",
            "grep -q '^m.gcm: verified: 2 files' printed; gcrypt verify -q --key-file k data/one.gcr data/two.gcr",
        ),
        Run(
            "for i in 1 2 3; do echo $i >$i; done; gcrypt keygen -o k\n"
            "gcrypt enc -q --key-file k --manifest a.gcm 1 2; gcrypt enc -q --key-file k --manifest b.gcm 3",
            "grep -q '^a.gcm and 1 more: verified: 3 files' printed",
        ),
        Run(
            TWO + "gcrypt keygen -o safe.key; mkdir -p ~/.ssh; ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/id_ed25519",
            "for who in anna carl; do gcrypt verify -q -i $who.pem big.img.gcr; done\n"
            "test $(gcrypt key list --json big.img.gcr | grep -c key_id) = 2\n"
            "for old in '-i ben.pem' '-i $HOME/.ssh/id_ed25519' '--key-file safe.key'; do\n"
            "  code=0; eval gcrypt verify -q $old big.img.gcr || code=$?; test $code = 5\ndone",
        ),
        Run(
            "truncate -s 5119M disk.img; head -c 1048576 /dev/urandom >>disk.img; gcrypt enc -q --sparse disk.img",
            "tail -c 1048576 disk.img | cmp - tail.bin",
        ),
        Run(
            TWO + "P='correct horse' gcrypt enc -q --passphrase env:P --recipient anna.pem.pub big.img",
            "gcrypt verify -q --identity carl.pem big.img.gcr\n"
            "P='battery staple' gcrypt verify -q --passphrase env:P big.img.gcr\n"
            "test $(gcrypt key list --json big.img.gcr | grep -c passphrase) = 1",
        ),
        Run(
            FOR_TWO, "gcrypt verify -q --identity carl.pem big.img.gcr; gcrypt verify -q --identity anna.pem big.img.gcr\n"
            "code=0; gcrypt verify -q --identity ben.pem big.img.gcr || code=$?; test $code = 5",
        ),
        Run(
            ARCHIVE, "tail -c $(stat -c %s home.tar) printed | cmp - home.tar",
            fill=GROUP.format(group=0, secret="--key-file backup.key", file="home.tar.gcr",
                              names='[("LENGTH", str(g["length"])), ("KEY", g["key"]), ("IV", g["iv"])]'),
        ),
        Run(
            "head -c 100001 /dev/urandom >in",
            "openssl enc -aes-128-ctr -K 2b7e151628aed2a6abf7158809cf4f3c -iv f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
            " -in in | cmp - out",
        ),
        Run(
            DISK + "head -c 64 /dev/urandom >volume.key",
            "cryptsetup open --type plain -c aes-xts-plain64 -s 512 --key-file volume.key disk.xts back; cmp back disk.img",
        ),
    ],
    "gcrypt.5": [
        Layout("copy A   copy B   page 0  payload 0"),
        Layout("16384 + g * (4096 + G)"),
        Layout("copy A   copy B   page 0   page 1"),
        Layout("PRK    = Extract(file salt, FK)"),
        Layout('Expand(K_grp, "gcrypt/1 keys"'),
        Layout("root = HMAC(K_root,"),
        Layout("Poly1305(r || s_i, chunk)"),
        Run(
            DISK + KEY + "gcrypt enc -q --cipher aes --detached --key-file backup.key -o image disk.img\n"
            "gcrypt info --show-keys --json --key-file backup.key image.gcr >keys.json\n"
            "python3 -c 'import json; open(\"vk\", \"wb\").write(bytes.fromhex(json.load(open(\"keys.json\"))[\"groups\"][0][\"key\"]))'",
            "cmp name disk.img", fill="echo S=512; echo K_VOL=vk",
        ),
        Layout("16384 + (ceil((size - 16384)"),
        Layout("HMAC(K_root, page MAC of group b(I - 1)"),
        Layout("HMAC(K_manifest, the text"),
        Run(
            BIG + KEY + "gcrypt enc -q --cipher aes --key-file backup.key --group-log2 23 big.img",
            "tail -c +$((2 * 8388608 + 1)) big.img | cmp - printed",
            fill=GROUP.format(group=2, secret="--key-file backup.key", file="big.img.gcr",
                              names='[("KEY", g["key"]), ("n", str(g["length"]))]') + "echo g=2",
        ),
    ],
    "libgpucrypt.3": [
        Declaration(),
        Declaration(),
        Declaration(),
        Declaration(),
        Declaration(),
        Function(
            "#include <gpucrypt.h>\n#include <stdio.h>\nint main(void)\n{\nconst int in_fd = 0, out_fd = 1;\n"
            'static const uint8_t key[] = "0123456789abcdef\\xff 123456789abcde";\n',
            "return status;\n}\n",
            "printf '0123456789abcdef\\377 123456789abcde' >key\nhead -c 1000000 /dev/urandom >in\n"
            "example <in >out.gcr\ngcrypt dec -q --key-file key -o back out.gcr; cmp back in",
        ),
    ],
    "ppf.1": [
        Source("examples/ciphers/feistel64.c"),
        Run("", "grep -q 'N_tbl 64$' printed; grep -q 'N_key 16$' printed; grep -q 'N_pt 2 N_ct 2' printed"),
        Layout("L_enc_bt    = L_glb (N_pt + N_ct)"),
        Layout("T(n) = start + max("),
        Layout("1 / rate(n) = 1 / rate + s"),
        Run(),
        Predictions(),
        Run("", "grep -q 40,711,034 printed; grep -q 53,818,234 printed"),
        Run("", "test $(grep -c '^ ' printed) -ge 12; grep -q '^from 16 nodes on' printed"),
    ],
}
