"""Group 1: every prefix of a container is refused, and no more leaves than whole verified groups."""
import os

from faults.harness import CPU, KEY, Case, page_at

LONG_GROUP = 16384


def whole_groups(n, size, total):
    """Groups that lie whole in the first n bytes, and are known to be so by a byte after them."""
    return max(0, min((n - 16384 - 1) // (4096 + size), (total - 16384 - 1) // (4096 + size)))


def cut_to(name, n):
    return lambda folder: os.truncate(os.path.join(folder, name), n)


def cases(lab):
    total = len(lab.content["long.gcr"])
    files = ("long.gcr", "key")
    for half in "even", "odd":
        yield Case(f"every {half} length of 3 groups, in process", [lab.unit_test("test_container_faults")],
                   env={"GCRYPT_TEST_HALF": str(int(half == "odd"))}, out=lambda out: True, says=r"PASSED", files=(), timeout=600)
    for boundary in range(0, total + 1, 4096):
        for n in (boundary - 1, boundary, boundary + 1):
            if not 0 <= n < total:
                continue
            plain = lab.content["long"][: whole_groups(n, LONG_GROUP, total) * LONG_GROUP]
            yield Case(f"{n} of {total} bytes, to a pipe", ["gcrypt", "dec", *CPU, *KEY, "-o", "-", "long.gcr"], 4,
                       out=plain, files=files, prepare=cut_to("long.gcr", n),
                       leaves={"long.gcr": lab.content["long.gcr"][:n]}, says="truncated|too short")
        yield Case(f"{boundary} bytes, to a file", ["gcrypt", "dec", *CPU, *KEY, "-o", "out", "long.gcr"],
                   4, files=files, prepare=cut_to("long.gcr", min(boundary, total - 1)))
        yield Case(f"{boundary} bytes, from a pipe", ["gcrypt", "dec", *CPU, *KEY, "-o", "out", "-"], 4,
                   files=("key",), stdin=lab.content["long.gcr"][: min(boundary, total - 1)])
    for n in range(page_at(3), len(lab.content["c"]), 997):
        yield Case(f"verify of {n} bytes", ["gcrypt", "verify", *KEY, "c"], 4, files=("c", "key"),
                   prepare=cut_to("c", n))
