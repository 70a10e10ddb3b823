#!/bin/bash
# advise: first what enc will do with files in this folder, and why; then the columns are explained; numbers for people.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
keep_records
make_key

"$GCRYPT" advise --engine cpu --size 4TiB >out
sed -n 1p out | grep -qE '^enc, from file to file in this folder: 4 TiB in [0-9]+ s \([0-9.]+ GB/s\) predicted, bottleneck: [a-zA-Z ]+$' ||
	give_up "headline: $(cat out)"
sed -n 2p out | grep -qE '^enc chooses: [a-z0-9]+-256-ctr on CPU, without compression \(--zstd is not in these figures\)$' ||
	give_up "choice: $(cat out)"
sed -n 3p out | grep -qE '^why: aes on CPU [0-9]+ s, camellia on CPU [0-9]+ s' || give_up "reason: $(cat out)"
grep -q '^in memory: ' out || give_up "no legend: $(cat out)"
grep -q '^files: ' out || give_up "no legend: $(cat out)"
! grep -qE '[0-9]e[+-][0-9]' out || give_up "not for people: $(cat out)"

# enc makes that choice, for the same seconds.
truncate -s 16M big # far below what the system keeps unsynced, whose amount changes
"$GCRYPT" advise --size 16MiB >out
choice=$(sed -n '/^why: /,/^$/p' out | paste -sd ' ' | sed 's/^why: //; s/ $//')
"$GCRYPT" enc --dry-run --key-file key big >plan
grep -qxF "why: $choice" plan || give_up "advise: $choice; enc: $(cat plan)"
