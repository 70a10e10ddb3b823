#!/bin/bash
# Damage to one header copy is survived and reported; damage to both is not.  (Every bit and every field: test_header and
# the groups 2 and 4 of tests/faults.)
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 10000 >in
"$GCRYPT" enc "${small[@]}" --key-file key in

for copy in 0 8192; do
	for at in 8 72 500 8190; do
		cp in.gcr bad.gcr
		flip bad.gcr $((copy + at))
		expect_exit 0 "$GCRYPT" dec -f --engine cpu --key-file key -o out bad.gcr
		says "bad.gcr: warning: header copy $([ $copy = 0 ] && echo A || echo B) is damaged"
		same in out
	done
	expect_exit 4 "$GCRYPT" verify --key-file key bad.gcr
	head -c 8192 /dev/zero | put bad.gcr "$copy"
	expect_exit 0 "$GCRYPT" dec -f --engine cpu --key-file key -o out bad.gcr
	same in out
done
rm out
flip bad.gcr 500
expect_exit 5 "$GCRYPT" dec --engine cpu --key-file key -o out bad.gcr # the key slot

# A version of a later release, in one copy and in both.
cp in.gcr bad.gcr
put_byte bad.gcr 8 2
expect_exit 0 "$GCRYPT" dec -f --engine cpu --key-file key -o out bad.gcr
put_byte bad.gcr $((8192 + 8)) 2
rm out
for command in 'dec --engine cpu --key-file key -o out' 'verify --key-file key' info; do
	# shellcheck disable=SC2086
	expect_exit 7 "$GCRYPT" $command bad.gcr
done
no_file out
