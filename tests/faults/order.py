"""Group 3: groups and chunks swapped, doubled, dropped, and spliced from another container."""
import itertools
from pathlib import Path

from faults.harness import CPU, GROUP, KEY, Case, page_at

N = 4  # groups of c


def cases(lab):
    whole, other = lab.content["c"], lab.content["other"]
    parts = [whole[page_at(g) : page_at(g + 1)] for g in range(N)]
    others = [other[page_at(g) : page_at(g + 1)] for g in range(N)]
    header = whole[:16384]

    def refused(name, content, released=0):
        def prepare(folder):
            Path(folder, "bad").write_bytes(content)

        yield Case(f"{name}, to a file", ["gcrypt", "dec", *CPU, *KEY, "-o", "out", "bad"], 4, files=("key",),
                   prepare=prepare)
        yield Case(f"{name}, to a pipe", ["gcrypt", "dec", *CPU, *KEY, "-o", "-", "bad"], 4, files=("key",),
                   prepare=prepare, out=lab.content["in"][: released * GROUP])

    def made_of(*numbers):
        return header + b"".join(parts[number] for number in numbers)

    for numbers in list(itertools.permutations(range(N)))[1:]:
        right = next(i for i in range(N) if numbers[i] != i)
        yield from refused(f"order {numbers}", made_of(*numbers), right)
    for g in range(N):
        numbers = list(range(N))
        yield from refused(f"group {g} doubled", made_of(*numbers[: g + 1], *numbers[g:]), min(g + 1, N - 1))
        # Of what ends with a whole group that is not the last, that group is not known to be whole.
        yield from refused(f"group {g} dropped", made_of(*numbers[:g], *numbers[g + 1 :]), min(g, N - 2))
        splice = [*parts[:g], others[g], *parts[g + 1 :]]
        yield from refused(f"group {g} of another container", header + b"".join(splice), g)
        splice[g] = others[g][:4096] + parts[g][4096:]
        yield from refused(f"page {g} of another container", header + b"".join(splice), g)
        splice[g] = parts[g][:4096] + others[g][4096:]
        yield from refused(f"payload {g} of another container", header + b"".join(splice), g)
        splice[g] = parts[g][:8192] + others[g][8192:]
        yield from refused(f"second chunk of group {g} of another container", header + b"".join(splice), g)
    for g in range(N - 1):
        page, chunks = parts[g][:4096], parts[g][4096:]
        swapped = [*parts[:g], page + chunks[4096:] + chunks[:4096], *parts[g + 1 :]]
        yield from refused(f"chunks of group {g} swapped", header + b"".join(swapped), g)
        moved = [*parts[:g], page + parts[g + 1][4096:8192] + chunks[4096:], *parts[g + 1 :]]
        yield from refused(f"a chunk of group {g + 1} in group {g}", header + b"".join(moved), g)
    yield from refused("header of another container", other[:16384] + whole[16384:])
    yield from refused("header of another, its groups doubled", other[:16384] + other[16384:] + whole[16384:], N - 1)
    for n in (1, 16, 4095, 4096, 4097, 100000):
        yield from refused(f"{n} zeros more", whole + bytes(n), N - 1)
        yield from refused(f"its last {n} bytes once more", whole + whole[-n:], N - 1)
