#!/bin/bash
# enc --part in 8 processes as on 8 nodes, in random order, several at a time: two are killed at a random write and run
# again, one runs twice at the same time.  The container is right or a run is refused clearly, and no group is encrypted
# twice under one key.  PARTS_TRIALS: how often (3).
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 1500000 >plain # 184 groups: a part writes 23 of them, and its record

cat >parts.py <<'PY'
import collections, filecmp, os, random, re, signal, subprocess, sys

gcrypt, peer, trials = os.environ["GCRYPT"], sys.argv[1], int(os.environ.get("PARTS_TRIALS", "3"))
N = 8
SMALL = ["--chunk-log2", "12", "--group-log2", "13", "--engine", "cpu", "-T", "1", "--key-file", "key"]
N_GROUPS = -(-os.path.getsize("plain") // 8192)
seed = int(os.environ.get("PARTS_SEED", "36"))
random.seed(seed)

def environment(node):
    """Each node has its own home."""
    return {**os.environ, "HOME": f"{os.getcwd()}/node{node}", "XDG_CACHE_HOME": f"{os.getcwd()}/node{node}/cache",
            "LD_PRELOAD": os.environ['GCRYPT_TEST_SHIM'], "PAGE_LOG": f"{os.getcwd()}/pages",
            "FAULT_UNDER": os.getcwd()}

def start(part, **more):
    return subprocess.Popen([gcrypt, "enc", "--part", f"{part}/{N}", *SMALL, "plain"], env={**environment(part), **more},
                            stderr=subprocess.PIPE, text=True)

def join():
    return subprocess.run([gcrypt, "join", "--key-file", "key", "plain.gcr"], capture_output=True, text=True)

def end(process):
    text = process.communicate(timeout=60)[1]
    return process.returncode, text

def demand(condition, *what):
    if not condition:
        sys.exit(f"trial {trial} of seed {seed}: " + " ".join(map(str, what)))

def one():
    """Returns how many runs were refused for the other run of their part."""
    order = random.sample(range(1, N + 1), N)
    killed, twice = set(order[:2]), order[2]
    todo = [(part, {"FAULT": f"pwrite:{random.randint(1, 24)}:kill"} if part in killed else {}) for part in order] + [(twice, {})]
    random.shuffle(todo)
    if random.random() < 0.5:  # side by side
        todo.remove((twice, {}))
        todo.insert(todo.index((twice, {})), (twice, {}))
    running, left, refused = [], set(), 0
    while todo or running:
        while todo and len(running) < 3:
            part, how = todo.pop(0)
            running.append((part, how, start(part, **how)))
        part, how, process = running.pop(0)
        code, text = end(process)
        if how:
            demand(code == -signal.SIGKILL, part, how, code, text)
            left.add(part)
            continue
        demand(code == 0 or (code == 6 and part == twice and "another run is writing part" in text), part, code, text)
        refused += code == 6
    early = join()
    demand(early.returncode == 4, early.returncode, early.stderr)
    named = re.search(r"parts? ([0-9, ]+) of 8 (is|are) missing or incomplete: run (it|them) again", early.stderr)
    demand(named and {int(part) for part in named[1].split(", ")} == left, early.stderr)
    for part in left:
        code, text = end(start(part))
        demand(code == 0, part, code, text)
    last = join()
    demand(last.returncode == 0, last.returncode, last.stderr)
    return refused

def check():
    demand(not [name for name in os.listdir(".") if ".part" in name and not name.startswith(".gcrypt-")], os.listdir("."))
    for command in ([gcrypt, "verify", "--key-file", "key", "plain.gcr"], ["python3", peer, "dec", "key", "plain.gcr", "back"]):
        done = subprocess.run(command, capture_output=True, text=True)
        demand(done.returncode == 0, command, done.stderr)
    demand(filecmp.cmp("plain", "back", shallow=False), "another plaintext")
    with open("pages", encoding="ascii") as log:
        pages = collections.Counter(log.read().split("\n"))
    again = [page for page, n in pages.items() if n > 1 and page and int(page.split()[0]) != N_GROUPS - 1]
    demand(len(pages) > N_GROUPS, len(pages), "pages logged")
    demand(not again, "written twice with one salt:", again[:3])

n_refused = 0
for trial in range(1, trials + 1):
    n_refused += one()
    check()
    for name in os.listdir("."):
        if name in ("pages", "plain.gcr", "back") or name.startswith(".gcrypt-"):
            os.unlink(name)
print(f"{trials} trials: {n_refused} refused for another run of the part")
PY
python3 parts.py "$tests/model/peer.py"
