"""What a case is; see laboratory.py for how it is run and judged."""
import subprocess
from dataclasses import dataclass, field

STALE = r"\.gcrypt-[0-9a-f]{16}\.part"  # what SIGKILL leaves
SMALL = ["--chunk-log2", "12", "--group-log2", "13"]
GROUP = 8192
CPU = ["--engine", "cpu"]
KEY = ["--key-file", "key"]


def page_at(group, size=GROUP):
    return 16384 + group * (4096 + size)


class Same:
    """The content of a file that was there before."""

    def __init__(self, name):
        self.name = name


class Opens(Same):
    """A container of that file, under the key."""


class Any:
    """Whatever it holds."""


@dataclass
class Skip:
    what: str
    why: str


@dataclass
class Case:
    name: str
    command: list  # its first word gcrypt stands for the program under test
    exit: object = 0  # or several; 128 + N also stands for death by signal N
    leaves: dict = field(default_factory=dict)  # what is there after it, and was not or not so before
    out: object = b""  # on standard output: bytes, or a function of them to whether they may be
    says: str = ""  # a pattern of standard error
    files: tuple = ("in", "key")  # what it starts with, of the laboratory's
    stdin: object = None  # a file's name, or bytes
    stdout: str = None  # a file's or device's name
    env: dict = field(default_factory=dict)
    fault: str = None  # see shim.c
    fault_on: str = None  # its FAULT_ON
    outcomes: tuple = ()  # instead of exit and leaves, any of these (exit, leaves, gone)
    umask: int = -1
    user: int = None
    prepare: object = None  # function of the folder, before
    act: object = None  # function of folder and process, while it runs
    check: object = None  # function of the folder, after; returns what is wrong, or nothing
    whole: object = None  # the same, besides, where exit is 0
    gone: tuple = ()  # files that must have gone
    stale: object = 0  # temporary files that may be left, at most
    inside: tuple = ()  # folders that may be made, with anything in them
    quiet_failure: bool = False  # a failure need not be told in one line
    timeout: float = 60


def signal_after(number, seconds):
    """Something to act: send a signal after a while."""

    def act(_, process):
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(number)

    return act
