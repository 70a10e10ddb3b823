#!/usr/bin/env python3
"""Circuits of two-input gates made into fewer gates of three inputs, as they stand in kernels/ciphers/*/*_gates.cl:

    research/search/three.py FILE FUNCTION INPUTS [SECONDS]

FILE holds what inversion.c or lookup.c of this folder prints; inversion() comes from middle.inc.
ABC (berkeley-abc; R. Brayton, A. Mishchenko, CAV 2010) maps the network to look-up tables of three
inputs and resynthesises it, by commands drawn at random from its best results so far.  Then inverters
are pushed to where no gate of two inputs has one, and gates are put in the order that keeps the fewest
values alive.  tests/unit/gpucrypt/test_engine.c compares the engines that use the results with tables.
"""
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile
import time

MAP = ["if -K 3 -a", "dch; if -K 3 -a", "dch -f; if -K 3 -a", "resyn2; if -K 3 -a", "compress2rs; if -K 3 -a",
       "dc2; if -K 3 -a", "rewrite -z; if -K 3 -a", "refactor -z; if -K 3 -a", "multi -m; strash; if -K 3 -a",
       "resub -K 8 -N 2; if -K 3 -a", "resub -K 10 -N 3; dch; if -K 3 -a", "balance; dch; if -K 3 -a"]
IMPROVE = ["mfs2 -a -L 50 -W 10 -F 100 -D 0 -M 0", "mfs2 -ae -L 50 -W 8 -F 100 -D 0 -M 0",
           "mfse -a -I 5 -O 4 -L 50 -W 200", "mfs -a -L 50 -W 4 -F 50", "mfs -L 50 -W 3",
           "mfs2 -L 50 -W 12 -F 100 -D 0 -M 0"]


class Gate:
    """A value of the circuit; operators on it write the network's lines."""
    lines = []

    def __init__(self, name):
        self.name = name

    def make(self, rows, *inputs):
        result = Gate(f"g{len(Gate.lines)}")
        Gate.lines.append(f".names {' '.join(i.name for i in inputs)} {result.name}\n{rows}")
        return result

    def __xor__(self, other):
        return self.make("01 1\n10 1\n", self, other)

    def __and__(self, other):
        return self.make("11 1\n", self, other)

    def __or__(self, other):
        return self.make("1- 1\n-1 1\n", self, other)

    def __invert__(self):
        return self.make("0 1\n", self)


def body(text, function):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.search(r"void " + function + r"\([^)]*\)\s*\{(.*?)\n\}", text, re.S).group(1)


def run(code, values):
    for statement in code.split(";"):
        statement = " ".join(statement.split())
        if statement.startswith("inversion("):
            middle = os.path.join(os.path.dirname(__file__), "middle.inc")
            run(body(open(middle).read(), "inversion"), values)
        elif statement and not re.match(r"slice \w+\[\d+\](, \w+\[\d+\])*$", statement):
            for part in re.split(r",\s*(?![^\[]*\])", statement.removeprefix("slice ")):
                to, expression = (side.strip() for side in part.split("=", 1))
                array = re.match(r"(\w+)\[(\d+)\]", to)
                value = eval(expression, values)
                if array:
                    values.setdefault(array[1], {})[int(array[2])] = value
                else:
                    values[to] = value


def write_network(path, text, function, n):
    values = {"x": {i: Gate(f"x{i}") for i in range(n)}}
    run(body(text, function), values)
    with open(path, "w") as f:
        f.write(f".model m\n.inputs {' '.join(f'x{i}' for i in range(n))}\n")
        f.write(f".outputs {' '.join(f's{i}' for i in range(n))}\n" + "".join(Gate.lines))
        f.writelines(f".names {values['s'][i].name} s{i}\n1 1\n" for i in range(n))
        f.write(".end\n")


def read_network(path):
    """Name of a value -> its inputs, and a bit for each combination of them."""
    gates, rows = {}, []
    for line in open(path).read().replace("\\\n", " ").split("\n"):
        if line.startswith(".names"):
            *inputs, name = line.split()[1:]
            gates[name] = inputs, (rows := [])
        elif line[:1] in ("0", "1", "-"):
            rows.append(line.split())
    return {name: (inputs, function_of(rows)) for name, (inputs, rows) in gates.items()}


def function_of(rows):
    result = sum(1 << m for m in range(8)
                 if any(all(p in ("-", str(m >> i & 1)) for i, p in enumerate(row[0])) for row in rows))
    return result ^ 255 if rows and rows[0][1] == "0" else result


def n_gates(path):
    gates = read_network(path).values()
    return sum(len(inputs) > 1 for inputs, _ in gates), max(len(inputs) for inputs, _ in gates)


def search(folder, seconds):
    pool, best, end = [os.path.join(folder, "0.blif")], 10**6, time.time() + seconds
    for i in itertools.count(1):
        if time.time() > end:
            return pool, best
        commands = [f"read_blif {random.choice(pool)}", random.choice(["strash; " + random.choice(MAP), "sweep"])]
        commands += random.choices(IMPROVE, k=random.randint(1, 6))
        made = os.path.join(folder, f"{i}.blif")
        subprocess.run(["berkeley-abc", "-c", "; ".join(commands) + f"; sweep; write_blif {made}"],
                       capture_output=True, timeout=600, check=False)
        n, widest = n_gates(made) if os.path.exists(made) else (10**6, 0)
        if widest > 3 or n > best:
            continue
        if n < best:
            pool, best = [], n
            print(n, "gates", file=sys.stderr)
        pool = (pool + [made])[-60:]


def expressions():
    """The shortest text for each function of a, b and c."""
    text = {0xaa: "a", 0xcc: "b", 0xf0: "c", 0x55: "~a", 0x33: "~b", 0x0f: "~c"}
    for _ in range(3):
        for (t, x), (u, y) in itertools.product(list(text.items()), repeat=2):
            for sign, result in (("^", t ^ u), ("&", t & u), ("|", t | u)):
                bare = sign == "^" and re.fullmatch(r"~?\w( \^ ~?\w)*", x)
                new = f"{x if bare or len(x) < 3 else f'({x})'} {sign} {y if len(y) < 3 else f'({y})'}"
                if result not in text or len(new) < len(text[result]):
                    text[result] = new
    return text


TEXT = expressions()


def inverted(function, i):
    return sum((function >> (m ^ 1 << i) & 1) << m for m in range(8))


def permuted(function, order):
    return sum((function >> sum((m >> i & 1) << order[i] for i in range(3)) & 1) << m for m in range(8))


def without_inverters(gates, outputs):
    """The same values or their complements, so that two-input gates are plain and the others short."""
    flipped, temperature = dict.fromkeys(gates, 0), 5.0
    users = {name: [u for u in gates if name in gates[u][0]] for name in gates}

    def function(name):
        inputs, f = gates[name]
        for i, x in enumerate(inputs):
            f = inverted(f, i) if flipped.get(x) else f
        return f ^ 255 if flipped[name] else f

    def cost(name):
        f = function(name)
        return (0 if f in (0x66, 0x88, 0xee) else 10) if len(gates[name][0]) < 3 else TEXT[f].count("~")

    names = [name for name in gates if name not in outputs]
    for _ in range(60000):
        name = random.choice(names)
        before = sum(cost(n) for n in [name] + users[name])
        flipped[name] ^= 1
        worse = sum(cost(n) for n in [name] + users[name]) - before
        if worse > 0 and random.random() >= 2.718 ** (-worse / temperature):
            flipped[name] ^= 1
        temperature = max(0.01, temperature * 0.9997)
    return {name: (gates[name][0], function(name)) for name in gates}


def in_order(gates, outputs):
    """(most values alive, their sum, names) of one random order that ends values early."""
    left = {}
    for inputs, _ in gates.values():
        for x in inputs:
            left[x] = left.get(x, 0) + 1
    for x in outputs:
        left[x] = left.get(x, 0) + 1
    done, live = {x for x in left if x not in gates}, []
    alive, names = len(done), []
    while len(names) < len(gates):
        ready = [n for n in gates if n not in done and all(x in done for x in gates[n][0])]
        name = max(ready, key=lambda n: sum(left[x] == 1 for x in gates[n][0])
                   + 0.3 * random.random() * sum(1 / left[x] for x in gates[n][0]))
        for x in gates[name][0]:
            left[x] -= 1
            alive -= left[x] == 0
        alive += 1
        live.append(alive)
        done.add(name)
        names.append(name)
    return max(live), sum(live), names


def shown(result, inputs, function):
    """One gate: as C where it has two inputs, else as a LOGIC of kernels/common/slice.cl."""
    if len(inputs) < 3:
        text = re.sub(r"\b[ab]\b", lambda m: inputs["ab".index(m[0])], TEXT[function])
        if function in (0x66, 0x88, 0xee):
            return f"slice {result} = {text};"
        return f"LOGIC({result}, {', '.join(inputs)}, {inputs[1]}, {TEXT[function]})"
    order = min(itertools.permutations(range(3)), key=lambda o: (len(TEXT[permuted(function, o)]), o))
    return f"LOGIC({result}, {', '.join(inputs[i] for i in order)}, {TEXT[permuted(function, order)]})"


def print_circuit(gates, n):
    outputs = [f"s{i}" for i in range(n)]
    gates = without_inverters(gates, outputs)
    alive, _, order = min(in_order(gates, outputs) for _ in range(3000))
    names = {f"x{i}": f"x[{i}]" for i in range(n)} | {name: f"t{i}" for i, name in enumerate(order)}
    lines = [""]
    for name in order:
        gate = shown(names[name], [names[x] for x in gates[name][0]], gates[name][1])
        joined = f"{lines[-1]} {gate}".strip()
        if gate.startswith("slice") and lines[-1].startswith("slice") and lines[-1].endswith(";"):
            joined = lines[-1][:-1] + "," + gate.removeprefix("slice")
        if len(joined) > 92 or lines[-1].startswith("slice") != gate.startswith("slice"):
            lines.append(gate)
        else:
            lines[-1] = joined
    print(f"/* {len(order)} gates, {alive} values alive */")
    print("\t" + "\n\t".join(line for line in lines if line))
    print("\t" + ", ".join(f"s[{i}] = {names[x]}" for i, x in enumerate(outputs)) + ";")


def main():
    path, function, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        write_network(os.path.join(folder, "0.blif"), open(path).read(), function, n)
        pool, _ = search(folder, float(sys.argv[4]) if len(sys.argv) > 4 else 60)
        networks = [read_network(p) for p in pool]
    print_circuit(min(networks, key=lambda g: min(in_order(g, [f"s{i}" for i in range(n)])[:2] for _ in range(40))), n)


if __name__ == "__main__":
    main()
