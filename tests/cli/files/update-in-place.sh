#!/bin/bash
# enc --update --in-place: the container gets its changed groups through a journal; a run that was stopped is completed,
# and a journal that is not of this container changes nothing.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 100000 >disk
k=(--engine cpu --key-file key)
update=(enc --update --in-place "${k[@]}" disk)
"$GCRYPT" enc --cipher aes "${small[@]}" "${k[@]}" disk
cp disk.gcr version1
inode=$(stat -c %i disk.gcr)

# good: the container in its place has the content of the source, and there is no journal.
good() {
	"$GCRYPT" dec "${k[@]}" -f -o back disk.gcr
	same disk back
	no_file disk.gcr.journal
	[ "$(stat -c %i disk.gcr)" = "$inode" ] || give_up "another file"
}
put_byte disk 9000 55
put_byte disk 50000 55
expect 0 'disk.gcr: 2 of 13 groups had changed: 24.6 kB written' "$GCRYPT" "${update[@]}"
good
peer dec key disk.gcr back
same disk back
for group in 0 2 5 7 11; do
	cmp <(part version1 "$(page $group)" 12288) <(part disk.gcr "$(page $group)" 12288) || give_up "group $group changed"
done

# Killed before and after the journal has its name, and at writes to the container; then the source changes again.
cp disk.gcr version2
for fault in pwrite:3:kill rename:1:kill pwrite:6:kill pwrite:7:kill unlink:1:kill; do
	cp version2 disk.gcr
	bytes 100000 >disk
	put_byte disk 9000 66
	code=0
	faulty "$fault" "$GCRYPT" "${update[@]}" 2>err || code=$?
	[ $code = 137 ] || give_up "$fault: exit $code"
	put_byte disk 20000 66
	if [ -e disk.gcr.journal ]; then
		refused 6 'complete the interrupted update by --update --in-place' enc --update "${k[@]}" disk
	fi
	"$GCRYPT" "${update[@]}" -q
	good
	rm -f .gcrypt-*
done

# A full disk while the container is written: what is left is completed.
cp version2 disk.gcr
put_byte disk 70000 66
FAULT_ON='disk.gcr$' expect_exit 3 faulty pwrite:2:ENOSPC "$GCRYPT" "${update[@]}"
says 'partly updated: repeat the command to complete the update'
cp disk.gcr.journal journal
"$GCRYPT" "${update[@]}" -q
good

# The journal of an older update, a damaged one, and none.
cp disk.gcr version3
put_byte disk 30000 77
"$GCRYPT" "${update[@]}" -q
for damage in 0 $(($(page 12) + 70)) $(($(page 12) + 4200)); do
	cp journal disk.gcr.journal
	[ "$damage" = 0 ] || { cp version2 disk.gcr; flip disk.gcr.journal "$damage"; }
	cp disk.gcr old
	refused 4 'corrupt at byte' "${update[@]}"
	! grep -F 'the same command continues' err || give_up "it does not"
	same old disk.gcr
done
: >disk.gcr.journal
refused 4 'truncated' "${update[@]}"
rm disk.gcr.journal
mkdir disk.gcr.journal
refused 6 'disk.gcr.journal: exists' "${update[@]}"
rmdir disk.gcr.journal

# The length in the header cannot change in place; that of a container from a pipe can.  Holes.
cp version3 disk.gcr
bytes 90000 >disk
refused 2 'an update in place cannot change the length in the header' "${update[@]}"
same version3 disk.gcr
"$GCRYPT" enc --cipher aes "${small[@]}" "${k[@]}" --sparse -f -o disk.gcr - < <(cat disk)
inode=$(stat -c %i disk.gcr)
bytes 110000 >disk
"$GCRYPT" "${update[@]}" -q
good
bytes 30000 >disk
"$GCRYPT" "${update[@]}" -q
good
head -c 16384 /dev/zero | put disk 8192
"$GCRYPT" "${update[@]}" -q --sparse
good
peer dec key disk.gcr back
same disk back

# A detached container: of the image only sectors that changed are written, and the pages of their groups.
bytes 28672 >disk
detached=(enc --update --detached --in-place "${k[@]}" -o image disk)
"$GCRYPT" enc --detached --cipher aes "${small[@]}" "${k[@]}" -f -o image disk
cp image image1
cp image.gcr header1
put_byte disk 9000 55
put_byte disk 28671 55
FAULT_ON='/image$' expect_exit 3 faulty pwrite:2:EIO "$GCRYPT" "${detached[@]}"
says 'image: cannot be written'
FAULT_ON='/image$' expect 0 'image.gcr: 0 of 4 groups had changed' faulty pwrite:2:EIO "$GCRYPT" "${detached[@]}"
[ "$(cmp -l image1 image | awk '{ seen[int(($1 - 1) / 512)] } END { print length(seen), (17 in seen), (55 in seen) }')" = "2 1 1" ] ||
	give_up "sectors that changed"
cmp <(part header1 0 20480) <(part image.gcr 0 20480) || give_up "header or page 0"

# What only the journal has stays there for other commands: here each page describes its group, but the root does not.
put_byte disk 9000 66
put_byte disk 28671 66
FAULT_ON='/image$' expect_exit 137 faulty pwrite:2:kill "$GCRYPT" "${detached[@]}"
refused 4 'image.gcr.journal: warning: left by an interrupted run with --in-place' verify "${k[@]}" image.gcr
refused 6 'journal: is completed by enc --update' enc --detached --in-place "${k[@]}" image
refused 6 'exists: not overwritten' dec --in-place "${k[@]}" image.gcr
refused 6 'complete that run in place before' retag --key-file key image.gcr
"$GCRYPT" "${detached[@]}" -q
"$GCRYPT" dec "${k[@]}" -f -o back image.gcr
same disk back
peer dec --image image key image.gcr back
same disk back
no_file image.gcr.journal
cp image1 image
refused 4 'image: corrupt at byte' "${detached[@]}"
same image1 image
