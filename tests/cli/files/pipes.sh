#!/bin/bash
# Streams in both directions; from a damaged one only whole verified groups come out.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--key-file key)

for n in 0 1 4096 8192 8193 24581 1000000; do
	bytes "$n" >in
	"$GCRYPT" enc "${small[@]}" "${k[@]}" - <in | "$GCRYPT" dec "${k[@]}" - >out
	same in out
	rm out
	# A file to a pipe, a pipe to a file.
	"$GCRYPT" enc "${small[@]}" "${k[@]}" -o - in >c
	"$GCRYPT" dec "${k[@]}" -o out - <c
	same in out
	rm out c
done

# Bytes that arrive slowly and in odd pieces, through FIFOs.
bytes 20000 >in
mkfifo slow
{ for at in $(seq 0 4000 19999); do part in "$at" 3333; sleep 0.05; part in $((at + 3333)) 667; done; } >slow &
"$GCRYPT" enc "${small[@]}" "${k[@]}" -o c slow
"$GCRYPT" dec "${k[@]}" -o out - < <(part c 0 17000; sleep 0.2; part c 17000 99999)
same in out

# A container that ends early or is damaged in its third group: two groups may come out, no more.
for at in $(($(page 2) + 100)) $(($(page 2) + 4096)) $(($(page 2) + 4100)); do
	part c 0 "$at" >short
	expect_exit 4 "$GCRYPT" dec "${k[@]}" - <short >got
	[ "$(stat -c %s got)" -le $((2 * group_bytes)) ] || give_up "too much came out"
	[ $(($(stat -c %s got) % group_bytes)) -eq 0 ] || give_up "a part of a group came out"
	cmp -n "$(stat -c %s got)" got in
done
cp c bad
flip bad $(($(page 1) + 4096 + 5000))
expect_exit 4 "$GCRYPT" dec "${k[@]}" - <bad >got
[ "$(stat -c %s got)" -le "$group_bytes" ] || give_up "a damaged group came out"
{ cat c; echo; } >long
expect_exit 4 "$GCRYPT" dec "${k[@]}" - <long >got
[ "$(stat -c %s got)" -lt 20000 ] || give_up "the last group came out before the end was seen"
