#!/bin/bash
# Beside other work: --bwlimit takes at least the time that it must, --idle gives all threads that work the lowest priorities.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu --key-file key)
bytes 2000000 >plain

# at_least MILLISECONDS COMMAND…
at_least() {
	local start end
	start=$(date +%s%N)
	"${@:2}"
	end=$(date +%s%N)
	[ $(((end - start) / 1000000)) -ge "$1" ] || give_up "took less than $1 ms: ${*:2}"
}

cat >terminal.py <<'PY'
"""terminal.py COLUMNS COMMAND…: each line that the command shows on such a terminal."""
import fcntl, os, pty, struct, sys, termios
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("4H", 24, int(sys.argv[1]), 0, 0))
    os.execv(sys.argv[2], sys.argv[2:])
shown = b""
try:
    while piece := os.read(terminal, 4096):
        shown += piece
except OSError:
    pass
print(shown.decode().replace("\33[K", "").replace("\r", "\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
PY

# The first tenth of a second is free.
at_least 1700 "$GCRYPT" enc "${k[@]}" --chunk-log2 12 --group-log2 18 -v --bwlimit 1M -o c plain 2>words
grep -q '; bottleneck: --bwlimit, busy for [0-9]* %$' words || give_up "the limit is not the bottleneck: $(cat words)"
at_least 1700 "$GCRYPT" dec "${k[@]}" --bwlimit 1M -o back c
same plain back
at_least 1700 python3 terminal.py 80 "$GCRYPT" verify "${k[@]}" --bwlimit 1M c >shown
grep -qx 'c: [0-9]* % of 2.0. MB, [0-9.]* [kM]B/s, 0:00:0[01] left, bottleneck: --bwlimit' shown || give_up "80 columns: $(cat shown)"
at_least 1700 bash -c 'cat plain | "$@" >piped' - "$GCRYPT" enc "${k[@]}" --bwlimit 1M -o - -
"$GCRYPT" verify --key-file key piped
# Two files and their threads share one limit, and one line of progress, of which a narrow terminal has the first fields.
mkdir -p in/the/folder/of/long/names/that/never/end
second=in/the/folder/of/long/names/that/never/end/second
cp plain "$second"
at_least 1700 python3 terminal.py 40 "$GCRYPT" enc "${k[@]}" --bwlimit 2M -f plain "$second" >shown
grep -qx '5[0-9] %, 0:00:0[01] left, file 1 of 2: plain' shown || give_up "40 columns: $(cat shown)"
grep -qx '100 %, file 2 of 2: ....*ever/end/second' shown || give_up "40 columns: $(cat shown)"
# A directory.
mkdir tree
cp plain tree/one
cp plain tree/two
at_least 1700 "$GCRYPT" enc "${k[@]}" --bwlimit 2M tree
# Raw mode.
raw=(--raw --engine cpu --cipher aes --bits 128 --mode ctr --key-hex "$(printf '%032d' 1)" --iv-hex "$(printf '%032d' 0)")
at_least 1700 "$GCRYPT" enc "${raw[@]}" --bwlimit 1M -o raw plain

# classes: of all threads of the run that waits for its input, the nice value and the class of storage.
classes() {
	local task stat
	for task in "/proc/$pid/task"/*; do
		stat=$(<"$task/stat")
		stat=${stat##*) }
		echo "$(cut -d' ' -f17 <<<"$stat") $(ionice -p "${task##*/}")"
	done
}
mkfifo pipe
"$GCRYPT" enc "${k[@]}" --idle -f -o c - <pipe &
pid=$!
exec 5>pipe
head -c 1000 plain >&5
until [ "$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l)" -gt 2 ]; do sleep 0.01; done
# The thread that waits for signals keeps its priority; one that ends meanwhile has none any more: look again.
for _ in {1..100}; do
	others=$(classes 2>/dev/null | grep -vcx '19 idle') || true
	[ "$others" -le 1 ] && break
	sleep 0.1
done
[ "$others" -le 1 ] || give_up "not all threads are idle: $(classes)"
[ "$(ionice -p "$pid")" = idle ] || give_up "the first thread is not idle"
exec 5>&-
wait "$pid"
"$GCRYPT" verify --key-file key c
