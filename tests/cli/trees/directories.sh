#!/bin/bash
# Directories: what comes back, what is listed, what is reported and what is refused.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu --key-file key)

# describe DIR: everything that must come back, a line for each name.  The size of a folder is the file system's.
describe() {
	(
		cd "$1" || exit 1
		find . ! -type s \( -type d -printf '%y %m %n ' -o -printf '%y %m %n %s ' \) -printf '%T@ %U %G %l %P\0' |
			sort -z | tr '\0\n' '\n?'
		find . -type f -print0 | sort -z | xargs -0 sha256sum -z | tr '\0\n' '\n?'
		if command -v getfattr >/dev/null; then
			find . -print0 | sort -z | xargs -0 getfattr -hd -m- --
		fi
	)
}

mkdir -p tree/sub/deep tree/closed tree/full
bytes 100000 >tree/sub/deep/big
echo hi >tree/a
ln tree/a tree/sub/second
ln -s a tree/soft
ln -s /nowhere/at/all tree/absolute
mkfifo tree/fifo
touch $'tree/new\nline' $'tree/bad\xff\xfe' "tree/$(printf 'x%.0s' {1..255})" 'tree/back\slash' tree/ünï tree/Ab tree/aB
deep=tree/deep
for _ in {1..60}; do deep+=/a-rather-long-name-of-a-folder; done
(mkdir -p "$deep" && echo deep >"$deep/end")
printf 'x' | put tree/holes 3000000
truncate -s 9000000 tree/holes
truncate -s 5000000 tree/hole
chmod 6711 tree/sub/deep/big
echo x >tree/full/x
chmod 555 tree/full
touch -d '2001-02-03 04:05:06.789012345' tree/a tree/full tree
chmod 710 tree
acl=n
if command -v setfacl >/dev/null && setfacl -m u:12345:r tree/sub 2>err &&
	setfacl -d -m u:12345:rx tree/sub; then
	acl=y
fi
attributes=n
if command -v setfattr >/dev/null && setfattr -n user.x -v 'two words' tree/a 2>err; then
	attributes=y
fi
chmod 0 tree/closed
[ "$(id -u)" -eq 0 ] || chmod 700 tree/closed # nobody else can read it
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("tree/socket")'
describe tree >want

expect 0 'tree/socket: a socket: left out' "$GCRYPT" enc "${small[@]}" "${k[@]}" tree/
[ "$(stat -c %a tree.gcr)" = 600 ] || give_up "mode $(stat -c %a tree.gcr)"
"$GCRYPT" info tree.gcr | grep -qx 'content: pax' || give_up "content"
expect_exit 0 "$GCRYPT" verify "${k[@]}" tree.gcr
expect_exit 0 "$GCRYPT" dec -p "${k[@]}" -o back/ tree.gcr
describe back >got
same want got
# Holes stay holes.
[ "$(du -k back/holes | cut -f 1)" -lt 1000 ] || give_up "holes were filled: $(du -k back/holes)"
[ $attributes = n ] || [ "$(getfattr --only-values -n user.x back/a)" = 'two words' ] || give_up "no attribute"
[ $acl = n ] || [ "$(cd back && getfacl sub)" = "$(cd tree && getfacl sub)" ] || give_up "no access control list"
{ [ tree/soft -ef tree/a ] && [ back/a -ef back/sub/second ]; } || give_up "links"

# Compressed, all in a pipe, into another folder.
"$GCRYPT" enc "${small[@]}" "${k[@]}" -q --zstd=19 -o - tree >zstd.gcr
[ "$(stat -c %s zstd.gcr)" -lt "$(stat -c %s tree.gcr)" ] || give_up "not smaller"
"$GCRYPT" info --json zstd.gcr | grep -q '"pax in zstd"' || give_up "content"
mkdir out
expect_exit 0 "$GCRYPT" dec -p "${k[@]}" --output-dir out zstd.gcr
describe out/zstd >got
same want got
expect_exit 0 "$GCRYPT" dec --same-permissions "${k[@]}" -o piped - <zstd.gcr
describe piped >got
same want got
rm -rf out piped

# The stream itself, for other programs.
"$GCRYPT" dec "${k[@]}" -o - tree.gcr | tar tf - 2>err >names
grep -qx './sub/second\|sub/second' names || give_up "not for tar"

# Names in a list: one line each, whatever is in them.
expect_exit 0 "$GCRYPT" list "${k[@]}" tree.gcr >listed
for line in a 'new\nline' 'bad\377\376' 'back\\slash' ünï sub/deep/big ./; do
	grep -qxF -e "$line" listed || give_up "no $line in the list"
done
[ "$(wc -l <listed)" -eq "$(find tree ! -type s -printf 'x\n' | wc -l)" ] || give_up "lines in the list"
expect_exit 0 "$GCRYPT" list -v "${k[@]}" tree.gcr >listed
grep -q '^lrwxrwxrwx .* absolute -> /nowhere/at/all$' listed || give_up "no link in list -v"
grep -q ' sub/second link to a$' listed || give_up "no hard link in list -v"
expect_exit 0 "$GCRYPT" list --json "${k[@]}" - <tree.gcr >listed
python3 - <<'PY' || give_up "JSON of the list"
import json, sys
entries = {bytes.fromhex(e["name_hex"]) if "name_hex" in e else e["name"].encode(): e
           for e in json.load(open("listed"))["entries"]}
assert entries[b"bad\xff\xfe"]["type"] == "file"
assert entries[b"new\nline"]["mode"] == "0644"
assert entries[b"hole"]["size"] == 5000000
assert entries[b"soft"]["target"] == "a" and entries[b"soft"]["type"] == "symbolic link"
assert entries[b"sub/second"]["type"] == "hard link"
PY
bytes 100 >file
expect_exit 0 "$GCRYPT" enc "${small[@]}" "${k[@]}" file
expect_exit 3 "$GCRYPT" list "${k[@]}" tree.gcr >/dev/full

# Files of /proc, whose size is 0, and of /sys, whose size is a page, have the content that is read.
for source in /proc/sys/kernel/random /sys/kernel/mm/transparent_hugepage; do
	file=$(find $source -maxdepth 1 \( -name boot_id -o -name enabled \) 2>err)
	[ -n "$file" ] || continue
	"$GCRYPT" enc -q "${k[@]}" -o kernel.gcr $source 2>err || give_up "$(cat err)"
	expect_exit 0 "$GCRYPT" dec "${k[@]}" -o kernel kernel.gcr
	[ "$(cat "kernel/${file##*/}")" = "$(cat "$file")" ] || give_up "content of $file"
	"$GCRYPT" enc -q "${k[@]}" -o - "$file" | "$GCRYPT" dec "${k[@]}" -o - - >one
	[ "$(cat one)" = "$(cat "$file")" ] || give_up "content of $file alone"
	rm -rf kernel kernel.gcr one
done

# What is there is not replaced; with -f it is moved.
expect_exit 6 "$GCRYPT" dec "${k[@]}" tree.gcr
expect_exit 6 "$GCRYPT" dec "${k[@]}" -o file tree.gcr
mkdir old
echo mine >old/mine
ln -s old link
expect_exit 6 "$GCRYPT" dec "${k[@]}" -o link tree.gcr
expect 0 'what was there is old.~1~ now' "$GCRYPT" dec -f "${k[@]}" -o old tree.gcr
[ "$(cat old.~1~/mine)" = mine ] || give_up "the old folder is gone"
expect_exit 0 "$GCRYPT" dec -fp "${k[@]}" -o link tree.gcr
{ [ -L link.~1~ ] && [ ! -L link ]; } || give_up "a link was followed"
describe link >got
same want got

# Usage.
expect_exit 3 "$GCRYPT" dec "${k[@]}" --output-dir nowhere tree.gcr
no_file new.gcr new
expect_exit 0 "$GCRYPT" enc --dry-run "${k[@]}" -o new.gcr tree >plan
grep -qx 'input: tree' plan || give_up "plan: $(cat plan)"
no_file new.gcr

# Several at once.
mkdir one two
touch one/1 two/2
expect_exit 0 "$GCRYPT" enc "${small[@]}" "${k[@]}" --output-dir old one two file
expect_exit 0 "$GCRYPT" dec "${k[@]}" --output-dir old.~1~ old/one.gcr old/two.gcr old/file.gcr
{ [ -e old.~1~/one/1 ] && [ -e old.~1~/two/2 ] && [ -f old.~1~/file ]; } || give_up "several"

# The output is no part of it.
(cd one && "$GCRYPT" enc "${small[@]}" --key-file ../key -o all.gcr . && "$GCRYPT" list --key-file ../key all.gcr) >listed
[ "$(tr '\n' ' ' <listed)" = './ 1 ' ] || give_up "list: $(cat listed)"

# A header copy that says that something else is in it: the right thing all the same.
for name in tree file; do
	cp "$name.gcr" "flipped-$name.gcr"
	flip "flipped-$name.gcr" 11
	expect 0 damaged "$GCRYPT" dec -p "${k[@]}" "flipped-$name.gcr"
done
describe flipped-tree >got
same want got
same file flipped-file
refused 2 "holds a file" list "${k[@]}" flipped-file.gcr >listed

# The calls for each name set the speed of small files: 100 files are opened once, and few folders.
mkdir -p many/sub
for n in {100..199}; do echo "$n" >"many/sub/$n"; done
opens() {
	FAULT_LOG=$PWD/calls FAULT_ON=$1 faulty count "$GCRYPT" "${@:2}"
	[ "$(awk '$1 == "open" { print $2 }' calls)" -lt 120 ] || give_up "$2: $(head -n 1 calls)"
}
opens /many/ enc -q "${k[@]}" many
opens .gcrypt- dec -q "${k[@]}" -o few many.gcr
