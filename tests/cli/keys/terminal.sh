#!/bin/bash
# The prompt is on the terminal: twice when encrypting, silent, restored on a signal.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
bytes 5000 >in

cat >terminal.py <<'PY'
"""terminal.py CODE N_PROMPTS ANSWER… -- COMMAND…: an answer of ^C interrupts, one such as SIGTERM is
sent to everybody in the foreground."""
import os, pty, re, select, signal, sys, termios, time
split = sys.argv.index("--")
want, n_prompts, answers = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:split]
child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[split + 1], sys.argv[split + 1 :])
seen, asked, ended = b"", 0, False

def read(seconds):
    """What appears, until it has been quiet for a while."""
    global seen, ended
    while not ended and select.select([terminal], [], [], seconds)[0]:
        try:
            some = os.read(terminal, 1000)
        except OSError:
            some = b""
        ended = not some
        seen += some
        seconds = 0.2

for answer in answers:
    mark = len(seen)
    while not ended and not re.search(rb"assphrase[^\r\n]*: $", seen[mark:]):
        read(10)
    if ended:
        break
    if termios.tcgetattr(terminal)[3] & termios.ECHO:
        sys.exit(f"echo is on at the prompt: {seen}")
    asked += 1
    if answer.startswith("SIG"):
        os.killpg(os.tcgetpgrp(terminal), getattr(signal, answer))
    else:
        os.write(terminal, b"\x03" if answer == "^C" else answer.encode() + b"\n")
while not ended:
    read(10)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
code = 128 - code if code < 0 else code
for answer in answers:
    if answer != "^C" and answer.encode() in seen:
        sys.exit(f"the answer was echoed: {seen}")
if asked != n_prompts:
    sys.exit(f"asked {asked} times: {seen}")
if code != want:
    sys.exit(f"exit {code}: {seen}")
PY
session() { python3 terminal.py "$@"; }

session 0 2 swordfish swordfish -- "$GCRYPT" enc --kdf-cost 10 --cipher camellia in
P=swordfish "$GCRYPT" dec --passphrase env:P -o out in.gcr
same in out
rm out
session 0 1 swordfish -- "$GCRYPT" dec -o out in.gcr
same in out
rm out
# The prompt works when standard input is the data.
# shellcheck disable=SC2016
session 0 1 swordfish -- /bin/bash -c '"$1" dec -o out - <in.gcr' - "$GCRYPT"
same in out
rm out in.gcr
# Two different answers, also if one begins as the other; a wrong one.
session 2 2 swordfish marlin -- "$GCRYPT" enc in
session 2 2 swordfish sword -- "$GCRYPT" enc in
no_file in.gcr
P=marlin "$GCRYPT" enc --kdf-cost 10 --passphrase env:P in
session 5 3 swordfish octopus halibut -- "$GCRYPT" dec -o out in.gcr
no_file out
# Three tries, of a private key too; the result of scrypt for the first is not used again.
session 0 3 swordfish octopus marlin -- "$GCRYPT" verify in.gcr in.gcr
bytes 8192 >image
if P=marlin "$GCRYPT" enc -q --luks2 --kdf-cost 10 --passphrase env:P -o volume image 2>/dev/null; then
	session 0 2 swordfish marlin -- "$GCRYPT" verify volume
fi
if command -v ssh-keygen >/dev/null; then
	ssh-keygen -q -t ed25519 -a 1 -N marlin -f id
	"$GCRYPT" enc -r id.pub -o ssh.gcr in
	session 0 2 swordfish marlin -- "$GCRYPT" verify -i id ssh.gcr
	session 5 3 swordfish octopus halibut -- "$GCRYPT" verify -i id ssh.gcr ssh.gcr
fi

# After a signal at the prompt the terminal echoes again; the shell below holds it open.
cat >interrupted.sh <<'SH'
stty -a | grep -q ' echo ' || exit 10
trap : INT TERM HUP QUIT
"$1" enc in
code=$?
stty -a | grep -q ' echo ' || exit 11
exit $code
SH
rm in.gcr
session 130 1 ^C -- /bin/bash interrupted.sh "$GCRYPT"
for name in INT TERM HUP QUIT; do
	session $((128 + $(kill -l $name))) 1 SIG$name -- /bin/bash interrupted.sh "$GCRYPT"
done
no_file in.gcr

# Who cannot be helped is not asked.
session 3 0 -- "$GCRYPT" enc -o nosuchfolder/out in
session 4 0 -- "$GCRYPT" dec -o out in
session 4 0 -- "$GCRYPT" verify in
session 2 0 -- "$GCRYPT" enc --copies 3 in

# Ciphertext is not written to a terminal.
session 2 0 -- "$GCRYPT" enc -o /dev/tty in
# shellcheck disable=SC2016
session 2 0 -- /bin/bash -c 'P=x "$1" enc --kdf-cost 10 --passphrase env:P -o - in' - "$GCRYPT"
# No terminal at all.
expect_exit 2 setsid "$GCRYPT" enc in </dev/null
no_file in.gcr
