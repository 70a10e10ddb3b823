#!/bin/bash
# dec --salvage: good chunks come out, the others are zeros and listed; exit 4 unless all was good.  Forged containers
# get no more than that.  GCRYPT_TEST_ONE_IN: one in N of the random containers.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 32 78 >key2
chmod 600 key2
bytes 24581 >in # three whole groups of two chunks, and 5 bytes
one=(--engine cpu --key-file key) two=(--engine cpu --key-file key2)
"$GCRYPT" enc "${small[@]}" "${one[@]}" --cipher aes in

# Containers that are forged and damaged at random, the same every time: salvage gives what an independent
# implementation of its rule gives, byte by byte and line by line.
mkdir random
(
	cd random
	ulimit -f 1024 # KiB a file: what a header claims is not written
	timeout 120 python3 "$tests/model/salvage_random.py" "$GCRYPT" 1 $((240 / ${GCRYPT_TEST_ONE_IN:-1}))
)

# salvage CODE CONTAINER OPTION…: into out, in 20 seconds and at most 1 MiB.
salvage() (
	rm -f out
	ulimit -f 1024
	expect_exit "$1" timeout 20 "$GCRYPT" dec --salvage "${one[@]}" -o out "${@:3}" "$2"
)

# For people: nothing, if nothing is wrong; each range; what is missing; what another secret may read.
salvage 0 in.gcr
[ ! -s err ] || give_up "words: $(cat err)"
same in out
cp in.gcr bad.gcr
flip bad.gcr $(($(page 0) + 4096 + 4100))
flip bad.gcr $(($(page 2) + 4090))
truncate -s $(($(page 3) + 4096)) bad.gcr
salvage 4 bad.gcr
says 'bytes 4096 to 8191 of the plaintext are zeros: a chunk is damaged'
says "bytes 16384 to 24575 of the plaintext are zeros: the group's metadata page is damaged"
says 'the root is wrong'
says 'at byte 24576 of the plaintext: the container ends here: 5 bytes are missing'
says '12288 of 24581 bytes were salvaged'
! grep -q 'another secret' err || give_up "another secret: $(cat err)"
cmp -n 4096 in out
flip bad.gcr 100
flip bad.gcr $(($(page 0) + 33))
salvage 4 bad.gcr
says 'at byte 0 of the plaintext: metadata page 0 and a header copy are damaged: another secret may open other bytes'
head -c $(($(page 2) + 4096 + 6000)) in.gcr >bad.gcr
salvage 4 bad.gcr
says 'the final page is missing'
{ cat in.gcr; echo; } >bad.gcr
salvage 4 bad.gcr
same in out
says 'more bytes after the end'

# One damaged header copy warns, as in dec; without a good one, or the key, nothing comes out.
cp in.gcr bad.gcr
flip bad.gcr 100
salvage 0 bad.gcr
says 'copy A is damaged'
same in out
flip bad.gcr 8300
salvage 4 bad.gcr
no_file out
expect_exit 5 "$GCRYPT" dec --salvage "${two[@]}" -o out in.gcr
no_file out
echo there >out # what is there is not replaced
expect_exit 6 "$GCRYPT" dec --salvage "${one[@]}" -o out in.gcr

# A signed header may claim any length: to a pipe too, what is missing is behind the output's end.
forge length key big.gcr 8589934592
salvage 4 big.gcr
timeout 20 "$GCRYPT" dec --salvage -q "${one[@]}" -o - big.gcr 2>err | head -c 1000000 >piped || true
same out piped
# A detached header with more pages and a greater length than its image has.
forge detached key image 8589934592 20000
truncate -s 5000 image
salvage 4 image.gcr
[ "$(stat -c %s out)" = 5000 ] || give_up "$(stat -c %s out) bytes of an image of 5000"
says "at byte 5000 of the plaintext: the container ends here: $((8589934592 - 5000)) bytes are missing"

# A header copy that nobody authenticated decides nothing: not cipher, key, mode, chunk and group size, content, length
# or salt, though its form is right and its sequence number the highest.
for changes in 12=02 12=03 13=10 14=01 14=03 '16=0d 17=14' 17=13 '16=14 17=1a' 11=02 '24=00 25=00' 31=7f \
	'24=ff 25=ff 26=ff 27=ff 28=ff 29=ff 30=ff 31=ff' 40=00; do
	for copy in 0 8192; do
		cp in.gcr bad.gcr
		for change in 64=02 $changes; do
			put_byte bad.gcr $((copy + ${change%=*})) "${change#*=}"
		done
		for engine in cpu auto; do
			salvage 0 bad.gcr --engine $engine
			says "header copy $([ $copy = 0 ] && echo A || echo B) is damaged"
			same in out
		done
		expect_exit 0 "$GCRYPT" dec "${one[@]}" -f -o out --offset 5000 --length 10000 - <bad.gcr
		part in 5000 10000 | cmp - out || give_up "a range with $changes"
	done
done

# Two header copies under two file keys: one secret reads a container, the other one gets nothing of it.  First a chunk
# whose tag is right under both keys: the metadata page has the MAC of one.
forge collision key key2 two.gcr
expect_exit 0 "$GCRYPT" dec "${one[@]}" -f -o out two.gcr
grep -q 'what the first secret reads' out || give_up "the first secret does not read it"
salvage 0 two.gcr
rm out
expect_exit 4 "$GCRYPT" dec "${two[@]}" -o out two.gcr
no_file out
expect_exit 4 "$GCRYPT" dec --salvage --json "${two[@]}" -o out two.gcr >list.json
head -c 4096 /dev/zero | cmp - out || give_up "bytes for the second secret"
[ "$(field good_bytes damages.1.length <list.json)" = '0 4096' ] || give_up "$(cat list.json)"
rm out

# Groups of two sizes, so that each key has authentic pages: no part is read without page 0, and salvage says what it
# cannot prove.
forge sizes key key2 sizes.gcr
expect_exit 0 "$GCRYPT" dec "${one[@]}" -o out sizes.gcr
expect_exit 0 "$GCRYPT" dec "${one[@]}" --offset 8192 --length 100 -f -o out sizes.gcr
rm out
for range in 8192,4096 8192,0 12288,0 9000,1; do
	refused 4 'byte 16384 of this file (group 0)' dec "${two[@]}" --offset "${range%,*}" --length "${range#*,}" -o out sizes.gcr
	no_file out
done
refused 4 'metadata page 0 and a header copy are damaged: another secret may open other bytes' dec --salvage "${two[@]}" -o out sizes.gcr
