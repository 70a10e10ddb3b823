#!/bin/bash
# Libraries that are loaded when they are needed: without a library, a job that needs it is rejected before a secret is
# read or an output is created, and all other jobs work.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu --key-file key)
mkdir tree broken
echo text >tree/file
cp tree/file file
expect_exit 0 "$GCRYPT" enc "${k[@]}" tree
expect_exit 0 "$GCRYPT" enc "${k[@]}" --zstd -o file.zst.gcr file
printf 'LUKS\xba\xbe' >volume

# The dynamic linker finds these first: a file that is no library.
echo >broken/libarchive.so.13
echo >broken/libcryptsetup.so.12
without() { LD_LIBRARY_PATH=$PWD/broken "$GCRYPT" "$@"; }

# refused PACKAGE COMMAND…: with a key file that would be a failure of its own; nothing is written.
refused() {
	local package=$1
	shift
	expect 7 "(Debian package: $package)" without "$@"
	no_file out .out*
}
lost=(--key-file no-such-key)
refused libarchive13 enc "${lost[@]}" -o out tree
refused libarchive13 enc "${lost[@]}" -o out --zstd file
refused libarchive13 dec "${lost[@]}" -o out tree.gcr
refused libarchive13 dec "${lost[@]}" -o out file.zst.gcr
refused libarchive13 list "${lost[@]}" tree.gcr
if grep -qaF libcryptsetup.so "$GCRYPT"; then # else it was built without
	refused libcryptsetup12 enc "${lost[@]}" --luks2 -o out file
	refused libcryptsetup12 dec "${lost[@]}" -o out volume
	refused libcryptsetup12 verify "${lost[@]}" volume
	refused libcryptsetup12 info volume
fi

# A library of another version, that lacks a function.
cp "$(ldd "$GCRYPT" | awk '$1 ~ /^libjansson/ { print $3 }')" broken/libarchive.so.13
refused libarchive13 list "${lost[@]}" tree.gcr
says 'undefined symbol: archive_'

# Other files of the same run, and all that reads no archive.
expect_exit 7 without enc -f "${k[@]}" tree file
expect_exit 0 without dec "${k[@]}" -o out file.gcr
same file out
expect_exit 0 without verify -q "${k[@]}" tree.gcr file.zst.gcr file.gcr
expect_exit 0 without info tree.gcr >information
without dec "${k[@]}" -o - tree.gcr | tar -xO file >out
same file out
expect_exit 0 without dec "${k[@]}" --salvage -f -o out file.zst.gcr
