"""Group 13: what is printed with --json is JSON, whatever the files are called; the rest stays clean."""
import json
import os

from faults.harness import CPU, KEY, SMALL, Any, Case, Opens, Same

NAMES = {
    "plain": "name", "quotes": 'a "quoted" name', "backslash": "back\\slash", "newline": "two\nlines", "escape": "\x1b[31mred",
    "not UTF-8": os.fsdecode(b"latin \xe9 \xff"), "surrogate": os.fsdecode(b"\xed\xa0\x80"), "Greek": "αβγ", "blanks": "  ",
    "a long name": "n" * 251, "like an option": "./--raw", "DEL": "a\x7fb", "C1": "a\u0085b",
}


def is_json(out):
    """One value; no NaN, and no number that a double does not hold."""
    def refuse(text):
        raise ValueError(text)

    def whole(text):
        if abs(int(text)) > 1 << 53:
            raise ValueError(text)
        return int(text)

    try:
        json.loads(out.decode("utf-8"), parse_constant=refuse, parse_int=whole)
    except ValueError:
        return False
    return True


def is_json_lines(out):
    return bool(out) and all(map(is_json, out.splitlines()))


def to_out(*command):
    """Standard error becomes standard output, to be looked at as that."""
    return ["bash", "-c", 'exec "$0" "$@" 2>&1', *command]


def named(title, name):
    def container(folder):
        os.rename(os.path.join(folder, "c"), os.path.join(folder, name))

    def plain(folder):
        os.rename(os.path.join(folder, "in"), os.path.join(folder, name))

    base = os.path.normpath(name)
    of_c, of_in = {"files": ("c", "key"), "prepare": container}, {"files": ("in", "key"), "prepare": plain}
    yield Case(f"{title}: info", ["gcrypt", "info", "--json", name], out=is_json, **of_c)
    yield Case(f"{title}: info --show-keys", ["gcrypt", "info", "--show-keys", "--json", *KEY, name], out=is_json, **of_c)
    yield Case(f"{title}: key list", ["gcrypt", "key", "list", "--json", name], out=is_json, **of_c)
    yield Case(f"{title}: enc --dry-run", ["gcrypt", "enc", "--dry-run", "--json", *CPU, *KEY, name], out=is_json, **of_in)
    yield Case(f"{title}: dec --dry-run", ["gcrypt", "dec", "--dry-run", "--json", *CPU, *KEY, "-o", "out", name], out=is_json, **of_c)
    yield Case(f"{title}: progress of enc", to_out("gcrypt", "enc", "--json", "--progress", *CPU, *SMALL, *KEY, name), out=is_json_lines,
               leaves={f"{base}.gcr": Opens("in")}, **of_in)
    yield Case(f"{title}: progress of verify", to_out("gcrypt", "verify", "--json", "--progress", *KEY, name), out=is_json_lines, **of_c)
    yield Case(f"{title}: a failure", ["gcrypt", "dec", *CPU, *KEY, "-o", "out", name], 4, **of_in)


def cases(lab):
    for title, name in NAMES.items():
        yield from named(title, name)
    yield Case("devices", ["gcrypt", "devices", "--json"], out=is_json)
    yield Case("devices, none", ["gcrypt", "devices", "--json"], out=is_json, env={"OCL_ICD_VENDORS": "/nonexistent"})
    yield Case("advise", ["gcrypt", "advise", "--json", "--size", "1M"], out=is_json, timeout=120)
    yield Case("advise, 2^60 bytes", ["gcrypt", "advise", "--json", "--size", str(1 << 60)], out=is_json, timeout=120)
    yield Case("a length above 2^53", ["gcrypt", "info", "--json", "c"], out=is_json, files=("c",), leaves={"c": Any},
               prepare=with_length(1 << 62))
    yield Case("a length not known", ["gcrypt", "info", "--json", "c"], out=is_json, files=("c",), leaves={"c": Any},
               prepare=with_length(2**64 - 1))
    for source, code in ("in", 4), ("nothing", 3):
        yield Case(f"info --json of {source}", ["gcrypt", "info", "--json", source], code)
        yield Case(f"key list --json of {source}", ["gcrypt", "key", "list", "--json", source], code)
    # With -v and --progress standard output has nothing but plaintext.
    for words in ["-v"], ["--progress"], ["-v", "--progress"], ["-q"]:
        yield Case(f"dec {' '.join(words)} to a pipe", ["gcrypt", "dec", *words, *CPU, *KEY, "-o", "-", "c"], files=("c", "key"),
                   out=lab.content["in"])
        yield Case(f"dec {' '.join(words)} to a file", ["gcrypt", "dec", *words, *CPU, *KEY, "-o", "out", "c"], files=("c", "key"),
                   leaves={"out": Same("in")})
    ppf = os.path.join(os.path.dirname(lab.tests), "ppf")
    predict = [ppf, "predict", "--device", "gtx580", "--cipher", "aes", "--bits", "128", "--size", "256M", "--json"]
    yield Case("ppf predict", predict, out=is_json)
    for command in ["--help"], ["enc", "--help"], ["--version"]:
        yield Case(f"gcrypt {' '.join(command)} into /dev/full", ["gcrypt", *command], 3, stdout="/dev/full")


def with_length(n_bytes):
    def prepare(folder):
        with open(os.path.join(folder, "c"), "r+b") as file:
            for copy in 0, 8192:
                file.seek(copy + 24)
                file.write(n_bytes.to_bytes(8, "little"))

    return prepare
