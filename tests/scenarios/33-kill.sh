#!/bin/bash
# Killed at random moments, encryption and decryption 50 times each: under the final name there is
# nothing or the whole, and the next run succeeds.  With GCRYPT_TEST_ONE_IN less often.
# shellcheck source=tests/scenarios/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
make_key
bytes 12000000 >plain
"$GCRYPT" enc --engine cpu --chunk-log2 12 --group-log2 16 --key-file key -o container plain

cat >kill.py <<'PY'
import filecmp, glob, os, random, signal, subprocess, sys, time

SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]
TIMES = 50 // min(int(os.environ.get("GCRYPT_TEST_ONE_IN", 1)), 2)
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

def one(verb, source, number, delay):
    process = subprocess.Popen(command(verb, source, "new"))
    time.sleep(delay)
    process.send_signal(number)
    code = process.wait(10)
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
    start = time.monotonic()
    run(verb, source, "new")
    seconds = time.monotonic() - start
    os.unlink("new")
    for i in range(TIMES):
        ended, remained = one(verb, source, SIGNALS[i % 3], random.uniform(0, seconds))
        killed += ended
        left += remained
print(f"{killed} of {2 * TIMES} did not end by themselves, {left} left a temporary file")
# SIGKILL in the midst of writing is among them, or the moments are no good.
sys.exit(killed < 2 * TIMES // 5 or left < TIMES // 24)
PY
python3 kill.py
only kill.py key plain container
