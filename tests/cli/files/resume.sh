#!/bin/bash
# enc --resume: what an earlier run wrote and what verifies is kept, the rest is encrypted with fresh
# salts; another source, option or secret is refused.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 30000 >in # four groups, the last of 5424 bytes
k=(--engine cpu --cipher aes --key-file key)
enc=(enc --resume "${small[@]}" "${k[@]}")
good() {
	"$GCRYPT" verify "${k[@]:0:2}" --key-file key in.gcr
	"$GCRYPT" dec --engine cpu --key-file key -f -o back in.gcr
	same in back
	no_file in.gcr.part
}

# From the beginning to the end at once; a container like any other.
"$GCRYPT" "${enc[@]}" in
good
peer dec key in.gcr back
same in back

# Stopped for want of room after one group, and gone on with.
mv in.gcr whole.gcr
expect_exit 3 bash -c 'trap "" XFSZ; ulimit -f 32; exec "$@"' - "$GCRYPT" "${enc[@]}" in
no_file in.gcr
[ "$(stat -c %a in.gcr.part)" = 600 ] || give_up "mode of the part file"
[ "$(stat -c %s in.gcr.part)" = 32768 ] || give_up "size of the part file"
cp in.gcr.part one # header, and one whole group
expect 0 'in: 8.19 kB of 30.0 kB had been done by an earlier run' "$GCRYPT" "${enc[@]}" in
good
same_part() { cmp <(part "$1" "$3" "$4") <(part "$2" "$3" "$4") || give_up "bytes $3 of $1 and $2 differ"; }
same_part one in.gcr 0 8192
same_part one in.gcr "$(page 0)" 12288
! cmp -s <(part one 8192 8192) <(part in.gcr 8192 8192) || give_up "copy B is still the record"
cmp <(part in.gcr 0 8192) <(part in.gcr 8192 8192) || give_up "the copies of the header differ"

# A group that is damaged in the part file gets another salt; the others stay as they are, the final
# page but for its root.
cp in.gcr done.gcr
{ part done.gcr 0 8192; part one 8192 8192; part done.gcr 16384 99999; } >in.gcr.part
rm in.gcr
flip in.gcr.part $(($(page 1) + 5000))
"$GCRYPT" "${enc[@]}" in
good
same_part done.gcr in.gcr "$(page 0)" 12288
same_part done.gcr in.gcr "$(page 2)" 12288
same_part done.gcr in.gcr "$(page 3)" 64
same_part done.gcr in.gcr $(($(page 3) + 4096)) 5424
! cmp -s <(part done.gcr $(($(page 1) + 32)) 16) <(part in.gcr $(($(page 1) + 32)) 16) ||
	give_up "the salt of a group that was encrypted again is the old one"

# stopped: the same part file again.
stopped() {
	rm -f in.gcr
	{ part done.gcr 0 8192; part one 8192 8192; part done.gcr 16384 99999; } >in.gcr.part
	chmod 600 in.gcr.part
}
refused() { # CODE TEXT COMMAND…: and the part file stays as it is
	local code=$1 text=$2
	shift 2
	cp -p in.gcr.part before
	expect_exit "$code" "$@"
	says "$text"
	same before in.gcr.part
	no_file in.gcr
}
stopped
cp -p in same
bytes 30000 2 >in # written to
refused 3 'changed since in.gcr.part was started' "$GCRYPT" "${enc[@]}" in
mv same in # the same content and time, but another file
refused 3 'changed since' "$GCRYPT" "${enc[@]}" in
rm in.gcr.part
expect_exit 3 bash -c 'trap "" XFSZ; ulimit -f 32; exec "$@"' - "$GCRYPT" "${enc[@]}" in
refused 2 'started with aes-256-ctr' "$GCRYPT" "${enc[@]}" --bits 128 in
refused 2 'give the same options' "$GCRYPT" "${enc[@]}" --mode xts in
refused 2 'give the same options' "$GCRYPT" "${enc[@]}" --group-log2 14 in
bytes 32 78 >wrong
refused 5 'no key slot matches' "$GCRYPT" enc --resume "${small[@]}" --engine cpu --cipher aes --key-file wrong in
refused 2 'needs a regular file' "$GCRYPT" "${enc[@]}" -o in.gcr /dev/null
coproc { python3 -c 'import fcntl, sys
file = open("in.gcr.part", "r+b")
fcntl.lockf(file, fcntl.LOCK_EX)
print("locked", flush=True)
sys.stdin.read()'; }
read -r _ <&"${COPROC[0]}"
input=${COPROC[1]} pid=$COPROC_PID
refused 6 'another run is writing it' "$GCRYPT" "${enc[@]}" in
exec {input}>&-
wait "$pid"
# A cipher that is not named is that of the part file.
"$GCRYPT" enc --resume "${small[@]}" --engine cpu --key-file key in
good

# A header that is damaged is begun anew; what is no part file is not touched.
for at in 300 8100; do
	stopped
	flip in.gcr.part $at
	"$GCRYPT" "${enc[@]}" in
	good
done
stopped
cp in.gcr.part keep
flip in.gcr.part 8300 # the record
"$GCRYPT" "${enc[@]}" in
good
: >in.gcr.part
"$GCRYPT" "${enc[@]}" -f in
good
rm in.gcr
head -c 20000 /dev/zero >in.gcr.part
refused 6 'not the beginning of a container' "$GCRYPT" "${enc[@]}" in
bytes 200000 9 >in.gcr.part
refused 6 'not the beginning of a container' "$GCRYPT" "${enc[@]}" in
rm in.gcr.part
mkfifo in.gcr.part
expect_exit 6 "$GCRYPT" "${enc[@]}" in
[ -p in.gcr.part ] || give_up "the FIFO is gone"
rm in.gcr.part
ln -s keep in.gcr.part
expect_exit 3 "$GCRYPT" "${enc[@]}" in
rm in.gcr.part

# A longer part file of other groups leaves nothing behind; sizes around a group; nothing.
cp keep in.gcr.part
flip in.gcr.part 8300
head -c 100000 /dev/zero >>in.gcr.part
"$GCRYPT" "${enc[@]}" in
good
for n in 0 1 8192 16384; do
	bytes $n >in
	"$GCRYPT" "${enc[@]}" -f in
	good
done

# Recipients beside the secret: the same ones each time; alone they open nothing.
for name in anna ben; do "$GCRYPT" keygen --x25519 -o "$name.pem"; done
bytes 30000 >in
rm -f in.gcr
expect_exit 3 bash -c 'trap "" XFSZ; ulimit -f 32; exec "$@"' - "$GCRYPT" "${enc[@]}" --recipient anna.pem.pub in
refused 2 'in.gcr.part: started for other recipients' "$GCRYPT" "${enc[@]}" in
refused 2 'started for other recipients' "$GCRYPT" "${enc[@]}" --recipient ben.pem.pub in
refused 2 'started for other recipients' "$GCRYPT" "${enc[@]}" --recipient anna.pem.pub --recipient ben.pem.pub in
"$GCRYPT" "${enc[@]}" --recipient anna.pem.pub in
good
"$GCRYPT" dec --identity anna.pem -f -o back in.gcr
same in back
expect_exit 5 "$GCRYPT" verify --identity ben.pem in.gcr

expect_exit 6 "$GCRYPT" "${enc[@]}" in
no_file in.gcr.part img
