#!/bin/bash
# A file system with neither hard links nor renames that replace nothing, as some FUSE and old NFS ones: parts, join and
# dec --part work; an empty part file, which a run that is killed while it gives the name can leave, is refused.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 100000 >in
k=(--engine cpu --key-file key)
without() { FAULT_POOR=1 faulty link:0:EPERM "$GCRYPT" "$@"; }

for i in 2 3 1; do without enc -q "${small[@]}" "${k[@]}" --part $i/3 in; done
without join --key-file key in.gcr
"$GCRYPT" verify --key-file key in.gcr
for i in 3 1 2; do without dec -q "${k[@]}" --part $i/3 -o out in.gcr; done
same in out
expect 6 'exists: not overwritten without -f' without dec "${k[@]}" --part 1/3 -o out in.gcr
rm out
only in in.gcr key

: >out.part
expect 6 'out.part: not overwritten: it has no start record' without dec "${k[@]}" --part 1/3 -o out in.gcr
rm out.part
: >new.part
expect 6 'new.part: not written: it has no start record' without enc "${small[@]}" "${k[@]}" --part 1/3 -o new in
rm new.part
only in in.gcr key
