#!/bin/bash
# --dry-run writes nothing and prints the lines that -v prints.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 30000 >in
how=(--cipher camellia --engine cpu -T 1 "${small[@]}" --key-file key)
"$GCRYPT" enc --dry-run "${how[@]}" in >plan
no_file in.gcr
for line in 'cipher: camellia' 'mode: ctr' 'engine: '; do
	grep -q "^$line" plan || give_up "no '$line' in: $(cat plan)"
done
"$GCRYPT" enc -v "${how[@]}" in >out 2>words
[ ! -s out ] || give_up "-v wrote to standard output"
while read -r line; do
	grep -qF -e "$line" words || give_up "-v lacks '$line'"
done <plan
grep -q '^done: .*; bottleneck: [a-z]*, busy for [0-9]* %$' words || give_up "no bottleneck: $(cat words)"
