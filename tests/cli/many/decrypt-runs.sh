#!/bin/bash
# dec --part in 8 processes as on 8 nodes, in random order, all at a time: two are killed at one of their writes and run
# again, one runs twice.  The last one to end gives the file its name, whichever that is.  PARTS_TRIALS: how often (3).
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 1500000 >plain # 184 groups: a part writes 23 of them, and its record
k=(--engine cpu -T 1 --key-file key)
"$GCRYPT" enc "${small[@]}" "${k[@]}" -o c plain
RANDOM=${PARTS_SEED:-36}

# run FAULT PART NUMBER: its exit status goes to the file code-PART-NUMBER.
run() {
	local code=0
	faulty "$1" "$GCRYPT" dec "${k[@]}" --part "$2/8" -o out c 2>"text-$2-$3" || code=$?
	echo $code >"code-$2-$3"
}

for ((trial = 1; trial <= ${PARTS_TRIALS:-3}; trial++)); do
	mapfile -t order < <(printf '%s\n' {1..8} | shuf --random-source=<(bytes 1000 "$RANDOM"))
	for part in "${order[@]:0:2}"; do run "pwrite:$((1 + RANDOM % 24)):kill" "$part" 1 & done
	for part in "${order[@]:2}"; do run none "$part" 1 & done
	run none "${order[2]}" 2 &
	wait
	for file in code-*; do
		part=${file#code-}
		case ${part%-*}:$(cat "$file") in
		"${order[0]}:137" | "${order[1]}:137" | "${order[2]}:6") ;;
		"${order[0]}:"* | "${order[1]}:"*) give_up "trial $trial: part $part was not killed" ;;
		*:0) ;;
		*) give_up "trial $trial: part $part: $(cat "text-$part")" ;;
		esac
	done
	for part in "${order[@]:0:2}"; do expect_exit 0 "$GCRYPT" dec "${k[@]}" --part "$part/8" -o out c; done
	same plain out
	rm -f text-* code-* .gcrypt-*.part out err
	only plain c key
done
