"""Runs a case in a folder of its own, and says what was wrong."""
import glob
import os
import random
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from model.cases import KEY as CONFORMANCE_KEY
from model.cases import OTHER_KEY, PASSPHRASE
from model.writer import Draft, Random
from faults.harness import CPU, KEY, SMALL, STALE, Any, Opens, Same


class Laboratory:
    """Programs, and files to start from."""

    def __init__(self, gcrypt, tests, folder):
        self.tests, self.folder = os.path.abspath(tests), folder
        # A copy: another user may have no permission to search the folders above the checkout, as /root.
        self.gcrypt = shutil.copy(gcrypt, self.path("gcrypt"))
        self.environment = {**os.environ, "LC_ALL": "C", "XDG_CACHE_HOME": self.path("cache")}
        self.content = {}

    def path(self, name):
        return os.path.join(self.folder, name)

    def add(self, name, content):
        self.content[name] = content
        Path(self.path(name)).write_bytes(content)

    def make(self, name, *arguments, env=None):
        """A file made by gcrypt from the last argument."""
        *options, operand = arguments
        subprocess.run([self.gcrypt, *options, "-o", name, operand], cwd=self.folder, check=True,
                       env={**self.environment, **(env or {})}, stderr=subprocess.PIPE)
        self.content[name] = Path(self.path(name)).read_bytes()

    def unit_test(self, name):
        return os.path.join(self.tests, name)

    def command(self, case):
        return [self.gcrypt if word == "gcrypt" else word for word in case.command]

    def environment_of(self, case, folder):
        environment = {**self.environment, **case.env}
        if case.fault:
            environment.update(FAULT=case.fault, FAULT_UNDER=folder, LD_PRELOAD=self.unit_test("faults/shim.so"))
        if case.fault_on:
            environment["FAULT_ON"] = case.fault_on
        return environment

    def calls(self, case):
        """How often a clean run of the case makes each call that can be made to fail."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            self.put_files(case, folder)
            environment = self.environment_of(case, folder)
            environment.update(FAULT="count", FAULT_UNDER=folder, FAULT_LOG=self.path("calls"),
                               LD_PRELOAD=self.unit_test("faults/shim.so"))
            self.finish(case, folder, environment)
        with open(self.path("calls"), encoding="ascii") as file:
            lines = [line.split() for line in file]
        os.unlink(self.path("calls"))
        return {name: int(n) for name, n in lines}

    def put_files(self, case, folder):
        for name in case.files:
            shutil.copyfile(self.path(name), os.path.join(folder, name))
            if name in ("key", "other-key", "secret"):  # else there is a warning
                os.chmod(os.path.join(folder, name), 0o600)
        if case.prepare:
            case.prepare(folder)

    def finish(self, case, folder, environment):
        """Run it to its end: exit status, standard output, standard error."""
        source, to = subprocess.DEVNULL, subprocess.PIPE
        if isinstance(case.stdin, bytes):
            source = subprocess.PIPE
        elif case.stdin:
            source = open(os.path.join(folder, case.stdin), "rb")
        if case.stdout:
            to = open(os.path.join(folder, case.stdout), "r+b" if case.stdout[0] == "/" else "wb")
        process = subprocess.Popen(
            self.command(case), cwd=folder, env=environment, stdin=source, stdout=to,
            stderr=subprocess.PIPE, umask=case.umask, user=case.user,
            extra_groups=[] if case.user else None, restore_signals=True)
        for file in source, to:
            if hasattr(file, "close"):
                file.close()
        try:
            if case.act:
                case.act(folder, process)
            out, err = process.communicate(case.stdin if isinstance(case.stdin, bytes) else None, case.timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            return "no end", out, err
        code = process.returncode
        return 128 - code if code < 0 else code, out or b"", err

    def run(self, case):
        """What is wrong, as lines."""
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            if case.user:
                os.chmod(self.folder, 0o755)
                os.chmod(folder, 0o777)
            self.put_files(case, folder)
            before = snapshot(folder)
            code, out, err = self.finish(case, folder, self.environment_of(case, folder))
            done = code, out, err.decode(errors="replace")
            outcomes = case.outcomes or ((case.exit, case.leaves, case.gone),)
            problems = min((self.judge(case, outcome, folder, before, done) for outcome in outcomes), key=len)
            if case.check:
                problems += case.check(folder) or []
            if case.whole and code == 0:
                problems += case.whole(folder) or []
        return [f"{case.name}: {problem}" for problem in problems]

    def judge(self, case, outcome, folder, before, done):
        exit, leaves, gone = outcome
        code, out, err = done
        problems = []
        if code not in (exit if isinstance(exit, tuple) else (exit,)):
            problems.append(f"exit {code} instead of {exit}: {err.strip()}")
        failures = [line for line in err.splitlines() if line.startswith("gcrypt: ") and ": warning: " not in line
                    and not line.startswith("gcrypt: warning: ")]
        if isinstance(code, int) and 0 < code < 128 and len(failures) != 1 and not case.quiet_failure:
            problems.append(f"{len(failures)} messages: {err.strip()}")
        if not re.search(case.says, err):
            problems.append(f"no '{case.says}' in: {err.strip()}")
        out = re.sub(rb"(?m)^.*: verified: .*\n", b"", out)  # what verify says of each good file
        if not (case.out(out) if callable(case.out) else out == case.out):
            problems.append(f"{len(out)} bytes on standard output: {out[:80]!r}")
        return problems + self.judge_files(case, folder, before, leaves, gone)

    def judge_files(self, case, folder, before, leaves, gone):
        problems, after, stale = [], snapshot(folder), set()
        for name in sorted({*before, *after, *leaves}):
            want = None if name in gone else leaves.get(name, before.get(name))
            temporary = re.match(rf"(.*/)?{STALE}(?=/|$)", name)
            if want is None and name.split("/")[0] in case.inside:
                pass
            elif want is None and temporary:
                stale.add(temporary[0])
            elif want is None and name in after:
                problems.append(f"{name} is there")
            elif want is None:
                pass
            elif name not in after:
                problems.append(f"{name} is not there")
            elif not self.holds(folder, name, want, after[name]):
                problems.append(f"{name} holds something else")
        if len(stale) > case.stale:
            problems.append(f"left: {', '.join(stale)}")
        return problems

    def holds(self, folder, name, want, have):
        if want is Any:
            return True
        if isinstance(want, Opens):
            done = subprocess.run([self.gcrypt, "dec", *CPU, "--key-file", self.path("key"), "-o", "-",
                                   os.path.join(folder, name)], capture_output=True, check=False)
            return done.returncode == 0 and done.stdout == self.content[want.name]
        if isinstance(want, Same):
            want = self.content[want.name]
        return want == have


def snapshot(folder):
    """All that is in it: the content of files, the target of links, a word for the rest."""
    there = {}
    for path in glob.iglob(os.path.join(glob.escape(folder), "**"), recursive=True, include_hidden=True):
        name = os.path.relpath(path, folder)
        if os.path.islink(path):
            there[name] = "-> " + os.readlink(path)
        elif os.path.isfile(path) and os.path.getsize(path) >= 1 << 30:
            there[name] = f"{os.path.getsize(path)} bytes"
        elif os.path.isfile(path):
            there[name] = Path(path).read_bytes()
        elif name != ".":
            there[name] = "something else"
    return there


def make_laboratory(gcrypt, tests, folder):
    """in, changed, long: plaintext; c, other: containers of in under key; long.gcr; secret: the passphrase of cheap, a
    container of in for which scrypt takes no time."""
    lab, noise = Laboratory(gcrypt, tests, folder), random.Random(0)
    for name, content in (("key", CONFORMANCE_KEY.bytes), ("other-key", OTHER_KEY.bytes), ("secret", PASSPHRASE.bytes),
                          ("in", noise.randbytes(30000)), ("long", noise.randbytes(200000))):
        lab.add(name, content)
    lab.add("changed", lab.content["in"][:9000] + b"changed" + lab.content["in"][9007:])
    for name in "c", "other":
        lab.make(name, "enc", *CPU, *SMALL, *KEY, "in")
    lab.make("long.gcr", "enc", *CPU, "--chunk-log2", "12", "--group-log2", "14", *KEY, "long")
    lab.make("warm", "enc", "--rm", *KEY, "other")  # the driver's cache of programs is filled
    lab.make("other", "enc", *CPU, *SMALL, *KEY, "in")
    lab.add("cheap", Draft(PASSPHRASE, lab.content["in"], Random("cheap"), group_log2=13).bytes())
    return lab
