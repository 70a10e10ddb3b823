#!/bin/bash
# join: the file's length; what no run of enc --part started; a join that is killed at any step is joined again.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 100000 >in # 13 groups, the last of 1696 bytes
touch -d '2020-02-03 04:05:06' in
k=(--engine cpu --key-file key)
enc=("$GCRYPT" enc "${small[@]}" "${k[@]}")
join=(timeout 60 "$GCRYPT" join --key-file key in.gcr)
all() { for i in 1 2 3; do "${enc[@]}" --part "$i/3" in 2>/dev/null; done; }
size=$((16384 + 13 * 4096 + 100000))
good() {
	expect_exit 0 "${join[@]}"
	only in in.gcr key "$@"
	[ "$(stat -c '%Y %s' in.gcr)" = "$(stat -c %Y in) $size" ] || give_up "time or size: $(stat -c '%y %s' in.gcr)"
	"$GCRYPT" verify --key-file key in.gcr
	peer dec key in.gcr back
	same in back
	rm in.gcr back
}

# Bytes after the end are cut off; a payload that is cut off is missing.
all
echo junk >>in.gcr.part
good
all
truncate -s $((size - 1)) in.gcr.part
expect 4 'part 3 of 3 is missing or incomplete: run it again' "${join[@]}"
no_file in.gcr
"${enc[@]}" --part 3/3 in 2>/dev/null
truncate -s $(($(page 4) - 1)) in.gcr.part # in the last group of part 1
expect 4 'parts 1, 2, 3 of 3 are missing or incomplete: run them again' "${join[@]}"
all
good

# A record that has another name too may be anybody's file. With -f, a container is replaced only by one whose payload
# is authentic.
all
ln in.gcr.part-1-of-3 elsewhere
expect_exit 6 "${join[@]}"
expect_exit 6 "${enc[@]}" --part 1/3 in
rm elsewhere
good
all
expect_exit 0 "${join[@]}"
cp in.gcr last
for i in 1 2 3; do "${enc[@]}" -f --part "$i/3" in 2>/dev/null; done
flip in.gcr.part $(($(page 5) + 5000))
expect 4 'group 5' timeout 60 "$GCRYPT" join -f --key-file key in.gcr
same last in.gcr
flip in.gcr.part $(($(page 5) + 5000))
expect_exit 0 timeout 60 "$GCRYPT" join -f --key-file key in.gcr
! cmp -s last in.gcr || give_up "join -f kept the old container"
rm last in.gcr

# No work of enc --part: a container of unknown length, a detached header, one with bytes after its end.
bytes 5000 | "${enc[@]}" -o in.gcr.part -
expect 6 'in.gcr.part: not joined: it has no start record for parts' "${join[@]}"
rm in.gcr.part
bytes 4096 >image
"$GCRYPT" enc "${k[@]}" --detached -o disk image
mv disk.gcr in.gcr.part
expect 6 'no start record for parts' "${join[@]}"
rm -f in.gcr.part image disk
"${enc[@]}" in
mv in.gcr in.gcr.part
echo junk >>in.gcr.part
expect 4 'has no start record, and is not a complete container' "${join[@]}"
rm in.gcr.part

# Copy B was written in part: the root tells that all parts were joined.
all
cp in.gcr.part started
"${join[@]}"
mv in.gcr joined
for torn in 512 4096 7168; do
	cp -p joined in.gcr.part
	part started $((8192 + torn)) $((8192 - torn)) | put in.gcr.part $((8192 + torn))
	touch -r in in.gcr.part
	good joined started
	cp -p joined in.gcr.part
	part started 8192 $torn | put in.gcr.part 8192
	touch -r in in.gcr.part
	good joined started
done

# Killed after the root and the removal of the records.
cp joined in.gcr.part
chmod 600 in.gcr.part
part started 8192 8192 | put in.gcr.part 8192
good joined started
rm joined started

# Killed when it removes the records.
for record in part-1-of-3 part-3-of-3; do
	all
	FAULT_ON=$record expect_exit 137 faulty unlink:1:kill "${join[@]}"
	no_file in.gcr
	good
done
