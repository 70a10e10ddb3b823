#!/bin/bash
# Commands that are rejected, by the rows of refusals.tsv: each ends with its exit status and one message, prints nothing,
# and changes no file (compared after each section of rows).
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 31 >short
bytes 33 >long
printf '%032d' 7 >printable
printf '%064d' 7 >hex-without-newline
printf '%064dg\n' 7 >hex-bad
"$GCRYPT" keygen --x25519 -o anna
export P=secret

# Inputs, and their containers: c of x, t of tree, z with --zstd, the image d with its detached header.
bytes 100 >x
bytes 515 >odd
bytes 512 >sectors
mkdir tree
echo text >tree/file
k=(-q --engine cpu --key-file key)
"$GCRYPT" enc "${k[@]}" -o c x
"$GCRYPT" enc "${k[@]}" -o t tree
"$GCRYPT" enc "${k[@]}" --zstd -o z x
"$GCRYPT" enc "${k[@]}" --detached -o d sectors
mkfifo fifo
: >err

# Raw keys; h32 has equal halves.
# shellcheck disable=SC2034 # used by rows
h16=000102030405060708090a0b0c0d0e0f h32=$h16$h16 other=${h16}f0e0d0c0b0a090807060504030201000

gcrypt() { "$GCRYPT" "$@" >printed; }
files() { find . -mindepth 1 ! -name err ! -name printed -printf '%P %y %s %T@\n'; }
there=$(files)
same_files() { [ "$there" = "$(files)" ] || give_up "a row before '$1' changed files: $(diff <(echo "$there") <(files))"; }
n=0
while IFS=$'\t' read -r code text command; do
	if [[ $code == '#'* ]]; then
		same_files "$code"
		continue
	fi
	echo "$command" # the last line of the log, if the command waits
	expect "$code" "$text" eval "$command" </dev/null
	[ ! -s printed ] || give_up "$command: prints $(cat printed)"
	if [[ $command == *' --raw '* && $code = 2 ]]; then expect 2 "$text" eval "$command --dry-run"; fi
	n=$((n + 1))
done <"$tests/cli/refusals.tsv"
same_files "the end"
[ "$n" -gt 250 ] || give_up "only $n rows"
