#!/bin/bash
# With the same file key and salts, the container of gcrypt-mpi has the same bytes as that of one process, with any number
# of ranks; so has that of gcrypt enc --part.  A library in front of libcrypto's random numbers makes them constant.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
need_mpi
make_key
k=("${small[@]}" --engine cpu --key-file key)
fixed=(env LD_PRELOAD="$GCRYPT_TEST_SHIM" FAULT_RANDOM=1)

"$GCRYPT" enc "${k[@]}" -o whole key
"${fixed[@]}" "$GCRYPT" enc "${k[@]}" -o one key
"${fixed[@]}" "$GCRYPT" enc "${k[@]}" -o two key
cmp -s one two || skip "libcrypto is not a library of its own"
! cmp -s one whole || give_up "random numbers are constant without the shim"
rm one two whole

# compare BYTES MODE RANKS…
compare() {
	local mode=$2 n
	bytes "$1" >in
	shift 2
	"${fixed[@]}" "$GCRYPT" enc "${k[@]}" --mode "$mode" -o whole in
	for n; do
		ranks "$n" -x LD_PRELOAD="$GCRYPT_TEST_SHIM" -x FAULT_RANDOM=1 "$mpi" enc -q "${k[@]}" --mode "$mode" \
			-o by-ranks in </dev/null
		same whole by-ranks
		rm by-ranks
	done
	for i in 2 3 1; do "${fixed[@]}" "$GCRYPT" enc -q "${k[@]}" --mode "$mode" --part $i/3 -o by-parts in; done
	"${fixed[@]}" "$GCRYPT" join --key-file key by-parts
	same whole by-parts
	rm whole by-parts
}
compare 0 ctr 2
compare 8193 xts 3
compare 200000 ctr 2 7
compare 200000 xts 3
