#!/bin/bash
# Permissions: 0600 while writing, then never wider than the input's.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--key-file key)
mode() { stat -c %a "$1"; }

for m in 600 640 644 400 4755; do
	umask 022
	bytes 5000 >in
	chmod "$m" in
	"$GCRYPT" enc "${small[@]}" "${k[@]}" in
	[ $((0$(mode in.gcr) & ~0$m)) -eq 0 ] || give_up "$(mode in.gcr) is wider than $m"
	[ $((0$(mode in.gcr) & 07000)) -eq 0 ] || give_up "setuid was copied"
	chmod "$m" in.gcr
	"$GCRYPT" dec "${k[@]}" -o out in.gcr
	[ $((0$(mode out) & ~0$m)) -eq 0 ] || give_up "$(mode out) is wider than $m"
	[ $((0$(mode out) & 07000)) -eq 0 ] || give_up "setuid was copied"
	rm -f in in.gcr out
done

# From standard input there is only the umask.
bytes 5000 >in
for mask in 077 027 022; do
	umask "$mask"
	"$GCRYPT" enc "${small[@]}" "${k[@]}" -o c - <in
	[ $((0$(mode c) & (0$mask | 07111))) -eq 0 ] || give_up "mode $(mode c) with umask $mask"
	rm c
done

# While it is being written, nobody else can read it.
umask 000
mkfifo slow
"$GCRYPT" enc "${small[@]}" "${k[@]}" -o c slow &
exec 5>slow
bytes 200000 >&5
temporary() { compgen -G '.gcrypt-????????????????.part' >/dev/null; }
soon temporary || give_up "no temporary file"
for name in * .[!.]*; do
	case $name in
	in | key | slow | err) ;;
	*) [ "$(mode "$name")" = 600 ] || give_up "$name has mode $(mode "$name")" ;;
	esac
done
exec 5>&-
wait

# Access control lists: the input's narrow the output's mode, the folder's do not reach it.
cat >acl.py <<'PY'
import os, struct, sys
NAME = {"access": "system.posix_acl_access", "default": "system.posix_acl_default"}
# owner, user 1, group, mask, others: each tag, permissions, id
acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in (
    (1, 7, 2**32 - 1), (2, 4, 1), (4, 0, 2**32 - 1), (16, 4, 2**32 - 1), (32, 4, 2**32 - 1)))
os.setxattr(sys.argv[2], NAME[sys.argv[1]], acl)
PY
umask 022
chmod 644 in
mkdir folder
if python3 acl.py access in 2>err && python3 acl.py default folder; then
	"$GCRYPT" enc -f "${small[@]}" "${k[@]}" -o c in
	[ $((0$(mode c) & 077)) -eq 0 ] || give_up "mode $(mode c) from a file with a list"
	cp --no-preserve=all in plain
	chmod 644 plain
	"$GCRYPT" enc "${small[@]}" "${k[@]}" -o folder/c plain
	[ "$(mode folder/c)" = 644 ] || give_up "mode $(mode folder/c)"
	python3 -c 'import os; assert "system.posix_acl_access" not in os.listxattr("folder/c")' ||
		give_up "the folder's list is on the output"
fi

# A key file is for its owner alone, whatever the umask.
"$GCRYPT" keygen -o new.key
[ "$(mode new.key)" = 600 ] || give_up "key file of mode $(mode new.key)"
