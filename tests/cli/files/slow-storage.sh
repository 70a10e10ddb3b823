#!/bin/bash
# A container on a remote file system, where each read waits for an answer: several reads are under way at the same
# time, whatever the number of cores; the bytes and the answers are those of a fast one.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
cc -shared -fPIC -o shim.so "$here/latency_shim.c" -ldl 2>err || skip "no C compiler: $(head -n 1 err)"
k=(--engine cpu -T 2 --key-file key)
bytes 409600 >plain # 50 groups
"$GCRYPT" enc "${k[@]}" "${small[@]}" plain
"$GCRYPT" enc "${k[@]}" "${small[@]}" --detached -o disk.img plain

remote() { env LD_PRELOAD="$PWD/shim.so" LATENCY_MS=20 FLIGHTS="$PWD/flights" "$GCRYPT" "$@"; }
# in_flight: at least 8 reads were.
in_flight() { [ "$(<flights)" -ge 8 ] || give_up "$1: at most $(<flights) reads at the same time"; }

remote dec "${k[@]}" -o back plain.gcr
in_flight dec
same plain back
remote dec "${k[@]}" -o - plain.gcr >back
in_flight "dec to a pipe"
same plain back
remote verify "${k[@]}" plain.gcr
in_flight verify
remote dec "${k[@]}" -f -o back disk.img.gcr
in_flight "dec of an image"
same plain back
remote verify "${k[@]}" disk.img.gcr
in_flight "verify of an image"
remote dec "${k[@]}" --offset 10000 --length 300000 -f -o back plain.gcr
in_flight "dec of a part"
cmp back <(part plain 10000 300000) || give_up "another part"
# Damage: nothing of it gets out.
flip plain.gcr 200000
rm back
expect_exit 4 remote dec "${k[@]}" -o back plain.gcr
no_file back
expect_exit 4 remote verify "${k[@]}" plain.gcr
truncate -s 300000 plain.gcr
expect_exit 4 remote verify "${k[@]}" plain.gcr
