#!/bin/bash
# --zstd for files and streams: the header says so, and dec restores without an option.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu --key-file key)

{ bytes 30000; head -c 3000000 /dev/zero; bytes 5000 3; } >file
touch -d '2001-02-03 04:05:06' file
expect_exit 0 "$GCRYPT" enc --zstd "${small[@]}" "${k[@]}" file
[ "$(stat -c %s file.gcr)" -lt 80000 ] || give_up "not compressed"
"$GCRYPT" info file.gcr | grep -qx 'content: bytes in zstd' || give_up "content"
"$GCRYPT" info --json file.gcr | grep -q '"bytes in zstd"' || give_up "content in JSON"
expect_exit 0 "$GCRYPT" verify "${k[@]}" file.gcr
expect 0 'done: 3.04 MB' "$GCRYPT" dec -v "${k[@]}" -o back file.gcr
same file back
[ "$(stat -c %Y back)" = "$(stat -c %Y file)" ] || give_up "time"
expect_exit 0 "$GCRYPT" dec --verify-first "${k[@]}" -o - file.gcr >out
same file out

# Streams, empty ones, sizes around those of the pieces, levels.
for n in 0 1 262143 262144 262145 1000000; do
	head -c "$n" file >in
	"$GCRYPT" enc --zstd=1 "${small[@]}" "${k[@]}" - <in | "$GCRYPT" dec "${k[@]}" - >out || give_up "a pipe of $n bytes"
	same in out
	expect_exit 0 "$GCRYPT" enc -f --zstd=19 "${small[@]}" "${k[@]}" in
	expect_exit 0 "$GCRYPT" dec -f "${k[@]}" -o out in.gcr
	same in out
done

# What is compressed already: only the layer of the container is undone, of whatever kind the content's own ones are.
peer dec key file.gcr frames
cp frames in
for _ in 1 2; do
	"$GCRYPT" enc -f --zstd "${small[@]}" "${k[@]}" in
	expect_exit 0 "$GCRYPT" verify "${k[@]}" in.gcr
	expect_exit 0 "$GCRYPT" dec -f "${k[@]}" -o out in.gcr
	same in out
	peer dec key in.gcr in
done
mkdir kinds
cp frames kinds/zstd
gzip -c file >kinds/gzip
tar -cf kinds/tar file
printf '\x50\x2a\x4d\x18\3\0\0\0abc' >kinds/skippable
printf '\x28\xb5\x2f\xfd' >kinds/magic
: >nothing
peer enc --content 3 key nothing nothing.gcr
expect_exit 4 "$GCRYPT" dec -f "${k[@]}" -o out nothing.gcr
for kind in kinds/*; do
	"$GCRYPT" enc -f --zstd "${k[@]}" -o kind.gcr "$kind"
	expect_exit 0 "$GCRYPT" dec -f "${k[@]}" -o out kind.gcr
	same "$kind" out
done
"$GCRYPT" enc --zstd "${k[@]}" -o tree.gcr kinds
"$GCRYPT" dec "${k[@]}" -o kinds-back tree.gcr
diff -r kinds kinds-back || give_up "a tree"
rm -r kinds kinds-back

# The content is frames of zstd, for an independent reader of the format too.
peer dec key file.gcr frames
if command -v zstd >/dev/null; then
	zstd -dcq frames >out || give_up "zstd cannot read it"
	same file out
	# Theirs, of several frames, is read by us.
	{ head -c 10000 file | zstd -cq; tail -c +10001 file | zstd -cq; } >frames
	peer enc --chunk-log2 12 --group-log2 13 --content 3 key frames theirs.gcr
	expect_exit 0 "$GCRYPT" dec "${k[@]}" -o out -f theirs.gcr
	same file out
fi
# What is no zstd, or ends early, is refused, and leaves nothing.
head -c 50000 file >in
peer enc --chunk-log2 12 --group-log2 13 --content 3 key in wrong.gcr
expect_exit 0 "$GCRYPT" verify "${k[@]}" wrong.gcr
expect_exit 4 "$GCRYPT" dec "${k[@]}" wrong.gcr
head -c -100 frames >short
peer enc --chunk-log2 12 --group-log2 13 --content 3 key short short.gcr
expect_exit 4 "$GCRYPT" dec "${k[@]}" -o wrong short.gcr
no_file wrong

# Nothing is released that is not authentic, and a header copy that says something else decides nothing.
cp file.gcr damaged.gcr
flip damaged.gcr $(($(page 4) + 5000))
expect_exit 4 "$GCRYPT" dec "${k[@]}" damaged.gcr
expect_exit 4 "$GCRYPT" verify "${k[@]}" damaged.gcr
no_file damaged
cp file.gcr flipped.gcr
flip flipped.gcr 11
expect 0 damaged "$GCRYPT" dec "${k[@]}" flipped.gcr
same file flipped

# rekey and key slots keep it; --rm compares what was compressed.
expect_exit 0 "$GCRYPT" rekey "${k[@]}" --new-key-file key -o new.gcr file.gcr
expect_exit 0 "$GCRYPT" dec "${k[@]}" new.gcr
same file new
cp file in
expect_exit 0 "$GCRYPT" enc -f --rm --zstd "${small[@]}" "${k[@]}" in
no_file in
expect_exit 0 "$GCRYPT" dec --rm "${k[@]}" in.gcr
no_file in.gcr
same file in

# Compression changes no size of the format: the salvaged content is the frames.
expect_exit 0 "$GCRYPT" dec --salvage "${k[@]}" -o frames -f file.gcr
peer dec key file.gcr out
same frames out
