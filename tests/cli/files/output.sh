#!/bin/bash
# Existing files, links, devices and places that cannot be written.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 10000 >in
k=(--key-file key)
"$GCRYPT" enc "${small[@]}" "${k[@]}" in
cp in.gcr kept.gcr

# Nothing is overwritten without -f; -f does.
expect_exit 6 "$GCRYPT" enc "${small[@]}" "${k[@]}" in
same in.gcr kept.gcr
expect_exit 6 "$GCRYPT" dec "${k[@]}" in.gcr
expect_exit 0 "$GCRYPT" enc -f "${small[@]}" "${k[@]}" in
! cmp -s in.gcr kept.gcr || give_up "-f did not write"
echo old >out
expect_exit 0 "$GCRYPT" dec -f "${k[@]}" -o out in.gcr
same in out
rm out

# Input and output are the same, by any name, even with -f.
ln in hard
ln -s in soft
for name in in ./in hard soft "$PWD/in"; do
	expect_exit 6 "$GCRYPT" enc "${k[@]}" -o "$name" in
	expect_exit 6 "$GCRYPT" enc -f "${k[@]}" -o "$name" in
done
bytes 10000 | cmp - in
rm hard soft

# What holds the secret is not overwritten, even with -f.
cp key kept.key
ln -s key soft
for name in key soft "$PWD/key" /dev/fd/9; do
	expect_exit 6 "$GCRYPT" enc -f "${k[@]}" -o "$name" in 9>>key
	expect_exit 6 "$GCRYPT" enc -f --passphrase file:key -o "$name" in 9>>key
done
# shellcheck disable=SC2094
expect_exit 6 "$GCRYPT" enc -f --passphrase fd:8 -o key in 8<key
same key kept.key
rm soft kept.key

# A symbolic link counts as existing, also one that leads nowhere.
echo target >target
ln -s target soft
ln -s nowhere dangling
for name in soft dangling; do
	expect_exit 6 "$GCRYPT" enc "${k[@]}" -o "$name" in
	[ -L "$name" ] || give_up "the link is gone"
done
[ "$(cat target)" = target ] || give_up "written through a link"
no_file nowhere
rm soft dangling target

# Folders.
mkdir folder
expect_exit 3 "$GCRYPT" enc "${k[@]}" -o folder in
if [ "$(id -u)" -ne 0 ]; then
	chmod 500 folder
	expect_exit 3 "$GCRYPT" enc "${k[@]}" -o folder/out in
	chmod 700 folder
fi
rmdir folder

# Devices stay what they are.
node=$(stat -c '%F %t,%T %a %U %i' /dev/null)
expect_exit 0 "$GCRYPT" enc "${small[@]}" "${k[@]}" -o /dev/null in
expect_exit 0 "$GCRYPT" dec "${k[@]}" -o /dev/null in.gcr
expect_exit 0 "$GCRYPT" dec -f "${k[@]}" -o /dev/null in.gcr
[ "$(stat -c '%F %t,%T %a %U %i' /dev/null)" = "$node" ] || give_up "/dev/null was changed"
"$GCRYPT" dec "${k[@]}" -o /dev/stdout in.gcr | cmp - in
expect_exit 3 "$GCRYPT" dec "${k[@]}" -o /dev/full in.gcr
expect_exit 3 "$GCRYPT" dec "${k[@]}" -o - in.gcr >/dev/full

# A FIFO.
mkfifo fifo
cat fifo >got &
expect_exit 0 "$GCRYPT" dec "${k[@]}" -o fifo in.gcr
wait
same in got
[ -p fifo ] || give_up "the FIFO is gone"
rm fifo got

# A file size limit in the middle of the output: an error, nothing left.
bytes 3000000 >big
expect_exit 3 bash -c 'trap "" XFSZ; ulimit -f 1000; exec "$@"' - \
	"$GCRYPT" enc "${small[@]}" "${k[@]}" big
only in in.gcr kept.gcr key big
