#!/bin/bash
# A file of known size that changes while it is read is an error.
# shellcheck source=tests/scenarios/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
make_key
cat >changing.py <<'PY'
import os, subprocess, sys, time
# The output is a pipe that is read late: the program is in the middle of its input.
command, size = sys.argv[2:], int(sys.argv[1])
process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
process.stdout.read(20000)
time.sleep(0.3)
os.truncate("in", size)
rest = process.stdout.read()
sys.stderr.buffer.write(process.stderr.read())
sys.exit(process.wait())
PY
for size in 200000 40000000; do
	bytes 20000000 >in
	expect_exit 3 python3 changing.py "$size" "$GCRYPT" enc "${small[@]}" --key-file key -o - in
	says in
done

# What has no known size may be of any: /proc files say 0 bytes.
expect_exit 0 "$GCRYPT" enc "${small[@]}" --key-file key -o c /proc/cpuinfo
"$GCRYPT" dec --key-file key -o - c | grep processor >/dev/null
