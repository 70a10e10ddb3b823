#!/bin/bash
# What cannot be done as asked: exit 2 or 3, one line, nothing written.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 100 >x
export P=secret EMPTY=

refused() { expect_exit 2 "$GCRYPT" "$@"; }
code=0
"$GCRYPT" 2>err || code=$?
[ "$code" -eq 2 ] || give_up "exit $code without a command"
says 'usage: '
refused frobnicate
refused enc
refused enc --frobnicate x
refused enc --cipher des --key-file key x
for name in aes camellia sc2000; do says "$name"; done
refused enc --mode cbc --key-file key x
for name in ctr xts ecb; do says "$name"; done
refused enc --bits 100 --key-file key x
refused enc --bits 256x --key-file key x
refused enc --engine steam --key-file key x
refused enc --chunk-log2 11 --key-file key x
refused enc --chunk-log2 21 --key-file key x
refused enc --chunk-log2 12 --group-log2 20 --key-file key x
refused enc --chunk-log2 14 --group-log2 13 --key-file key x
refused enc --key-file
refused enc --key-file key -o out x y z
refused enc --key-file key x -z
says '-z: unknown option'
refused enc --key-file key - x
refused enc --key-file key --copies 3 x
refused frobnicatefrobnicate
! grep -q nearest err || give_up "nearest to nothing"

# Secrets.
refused enc --key-file key --passphrase env:P x
refused enc --passphrase env:NOSUCHVARIABLE x
refused enc --passphrase secret x
bytes 31 >short
refused enc --key-file short x
bytes 33 >long
refused enc --key-file long x
printf '%032d' 7 >printable
refused enc --key-file printable x
says '--passphrase file:'
printf '%064d' 7 >hex-without-newline
refused enc --key-file hex-without-newline x
printf '%064dg\n' 7 >hex-bad
refused enc --key-file hex-bad x

# Files that cannot be read or written.
expect_exit 3 "$GCRYPT" enc --key-file key nosuchfile
says nosuchfile
expect_exit 3 "$GCRYPT" dec --key-file key nosuchfile.gcr
expect_exit 3 "$GCRYPT" info nosuchfile.gcr
expect_exit 3 "$GCRYPT" enc --key-file nosuchkey x
expect_exit 3 "$GCRYPT" enc --key-file key -o nosuchfolder/out x
expect_exit 3 "$GCRYPT" enc --key-file key -o /dev/full x

# One file that cannot be done does not end the run for the others; the first failure counts.
mkdir folder
code=0
"$GCRYPT" enc --key-file key "${small[@]}" folder/.. folder/../folder/.. x 2>err || code=$?
[ "$code" -eq 2 ] || give_up "exit $code instead of the first one's"
[ "$(failures)" -eq 2 ] || give_up "not two messages: $(cat err)"
[ -e x.gcr ] || give_up "the last file was not done"
rm x.gcr
rmdir folder

# However long a name is, the message has the reason, and the name once.
long=$(printf '%0200d/' {1..19})nosuchfile
expect_exit 3 "$GCRYPT" info "$long"
says "$long: cannot open: No such file or directory"
[ "$(wc -c <err)" -lt 4000 ] || give_up "the message has the name twice"
expect_exit 3 "$GCRYPT" enc --key-file key -o "$long" x
says 'No such file or directory'
expect_exit 3 "$GCRYPT" info "$(printf '%090000d' 1)"
says 'cannot open: File name too long'
expect_exit 3 "$GCRYPT" enc --key-file key "$(printf '%090000d' 1)"
says 'cannot open: File name too long'
"$GCRYPT" enc --dry-run --engine cpu --key-file key -o "$long" x >plan
grep -qx "output: $long" plan || give_up "the plan's name is cut"
rm plan

# Not containers.
for n in 0 1 100 8192 16384 30000; do
	bytes "$n" >other.gcr
	expect_exit 4 "$GCRYPT" dec --key-file key other.gcr
	expect_exit 4 "$GCRYPT" verify --key-file key other.gcr
	expect_exit 4 "$GCRYPT" info other.gcr
done
only key x short long printable hex-without-newline hex-bad other.gcr

# Asked for by name, help and version go to standard output.
"$GCRYPT" --help | grep enc >/dev/null
"$GCRYPT" --version >version
[ "$(cut -d : -f 1 version | tr '\n' ' ')" = "$(head -n 1 version) compiler libraries instruction forms on this machine " ] ||
	give_up "--version: $(cat version)"
grep -qE '^gcrypt [0-9]+\.[0-9]+$' version
grep -qE '^compiler: (gcc|clang) [0-9]' version
grep -qE "^libraries: $(openssl version | cut -d ' ' -f 1,2) .*, libarchive [0-9.]+, jansson [0-9.]+$" version
"$GCRYPT" devices | grep -qF "instruction forms: $(sed -n 's/^instruction forms on this machine: //p' version), "
