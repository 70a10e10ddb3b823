"""The groups of a long test that a submission runs: those whose folders changed, and one in four of the others."""
import argparse

TURNS = 4

# Prefixes of files that no group tests.  A changed file with neither such a prefix nor one of a group concerns all groups.
NO_GROUP = ("docs/", "man/", "packaging/", "debian/", "examples/", "README.md", "SECURITY.md", "ppf/analysis/", "ppf/program/", "ppf/run/", "research/", "serve/", "cli/advise/",
            "cli/bench/", "tests/unit/", "tests/cli/", "tests/build/", "tests/measure/", "tests/interop/", "tests/examples/", "tests/fuzz/", "tests/vectors/",
            "tests/research/")


def add_options(parser):
    parser.add_argument("--changed", type=argparse.FileType(), metavar="FILE", help="names of changed files, one a line")
    parser.add_argument("--turn", type=int, default=0, metavar="N", help="choose group I if four divides I + N")


def choose(groups, options):
    """Return names of groups.  groups: for each name the prefixes of its files.  Without --changed, all names."""
    if options.changed is None:
        return list(groups)
    changed = tuple(options.changed.read().split())
    known = NO_GROUP + tuple(prefix for prefixes in groups.values() for prefix in prefixes)
    if any(not file.startswith(known) for file in changed):
        return list(groups)
    return [name for i, (name, prefixes) in enumerate(groups.items())
            if (i + options.turn) % TURNS == 0 or any(file.startswith(prefixes) for file in changed)]
