#!/bin/bash
# advise: its lines, JSON and picture, from records made before; what is missing or damaged is said.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
keep_records
make_key

# advises TEXT: standard output of the last run, in the file out, contains it.
advises() { grep -qF -e "$1" out || give_up "no '$1' in: $(cat out)"; }
silent() { [ ! -s err ] || give_up "messages: $(cat err)"; }

# Nothing is measured: there are records.
expect_exit 0 "$GCRYPT" advise --size 1G >out
silent
advises '1 GiB, ctr'
advises 'In memory, 1 GiB with 256-bit keys in ctr: '
! grep -qE 'SA[.][.]SI|^(in memory|kernel alone): ' out || give_up "a table without -v: $(cat out)"
cp out short
expect_exit 0 "$GCRYPT" advise -v --size 1G >out
[ "$(head -c "$(wc -c <short)" out)" = "$(cat short)" ] || give_up "other lines before the table: $(cat out)"
[ "$(grep -cE '^[a-z0-9]+-[0-9]+ +CPU ' out)" -eq 9 ] || give_up "rows: $(cat out)"
awk 'length > 120 && !/^note/ { print; bad = 1 } END { exit bad }' out ||
	give_up "wider than 120 columns"
expect_exit 0 "$GCRYPT" advise --cipher camellia --bits 192 --mode xts -T 1 --engine cpu --explain >out
grep -qx 'camellia-192 CPU' out || give_up "no line for camellia: $(cat out)"
advises 'camellia-192-xts on CPU: 1 threads'
[ "$(grep -c '^camellia-192 .* 1 threads$' out)" -eq 1 ] || give_up "rows: $(cat out)"
if [ "$n_devices" -gt 0 ]; then
	expect_exit 0 "$GCRYPT" advise --device 0 --cipher aes --bits 128 --explain >out
	advises '(6.2) L_enc_total = L_ker + L_ld + L_enc = '
	advises 'device 0'
	cp "$machine" measured
	sed -i 's/"is_cpu":/"derived": true, &/g' "$machine"
	expect_exit 0 "$GCRYPT" advise --device 0 --size 1G >out
	advises 'its record derived, never measured'
	mv measured "$machine"
fi

# advise: first what enc will do with files in this folder, and why; then the columns are explained; numbers for people.
"$GCRYPT" advise -v --engine cpu --size 4TiB >out
sed -n 1p out | grep -qE '^enc, from file to file in this folder: 4 TiB in [0-9]+ s \([0-9.]+ GB/s\) predicted, bottleneck: [a-zA-Z ]+$' ||
	give_up "headline: $(cat out)"
sed -n 2p out | grep -qE '^enc chooses: [a-z0-9]+-256-ctr on CPU, without compression \(--zstd is not in these figures\)$' ||
	give_up "choice: $(cat out)"
sed -n 3p out | grep -qE '^why: aes on CPU [0-9]+ s, camellia on CPU [0-9]+ s' || give_up "reason: $(cat out)"
grep -q '^in memory: ' out || give_up "no legend: $(cat out)"
grep -q '^files: ' out || give_up "no legend: $(cat out)"
# A row's bottleneck is that of the time beside it: of a file, as in the headline.
choice=$(sed -n 's/^enc chooses: \([a-z0-9-]*\)-ctr on CPU.*/\1/p' out)
seconds=$(sed -n '1s/.* 4 TiB in \([0-9]*\) s.*/\1/p' out) bottleneck=$(sed -n '1s/.*bottleneck: //p' out)
grep -qE "^$choice +CPU .* $seconds $bottleneck +[0-9]+ threads$" out || give_up "another bottleneck: $(cat out)"
! grep -qE '[0-9]e[+-][0-9]' out || give_up "not for people: $(cat out)"

# enc --update: what has changed takes time; the verdicts do not depend on that.
"$GCRYPT" advise --engine cpu --size 64GiB | sed -n '/^64 GiB, ctr/,$p' >whole
for share in 0 50 100; do
	"$GCRYPT" advise --engine cpu --update 64GiB --share $share >out
	sed -n "1s/^enc --update of $share % changed groups, from file to file in this folder: 64 GiB in \\([0-9.]*\\) s .*/\\1/p" out
	sed -n '/^64 GiB, ctr/,$p' out | cmp whole || give_up "$share: other verdicts"
done >seconds
if ! sort -cg seconds || [ "$(wc -l <seconds)" -ne 3 ]; then give_up "seconds: $(cat seconds)"; fi
[ "$("$GCRYPT" advise --engine cpu --update 64GiB --json | field enc.changed_percent bytes)" = "1.0 68719476736" ] ||
	give_up "JSON: not 1 % by default"

# enc makes that choice, for the same seconds.
truncate -s 16M big # far below what the system keeps unsynced, whose amount changes
"$GCRYPT" advise --size 16MiB >out
choice=$(sed -n '/^why: /,/^$/p' out | paste -sd ' ' | sed 's/^why: //; s/ $//')
"$GCRYPT" enc --dry-run --key-file key big >plan
grep -qxF "why: $choice" plan || give_up "advise: $choice; enc: $(cat plan)"

# JSON.
expect_exit 0 "$GCRYPT" advise --json --size 3T >out
silent
python3 -m json.tool <out >/dev/null || give_up "not JSON"
[ "$(field bytes <out)" = 3298534883328 ] || give_up "bytes"
[ "$(field rows.0.cipher <out)" = aes ] || give_up "cipher"
[ "$(field rests_on <out)" = prediction ] || give_up "rests_on"
field rows.0.memory.stage_s <out >/dev/null
field rows.0.points.0.predicted_s <out >/dev/null
field best.fastest.0.seconds <out >/dev/null
expect_exit 0 "$GCRYPT" advise --json --size 16384T >out
[ "$(python3 -c 'import json; print(type(json.load(open("out"))["bytes"]).__name__)')" = str ] ||
	give_up "2^54 is not a string"

# Measured.
expect_exit 0 "$GCRYPT" advise --measure --size 2M --bits 128 --engine cpu >out
silent
advises 's for 2 MiB'
advises ' measured'
expect_exit 0 "$GCRYPT" advise --measure --json --size 2M --bits 128 --cipher aes --engine cpu >out
[ "$(field rests_on <out)" = measurement ] || give_up "not measured"
[ "$(field rows.0.measured.bytes <out)" = 2097152 ] || give_up "bytes measured"
if [ "$n_devices" -gt 0 ]; then
	expect_exit 0 "$GCRYPT" advise --measure --json --size 2M --bits 128 --cipher aes --device 0 >out
	[ "$(field rows.0.measured.kernel_s <out)" != None ] || give_up "no kernel time"
fi

# What cannot be is said in a line.
for wrong in '--size 0' '--size 1X' '--size -1' '--engine warp' '--cipher rot13' '--mode cbc' '--bits 100' \
	'--json --explain' 'operand' '--plot -'; do
	expect_exit 2 "$GCRYPT" advise $wrong
done
refused 8 'device 99' advise --device 99
export OCL_ICD_VENDORS=/nonexistent
expect_exit 0 "$GCRYPT" advise -v >out
silent
advises 'note: no OpenCL device: '
[ "$(grep -c 'device [0-9]' out)" -eq 0 ] || give_up "rows for a device: $(cat out)"
refused 8 'no OpenCL device' advise --engine opencl

# enc says by what a damaged record is measured again.
echo '{' >"$machine"
expect 0 "${machine##*/}: damaged" "$GCRYPT" enc --key-file key devices.json
says 'gcrypt advise'
rm "$machine"
keep_records

# The picture: whole or not there, and not written over.
mkdir empty
expect 1 gnuplot env PATH="$PWD/empty" "$GCRYPT" advise --engine cpu --plot new.svg >out
[ ! -s out ] || give_up "it was said after the work"
no_file new.svg
[ -z "$(find . -name '.gcrypt-*')" ] || give_up "a temporary file is left"
command -v gnuplot >/dev/null || exit 0
refused 3 none/new.svg advise --engine cpu --plot none/new.svg >out
[ ! -s out ] || give_up "it was said after the work"
refused 3 /dev/full advise --engine cpu --plot /dev/full >out
expect_exit 0 "$GCRYPT" advise --engine cpu --plot new.svg >out
silent
grep -q '</svg>' new.svg || give_up "no SVG"
grep -q 'camellia-256-ctr' new.svg || give_up "no title"
cp new.svg old.svg
expect_exit 6 "$GCRYPT" advise --engine cpu --plot new.svg >out
same new.svg old.svg
expect_exit 0 "$GCRYPT" advise --engine cpu --bits 128 -f --plot new.svg >out
grep -q 'camellia-128-ctr' new.svg || give_up "not drawn anew"
