#!/bin/bash
# The stream of a directory for other programs: GNU tar reads it without a warning, and names and attributes stay bytes.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu --key-file key)

mkdir -p tree/sub
bytes 20000 >tree/sub/file
ln tree/sub/file tree/hard
ln -s sub/ünï tree/soft
touch tree/ünï "tree/$(printf 'é%.0s' {1..100})" $'tree/nfd-u\xcc\x88' tree/sub/a
truncate -s 3000000 tree/hole
attributes=y
python3 - <<'PY' 2>err || attributes=n
import os
os.setxattr("tree/sub/a", b"user.plain", b"two words")
os.setxattr("tree/sub/a", "user.ä 100%=b".encode(), b"\xff\x00")
PY
expect_exit 0 "$GCRYPT" enc "${small[@]}" "${k[@]}" tree
"$GCRYPT" dec "${k[@]}" -o - tree.gcr >stream
mkdir tar
tar -C tar -xpf stream 2>err || give_up "tar: $(cat err)"
[ ! -s err ] || give_up "tar says: $(cat err)"
diff -r --no-dereference tree tar || give_up "tar made another tree"

# Names and attributes that are not text.
touch $'tree/bad\xff\xfe'
ln -s $'bad\xff' tree/bad-link
ln $'tree/bad\xff\xfe' tree/also-bad
expect_exit 0 "$GCRYPT" enc -f "${small[@]}" "${k[@]}" tree
[ ! -s err ] || give_up "enc says: $(cat err)"
expect_exit 0 "$GCRYPT" dec "${k[@]}" -o back tree.gcr
diff -r --no-dereference tree back || give_up "another tree came back"
python3 - $attributes <<'PY' || give_up "names or attributes"
import os, sys
def names(tree):
    return sorted((os.path.relpath(os.path.join(root, name), tree), os.readlink(os.path.join(root, name))
                   if os.path.islink(os.path.join(root, name)) else b"")
                  for root, folders, files in os.walk(tree) for name in folders + files)
assert names(b"tree") == names(b"back")
if sys.argv[1] == "y":
    found = {os.fsencode(name): os.getxattr("back/sub/a", name) for name in os.listxattr("back/sub/a")}
    wanted = {b"user.plain": b"two words", "user.ä 100%=b".encode(): b"\xff\x00"}
    assert {name: found.get(name) for name in wanted} == wanted and not [n for n in found if b"%C3" in n], found
PY
