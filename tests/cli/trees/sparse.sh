#!/bin/bash
# --sparse: zeros become holes, which are authenticated, and holes again.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--key-file key)

blocks() { echo $(($(stat -c %b "$1") / 2)); } # KiB on the disk

# Zeros at the start, in between and at the end; whole groups, chunks, and less than a chunk.
make_file() {
	rm -f in
	truncate -s "$1" in
	bytes 5000 | put in 20000
	bytes 20000 2 | put in 2000000
	bytes 30 3 | put in 2049000
}
there=$("$GCRYPT" devices --json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["devices"]))')
while read -r size mode engine; do
	[ "$engine" = cpu ] || [ "$there" -gt 0 ] || continue
	make_file "$size"
	expect_exit 0 "$GCRYPT" enc -f --sparse --engine "$engine" --mode "$mode" "${small[@]}" "${k[@]}" in
	[ "$(blocks in.gcr)" -lt 1400 ] || give_up "$mode: $(blocks in.gcr) KiB of ciphertext"
	peer dec key in.gcr out
	same in out
	expect_exit 0 "$GCRYPT" dec -f --engine "$engine" "${k[@]}" -o back in.gcr
	same in back
	[ "$(blocks back)" -lt 200 ] || give_up "$mode: $(blocks back) KiB of plaintext"
	expect_exit 0 "$GCRYPT" verify --engine cpu "${k[@]}" in.gcr
	expect_exit 0 "$GCRYPT" rekey -q -f --engine "$engine" --cipher camellia "${k[@]}" -o new.gcr in.gcr
	[ "$(blocks new.gcr)" -lt 1400 ] || give_up "$mode: $(blocks new.gcr) KiB after rekey"
	expect_exit 0 "$GCRYPT" dec -f --engine cpu "${k[@]}" -o back new.gcr
	same in back
	"$GCRYPT" dec --engine cpu "${k[@]}" -o - in.gcr | cmp - in
	# Copied without its holes it is the same.
	cp --sparse=never in.gcr dense.gcr
	expect_exit 0 "$GCRYPT" dec -f --engine "$engine" "${k[@]}" -o back dense.gcr
	same in back
done <<'TEXT'
2400000 ctr cpu
2400001 xts cpu
2400256 ecb cpu
2400001 ctr opencl
TEXT
k+=(--engine cpu)

# From a pipe and to one, where there are no holes.
"$GCRYPT" enc --sparse "${small[@]}" "${k[@]}" - <in >piped.gcr
same <("$GCRYPT" dec "${k[@]}" -o - - <piped.gcr) in
"$GCRYPT" enc --sparse "${small[@]}" "${k[@]}" -o piped2.gcr - < <(cat in)
expect_exit 0 "$GCRYPT" dec -f "${k[@]}" -o back piped2.gcr
same in back
[ "$(blocks back)" -lt 200 ] || give_up "$(blocks back) KiB out of a pipe"
# Into a file that holds something already.
bytes 5000000 4 >old
"$GCRYPT" dec "${k[@]}" -o - in.gcr 1<>old
cmp -n "$(stat -c %s in)" in old

# Holes of the input are not read: at this rate that would take two minutes.
truncate -s 120M hole
bytes 20000 5 | put hole 75000000
for how in --zstd --sparse --threads=1; do
	expect_exit 0 timeout 60 "$GCRYPT" enc --bwlimit 1M $how "${k[@]}" -o - - <hole >hole.gcr
	expect_exit 0 "$GCRYPT" dec -f "${k[@]}" -o back hole.gcr
	same hole back
	[ "$(blocks back)" -lt 200 ] || give_up "$how: $(blocks back) KiB of plaintext"
done

# Nothing but zeros, of which the last chunk is a hole, and little of it.
for size in 1 8192 100000; do
	truncate -s 0 zeros
	truncate -s $size zeros
	expect_exit 0 "$GCRYPT" enc -f --sparse "${small[@]}" "${k[@]}" zeros
	expect_exit 0 "$GCRYPT" dec -f "${k[@]}" -o back zeros.gcr
	same zeros back
done

# Without --sparse zeros are encrypted.
expect_exit 0 "$GCRYPT" enc -f "${small[@]}" "${k[@]}" in
[ "$(blocks in.gcr)" -gt 3400 ] || give_up "holes that were not asked for"
# The restored file has holes all the same, except with --no-sparse.
"$GCRYPT" enc -q --zstd "${k[@]}" -o zstd.gcr in
mkdir tree
cp --sparse=never in tree/in
"$GCRYPT" enc -q "${small[@]}" "${k[@]}" tree
while read -r container made; do
	rm -rf back
	expect_exit 0 "$GCRYPT" dec "${k[@]}" -o back "$container"
	same in "$made"
	[ "$(blocks "$made")" -lt 200 ] || give_up "$container: $(blocks "$made") KiB of plaintext"
	rm -rf back
	expect_exit 0 "$GCRYPT" dec --no-sparse "${k[@]}" -o back "$container"
	same in "$made"
	[ "$(blocks "$made")" -ge 2340 ] || give_up "$container: holes with --no-sparse"
done <<'TEXT'
in.gcr back
zstd.gcr back
tree.gcr back/in
TEXT
rm -rf back

# A hole that is no longer one; a chunk that became one, in a file that has others.
make_file 2400000
"$GCRYPT" enc -f --sparse "${small[@]}" "${k[@]}" in
cp in.gcr bad.gcr
flip bad.gcr $(($(page 100) + 4096 + 10))
refused 4 'a chunk is damaged' dec "${k[@]}" -o bad bad.gcr
expect_exit 4 "$GCRYPT" verify "${k[@]}" bad.gcr
cp in.gcr bad.gcr
fallocate -p -o $(($(page 2) + 4096)) -l 8192 bad.gcr 2>err ||
	head -c 8192 /dev/zero | put bad.gcr $(($(page 2) + 4096))
expect_exit 4 "$GCRYPT" dec "${k[@]}" -o bad bad.gcr
expect_exit 4 "$GCRYPT" verify "${k[@]}" bad.gcr
cp in.gcr bad.gcr
fallocate -p -o "$(page 100)" -l 4096 bad.gcr 2>err || head -c 4096 /dev/zero | put bad.gcr "$(page 100)"
expect_exit 4 "$GCRYPT" dec "${k[@]}" -o bad bad.gcr
cp in.gcr bad.gcr
truncate -s -1 bad.gcr
expect_exit 4 "$GCRYPT" dec "${k[@]}" -o bad bad.gcr
no_file bad

# --rm compares with holes too.
cp in kept
expect_exit 0 "$GCRYPT" enc --rm -f --sparse "${small[@]}" "${k[@]}" in
no_file in
expect_exit 0 "$GCRYPT" dec "${k[@]}" in.gcr
same in kept

# 20 GiB of holes take little time: reading them would alone exceed the limit.
rm -f huge
if truncate -s 20G huge 2>err; then
	bytes 100 | put huge 7000000000
	expect_exit 0 prlimit --cpu=3 "$GCRYPT" enc --sparse "${k[@]}" huge
	expect_exit 0 prlimit --cpu=3 "$GCRYPT" rekey -q "${k[@]}" --cipher camellia --mode xts huge.gcr
	expect_exit 0 prlimit --cpu=3 "$GCRYPT" dec "${k[@]}" -o back2 huge.gcr
	[ "$(stat -c %s back2)" = "$(stat -c %s huge)" ] || give_up "length"
	cmp -n 200 -i 6999999950 huge back2
	[ "$(blocks huge.gcr)" -lt 20000 ] || give_up "$(blocks huge.gcr) KiB of ciphertext"
	[ "$(blocks back2)" -lt 20000 ] || give_up "$(blocks back2) KiB of plaintext"
fi
