"""Which groups of a long test a submission runs: those whose folders changed, and one in four of the others."""
import argparse

TURNS = 4

# No group tests these.  A changed file that is neither here nor in the prefixes of a group concerns all groups.
NO_GROUP = ("docs/", "man/", "packaging/", "debian/", "examples/", "README.md", "SECURITY.md", "ppf/analysis/", "ppf/examples/", "ppf/program/", "ppf/run/", "ppf/study/", "serve/", "cli/advise/",
            "cli/bench/", "tests/unit/", "tests/scenarios/", "tests/programs/", "tests/daily/", "tests/keyring/", "tests/luks/",
            "tests/nodes/", "tests/serve/", "tests/hostile/", "tests/interop/", "tests/examples/", "tests/fuzz/", "tests/vectors/")


def add_options(parser):
    parser.add_argument("--changed", type=argparse.FileType(), metavar="FILE", help="names of changed files, one a line")
    parser.add_argument("--turn", type=int, default=0, metavar="N", help="one in four of the other groups: which")


def choose(groups, options):
    """The names, of a dict from a group's name to the prefixes of the files that it tests; all without --changed."""
    if options.changed is None:
        return list(groups)
    changed = tuple(options.changed.read().split())
    known = NO_GROUP + tuple(prefix for prefixes in groups.values() for prefix in prefixes)
    if any(not file.startswith(known) for file in changed):
        return list(groups)
    return [name for i, (name, prefixes) in enumerate(groups.items())
            if (i + options.turn) % TURNS == 0 or any(file.startswith(prefixes) for file in changed)]
