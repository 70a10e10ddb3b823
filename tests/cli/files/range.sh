#!/bin/bash
# Parts of a container, and reading it twice.  (Damage, and parts outside of the content: group 17 of tests/faults.)
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--key-file key)
bytes 50000 >in
"$GCRYPT" enc "${small[@]}" "${k[@]}" --mode xts in

# A part goes where the whole would go; K, M, … as ever; to the end without --length.
for range in "0 1" "4095 2" "8191 20000" "49999 1" "0 50000" "50000 0"; do
	read -r offset length <<<"$range"
	expect_exit 0 "$GCRYPT" dec "${k[@]}" --offset "$offset" --length "$length" -o - in.gcr >out
	part in "$offset" "$length" | cmp - out || give_up "range $range"
done
expect_exit 0 "$GCRYPT" dec "${k[@]}" --offset 40K -o out2 in.gcr
part in 40960 50000 | cmp - out2 || give_up "to the end"
expect_exit 0 "$GCRYPT" dec "${k[@]}" --length 5000 -f -o out2 in.gcr
part in 0 5000 | cmp - out2 || give_up "from the start"
expect_exit 0 "$GCRYPT" dec "${k[@]}" --offset 5000 --length 100 - <in.gcr >out
part in 5000 100 | cmp - out || give_up "standard input that is a file"

# Also of a detached image, and by a device.
head -c 49152 in >disk
"$GCRYPT" enc "${small[@]}" "${k[@]}" --detached --mode xts -o img disk
expect_exit 0 "$GCRYPT" dec "${k[@]}" --offset 20000 --length 20000 -o out3 img.gcr
part in 20000 20000 | cmp - out3 || give_up "detached"
if "$GCRYPT" dec -q "${k[@]}" --engine opencl --offset 3000 --length 20000 -f -o out3 in.gcr 2>err; then
	part in 3000 20000 | cmp - out3 || give_up "by a device"
else
	says "OpenCL"
fi

# --verify-first.
expect_exit 0 "$GCRYPT" dec --verify-first "${k[@]}" -o - in.gcr >out
same in out
expect_exit 0 "$GCRYPT" dec --verify-first "${k[@]}" - <in.gcr >out
same in out
expect_exit 0 "$GCRYPT" dec --verify-first "${k[@]}" -o - img.gcr >out
same disk out
flip in.gcr 5000
expect 0 "copy A is damaged" "$GCRYPT" dec --verify-first "${k[@]}" -o - in.gcr >out
same in out

# Of a directory tree there is a part of the stream only.
mkdir tree
cp in tree
"$GCRYPT" enc "${k[@]}" tree
for wrong in "--offset 1" --verify-first; do
	refused 2 "directory tree" dec "${k[@]}" $wrong -o new tree.gcr
done
"$GCRYPT" dec "${k[@]}" -o - tree.gcr >stream
expect_exit 0 "$GCRYPT" dec "${k[@]}" --offset 100 --length 10000 -o - tree.gcr >out
part stream 100 10000 | cmp - out || give_up "a part of a tree's stream"

# Rekeyed, it is a tree still.
expect_exit 0 "$GCRYPT" rekey -q "${k[@]}" --mode xts tree.gcr
expect_exit 0 "$GCRYPT" dec "${k[@]}" -o new tree.gcr
diff -r tree new
