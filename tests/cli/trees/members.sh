#!/bin/bash
# Single members of an encrypted directory, by path and by pattern: dec and list.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu --key-file key)

mkdir -p tree/sub/deep/er tree/subway tree/other
bytes 20000 >tree/sub/deep/a.c
bytes 300 >tree/sub/deep/er/b.c
echo way >tree/subway/a.c
echo star >'tree/other/st*r'
echo steer >tree/other/steer
bytes 3000000 5 >tree/other/large
ln -s steer tree/other/link
ln tree/other/steer tree/zweiter
touch -d '2001-02-03 04:05:06.789' tree/sub/deep/a.c tree/sub/deep tree/sub
chmod 640 tree/sub/deep/a.c
chmod 700 tree/sub
umask 022
expect_exit 0 "$GCRYPT" enc "${small[@]}" "${k[@]}" tree

# made NAME…: the new folder out has these names and no others, with the content of the tree.
made() {
	local there name
	there=$(cd out && find . -mindepth 1 -printf '%P\n' | sort | tr '\n' ' ')
	[ "$there" = "$(printf '%s\n' "$@" | sort | tr '\n' ' ')" ] || give_up "made: $there"
	for name; do
		[ "$(stat -c '%F %a %Y' "tree/$name")" = "$(stat -c '%F %a %Y' "out/$name")" ] || give_up "status of $name"
		[ ! -f "tree/$name" ] || [ -L "tree/$name" ] || cmp "tree/$name" "out/$name" || give_up "content of $name"
	done
	rm -rf out
}

# A file, with the folders around it as they were; a folder names everything below it; ./ and a slash are nothing.
expect_exit 0 "$GCRYPT" dec -p "${k[@]}" -o out tree.gcr -- sub/deep/a.c
made sub sub/deep sub/deep/a.c
expect_exit 0 "$GCRYPT" dec -p "${k[@]}" -o out tree.gcr -- ./sub/ other/link
made sub sub/deep sub/deep/a.c sub/deep/er sub/deep/er/b.c other other/link
expect_exit 0 "$GCRYPT" dec "${k[@]}" -o out - -- sub/deep/er <tree.gcr
made sub sub/deep sub/deep/er sub/deep/er/b.c
# A pattern's * stands for slashes too, and a file may be called like a pattern.
expect_exit 0 "$GCRYPT" dec -p "${k[@]}" -o out tree.gcr -- '*.c'
made sub sub/deep sub/deep/a.c sub/deep/er sub/deep/er/b.c subway subway/a.c
expect_exit 0 "$GCRYPT" dec "${k[@]}" -o out tree.gcr -- 'other/st*'
made other 'other/st*r' other/steer
expect_exit 0 "$GCRYPT" dec "${k[@]}" -o out tree.gcr -- 'other/st\*r'
made other 'other/st*r'
expect_exit 0 "$GCRYPT" dec -p "${k[@]}" -o out tree.gcr -- 'sub[v-x]ay' 'sub?ay'
made subway subway/a.c
# Without a path all of it, as before.
expect_exit 0 "$GCRYPT" dec -p "${k[@]}" -o out tree.gcr --
diff -r --no-dereference tree out || give_up "not all"
rm -rf out

# What matches nothing is an error after the others.
refused 3 "tree.gcr: no member matches 'nowhere'" dec -p "${k[@]}" -o out tree.gcr -- nowhere subway su 'x*'
says "warning: no member matches 'su'"
says "warning: no member matches 'x*'"
made subway subway/a.c
refused 3 "tree.gcr: no member matches 'nowhere'" dec "${k[@]}" -o out tree.gcr -- nowhere
no_file out
expect_exit 3 "$GCRYPT" dec "${k[@]}" -o out tree.gcr -- /sub
no_file out

# A hard link's content is stored once.
expect_exit 0 "$GCRYPT" dec -p "${k[@]}" -o out tree.gcr -- zweiter other/steer
[ out/zweiter -ef out/other/steer ] || give_up "no hard link"
made other other/steer zweiter
refused 3 "'zweiter' is not extracted: its content is stored under the name 'other/steer': choose that name too" dec -p "${k[@]}" -o out tree.gcr -- zweiter subway
made subway subway/a.c

# What is skipped is not written.
(
	ulimit -f 256 # KiB in a file, by bash
	expect_exit 0 "$GCRYPT" dec -p "${k[@]}" -o out tree.gcr -- subway
)
made subway subway/a.c

# Everything is authenticated all the same, also behind the last member.
cp tree.gcr damaged.gcr
flip damaged.gcr $(($(stat -c %s damaged.gcr) - 5000))
expect_exit 4 "$GCRYPT" dec "${k[@]}" -o out damaged.gcr -- other/link
no_file out
head -c -5 tree.gcr >short.gcr
expect_exit 4 "$GCRYPT" dec "${k[@]}" -o out short.gcr -- other/link nowhere
no_file out

# The same in a list.
expect_exit 0 "$GCRYPT" list "${k[@]}" tree.gcr -- sub '*.c' >listed
printf '%s\n' sub/ sub/deep/ sub/deep/a.c sub/deep/er/ sub/deep/er/b.c subway/a.c >want
same <(sort listed) <(sort want)
refused 3 "no member matches 'nowhere'" list "${k[@]}" --json - -- zweiter nowhere <tree.gcr >listed
[ "$(field entries.0.type <listed)" = "hard link" ] || give_up "list: $(cat listed)"
expect_exit 4 "$GCRYPT" list "${k[@]}" damaged.gcr -- sub >listed

# Names of containers follow -- as before where none stands before it.
bytes 100 >file
expect_exit 0 "$GCRYPT" enc "${small[@]}" "${k[@]}" file
mkdir dir
expect_exit 0 "$GCRYPT" dec -p "${k[@]}" --output-dir dir -- tree.gcr file.gcr
same dir/file file

# Patterns leave out what GNU tar leaves out.  It ignores neither slashes at a pattern's end nor wildcards in a name,
# and a pattern that matches the directory itself leaves it nothing at all.
mkdir -p work/tree/a/cache work/tree/cache work/tree/tree/sub
for name in a/cache/x cache/y tree/sub/z k.o 'b[1]' $'new\nline.o'; do touch "work/tree/$name"; done
while read -r operand pattern like; do
	expect_exit 0 "$GCRYPT" enc -q "${small[@]}" "${k[@]}" -f -o e.gcr --exclude "$pattern" "$operand"
	"$GCRYPT" list "${k[@]}" e.gcr | sort >listed
	tar c --exclude "${like:-$pattern}" "$operand" | tar t --quoting-style=escape |
		sed "s|^$operand/|./|; s|^\./\(.\)|\1|" | sort >want
	[ -s want ] || give_up "tar --exclude $pattern $operand: nothing"
	cmp listed want || give_up "enc --exclude $pattern $operand: $(cat listed)"
	echo "$pattern" >>tried
done <<-'TEXT'
	work/tree cache
	work/tree cache/ cache
	work/tree ./cache
	work/tree work/tree/cache
	work/tree tree/cache
	work/tree a/cache
	work/tree /cache
	work/tree tree tree/tree
	work/tree ca?he
	work/tree [[:punct:]]*
	work/tree cache/*
	work/tree b[1] b\[1\]
	work/tree b\[1\]
	work/tree *.o
	work/tree *ee tree/tree
TEXT
[ "$(wc -l <tried)" -eq 15 ] || give_up "patterns: $(cat tried)"
# From a file: blanks at the end of a line do not count.
printf '*.o  \n\ncache\t\r\n' >patterns
expect_exit 0 "$GCRYPT" enc -q "${small[@]}" "${k[@]}" -o from.gcr --exclude-from patterns --exclude 'b*' work/tree
"$GCRYPT" list "${k[@]}" from.gcr >listed
[ "$(tr '\n' ' ' <listed)" = './ a/ tree/ tree/sub/ tree/sub/z ' ] || give_up "exclude-from: $(cat listed)"
# Of members, ./ is the directory.
expect_exit 0 "$GCRYPT" dec -p "${k[@]}" -o out tree.gcr --exclude ./sub/ --exclude '*/l*' --exclude 'st*' --exclude zweiter
made subway subway/a.c other
expect_exit 0 "$GCRYPT" dec -p "${k[@]}" -o out --exclude deep tree.gcr -- sub subway
made sub subway subway/a.c
expect_exit 0 "$GCRYPT" list "${k[@]}" --exclude '*' tree.gcr >listed
[ "$(cat listed)" = ./ ] || give_up "all but the directory: $(cat listed)"
refused 3 "is stored under the name 'other/steer': choose that name too" dec "${k[@]}" -o out --exclude steer tree.gcr
[ ! -e out/zweiter ] || give_up "an excluded content"
# What is mounted in the directory: the folder stays, as in tar.
mounted=(unshare -rm bash -c 'mount -t tmpfs m work/tree/cache 2>err && touch work/tree/cache/in && exec "$@"' -)
if "${mounted[@]}" true; then
	expect 0 'work/tree/cache: another file system: its content is left out' \
		"${mounted[@]}" "$GCRYPT" enc "${small[@]}" "${k[@]}" -o one.gcr --one-file-system --exclude '*.o' work/tree
	expect_exit 0 "$GCRYPT" list "${k[@]}" one.gcr >listed
	[ "$(tr '\n' ' ' <listed)" = './ a/ a/cache/ a/cache/x b[1] cache/ tree/ tree/sub/ tree/sub/z ' ] || give_up "$(cat listed)"
fi
