#!/bin/bash
# What an archive costs is bounded: memory by what stands between two entries, and the depth of folders
# before any is made.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
command -v zstd >/dev/null || skip "no zstd"
make_key
k=(--engine cpu --key-file key)

# expect_memory KIB EXIT COMMAND…: the greatest resident set.
expect_memory() {
	local limit=$1 want=$2
	shift 2
	expect_exit "$want" python3 - "$@" <<'PY'
import os, resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=open("peak", "w"))
sys.exit(code)
PY
	[ "$(cat peak)" -lt "$limit" ] || give_up "$(cat peak) KiB of memory: $*"
}

# Maps of holes of 4,400,000 and 4,200,000 extents, each 48 bytes in libarchive.
for case in 'map 4400000 list' 'plain-map 4400000 dec -o out' 'old-map 200000 dec -o out'; do
	set -- $case
	python3 "$tests/model/archives.py" "$1" map.gcr "$2"
	expect_memory 300000 4 "$GCRYPT" "${@:3}" "${k[@]}" map.gcr
	says 'one entry has more than 16 MiB of metadata'
	[ -z "$(find . -name '.gcrypt-*')" ] || give_up "$case left a folder"
	no_file out
done

# A map beyond the file's size: the file has the size that list prints.
python3 "$tests/model/archives.py" beyond beyond.gcr 100000
expect_exit 0 "$GCRYPT" dec --key-file key -o beyond beyond.gcr
[ "$(tr '\0' 0 <beyond/s)" = first00000 ] || give_up "$(stat -c %s beyond/s) bytes"
rm -r beyond

# A large honest map is read.
python3 "$tests/model/archives.py" map map.gcr 1000000
expect_memory 300000 0 "$GCRYPT" list "${k[@]}" map.gcr
expect_memory 300000 0 "$GCRYPT" dec "${k[@]}" -o out map.gcr
[ "$(stat -c %s out/s)" -eq 0 ] || give_up "size"
rm -r out

# Little is kept in memory of the parent folders of a member.
python3 "$tests/model/archives.py" nest nest.gcr 150
expect_memory 100000 3 "$GCRYPT" dec "${k[@]}" -o out nest.gcr -- nosuch
says "no member matches 'nosuch'"

# Data is no metadata, however well it is compressed.
python3 "$tests/model/archives.py" data data.gcr 40000000
expect_exit 0 "$GCRYPT" list "${k[@]}" data.gcr >listed
[ "$(tail -n 1 listed)" = small ] || give_up "list: $(cat listed)"
expect_exit 0 "$GCRYPT" dec "${k[@]}" -o out data.gcr
[ "$(stat -c %s out/big) $(cat out/small)" = '40000000 text' ] || give_up "data"
rm -r out

# zstd in zstd: each layer would have a window of its own.
python3 "$tests/model/archives.py" layers one.gcr 1
expect_exit 0 "$GCRYPT" list "${k[@]}" one.gcr >listed
for n in 2 3 20; do
	python3 "$tests/model/archives.py" layers layers.gcr $n
	expect_exit 4 "$GCRYPT" list "${k[@]}" layers.gcr >listed
	expect_exit 4 "$GCRYPT" dec "${k[@]}" -o out layers.gcr
	no_file out
done

# Names longer than the system takes are refused before libarchive makes the folders in them.
for case in 'deep 16000' 'deep 2100' 'long-file 4096'; do
	set -- $case
	python3 "$tests/model/archives.py" "$1" names.gcr "$2"
	expect 4 'has a name of more than 4095 bytes' timeout 20 "$GCRYPT" dec "${k[@]}" -o out names.gcr
	no_file out
done
python3 "$tests/model/archives.py" long-file names.gcr 4095
expect_exit 4 "$GCRYPT" dec "${k[@]}" -o out names.gcr
says 'cannot be made' # its folders are not there

# What would be refused is not written: the rest of the tree is.
python3 - <<'PY'
import os
os.mkdir("tree")
open("tree/file", "w").close()
fd = os.open("tree", os.O_RDONLY)
for _ in range(20):
    os.mkdir("n" * 250, dir_fd=fd)
    fd = os.open("n" * 250, os.O_RDONLY, dir_fd=fd)
PY
expect_exit 3 "$GCRYPT" enc "${small[@]}" "${k[@]}" tree
grep -q 'left out: File name too long$' err || give_up "$(cut -c 1-100 err)"
says 'tree: encrypted, but'
expect_exit 0 "$GCRYPT" dec "${k[@]}" -o out tree.gcr
{ [ -e out/file ] && [ "$(find out -type d | wc -l)" -eq 17 ]; } || give_up "$(find out -type d | wc -l) folders"
