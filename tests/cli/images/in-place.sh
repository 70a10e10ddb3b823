#!/bin/bash
# enc --detached --in-place: the image is encrypted where it is; a run that was stopped is gone on
# with, and what does not belong together is refused.  (Every moment of stopping: tests/cuts.)
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 28672 >plain # four groups, the last one half
k=(--engine cpu --cipher aes --key-file key)
in_place=(enc --detached --in-place "${small[@]}" "${k[@]}")
good() {
	no_file disk.gcr.journal
	"$GCRYPT" verify --key-file key disk.gcr
	"$GCRYPT" dec --engine cpu --key-file key -f -o back disk.gcr
	same plain back
}

# The same bytes as the detached form has, and no other file.
cp plain disk
"$GCRYPT" "${in_place[@]}" --sector-size 1024 disk
[ "$(stat -c %a disk.gcr)" = 600 ] || give_up "mode of the detached header"
good
"$GCRYPT" info --show-keys --json --key-file key disk.gcr >keys.json
peer xts encrypt aes "$(field groups.0.key <keys.json)" 1024 0 2 plain want
same want disk
peer dec --image disk key disk.gcr back
same plain back

# Encrypted already: nothing is touched.
cp disk before
refused 6 'disk is encrypted already' "${in_place[@]}" disk
same before disk
no_file disk.gcr.journal

# convert OPTION…: in two runs, of which the first is stopped at its first page; its start record is kept.
convert() {
	rm -f disk.gcr
	cp plain disk
	expect_exit 3 bash -c 'trap "" XFSZ; ulimit -f 20; exec "$@"' - "$GCRYPT" "${in_place[@]}" "$@" disk
	part disk.gcr.journal 0 8192 >record
	"$GCRYPT" "${in_place[@]}" "$@" disk
	good
	cp disk whole
	cp disk.gcr whole.gcr
}
convert

# stopped N: N groups are encrypted and the next one is plaintext, as after a cut.
stopped() {
	{ head -c $(($1 * 8192)) whole; tail -c +$(($1 * 8192 + 1)) plain; } >disk
	{ head -c $((16384 + $1 * 4096)) whole.gcr; } >disk.gcr
	journal $(($1 - 1))
}
# journal G: as it was when group G was written.
journal() { { cat record; part whole.gcr $((16384 + $1 * 4096)) 4096; part whole $(($1 * 8192)) 8192; } >disk.gcr.journal; }

for n in 1 2 3; do
	stopped $n
	# The options do not count, but those by which it was begun.
	"$GCRYPT" enc --detached --in-place --engine cpu --key-file key --dry-run disk >plan
	grep -qx 'group: 8192 bytes' plan || give_up "another group is planned: $(grep group plan)"
	"$GCRYPT" enc --detached --in-place --engine cpu --key-file key disk
	good
	part disk.gcr 0 $((16384 + n * 4096)) | cmp - <(part whole.gcr 0 $((16384 + n * 4096))) ||
		give_up "pages that were there changed"
	! cmp -s <(part disk.gcr $((16384 + n * 4096 + 32)) 16) <(part whole.gcr $((16384 + n * 4096 + 32)) 16) ||
		give_up "an old salt"
done
# The journal is that of the next group: image and page may be torn.
stopped 2
journal 2
bytes 8192 9 | put disk 16384
head -c 100 /dev/zero >>disk.gcr
"$GCRYPT" "${in_place[@]}" disk
good
part disk.gcr $((16384 + 8192)) 4096 | cmp - <(part whole.gcr $((16384 + 8192)) 4096) || give_up "not replayed"
stopped 3
journal 3
part whole.gcr $((16384 + 12288)) 1000 >>disk.gcr
"$GCRYPT" "${in_place[@]}" disk
good
# All but the removal of the journal.
cp whole disk
cp whole.gcr disk.gcr
journal 3
"$GCRYPT" "${in_place[@]}" disk
good
# A journal of a release without start records: only with -f.
stopped 2
journal 2
tail -c +8193 disk.gcr.journal >old
mv old disk.gcr.journal
bytes 8192 9 | put disk 16384
cp disk torn
refused 6 'no start record' "${in_place[@]}" disk
same torn disk
"$GCRYPT" "${in_place[@]}" -f disk
good
part disk.gcr $((16384 + 8192)) 4096 | cmp - <(part whole.gcr $((16384 + 8192)) 4096) || give_up "not replayed"
# A key slot that was added meanwhile: whoever has it knows the file key, so only with -f.
stopped 2
bytes 32 79 >second
chmod 600 second
"$GCRYPT" key add --key-file key --new-key-file second disk.gcr
refused 6 'no start record' "${in_place[@]}" disk
"$GCRYPT" "${in_place[@]}" -f disk
good
"$GCRYPT" verify --key-file second disk.gcr
# Another file under the name, though it holds the same bytes.
stopped 2
cp disk other
mv other disk
expect_exit 6 "$GCRYPT" "${in_place[@]}" disk
"$GCRYPT" "${in_place[@]}" -f disk
good
convert
# A damaged copy of the header is repaired on the way.
stopped 2
flip disk.gcr 9000
"$GCRYPT" "${in_place[@]}" disk
good

stopped 2
bytes 32 78 >wrong
disk_refused 5 'no key slot matches' "$GCRYPT" enc --detached --in-place --engine cpu --key-file wrong disk
says 'the same command continues'
rm disk.gcr # what was encrypted is lost without it, and would be encrypted again
disk_refused 4 'belongs to disk.gcr, which is missing' "$GCRYPT" "${in_place[@]}" disk
stopped 2
flip disk.gcr $((16384 + 20)) # a page before the last one
disk_refused 4 'does not come from an interrupted run' "$GCRYPT" "${in_place[@]}" disk
stopped 2
head -c 100 /dev/zero | tr '\0' x >>disk.gcr # torn, but the journal is not of that group
disk_refused 4 'wrong at byte 24576' "$GCRYPT" "${in_place[@]}" disk
stopped 2
head -c 20000 /dev/zero >>disk.gcr
disk_refused 4 'more pages than disk has groups' "$GCRYPT" "${in_place[@]}" disk
stopped 2
truncate -s 16384 disk.gcr # pages are lost, as the journal of the second group shows
disk_refused 4 'wrong at byte 16384' "$GCRYPT" "${in_place[@]}" disk
stopped 2
truncate -s 20480 disk
disk_refused 4 'not the detached header of disk' "$GCRYPT" "${in_place[@]}" disk
stopped 2
flip disk.gcr 40
flip disk.gcr 8232
disk_refused 5 'no key slot' "$GCRYPT" "${in_place[@]}" disk
put_byte disk.gcr 0 00
put_byte disk.gcr 8192 00
disk_refused 6 'exists: not overwritten' "$GCRYPT" "${in_place[@]}" disk
rm disk.gcr disk.gcr.journal
cp plain disk
"$GCRYPT" enc "${k[@]}" disk # an inline container of that name
disk_refused 6 'a container of another layout' "$GCRYPT" "${in_place[@]}" disk
rm disk.gcr
disk_refused 2 'a container that is one file is longer' "$GCRYPT" enc --in-place "${k[@]}" disk
disk_refused 2 'not with --output' "$GCRYPT" "${in_place[@]}" -o out disk
disk_refused 2 'resume' "$GCRYPT" "${in_place[@]}" --resume disk
disk_refused 2 'rm' "$GCRYPT" "${in_place[@]}" --rm disk
disk_refused 2 'not whole sectors' "$GCRYPT" "${in_place[@]}" wrong
disk_refused 6 'not overwritten: --passphrase reads it' "$GCRYPT" enc --detached --in-place --passphrase file:disk disk
disk_refused 3 'cannot open' "$GCRYPT" "${in_place[@]}" missing
disk_refused 2 'regular files' "$GCRYPT" "${in_place[@]}" /dev/null
no_file /dev/null.gcr
# shellcheck disable=SC2094 # the descriptor only holds the lock
(
	flock 9
	disk_refused 6 'another program is using it' "$GCRYPT" "${in_place[@]}" disk
) 9<disk
disk_refused 2 'could not be continued' "$GCRYPT" enc --detached --in-place --recipient anna.pem.pub disk
"$GCRYPT" "${in_place[@]}" --dry-run disk | grep -q '^layout: detached, sectors of 512 bytes$' || give_up "--dry-run"
same plain disk
no_file disk.gcr disk.gcr.journal

# An empty file stays where it is a key, or another program's; what the run itself made goes.
: >disk.gcr.journal
disk_refused 6 'key-file reads it' "$GCRYPT" enc --detached --in-place --engine cpu --key-file disk.gcr.journal disk
disk_refused 6 'gcrypt: disk.gcr.journal: another program is using it' flock disk.gcr.journal "$GCRYPT" "${in_place[@]}" disk
rm disk.gcr.journal
: >disk.gcr
disk_refused 6 'key-file reads it' "$GCRYPT" enc --detached --in-place --engine cpu --key-file disk.gcr disk
rm disk.gcr

# Two images, one of them empty.
: >empty
"$GCRYPT" "${in_place[@]}" disk empty
good
"$GCRYPT" verify --key-file key empty.gcr

# Recipients beside the secret, the same ones when it is gone on with.
"$GCRYPT" keygen --x25519 -o anna.pem
convert --recipient anna.pem.pub
"$GCRYPT" dec --identity anna.pem -f -o back disk.gcr
same plain back
stopped 2
disk_refused 2 'started for other recipients' "$GCRYPT" "${in_place[@]}" disk
"$GCRYPT" "${in_place[@]}" --recipient anna.pem.pub disk
good
"$GCRYPT" verify --identity anna.pem disk.gcr
