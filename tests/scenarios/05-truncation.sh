#!/bin/bash
# A container cut anywhere is refused and leaves no output.  With GCRYPT_TEST_ONE_IN fewer random places.
# shellcheck source=tests/scenarios/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
make_key
bytes 100000 >in
"$GCRYPT" enc "${small[@]}" --key-file key in
size=$(stat -c %s in.gcr)

RANDOM=2026
places=(0 1 63 64 8191 8192 16383 16384 $((size - 1)) $((size - 16)))
while [ ${#places[@]} -lt $((200 / ${GCRYPT_TEST_ONE_IN:-1})) ]; do
	places+=($(((RANDOM << 15 | RANDOM) % size)))
done
for at in $(seq 16384 12288 "$size"); do # around each page
	places+=("$at" $((at + 4096)))
done
cp in.gcr cut.gcr
for at in $(printf '%s\n' "${places[@]}" | sort -nru); do # from the end to the start
	truncate -s "$at" cut.gcr
	expect_exit 4 "$GCRYPT" dec --engine cpu --key-file key -o out cut.gcr
	no_file out
done
only in in.gcr key cut.gcr
