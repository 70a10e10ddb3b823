#!/bin/bash
# dec --part in 8 processes as on 8 nodes, in random order, all at a time: two are killed at random moments and run again,
# one runs twice.  The last one to end gives the file its name, whichever that is.  PARTS_TRIALS: how often (3).
# shellcheck source=tests/scenarios/lib.sh
. "${BASH_SOURCE[0]%/*}/../scenarios/lib.sh"
make_key
bytes 1500000 >plain
k=(--engine cpu -T 1 --key-file key)
"$GCRYPT" enc "${small[@]}" "${k[@]}" -o c plain
RANDOM=${PARTS_SEED:-36}

# run PART: its exit status goes to the file code-PART, unless it is killed.
run() {
	local code=0
	"$GCRYPT" dec "${k[@]}" --part "$1/8" -o out c 2>"text-$1-$2" || code=$?
	echo $code >"code-$1-$2"
}

for ((trial = 1; trial <= ${PARTS_TRIALS:-3}; trial++)); do
	mapfile -t order < <(printf '%s\n' {1..8} | shuf --random-source=<(bytes 1000 "$RANDOM"))
	for part in "${order[@]}"; do
		if [ "$part" = "${order[0]}" ] || [ "$part" = "${order[1]}" ]; then
			"$GCRYPT" dec "${k[@]}" --part "$part/8" -o out c 2>"text-$part-1" &
			pid=$!
			sleep "0.0$((RANDOM % 100))"
			kill -KILL $pid 2>/dev/null || true
		else
			run "$part" 1 &
		fi
	done
	run "${order[2]}" 2 &
	wait || true
	for file in code-*; do
		part=${file#code-}
		case $(cat "$file") in
		0) ;;
		6) [ "${part%-*}" = "${order[2]}" ] || give_up "trial $trial: refused: $(cat "text-$part")" ;;
		*) give_up "trial $trial: part $part: $(cat "text-$part")" ;;
		esac
	done
	for part in "${order[0]}" "${order[1]}"; do
		[ -e out ] || expect_exit 0 "$GCRYPT" dec "${k[@]}" --part "$part/8" -o out c
	done
	same plain out
	rm -f text-* code-* .gcrypt-*.part out err
	only plain c key
done
