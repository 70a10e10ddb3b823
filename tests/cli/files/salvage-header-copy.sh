#!/bin/bash
# A header copy that nobody authenticated decides nothing of salvage: not cipher, key, mode, chunk and
# group size, content, length or salt, though its form is right and its sequence number the highest.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
forge length key good.gcr 12291 12291
"$GCRYPT" dec -q --engine cpu --key-file key -o plain good.gcr

# salvage NAME OFFSET HEX…: what stands in a copy of the header there.
salvage() {
	local name=$1 copy place
	shift
	for copy in 0 8192; do
		cp good.gcr bad.gcr
		put_byte bad.gcr $((copy + 64)) 02
		for place in "$@"; do
			put_byte bad.gcr $((copy + ${place%=*})) "${place#*=}"
		done
		for engine in cpu auto; do
			expect_exit 0 "$GCRYPT" dec --salvage --engine $engine --key-file key -f -o out bad.gcr
			says "header copy $([ $copy = 0 ] && echo A || echo B) is damaged"
			same plain out
		done
	done
	echo "$name"
}
salvage cipher 12=02
salvage sc2000 12=03
salvage 'key size' 13=10
salvage ECB 14=01
salvage XTS 14=03
salvage chunks 16=0d 17=14
salvage groups 17=13
salvage 'great groups' 16=14 17=1a
salvage content 11=02
salvage 'no length' 24=00 25=00
salvage 'great length' 31=7f
salvage 'unknown length' 24=ff 25=ff 26=ff 27=ff 28=ff 29=ff 30=ff 31=ff
salvage salt 40=00
