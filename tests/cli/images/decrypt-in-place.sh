#!/bin/bash
# dec --in-place: the way back of enc --detached --in-place.  The last group is decrypted first; a run that was stopped
# is continued, and files that do not belong together are rejected.  (Every moment of stopping: tests/cuts.)
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 28672 >plain # four groups, the last one half
k=(--engine cpu --key-file key)
undo=(dec --in-place "${k[@]}")
"$GCRYPT" enc --detached --cipher aes "${small[@]}" "${k[@]}" -o whole plain

start() { cp whole disk && cp whole.gcr disk.gcr && rm -f disk.gcr.journal; }
good() {
	same plain disk
	no_file disk.gcr disk.gcr.journal
}

start
"$GCRYPT" "${undo[@]}" disk.gcr
good

# The plan, which changes nothing.
start
"$GCRYPT" "${undo[@]}" --dry-run disk.gcr >plan
grep -qx 'output: disk' plan || give_up "the plan: $(cat plan)"
same whole disk
no_file disk.gcr.journal

# The way back of a run in place, with its own journal gone or left.
cp plain disk
rm disk.gcr
"$GCRYPT" enc --detached --in-place --cipher aes "${small[@]}" "${k[@]}" disk
"$GCRYPT" "${undo[@]}" disk.gcr
good

# Another name of the image.
start
mv disk.gcr header
refused 2 '--image is needed' "${undo[@]}" header
"$GCRYPT" "${undo[@]}" --image disk header
same plain disk
no_file header header.journal

# A private key opens it: nothing is encrypted, so there is no question of who started.
"$GCRYPT" keygen --x25519 -o anna.pem
rm disk
"$GCRYPT" enc --detached "${small[@]}" --recipient anna.pem.pub --engine cpu -o disk plain
"$GCRYPT" dec --in-place --engine cpu --identity anna.pem disk.gcr
good

# decrypted N: only N groups are still ciphertext.  page N, payload N: of group N.
decrypted() {
	{ head -c $(($1 * 8192)) whole; tail -c +$(($1 * 8192 + 1)) plain; } >disk
	head -c $((16384 + $1 * 4096)) whole.gcr >disk.gcr
	journal "$1"
}
journal() { { cat record && page "$1" && payload "$1"; } >disk.gcr.journal; }
page() { part whole.gcr $((16384 + $1 * 4096)) 4096; }
payload() { part whole $(($1 * 8192)) 8192; }

start # the record is of this image
peer journal key whole.gcr disk >record
for n in 0 1 2 3; do
	decrypted $n
	"$GCRYPT" "${undo[@]}" disk.gcr
	good
	# The page is still there, and the image is torn.
	decrypted $n
	page $n >>disk.gcr
	bytes 4096 9 | put disk $((n * 8192))
	"$GCRYPT" "${undo[@]}" disk.gcr
	good
	# The page is torn.
	decrypted $n
	page $n | head -c 1000 >>disk.gcr
	"$GCRYPT" "${undo[@]}" disk.gcr
	good
	# The journal of the group before is torn: its group is untouched.
	decrypted $n
	bytes 2000 9 | put disk.gcr.journal 8192
	"$GCRYPT" "${undo[@]}" disk.gcr
	good
done

# Pages that somebody else removed, with a journal that anybody can make: the image has bytes of his choice.
unbound() { { printf '\x89GCS\r\n\x1a\n'; head -c "$1" /dev/zero; } >disk.gcr.journal; }
decrypted 2
bytes 12288 66 | put disk 16384
for zeros in 0 8184 20000; do
	unbound $zeros
	disk_refused 6 'does not prove that this secret started to decrypt or encrypt disk' "$GCRYPT" "${undo[@]}" disk.gcr
done
flip record 8191
journal 2
disk_refused 6 'does not prove that this secret started' "$GCRYPT" "${undo[@]}" disk.gcr
flip record 8191
start
cp disk copy
peer journal key whole.gcr copy >other-record
decrypted 2
{ cat other-record && page 2 && payload 2; } >disk.gcr.journal
disk_refused 6 'does not prove that this secret started' "$GCRYPT" "${undo[@]}" disk.gcr
"$GCRYPT" "${undo[@]}" -f disk.gcr
good
# No page is missing: such a journal has no effect.
start
unbound 8184
"$GCRYPT" "${undo[@]}" disk.gcr
good

# Encryption takes over what decryption left, if the owner says that the files can be trusted.
decrypted 2
refused 6 'no start record' enc --detached --in-place "${k[@]}" disk
"$GCRYPT" enc --detached --in-place "${k[@]}" -f disk
"$GCRYPT" verify --key-file key disk.gcr
"$GCRYPT" "${undo[@]}" disk.gcr
good

# And the other way: what encryption left is decrypted.
cp plain disk
expect_exit 3 bash -c 'trap "" XFSZ; ulimit -f 24; exec "$@"' - "$GCRYPT" enc --detached --in-place --cipher aes \
	"${small[@]}" "${k[@]}" disk
! cmp -s plain disk || give_up "nothing was encrypted"
"$GCRYPT" "${undo[@]}" disk.gcr
good

# Damage is found before anything is decrypted; the message says how far the image is.
start
flip disk 12288
disk_refused 4 'at byte 12288: not decrypted: ciphertext up to byte 28672, plaintext from there on' "$GCRYPT" "${undo[@]}" disk.gcr
decrypted 2
flip disk 100
expect_exit 4 "$GCRYPT" "${undo[@]}" disk.gcr # which has first made the journal's group ciphertext again
says 'at byte 0: not decrypted: ciphertext up to byte 24576, plaintext from there on'
says 'the same command continues'
flip disk 100
"$GCRYPT" "${undo[@]}" disk.gcr
good
# Groups of another version under the same file key: each is authentic, the root is not.
start
bytes 28672 5 >disk
"$GCRYPT" retag -q --key-file key disk.gcr
payload 1 | put disk 8192
page 1 | put disk.gcr $((16384 + 4096))
disk_refused 4 'the root is wrong' "$GCRYPT" "${undo[@]}" disk.gcr
# Pages that no run has removed.
start
truncate -s $((16384 + 8192)) disk.gcr
disk_refused 6 'metadata pages are missing from byte 24576 on' "$GCRYPT" "${undo[@]}" disk.gcr
truncate -s 16384 disk.gcr
disk_refused 6 'metadata pages are missing from byte 16384 on' "$GCRYPT" "${undo[@]}" disk.gcr
decrypted 3
truncate -s 16384 disk.gcr
disk_refused 4 'wrong at byte 16384' "$GCRYPT" "${undo[@]}" disk.gcr
start
flip disk.gcr $((16384 + 3 * 4096 + 20))
disk_refused 4 'wrong at byte 28672' "$GCRYPT" "${undo[@]}" disk.gcr
start
truncate -s 20480 disk
disk_refused 4 'not the detached header of disk' "$GCRYPT" "${undo[@]}" disk.gcr
start
bytes 100 >disk.gcr.journal
disk_refused 6 'disk.gcr.journal: exists: not overwritten' "$GCRYPT" "${undo[@]}" disk.gcr
start
bytes 32 78 >wrong
disk_refused 5 'no key slot matches' "$GCRYPT" dec --in-place --engine cpu --key-file wrong disk.gcr
disk_refused 2 'not with --output' "$GCRYPT" "${undo[@]}" -o out disk.gcr
disk_refused 2 'not with --rm' "$GCRYPT" "${undo[@]}" --rm disk.gcr
disk_refused 2 'not with --salvage' "$GCRYPT" "${undo[@]}" --salvage disk.gcr
: >empty.gcr
expect_exit 4 "$GCRYPT" "${undo[@]}" empty.gcr
[ -e empty.gcr ] || give_up "an empty operand was removed"
"$GCRYPT" enc "${k[@]}" plain
refused 2 'only images are decrypted in place' "${undo[@]}" plain.gcr
(
	flock 9
	disk_refused 6 'another program is using it' "$GCRYPT" "${undo[@]}" disk.gcr
) 9<disk

# A damaged copy of the header does not matter.
flip disk.gcr 9000
"$GCRYPT" "${undo[@]}" disk.gcr
good
# Two images, one of them empty.
: >empty
rm empty.gcr
"$GCRYPT" enc --detached --in-place "${k[@]}" empty
start
"$GCRYPT" "${undo[@]}" disk.gcr empty.gcr
good
no_file empty.gcr empty.gcr.journal
[ -e empty ] || give_up "the empty image is gone"
