#!/bin/bash
# dec --salvage: good chunks come out, the others are zeros and listed; exit 4 unless all was good.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 24581 >in # three whole groups of two chunks, and 5 bytes
k=(--engine cpu --key-file key)
"$GCRYPT" enc "${small[@]}" "${k[@]}" --cipher aes in
"$GCRYPT" enc "${small[@]}" "${k[@]}" --cipher aes --mode xts -o xts.gcr in
bytes 24581 | "$GCRYPT" enc "${small[@]}" "${k[@]}" --cipher aes - >piped.gcr # of unknown length
: >empty
"$GCRYPT" enc "${k[@]}" --cipher aes empty

salvage() { # CODE CONTAINER: into out
	rm -f out
	expect_exit "$1" "$GCRYPT" dec --salvage "${k[@]}" -o out "$2"
}

# zeros FROM LENGTH…: want is the input with zeros there.
zeros() {
	cp in want
	while [ $# -gt 0 ]; do
		head -c "$2" /dev/zero | put want "$1"
		shift 2
	done
}

# Nothing is wrong.
for container in in xts piped; do
	salvage 0 $container.gcr
	[ ! -s err ] || give_up "words: $(cat err)"
	same in out
done
salvage 0 empty.gcr
same empty out

# Two chunks in two groups; the same for modes and unknown lengths.
for container in in xts piped; do
	cp $container.gcr bad.gcr
	flip bad.gcr $(($(page 0) + 4096 + 4100))
	flip bad.gcr $(($(page 2) + 4096 + 10))
	salvage 4 bad.gcr
	zeros 4096 4096 16384 4096
	same want out
	says 'bytes 4096 to 8191 of the plaintext are zeros: a chunk is damaged'
	says 'bytes 16384 to 20479 of the plaintext are zeros: a chunk is damaged'
	says '16389 of 24581 bytes were salvaged'
done

# A damaged metadata page proves nothing of its group, though tags and salt are right.
cp in.gcr bad.gcr
flip bad.gcr $(($(page 1) + 4090))
salvage 4 bad.gcr
zeros 8192 8192
same want out
says "bytes 8192 to 16383 of the plaintext are zeros: the group's metadata page is damaged"
says 'the root is wrong'
says '16389 of 24581 bytes were salvaged'
flip bad.gcr 100 # with page 0 or another header copy no other secret can open it
salvage 4 bad.gcr
same want out
! grep -q 'another secret' err || give_up "another secret: $(cat err)"
flip bad.gcr $(($(page 0) + 33))
salvage 4 bad.gcr
zeros 0 16384
same want out
says 'at byte 0 of the plaintext: metadata page 0 and a header copy are damaged: another secret may open other bytes'

# Ranges that meet are one; groups that were swapped are no groups of this place.
cp in.gcr bad.gcr
part in.gcr "$(page 1)" 12288 | put bad.gcr "$(page 2)"
part in.gcr "$(page 2)" 12288 | put bad.gcr "$(page 1)"
salvage 4 bad.gcr
zeros 8192 16384
same want out

# Cut: the output ends where the container does, whatever length the header has.
for container in in piped; do
	head -c $(($(page 2) + 4096 + 6000)) $container.gcr >bad.gcr
	salvage 4 bad.gcr
	zeros 20480 1904
	head -c 22384 want | cmp - out || give_up "cut: $container"
	says 'bytes 20480 to 22383 of the plaintext are zeros: a chunk is damaged'
	says 'the final page is missing'
	! grep -q 'more bytes after the end' err || give_up "after the end: $(cat err)"
	if [ $container = in ]; then
		says 'at byte 22384 of the plaintext: the container ends here: 2197 bytes are missing'
		says '20480 of 24581 bytes were salvaged'
	fi
done
head -c $(($(page 3) + 4096)) piped.gcr >bad.gcr # its final page says the length
salvage 4 bad.gcr
head -c 24576 in | cmp - out || give_up "cut after the final page"
says 'at byte 24576 of the plaintext: the container ends here: 5 bytes are missing'
head -c 16384 in.gcr >bad.gcr
salvage 4 bad.gcr
same empty out
says 'at byte 0 of the plaintext: the container ends here: 24581 bytes are missing'
says '0 of 24581 bytes'

# More than there should be.
{ cat in.gcr; echo; } >bad.gcr
salvage 4 bad.gcr
same in out
says 'more bytes after the end'

# JSON.
cp in.gcr bad.gcr
flip bad.gcr $(($(page 0) + 4096 + 4100))
rm out
expect_exit 4 "$GCRYPT" dec --salvage --json "${k[@]}" -o out bad.gcr >list.json
[ "$(field damages.0.offset <list.json)" = 4096 ] || give_up "offset"
[ "$(field damages.0.length <list.json)" = 4096 ] || give_up "length"
[ "$(field damages.0.reason <list.json)" = 'a chunk is damaged' ] || give_up "reason"
[ "$(field good_bytes <list.json)" = 20485 ] || give_up "good"
rm out
expect_exit 0 "$GCRYPT" dec --salvage --json "${k[@]}" -o out in.gcr >list.json
[ "$(field damages <list.json)" = '[]' ] || give_up "damages of a good container"

# One damaged header copy warns, as in dec; without a good one, or the key, nothing comes out.
cp in.gcr bad.gcr
flip bad.gcr 100
salvage 0 bad.gcr
says 'copy A is damaged'
same in out
flip bad.gcr 8300
salvage 4 bad.gcr
no_file out
bytes 32 78 >wrong
expect_exit 5 "$GCRYPT" dec --salvage --engine cpu --key-file wrong -o out in.gcr
no_file out

# What is there is not replaced.
echo there >out
expect_exit 6 "$GCRYPT" dec --salvage "${k[@]}" -o out in.gcr
no_file new
