#!/bin/bash
# enc --update --part and join: several runs write the next version of a container; unchanged groups keep their bytes, and
# nothing counts that was not authenticated.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 100000 >disk # 13 groups
k=(--engine cpu --key-file key)
update() { "$GCRYPT" enc --update "${k[@]}" --part "$@" disk; }

# joined GROUP…: disk.gcr has the content of disk, also for the independent reader, and differs from old in these groups.
joined() {
	expect_exit 0 "$GCRYPT" join -f --key-file key disk.gcr
	! compgen -G '*.part*' >/dev/null || give_up "left: $(ls)"
	peer dec key disk.gcr back
	same disk back
	"$GCRYPT" verify -q --key-file key disk.gcr >/dev/null
	[ "$({ cmp -l old disk.gcr || true; } | awk '$1 <= 163840 + 64 || $1 > 163840 + 4096 { seen[int(($1 - 1 - 16384) / 12288)] }
		END { for (i in seen) print i }' | sort -n | xargs)" = "$*" ] || give_up "other groups than $*"
	cp disk.gcr old
}

# Any order, one part twice, also after a kill; a part that is missing is named, and the old container stays meanwhile.
"$GCRYPT" enc --cipher aes "${small[@]}" "${k[@]}" disk
cp disk.gcr old
put_byte disk 9000 55
put_byte disk 60000 55
expect 0 'disk.gcr: 1 of 3 groups had changed: 12.3 kB written' update 3/4
update 2/4 -q
refused 4 'parts 1, 4 of 4 are missing or incomplete: run them again' join -f --key-file key disk.gcr
code=0
faulty pwrite:1:kill "$GCRYPT" enc --update "${k[@]}" -T 1 --part 1/4 -q disk 2>err || code=$?
[ $code = 137 ] || give_up "exit $code"
same old disk.gcr
for i in 4 1; do update $i/4 -q; done
refused 6 'disk.gcr: exists: not overwritten without -f' join --key-file key disk.gcr
joined 1 7

# A list; the final group; more parts than groups; another mode, with holes.
put_byte disk 99999 55
echo '0 1' >list
for i in $(seq 15); do update "$i/15" --align 4096 --changed list -q; done
joined 12
truncate -s 90000 disk
truncate -s 100000 disk
"$GCRYPT" enc --cipher aes "${small[@]}" "${k[@]}" --mode xts --sparse -f disk
cp disk.gcr old
put_byte disk 20000 55
for i in 2 1; do update $i/2 -q; done
joined 2

# What the runs do not agree about: the source, the container, its key slots, the length.
put_byte disk 30000 66
update 1/2 -q
put_byte disk 30001 66
refused 3 'disk: changed since disk.gcr.part was started' enc --update "${k[@]}" --part 2/2 disk
rm disk.gcr.part*
update 1/2 -q
cp disk.gcr version
"$GCRYPT" key add --key-file key --new-passphrase file:/dev/stdin --kdf-cost 10 disk.gcr <<<'battery staple'
refused 3 'changed since' enc --update "${k[@]}" --part 2/2 disk
cp version disk.gcr
"$GCRYPT" enc --update "${k[@]}" -q disk
refused 3 'changed since' enc --update "${k[@]}" --part 2/2 disk
rm disk.gcr.part*
cp disk disk.longer
bytes 1 >>disk.longer
refused 2 'its header does not have the length' enc --update "${k[@]}" --part 1/2 -o disk.gcr disk.longer
no_file disk.gcr.part

# join does not put back what changed in the container since: key slots, content; also after a kill.
"$GCRYPT" key add --key-file key --new-passphrase file:/dev/stdin --kdf-cost 10 --label bob disk.gcr <<<'battery staple'
put_byte disk 30000 65
update 1/1 -q
cp disk.gcr version
"$GCRYPT" key remove -q --key-file key --label bob disk.gcr
cp disk.gcr old
refused 3 'disk.gcr: changed since disk.gcr.part was started' join -f --key-file key disk.gcr
"$GCRYPT" enc --update "${k[@]}" -q -o version disk
cp version disk.gcr
refused 3 'disk.gcr: changed since disk.gcr.part was started' join -f --key-file key disk.gcr
bytes 32 78 >key2
chmod 600 key2
"$GCRYPT" rekey -q "${k[@]}" --new-key-file key2 --drop-slot 1 disk.gcr
refused 3 'disk.gcr: changed since disk.gcr.part was started' join -f --key-file key disk.gcr
cp version disk.gcr
rm disk.gcr.part*
put_byte disk 30000 64
update 1/1 -q
code=0
faulty rename:1:kill "$GCRYPT" join -f --key-file key disk.gcr 2>err || code=$?
[ $code = 137 ] || give_up "exit $code"
cp old disk.gcr
refused 3 'disk.gcr: changed since disk.gcr.part was started' join -f --key-file key disk.gcr
same old disk.gcr
cp version disk.gcr
cp version old
flip disk.gcr $((8192 + 600)) # a damaged header copy
exec {lock}<disk.gcr
flock -s "$lock"
refused 3 'disk.gcr: cannot be locked' join -f --key-file key disk.gcr
exec {lock}<&-
joined 3

# A group of another version in this part, and in another one: neither part is complete.
put_byte disk 30000 77
cp disk.gcr new
part version "$(page 3)" 12288 | put disk.gcr "$(page 3)"
for i in 1 2; do refused 4 'the root is wrong: groups of another version' enc --update "${k[@]}" --part $i/2 disk; done
refused 4 'parts 1, 2 of 2 are missing' join -f --key-file key disk.gcr
rm disk.gcr.part*
cp new disk.gcr
# The old container changes between the check of a group and the copy of its bytes.
printf x >byte
export FAULT_RUN="dd if=byte of=disk.gcr bs=1 seek=$(($(page 12) + 5000)) conv=notrunc 2>/dev/null"
FAULT_ON='/disk$' expect_exit 3 faulty pread:13:run "$GCRYPT" enc --update "${k[@]}" -T 1 --part 1/1 disk
says 'disk.gcr: changed during the run'
refused 4 'part 1 of 1 is missing' join -f --key-file key disk.gcr
rm disk.gcr.part*
cp new disk.gcr
flip disk.gcr $(($(page 11) + 5000))
update 1/2 -q
refused 4 'corrupt at byte' enc --update "${k[@]}" --part 2/2 disk
refused 4 'part 2 of 2 is missing' join -f --key-file key disk.gcr
