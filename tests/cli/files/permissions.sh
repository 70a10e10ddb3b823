#!/bin/bash
# Access control lists: the input's narrow the output's mode, the folder's do not reach it.  (All else: group 9 of
# tests/faults.)
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--key-file key)
bytes 5000 >in
mode() { stat -c %a "$1"; }

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
