#!/bin/bash
# A file of known size that changes while it is read is an error.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
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
	expect 3 in python3 changing.py "$size" "$GCRYPT" enc "${small[@]}" --key-file key -o - in
done

# What has no known size may be of any: /proc files say 0 bytes.
expect_exit 0 "$GCRYPT" enc "${small[@]}" --key-file key -o c /proc/cpuinfo
"$GCRYPT" dec --key-file key -o - c | grep processor >/dev/null

# A file that is written to while its size stays: the output has the bytes that were read, and is kept.  The writer of
# the FIFO with the key continues when the program asks for the key; the program has opened its input by then.
mkfifo pipe
change() { echo $RANDOM | put "$1" 3; }
# written CODE FILE COMMAND…: FILE is changed while the command, which reads its key from pipe, runs.
written() {
	{
		exec 5>pipe
		change "$2"
		cat key >&5
		exec 5>&-
	} &
	expect_exit "$1" "$GCRYPT" "${@:3}"
	wait $!
	[ "$1" -eq 0 ] || says "$2: changed while it was read: the output is kept"
}
decrypted() { "$GCRYPT" dec -f --key-file key -o back "$1" && same in back; }
k=(--key-file pipe)
bytes 20000 >in
written 3 in enc "${small[@]}" "${k[@]}" --json --log log in >out
decrypted in.gcr
for text in '"input":"in","output":"in.gcr","status":3,"error":"in: changed while it was read' '"bytes":20000'; do
	grep -qF "$text" out || give_up "$(cat out)"
	grep -qF "$text" log || give_up "$(cat log)"
done
written 3 in enc -f --zstd "${k[@]}" in
decrypted in.gcr
written 3 in enc -f --rm "${k[@]}" in
decrypted in.gcr
written 3 in enc --part 1/1 "${k[@]}" -o p in
"$GCRYPT" join -q --key-file key p
decrypted p
raw=(--raw --cipher aes --bits 128 --mode ctr --iv-hex "$(printf '%032x' 1)")
head -c 16 key >key16
mv key16 key
written 3 in enc "${raw[@]}" "${k[@]}" -o r in
written 3 r dec -f "${raw[@]}" "${k[@]}" -o back r
make_key
bytes 16384 >in
"$GCRYPT" enc --detached --key-file key -o image in
written 3 image retag "${k[@]}" image.gcr

# A manifest records such a container, and the next run replaces it.
rm image image.gcr in.gcr
written 3 in enc "${k[@]}" --manifest M in
decrypted in.gcr
refused 4 '1 stale' verify -q --key-file key --manifest M
expect_exit 0 "$GCRYPT" enc --key-file key --manifest M in
expect_exit 0 "$GCRYPT" verify -q --key-file key --manifest M

# What is authenticated need not stay as it is: another run may change the key slots.
change() { touch "$1"; }
written 0 in.gcr verify -q "${k[@]}" in.gcr
