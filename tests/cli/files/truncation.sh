#!/bin/bash
# A container that is cut is refused and leaves no output.  (Every length: test_container_faults, group 1 of tests/faults.)
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 100000 >in
"$GCRYPT" enc "${small[@]}" --key-file key in
size=$(stat -c %s in.gcr)

cp in.gcr cut.gcr
for at in $((size - 1)) "$(page 12)" $(($(page 5) + 4096 + 100)) $(($(page 5) + 100)) 16384 8192 0; do
	truncate -s "$at" cut.gcr
	expect_exit 4 "$GCRYPT" dec --engine cpu --key-file key -o out cut.gcr
	no_file out
done
only in in.gcr key cut.gcr
