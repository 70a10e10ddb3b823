#!/bin/bash
# Damage to one header copy is survived and reported; damage to both is not.
# shellcheck source=tests/scenarios/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
make_key
bytes 10000 >in
"$GCRYPT" enc "${small[@]}" --key-file key in

for at in 0 8 9 10 11 12 13 14 15 16 17 18 19 20 24 31 32 63 64 71 72 479 480 481 484 496 527 528 567 \
	568 1439 1440 8159 8160 8191; do
	for copy in 0 8192; do
		cp in.gcr bad.gcr
		flip bad.gcr $((copy + at)) $((at % 8))
		expect_exit 0 "$GCRYPT" dec --engine cpu --key-file key -o out bad.gcr
		says bad.gcr # the warning
		same in out
		rm out
		expect_exit 4 "$GCRYPT" verify --key-file key bad.gcr
	done
	flip bad.gcr "$at" $((at % 8)) # now both
	code=0
	"$GCRYPT" dec --engine cpu --key-file key -o out bad.gcr 2>err || code=$?
	case $code in
	4 | 5 | 7) ;;
	*) give_up "exit $code with byte $at flipped in both copies" ;;
	esac
	no_file out
done

# Numbers of a later release, in both copies and in one.
for patch in 8:2 10:7 11:9 12:9 14:9 15:9 20:1; do
	cp in.gcr bad.gcr
	put_byte bad.gcr "${patch%:*}" "${patch#*:}"
	expect_exit 0 "$GCRYPT" dec --engine cpu --key-file key -o out bad.gcr
	rm out
	put_byte bad.gcr $((8192 + ${patch%:*})) "${patch#*:}"
	expect_exit 7 "$GCRYPT" dec --engine cpu --key-file key -o out bad.gcr
	expect_exit 7 "$GCRYPT" verify --key-file key bad.gcr
	expect_exit 7 "$GCRYPT" info bad.gcr
	no_file out
done

# One copy gone altogether.
for copy in 0 8192; do
	cp in.gcr bad.gcr
	head -c 8192 /dev/zero | put bad.gcr "$copy"
	expect_exit 0 "$GCRYPT" dec --engine cpu --key-file key -o out bad.gcr
	same in out
	rm out
done
