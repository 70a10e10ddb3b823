#!/bin/bash
# NAME.part of enc --resume, enc --part and join: what is no work of this program stays; two runs on one file; runs that
# are killed, or whose file is removed or replaced, at any step.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 100000 >in # 13 groups
k=(--engine cpu --key-file key)
enc=("$GCRYPT" enc "${small[@]}" "${k[@]}")
untouched() { # CODE TEXT FILE COMMAND…
	local code=$1 text=$2 file=$3
	shift 3
	cp -p "$file" before
	expect_exit "$code" "$@"
	says "$text"
	same before "$file"
	rm before
}
good() {
	"$GCRYPT" verify --key-file key "$1"
	peer dec key "$1" back
	same in back
	rm "$1" back
}

# The part file is the input; it is another program's, with zeros before its content or shorter than a magic number.
{ head -c 4096 /dev/zero; bytes 20000; } >disk.part
untouched 6 'disk.part: not overwritten: it is the input' disk.part "${enc[@]}" --resume -o disk disk.part
untouched 6 'disk.part: not overwritten: it is the input' disk.part "${enc[@]}" --part 1/2 -o disk disk.part
untouched 6 'disk.part: not overwritten: it is not the beginning of a container' disk.part "${enc[@]}" --resume -o disk in
{ head -c 200000 /dev/zero; echo x; } >disk.part
untouched 6 'not the beginning of a container' disk.part "${enc[@]}" --resume -o disk in
truncate -s 1M disk.part
echo x >>disk.part
untouched 6 'not the beginning of a container' disk.part "${enc[@]}" --resume -o disk in
echo hello >disk.part
untouched 6 'not the beginning of a container' disk.part "${enc[@]}" --resume -o disk in
no_file disk
for n in 3 20000; do # a part file gets its name when its header is on storage
	head -c $n /dev/zero >disk.part
	untouched 6 'not the beginning of a container' disk.part "${enc[@]}" --resume -o disk in
done
: >disk.part
"${enc[@]}" --resume -o disk in
good disk
only in key

# Runs with --part lock out --resume, whatever the header is; key slots change when the container is complete.
"${enc[@]}" --part 2/3 in
locked in.gcr.part 3
flip in.gcr.part 200
untouched 6 'in.gcr.part: another run is writing it' in.gcr.part "${enc[@]}" --resume in
flip in.gcr.part 200
unlocked
bytes 32 78 >new
chmod 600 new
untouched 6 'in.gcr.part: not changed: gcrypt enc has not completed it' in.gcr.part \
	"$GCRYPT" key add --key-file key --new-key-file new in.gcr.part
untouched 6 'not changed: gcrypt enc has not completed it' in.gcr.part \
	"$GCRYPT" key change --key-file key --new-key-file new in.gcr.part
untouched 6 'not changed: gcrypt enc has not completed it' in.gcr.part \
	"$GCRYPT" key remove -f --slot 0 --key-file key in.gcr.part
for i in 1 3; do "${enc[@]}" --part $i/3 in 2>/dev/null; done
"$GCRYPT" join --key-file key in.gcr
good in.gcr
rm new

# halted CALL ON COMMAND…: the command stands still in this call on such a file (FAULT_ON of tests/faults/shim.c).
# go_on CODE: it ends so; its messages are in the file late.
halted() {
	env LD_PRELOAD="$GCRYPT_TEST_SHIM" FAULT_UNDER="$PWD" FAULT="$1:1:stop" FAULT_ON="$2" "${@:3}" 2>late &
	pid=$!
	soon stopped || give_up "does not stop"
}
stopped() { grep -q '^State:.T' "/proc/$pid/status"; }
go_on() {
	local code=0
	kill -CONT "$pid"
	wait "$pid" || code=$?
	[ "$code" -eq "$1" ] || give_up "exit $code: $(cat late)"
}

# The lock is held until the file has its name.
halted rename '!.part' "${enc[@]}" --resume --rm in
expect 6 'in.gcr.part: another run is writing it' "${enc[@]}" --resume in
go_on 0
no_file in
bytes 100000 >in
good in.gcr

# The file was replaced, or removed, while it was written: nothing gets the name, and the source stays.
for how in "--resume" ""; do
	for replaced in yes ""; do
		halted fsync "${how:+in.gcr.part}" "${enc[@]}" $how --rm in # the whole file, not its start under another name
		rm ./*.part .gcrypt-*.part 2>late2 || true
		[ -z "$replaced" ] || echo other >in.gcr.part
		go_on 3
		grep -q 'in.gcr: its unfinished file was removed or replaced meanwhile' late || give_up "$(cat late)"
		no_file in.gcr
		rm -f in.gcr.part late2
	done
done

# The same for a part: the record of the new file's part stays.
"${enc[@]}" --part 2/2 in
halted fsync '' "${enc[@]}" --part 1/2 in
rm in.gcr.part
for i in 1 2; do "${enc[@]}" --part $i/2 in; done
cp in.gcr.part-1-of-2 record
go_on 6
grep -q 'in.gcr.part: was joined or removed meanwhile' late || give_up "$(cat late)"
same record in.gcr.part-1-of-2
"$GCRYPT" join --key-file key in.gcr
good in.gcr
rm record
only in key late

# A user other than root continues a file that has the mode of a read-only input.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	mkdir -m 777 shared
	cp in key shared
	chown 65534:65534 shared/in shared/key
	chmod 400 shared/in shared/key
	chmod o+x .
	cp "$GCRYPT" shared/gcrypt
	as_user() { (cd shared && XDG_CACHE_HOME=$PWD/cache setpriv --reuid 65534 --regid 65534 --clear-groups "$@"); }
	user() { as_user ./gcrypt "$1" --engine cpu --key-file key "${@:2}" 2>>err; }
	: >err
	for i in 2 1; do user enc "${small[@]}" --part $i/2 in || give_up "$(cat err)"; done
	as_user ./gcrypt join --key-file key in.gcr || give_up "join of a read-only file"
	for i in 1 2; do user dec --part $i/2 -o back in.gcr || give_up "$(cat err)"; done
	same in shared/back
	[ "$(stat -c %a shared/in.gcr shared/back | tr '\n' ' ')" = "400 400 " ] || give_up "$(stat -c %a shared/*)"
fi
