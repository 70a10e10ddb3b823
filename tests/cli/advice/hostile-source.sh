#!/bin/bash
# Hostile C sources for ppf analyze: no reading without end, no memory without bound, and no process is
# left when ppf has ended, however it ended.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
printf 'int f(int x) { return x + 1; }\n' >good.c
code=0
"$ppf" analyze --function f good.c >out 2>err || code=$?
if [ $code -eq 1 ]; then skip "$(cat err)"; fi
[ $code -eq 0 ] || give_up "$(cat err)"
ulimit -v 8000000 # where nothing bounds the memory, this does
mkfifo never
trap ': <>never' EXIT # who waits for a writer reads the end of the file

# put_source NAME TEXT: its processes are those with the file's name on the command line.
put_source() { printf "%b\nint f(void) { return 0; }\n" "$2" >"$1-$$.c"; }
processes() { grep -lsF -e "$1-$$.c" /proc/[0-9]*/cmdline || true; }
gone() { [ -z "$(processes "$1")" ]; }
compiles() { processes "$1" | xargs -r grep -qsF -e cc1; }

# ends NAME TEXT: exit 4, one line about this file with TEXT, at most 1.2 GB a process, none of them left.
ends() {
	local code=0
	command time -o used -f %M timeout 100 "$ppf" analyze --function f "$1-$$.c" >out 2>said || code=$?
	if [ "$code" -ne 4 ] || [ "$(wc -l <said)" -ne 1 ] || ! grep -q "^ppf: $1-$$.c: .*$2" said; then
		give_up "$1: exit $code: $(cat said)"
	fi
	soon gone "$1" || give_up "$1: left: $(processes "$1" | xargs -r cat | tr '\0' ' ')"
	[ "$(tail -n 1 used)" -lt 1200000 ] || give_up "$1: $(tail -n 1 used) KiB"
}

put_source fifo '#include "never"'
ends fifo 'takes more than 30 s'
put_source zero '#include "/dev/zero"'
ends zero 'out of memory'
put_source long "$(for i in {1..12}; do printf '#define A%d A%d A%d A%d A%d\\n' "$i" $((i - 1)){,,,}; done)\\n#define A0 int;\\nA12"
ends long 'more than 8 MiB'

# For libclang, which obeys a directive that a macro made.
put_source macro '#define EMPTY\nEMPTY # include "/dev/zero"'
ends macro 'does not parse'
put_source array 'int a[0x7fffffff] = { [0x7ffffffe] = 1 };'
ends array 'does not parse'

# Ended from outside while the compiler waits.
for signal in TERM INT HUP KILL; do
	put_source $signal '#include "never"'
	env --default-signal=INT "$ppf" analyze --function f "$signal-$$.c" 2>said &
	soon compiles $signal || give_up "$signal: no compiler"
	kill -s $signal $!
	wait $! && give_up "$signal: exit 0"
	soon gone $signal || give_up "$signal: left: $(processes $signal | xargs -r cat | tr '\0' ' ')"
done
