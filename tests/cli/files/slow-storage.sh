#!/bin/bash
# A container on a remote file system, where each read waits for an answer: several reads are under way at the same
# time, whatever the number of cores; the bytes and the answers are those of a fast one.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu -T 2 --key-file key)
bytes 409600 >plain # 50 groups
"$GCRYPT" enc "${k[@]}" "${small[@]}" plain
"$GCRYPT" enc "${k[@]}" "${small[@]}" --detached -o disk.img plain

# remote FILE COMMAND…: this file is remote: each read takes 20 ms.
remote() { FAULT_LOG=$PWD/calls FAULT_ON="$1$" faulty pread:0:late "$GCRYPT" "${@:2}"; }
# in_flight WHAT: at least 8 reads were.
in_flight() { [ "$(sed -n 's/^late //p' calls)" -ge 8 ] || give_up "$1: reads at the same time: $(cat calls)"; }

remote plain.gcr dec "${k[@]}" -o back plain.gcr
in_flight dec
same plain back
remote plain.gcr dec "${k[@]}" -o - plain.gcr >back
in_flight "dec to a pipe"
same plain back
remote plain.gcr verify "${k[@]}" plain.gcr
in_flight verify
remote disk.img dec "${k[@]}" -f -o back disk.img.gcr
in_flight "dec of an image"
same plain back
remote disk.img verify "${k[@]}" disk.img.gcr
in_flight "verify of an image"
remote plain.gcr dec "${k[@]}" --offset 10000 --length 300000 -f -o back plain.gcr
in_flight "dec of a part"
cmp back <(part plain 10000 300000) || give_up "another part"
# Damage: nothing of it gets out.
flip plain.gcr 200000
rm back
expect_exit 4 remote plain.gcr dec "${k[@]}" -o back plain.gcr
no_file back
expect_exit 4 remote plain.gcr verify "${k[@]}" plain.gcr
truncate -s 300000 plain.gcr
expect_exit 4 remote plain.gcr verify "${k[@]}" plain.gcr
