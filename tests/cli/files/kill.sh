#!/bin/bash
# Killed at random sizes of the temporary file, encryption and decryption 50 times each: under the final name there is
# nothing or the whole, and the next run succeeds.  With GCRYPT_TEST_ONE_IN less often.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 12000000 >plain
"$GCRYPT" enc --engine cpu --chunk-log2 12 --group-log2 16 --key-file key -o container plain

cat >kill.py <<'PY'
import filecmp, glob, os, random, signal, subprocess, sys, time

SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]
TIMES = 50 // min(int(os.environ.get("GCRYPT_TEST_ONE_IN", 1)), 4)
gcrypt = os.environ["GCRYPT"]
random.seed(5)

def command(verb, source, target):
    sizes = ["--chunk-log2", "12", "--group-log2", "16"] if verb == "enc" else []
    return [gcrypt, verb, "--engine", "cpu", "--key-file", "key", *sizes, "-o", target, source]

def run(*arguments):
    subprocess.run(command(*arguments), check=True)

def check_whole(verb, target):
    if verb == "enc":
        run("dec", target, "back")
        target = "back"
    if not filecmp.cmp(target, "plain", shallow=False):
        sys.exit(f"{verb}: {target} differs")
    if os.path.exists("back"):
        os.unlink("back")

def leftovers():
    return glob.glob(".gcrypt-*.part")

def written():
    try:
        return max(map(os.path.getsize, leftovers()), default=0)
    except FileNotFoundError:  # it has its name now
        return 0

def one(verb, source, number, size):
    process = subprocess.Popen(command(verb, source, "new"))
    while process.poll() is None and written() < size:
        time.sleep(0.0005)
    process.send_signal(number)
    code = process.wait(60)
    if code not in (0, -number, 128 + number):
        sys.exit(f"{verb}: exit {code} after {number.name}")
    left = len(leftovers())
    if left and number != signal.SIGKILL:
        sys.exit(f"{verb}: {number.name} left {leftovers()}")
    if code == 0 and not os.path.exists("new"):
        sys.exit(f"{verb}: exit 0, and no file")
    if os.path.exists("new"):
        check_whole(verb, "new")
        os.unlink("new")
    run(verb, source, "new")
    check_whole(verb, "new")
    for name in ["new", *leftovers()]:
        os.unlink(name)
    return code != 0, left

killed = left = 0
for verb, source in ("enc", "plain"), ("dec", "container"):
    for i in range(TIMES):
        ended, remained = one(verb, source, SIGNALS[i % 3], random.randint(0, os.path.getsize("plain") * 4 // 5))
        killed += ended
        left += remained
print(f"{killed} of {2 * TIMES} did not end by themselves, {left} left a temporary file")
# A third of the kills must hit while the file is written: else the test has chosen the wrong moments.
sys.exit(killed < 2 * TIMES * 4 // 5 or left < TIMES // 2)
PY
python3 kill.py
only kill.py key plain container
