#!/bin/bash
# enc --update: an unchanged group keeps its bytes, a changed one gets a fresh salt; what an attacker put among the old
# groups is found before the container is replaced.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 100000 >disk # 13 groups, the last of 1696 bytes
k=(--engine cpu --key-file key)
new=(enc --cipher aes "${small[@]}" "${k[@]}")

# update WRITTEN GROUPS OPTION…: so many groups are written, and the result is the container of the source.
update() {
	cp disk.gcr old
	expect 0 "disk.gcr: $1 of $2 groups had changed" "$GCRYPT" enc --update "${k[@]}" "${@:3}" disk
	"$GCRYPT" dec "${k[@]}" -f -o back disk.gcr
	same disk back
}

# differ GROUP…: the others have the same bytes in old and disk.gcr, and of the final page only root and MAC differ.
differ() {
	local last there
	last=$((($(stat -c %s disk.gcr) - 16384 - 1) / (4096 + group_bytes)))
	there=$({ cmp -l old disk.gcr || true; } | awk -v last="$(page $last)" -v root=64 '{
		at = $1 - 1
		if (at < 16384) group = "header"
		else if (at >= last + 64 && at < last + 96 || at >= last + 4064 && at < last + 4096) group = ""
		else group = int((at - 16384) / 12288)
		if (group != "" && !(group in seen)) { seen[group]; print group } }' | sort -n | tr '\n' ' ')
	[ "$there" = "$(printf '%s ' "$@")" ] || [ "$there$#" = 0 ] || give_up "groups that differ: $there"
}

# refused_update CODE TEXT OPTION…: the container stays, and nothing is beside it.
refused_update() {
	cp disk.gcr old
	expect "$1" "$2" "$GCRYPT" enc --update "${k[@]}" "${@:3}" disk
	same old disk.gcr
	rm -f back old plan
	only disk disk.gcr key version1
	cp disk.gcr old
}

"$GCRYPT" "${new[@]}" disk
chmod 640 disk.gcr
update 0 13
same old disk.gcr
[ "$(stat -c %Y disk.gcr)" = "$(stat -c %Y disk)" ] || give_up "not the time of the source"
cp disk.gcr version1

# One byte in each of two groups, then one in the final group.
put_byte disk 9000 55
put_byte disk 50000 55
"$GCRYPT" enc --update "${k[@]}" --dry-run --json disk >plan
grep -qF '"changed": "2 of 13 groups, 24576 bytes"' plan || give_up "dry run: $(cat plan)"
same disk.gcr version1
update 2 13
differ 1 6
peer dec key disk.gcr back
same disk back
[ "$(stat -c %a disk.gcr)" = 640 ] || give_up "mode of the container"
put_byte disk 99999 55
"$GCRYPT" enc -q --update "${k[@]}" --json disk >plan
grep -qF '"groups":13,"written_groups":1,"written_bytes":5792' plan || give_up "json: $(cat plan)"
update 0 13

# Other modes, with padding; and an OpenCL device.
for mode in xts ecb; do
	bytes 60001 3 >disk
	"$GCRYPT" "${new[@]}" -q -f --mode $mode disk 2>err
	put_byte disk 60000 55
	put_byte disk 1 55
	update 2 8
done
put_byte disk 20000 66
if "$GCRYPT" devices --json | grep -q '"number"'; then
	: >device
	update 1 8 --engine opencl --work-groups 1
fi

# A length that is in the header is among what the keys depend on; after that it may be any.
bytes 100000 >disk
cp version1 disk.gcr
bytes 110000 >disk
update 14 14
says 'all keys depended on the length: later updates'
while read -r n written groups; do
	bytes "$n" >disk
	update "$written" "$groups"
done <<'TEXT'
114688 1 14
114689 2 15
98304 1 12
5000 1 1
0 1 1
100000 13 13
TEXT
peer dec key disk.gcr back
same disk back

# Holes stay holes, and without --sparse there are no new ones in other groups.
bytes 30000 >disk
truncate -s 90000 disk
bytes 10000 >>disk
"$GCRYPT" "${new[@]}" -f --sparse disk
before=$(stat -c %b disk.gcr)
put_byte disk 41000 55
update 1 13
differ 5
peer dec key disk.gcr back
same disk back
[ "$(stat -c %b disk.gcr)" -le $((before + 24)) ] || give_up "holes are gone"
head -c 8192 /dev/zero | put disk 0
update 1 13
truncate -s 98000 disk # the last group is a hole, and the one before it in part
"$GCRYPT" enc -q --cipher aes "${small[@]}" "${k[@]}" -f --sparse disk
truncate -s 90000 disk
truncate -s 98000 disk
update 2 12 --sparse
update 0 12
same old disk.gcr
put_byte disk 20000 99
update 1 12
differ 2
if [ -e device ]; then
	update 0 12 --engine opencl --work-groups 1
	same old disk.gcr
	rm device
fi

# The attacker has an older version of the container: one of its groups, one with the old final page, or all pages of one.
rm -f back old
cp version1 disk.gcr
bytes 100000 >disk
put_byte disk 9000 55
"$GCRYPT" enc -q --update "${k[@]}" disk
part version1 "$(page 1)" 12288 | put disk.gcr "$(page 1)"
refused_update 4 'the root is wrong: groups of another version'
bytes 100000 >disk # and the source is what the old group says
refused_update 4 'the root is wrong'
part version1 "$(page 12)" 4096 | put disk.gcr "$(page 12)"
update 0 13 # all of the old version is just that version
same version1 disk.gcr

# Damage in a group that has changed and in one that has not, in a page, and at the end.
put_byte disk 9000 55
for at in $(($(page 1) + 5000)) $(($(page 3) + 5000)) $(($(page 3) + 200)) $(($(page 12) + 70)); do
	cp version1 disk.gcr
	flip disk.gcr "$at"
	refused_update 4 'disk.gcr: corrupt at byte'
done
cp version1 disk.gcr
truncate -s "$(page 12)" disk.gcr
refused_update 4 'truncated'
cp version1 disk.gcr
echo >>disk.gcr
refused_update 4 'more bytes after the end'
cp version1 disk.gcr
bytes 40000 >disk # what is behind the new end counts too
flip disk.gcr $(($(page 9) + 40))
refused_update 4 'disk.gcr: corrupt at byte'
"$GCRYPT" dec -q "${k[@]}" -o - version1 | "$GCRYPT" "${new[@]}" -o disk.gcr -f -
flip disk.gcr $(($(page 9) + 40))
refused_update 4 'disk.gcr: corrupt at byte'

# Only what a list names is compared: a change elsewhere is believed not to be there, but damage of a page is found.
cp version1 disk.gcr
bytes 100000 >disk
put_byte disk 9000 55
put_byte disk 50000 55
mkdir lists
printf '49K 1K\n\n# two\n1000 1' >lists/lines
echo '8192 1 1 dirty
0 8192 0 clean' >lists/nbdinfo.txt
echo '[{"offset": 0, "length": 8192, "type": 0}, {"offset": 50000, "length": 1, "type": 1}]' >lists/nbdinfo
echo '[{"start": 0, "length": 49152, "data": true}, {"start": 49152, "length": 9000, "data": false}]' >lists/qemu
: >lists/nothing
for list in lines:1:10 nbdinfo.txt:1:11 nbdinfo:1:11 qemu:1:10 nothing:0:12; do
	IFS=: read -r list written unread <<<"$list"
	cp version1 disk.gcr
	expect 0 "disk.gcr: $written of 13 groups had changed" "$GCRYPT" enc --update --changed "lists/$list" "${k[@]}" disk
	says "$unread were not compared: lists/$list says that they have not changed"
	"$GCRYPT" verify -q "${k[@]}" disk.gcr >/dev/null
done
cp version1 disk.gcr
flip disk.gcr $(($(page 9) + 40))
rm -r lists
: >back
refused_update 4 'disk.gcr: corrupt at byte' --changed <(echo 0 1)
cp version1 disk.gcr
refused_update 2 'line 2: not' --changed <(echo $'1 2\n1 x')
refused_update 2 'line 1: not' --changed <(printf '\0 1 2')
refused_update 2 'not the JSON of a dirty bitmap' --changed <(echo '[{"start": 1, "length": 2}]')
refused_update 2 'not the JSON of a dirty bitmap' \
	--changed <(echo '[{"offset": 0, "length": 100000, "type": 0, "description": "data"}]')

# Others.
cp version1 disk.gcr
refused_update 2 "cannot change the container's --mode: use \`gcrypt rekey\`" --mode xts
refused_update 2 "cannot change the container's --bits" --bits 128
refused_update 2 "cannot change the container's --cipher" --cipher camellia
refused_update 2 "cannot change the container's --chunk-log2" --chunk-log2 13 --group-log2 13
refused_update 2 "cannot change the container's --group-log2" --group-log2 14
bytes 32 78 >wrong
chmod 600 wrong
expect 5 'no key slot matches' "$GCRYPT" enc --update --engine cpu --key-file wrong disk
