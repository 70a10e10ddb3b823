#!/bin/bash
# A signal removes the temporary file and is reported by the exit status.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key

cat >signalled.py <<'PY'
import os, signal, subprocess, sys, time
name, delays, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
number = getattr(signal, name)
for delay in map(float, delays.split()):
    before = set(os.listdir("."))
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdin.write(bytes(300000))
    process.stdin.flush()
    time.sleep(delay)
    during = set(os.listdir(".")) - before
    process.send_signal(number)
    code = process.wait(10)
    if code not in (-number, 128 + number):
        sys.exit(f"{name}: exit {code}")
    if not during:
        sys.exit(f"{name}: no temporary file was there")
    if set(os.listdir(".")) != before:
        sys.exit(f"{name}: left {set(os.listdir('.')) - before}")
PY
for name in SIGINT SIGTERM SIGHUP; do
	python3 signalled.py "$name" '0.3 0.6' "$GCRYPT" enc "${small[@]}" --key-file key -o out -
done
for name in SIGQUIT SIGALRM SIGVTALRM SIGPROF SIGXCPU SIGUSR1 SIGUSR2; do
	python3 signalled.py "$name" 0.3 "$GCRYPT" enc "${small[@]}" --key-file key -o out -
done

# The same while decrypting: the header and two groups come, and then nothing.
bytes 300000 | "$GCRYPT" enc "${small[@]}" --key-file key -o c -
head -c 100000 c >start
mkfifo slow
for name in INT TERM HUP; do
	{ cat start; sleep 1; } >slow &
	code=0
	timeout --preserve-status -s "$name" 0.5 "$GCRYPT" dec --key-file key -o out - <slow 2>err ||
		code=$?
	[ "$code" -eq $((128 + $(kill -l "$name"))) ] || give_up "exit $code after SIG$name"
	wait
done
rm -f err
only signalled.py key c start slow

# A reader that goes away.
code=0
"$GCRYPT" dec --key-file key -o - c 2>err | head -c 1 >first || code=${PIPESTATUS[0]}
[ "$code" -eq 141 ] || give_up "exit $code when the reader went away"
