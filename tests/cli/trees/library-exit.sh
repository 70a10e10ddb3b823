#!/bin/bash
# A library that exits or aborts, and a fault: no plaintext stays, one line says so, and the exit code is
# a failure's.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu --key-file "$PWD/key")
shim=$PWD/shim.so
cc -shared -fPIC -pthread -o shim.so "$here/exit_shim.c" -ldl

# What is encrypted; a container of a tree of 40 folders and a file behind them.
bytes 300000 >src
"$GCRYPT" enc "${small[@]}" "${k[@]}" src
python3 "$tests/model/archives.py" folders tree.gcr 40
mkdir in

# dies EXIT WORDS COMMAND…: nothing is left of the output.
dies() {
	local want=$1 words=$2 code=0
	shift 2
	timeout 200 "$@" >out 2>err || code=$?
	[ "$code" -eq "$want" ] || give_up "exit $code instead of $want: $*: $(cat err)"
	[ "$(grep -c '^gcrypt: ' err)" -eq 1 ] || give_up "messages: $*: $(cat err)"
	says "$words"
	[ -z "$(ls -A in)" ] || give_up "$* left $(ls -A in)"
}

# die_each_way THREAD HOW EXIT WORDS: in a folder of its own.
die_each_way() (
	thread=$1 how=$2 code=$3 words=$4
	mkdir "$how$thread"
	cd "$how$thread"
	mkdir in
	for n in 1 2 7; do # a file has three pieces, the tree more
		[ $n = 7 ] || dies "$code" "$words" env LD_PRELOAD="$shim" DIES="$how:$n" ${thread:+"$thread"} \
			"$GCRYPT" dec "${k[@]}" -o in/x ../src.gcr
		[ $n = 7 ] || dies "$code" "$words" env LD_PRELOAD="$shim" DIES="$how:$n" ${thread:+"$thread"} \
			"$GCRYPT" enc "${k[@]}" -o in/x ../src
		dies "$code" "$words" env LD_PRELOAD="$shim" DIES="$how:$n" ${thread:+"$thread"} \
			"$GCRYPT" dec "${k[@]}" -o in/x ../tree.gcr
	done
	dies "$code" "$words" env LD_PRELOAD="$shim" DIES="$how:42" ${thread:+"$thread"} \
		"$GCRYPT" dec "${k[@]}" -o in/x ../tree.gcr # in the file's content
)

# A thread that holds the folder is waited for, five seconds: those runs wait side by side.
waiting=()
while read -r how code words; do
	die_each_way '' "$how" "$code" "$words"
	die_each_way DIES_THREAD=1 "$how" "$code" "$words" &
	waiting+=($!)
done <<-'TEXT'
	exit 1 a library ended the program
	exit0 1 a library ended the program
	abort 134 SIGABRT
	segv 139 SIGSEGV
	bus 135 SIGBUS
	ill 132 SIGILL
	fpe 136 SIGFPE
TEXT
failed=0
for run in "${waiting[@]}"; do
	wait "$run" || failed=$((failed + 1))
done
[ "$failed" -eq 0 ] || give_up "$failed ways to die in another thread failed"

# exit() in another thread, while all threads of the pipeline use libcrypto.
bytes 3000000 >long
for n in {1..20}; do
	dies 1 'a library ended the program' env LD_PRELOAD="$shim" DIES="exit:$n" DIES_THREAD=1 \
		"$GCRYPT" enc "${small[@]}" "${k[@]}" -o in/x long
done

# LLVM, which PoCL loads, has signal handlers of its own.
for n in 1 2 3 4; do
	dies 134 SIGABRT env LD_PRELOAD="$shim" DIES="abort:$n" \
		"$GCRYPT" dec --engine opencl --key-file key -o in/x src.gcr
done

# The handler is put back, for the signal that was raised to end the program.
while read -r how code words; do
	dies "$code" "$words" env LD_PRELOAD="$shim" DIES="$how:1" DIES_SLOWLY=1 timeout -s KILL 20 \
		"$GCRYPT" dec "${k[@]}" -o in/x src.gcr
done <<-'TEXT'
	abort 134 SIGABRT
	segv 139 SIGSEGV
	ill 132 SIGILL
TEXT

# Where nobody reads standard error.
for how in exit segv; do
	python3 - "$GCRYPT" "$shim" $how <<-'PY' || give_up "$how with a closed pipe"
	import os, subprocess, sys
	program, shim, how = sys.argv[1:]
	read, write = os.pipe()
	os.close(read)
	command = [program, "dec", "--engine", "cpu", "--key-file", "key", "-o", "in/x", "src.gcr"]
	code = subprocess.run(command, stderr=write, timeout=20, env={**os.environ, "LD_PRELOAD": shim, "DIES": how + ":1"}).returncode
	assert code == {"exit": 1, "segv": -11}[how], code
	PY
	[ -z "$(ls -A in)" ] || give_up "$how with a closed pipe left $(ls -A in)"
done

# Two files, of a detached container.
truncate -s 65536 image
dies 1 'a library ended the program' env LD_PRELOAD="$shim" DIES=exit:2 \
	"$GCRYPT" enc --detached "${k[@]}" -o in/x image

# libarchive's own: memory runs out in the midst of a map of holes.
python3 "$tests/model/archives.py" map map.gcr 8000000
(ulimit -v 250000 && dies 1 'a library ended the program' "$GCRYPT" dec "${k[@]}" --memory 8M -o in/x map.gcr)
grep -q 'Out of memory' err || give_up "memory did not run out: $(cat err)"

# LLVM's own: PoCL's cache folder is full.
if [ "$(id -u)" -eq 0 ] && "$GCRYPT" devices | grep -qi pocl && mkdir full && mount -t tmpfs -o size=64k tmpfs full 2>err; then
	trap 'umount full' EXIT
	POCL_CACHE_DIR=$PWD/full dies 1 'a library ended the program' "$GCRYPT" dec --engine opencl --key-file key -o in/x src.gcr
	POCL_CACHE_DIR=$PWD/full dies 1 'a library ended the program' "$GCRYPT" dec --engine opencl --key-file key -o in/x tree.gcr
fi
