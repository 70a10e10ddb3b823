#!/bin/bash
# enc --update after random changes of content, holes and length, into a new file or in place, killed at random calls: the run
# that ends is right for the independent reader, and no group salt meets two contents.  UPDATE_ROUNDS: how many (5).
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 30000 >disk
"$GCRYPT" enc --engine cpu --cipher aes --mode xts --chunk-log2 12 --group-log2 12 --key-file key -o disk.gcr - < <(cat disk)

cat >rounds.py <<'PY'
import io, os, random, signal, subprocess, sys
from model import reader

gcrypt, rounds, seed = os.environ["GCRYPT"], int(os.environ.get("UPDATE_ROUNDS", "5")), int(os.environ.get("UPDATE_SEED", "53"))
random.seed(seed)
key, tags, n_killed = reader.read_secret("key"), {}, 0

def demand(condition, *what):
    if not condition:
        sys.exit(f"round {turn} of seed {seed}: " + " ".join(map(str, what)))

def note_pages():
    """(group, salt) → tags, of all pages in containers, journals and what killed runs left."""
    for name in os.listdir("."):
        if not name.startswith("disk.gcr") and not name.startswith(".gcrypt-"):
            continue
        with open(name, "rb") as file:
            file.seek(16384)
            while len(page := file.read(8192)) >= 4096:
                if page[1:4] == b"GCP":
                    was = tags.setdefault(page[8:16] + page[32:48], page[128:2176])
                    demand(was == page[128:2176], name, "two contents under one salt in group", page[8])
        if name.startswith(".gcrypt-"):
            os.unlink(name)

def change():
    content = bytearray(open("disk", "rb").read())
    for _ in range(random.randint(0, 3)):
        if content:
            content[random.randrange(len(content))] ^= 1 + random.randrange(255)
    if random.random() < 0.3:
        at = 4096 * random.randrange(8)
        content[at : at + 4096] = bytes(len(content[at : at + 4096]))
    if random.random() < 0.2:
        content = content[: random.choice((0, 1, 4096, 8192, 20000))] + random.randbytes(random.choice((0, 1, 4096, 12288)))
    open("disk", "wb").write(content)
    return bytes(content)

def run(in_place, fault):
    environment = {**os.environ, "LD_PRELOAD": os.environ["GCRYPT_TEST_SHIM"], "FAULT_UNDER": os.getcwd(), "FAULT": fault}
    words = [gcrypt, "enc", "-q", "--update", "--engine", "cpu", "-T", "1", "--key-file", "key", *["--in-place"] * in_place,
             *["--sparse"] * (random.random() < 0.3), "disk"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)
    note_pages()
    return done.returncode, done.stderr

for turn in range(1, rounds + 1):
    content, in_place = change(), random.random() < 0.5
    while random.random() < 0.6:
        call = random.choice(("pwrite",) * 6 + ("fsync", "rename", "unlink"))
        code, text = run(in_place, f"{call}:{random.randint(1, 8) if call == 'pwrite' else 1}:kill")
        demand(code in (0, -signal.SIGKILL), code, text)
        n_killed += code != 0
        if random.random() < 0.5:
            content = change()
    code, text = run(in_place or os.path.exists("disk.gcr.journal"), "")
    demand(code == 0, code, text)
    demand(sorted(os.listdir(".")) == sorted(("disk", "disk.gcr", "key", "rounds.py")), os.listdir("."))
    back = io.BytesIO()
    with open("disk.gcr", "rb") as file:
        reader.decrypt(key, file, back)
    demand(back.getvalue() == content, "another content")
print(f"{rounds} rounds: {n_killed} runs killed, {len(tags)} salts")
PY
python3 rounds.py
