#!/bin/bash
# The self-test of the CPU engine, whole and in parts, prints its counts.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
export OCL_ICD_VENDORS=/nonexistent
"$GCRYPT" selftest >out
grep -qE '[0-9]+ passed, 0 failed, [0-9]+ skipped' out
count() { grep -oE '[0-9]+ passed' | grep -oE '[0-9]+'; }
all=$(count <out) sum=0
[ "$all" -ge 54 ] || give_up "only $all" # cipher × key size × mode × direction
for i in 0 1 2; do
	sum=$((sum + $("$GCRYPT" selftest --shard "$i/3" | count)))
done
[ "$sum" -eq "$all" ] || give_up "the parts make $sum, the whole $all"
"$GCRYPT" selftest -v >out
grep -q camellia out
expect_exit 8 "$GCRYPT" selftest --device 77 >out
[ ! -s out ] || give_up "counts of nothing: $(cat out)"
