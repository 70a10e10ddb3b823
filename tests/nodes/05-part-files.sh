#!/bin/bash
# NAME.part of enc --resume, enc --part and join: what is no work of this program stays; two runs on one file; runs that
# are killed, or whose file is removed or replaced, at any step.
# shellcheck source=tests/scenarios/lib.sh
. "${BASH_SOURCE[0]%/*}/../scenarios/lib.sh"
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
for n in 3 20000; do
	head -c $n /dev/zero >disk.part
	"${enc[@]}" --resume -o disk in
	good disk
done
only in key
