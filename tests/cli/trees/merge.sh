#!/bin/bash
# dec --merge: a directory into one that exists.  What happens to the files there is said before; files are replaced in
# one step, no link is followed, and nothing changes unless all can.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu --key-file key)
merge=("$GCRYPT" dec --merge -p "${k[@]}" -o there)

mkdir -p tree/{sub/deep,new/er,closed}
for name in a sub/b sub/deep/c new/d new/er/e closed/f $'new\nline'; do echo "new $name" >"tree/$name"; done
ln tree/a tree/sub/hard
ln -s a tree/link
touch -d '2001-02-03 04:05:06' tree/a tree/new
chmod 640 tree/a
chmod 500 tree/closed
chmod 711 tree
expect_exit 0 "$GCRYPT" enc "${small[@]}" "${k[@]}" tree

# list_state DIR: names, modes, sizes and content.
list_state() { (cd "$1" && find . -printf '%P %y %m %l\n' | sort && find . -type f -print0 | sort -z | xargs -0 sha256sum -z); }

make_target() {
	rm -rf there
	mkdir -p there/{sub/deep,other}
	for name in a sub/deep/c sub/mine other/mine; do echo "old $name" >"there/$name"; done
	ln -s ../key there/link
	chmod 750 there/sub there
}

# A dry run says it, and changes nothing.
make_target
list_state there >before
expect 0 'there: warning: files to replace: 3, new: 6; all other files stay' "${merge[@]}" --dry-run tree.gcr >plan
refused 3 "no member matches 'nowhere'" dec --merge --dry-run "${k[@]}" -o there tree.gcr -- nowhere >plan
grep -qx 'output: there' plan || give_up "plan: $(cat plan)"
list_state there >after
same before after

# Replaced: the file, not what a link of its name leads to; folders that were there keep their mode.
ln there/a first
exec 3<there/a
expect 0 'there: warning: files to replace: 3, new: 6; all other files stay' "${merge[@]}" tree.gcr
[ "$(cat first)$(cat <&3)" = 'old aold a' ] || give_up "a file was overwritten in its place"
for name in other/mine sub/mine; do [ "$(cat "there/$name")" = "old $name" ] || give_up "$name"; done
[ "$(stat -c %a there there/sub there/closed there/a | tr '\n' ' ')" = '750 750 500 640 ' ] || give_up "modes: $(stat -c '%a %n' there there/*)"
[ "$(stat -c %Y there/new there/a)" = "$(stat -c %Y tree/new tree/a)" ] || give_up "times"
[ there/a -ef there/sub/hard ] || give_up "no hard link"
[ "$(readlink there/link)" = a ] || give_up "link: $(readlink there/link)"
rm -r there/other there/sub/mine
chmod 711 there
chmod 755 there/sub
diff -r --no-dereference tree there || give_up "not the tree"
[ "$(find there -name '.gcrypt*')" = '' ] || give_up "rest: $(find there -name '.gcrypt*')"

# One member into the directory that it is from.
make_target
expect 0 'there: warning: files to replace: 1, new: 0' "${merge[@]}" tree.gcr -- sub/deep/c
[ "$(cat there/sub/deep/c there/a)" = $'new sub/deep/c\nold a' ] || give_up "one member"
# A directory that is not there is made as without the option.
expect_exit 0 "${merge[@]}" -o fresh tree.gcr
diff -r --no-dereference tree fresh || give_up "fresh"

# unchanged CODE TEXT [WORDS…]: the merge is refused, and nothing has changed.
unchanged() {
	list_state there >before
	expect "$1" "$2" "${merge[@]}" "${@:3}"
	list_state there >after
	same before after
}

# Nothing takes the place of another kind; a planted link is no directory.
make_target
rm -r there/sub
ln -s ../tree there/sub
unchanged 6 "there: nothing is merged: 'sub/' is a directory in the container only" tree.gcr
unchanged 6 "is a directory in the container only" --dry-run tree.gcr >plan
make_target
rm there/a
mkdir there/a
unchanged 6 "there: nothing is merged: 'a' is a directory in the output only" tree.gcr
make_target
ln -s there way
refused 3 'way: cannot merge into this file: Not a directory' dec --merge "${k[@]}" -o way tree.gcr
# Neither the input nor a key is replaced.
mv tree.gcr there/a
unchanged 6 'not overwritten: it is the input' there/a
mv there/a tree.gcr
ln key there/a
unchanged 6 'not overwritten' tree.gcr
# Damage anywhere.
make_target
cp tree.gcr damaged.gcr
flip damaged.gcr $(($(stat -c %s damaged.gcr) - 5000))
unchanged 4 damaged damaged.gcr

# Stopped or failed between two moves, each file is the old or the new one, and the same command completes it.
for fault in EIO:3 kill:137; do
	make_target
	expect_exit "${fault#*:}" faulty "rename:3:${fault%:*}" "${merge[@]}" tree.gcr
	[ "$fault" = kill:137 ] || says 'there: merged in part: '
	for name in a sub/deep/c; do
		grep -qx "\(old\|new\) $name" "there/$name" || give_up "$fault: $name: $(cat "there/$name")"
	done
	FAULT_POOR=1 expect_exit 0 faulty count "${merge[@]}" tree.gcr # where rename() cannot refuse
	[ "$(cat there/a there/closed/f)" = $'new a\nnew closed/f' ] || give_up "$fault: not repeated"
done
sleep 0.1 # a younger folder may be that of another run
expect 0 'left by a killed run' "${merge[@]}" tree.gcr
says 'see gcrypt clean there'
expect_exit 0 "$GCRYPT" clean -f there >cleaned
[ "$(find there -name '.gcrypt*.part')" = '' ] || give_up "not cleaned: $(find there)"

# A link that somebody plants while the files are moved is not followed.
make_target
cp -r there outside
list_state outside >before
FAULT_RUN='mv there/sub moved && ln -s ../outside there/sub' \
	expect 3 "there: merged in part: cannot move 'sub/b' into it: Not a directory" faulty rename:1:run "${merge[@]}" tree.gcr
list_state outside >after
same before after

# Another file system below.
make_target
mounted=(unshare -rm bash -c 'mount -t tmpfs m there/sub 2>err && exec "$@"' -)
if "${mounted[@]}" true; then
	expect 3 "there: nothing is merged: 'sub/' is on another file system" "${mounted[@]}" "${merge[@]}" tree.gcr
fi
# Another user's directories without their owner's permissions move too.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	make_target
	chown -R 65534 there
	cp "$GCRYPT" gcrypt
	chmod 755 . .. gcrypt
	chmod 644 key tree.gcr
	merge=(setpriv --reuid=65534 --regid=65534 --clear-groups ./gcrypt dec --merge -p "${k[@]}" -o there)
	chmod 555 there/sub/deep
	unchanged 3 "there: nothing is merged: 'sub/deep/c' cannot be created or replaced: Permission denied" tree.gcr
	chmod 700 there/sub/deep
	chown 0 there/sub there/sub/deep/c && chmod 1777 there/sub && touch there/sub/b && chmod 444 there/sub/b
	unchanged 3 "there: nothing is merged: 'sub/b' cannot be created or replaced: Operation not permitted" tree.gcr
	chmod 777 there/sub
	expect_exit 0 "${merge[@]}" tree.gcr
	[ "$(stat -c %a there/closed)$(cat there/closed/f)" = '500new closed/f' ] || give_up "not as another user"
fi
