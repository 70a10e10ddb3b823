#!/bin/bash
# The detached form: the image is XTS under the volume key, sector by sector; the detached header
# authenticates it.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 28672 >disk # seven chunks: three groups and a half
k=(--engine cpu --key-file key)
detached=(enc --detached "${small[@]}" "${k[@]}")

# made CIPHER BITS SECTOR: the image against libcrypto under the key that --show-keys prints (or,
# where libcrypto has no such XTS, ours over its cipher), the detached header against the other reader.
made() {
	"$GCRYPT" "${detached[@]}" -f --cipher "$1" --bits "$2" --sector-size "$3" -o img disk
	"$GCRYPT" info --show-keys --json --key-file key img.gcr >keys.json
	[ "$(field groups.0.length <keys.json)" = 28672 ] || give_up "length"
	peer xts encrypt "$1" "$(field groups.0.key <keys.json)" "$3" 0 $(($3 / 512)) disk want
	same want img
	peer dec --image img key img.gcr back
	same disk back
	rm back
	"$GCRYPT" verify "${k[@]}" img.gcr
	"$GCRYPT" dec "${k[@]}" -o back img.gcr
	same disk back
	rm back
}
made aes 256 512
made aes 128 1024
made aes 256 2048
made aes 256 4096
made aes 192 512
made camellia 256 4096
[ "$("$GCRYPT" info --json img.gcr | field layout)" = detached ] || give_up "layout"
[ "$("$GCRYPT" info --json img.gcr | field sector_bytes)" = 4096 ] || give_up "sector_bytes"
"$GCRYPT" info img.gcr | grep -q '^sector: 4096 bytes$' || give_up "info"
[ "$("$GCRYPT" info --show-keys --key-file key img.gcr | wc -l)" = 1 ] || give_up "one key"
[ "$(stat -c %s img.gcr)" = $((16384 + 4 * 4096)) ] || give_up "size of the detached header"

# Whole groups, one sector, nothing; of default sizes, with a passphrase, moved.
for n in 16384 512 0; do
	head -c $n disk >in
	"$GCRYPT" "${detached[@]}" -f -o img in
	[ "$(stat -c %s img)" = $n ] || give_up "size of the image"
	"$GCRYPT" dec "${k[@]}" -f -o back img.gcr
	same in back
	"$GCRYPT" verify "${k[@]}" img.gcr
done
SECRET=x "$GCRYPT" enc --kdf-cost 10 --engine cpu --detached --passphrase env:SECRET -o new disk
mv new moved
mv new.gcr side
SECRET=x "$GCRYPT" dec --engine cpu --passphrase env:SECRET --image moved -f -o back side
same disk back
SECRET=x expect_exit 2 "$GCRYPT" dec --engine cpu --passphrase env:SECRET -o out side
says '--image is needed'

# Refused before anything is written.
"$GCRYPT" "${detached[@]}" -f -o img disk
rm -f out out.gcr
: >out.gcr
expect_exit 6 "$GCRYPT" "${detached[@]}" -o out disk
no_file out
expect_exit 6 "$GCRYPT" "${detached[@]}" -f -o disk disk
refused 6 'it is a part of the container' dec "${k[@]}" -f -o img img.gcr
mkdir folder
"$GCRYPT" dec "${k[@]}" --output-dir folder img.gcr
same disk folder/img
refused 6 "it is a part of the container" dec "${k[@]}" -f --output-dir . img.gcr
rm out.gcr

# refused FILES…: dec and verify exit 4, no output.
rejected() {
	expect_exit 4 "$GCRYPT" verify "${k[@]}" bad.gcr
	expect_exit 4 "$GCRYPT" dec "${k[@]}" -o out bad.gcr
	no_file out
}
fresh() {
	cp img bad
	cp img.gcr bad.gcr
}
fresh
flip bad 9000
rejected
says 'bad: corrupt at byte 8192 of this file (group 1)'
fresh
flip bad.gcr $((16384 + 4096 + 50))
rejected
says 'bad.gcr: corrupt at byte 20480 of this file (group 1)'
for n in 28160 24576 8192 0; do
	fresh
	truncate -s $n bad
	rejected
done
for n in 29184 32768 40960; do
	fresh
	truncate -s $n bad
	rejected
done
for n in 28672 16384; do
	fresh
	truncate -s $n bad.gcr
	rejected
done
fresh
head -c 4096 /dev/zero >>bad.gcr
rejected
says 'bytes of pages'
fresh
part img 8192 8192 | put bad 0
part img 0 8192 | put bad 8192
rejected
rm bad
expect_exit 3 "$GCRYPT" verify "${k[@]}" bad.gcr

# One header copy with another group size: the other one counts.
fresh
put_byte bad.gcr 17 0e
"$GCRYPT" dec "${k[@]}" -f -o back bad.gcr 2>err
says 'copy A is damaged'
same disk back

# Salvage.
fresh
flip bad 9000
flip bad.gcr $((16384 + 3 * 4096 + 4090))
refused 4 'bytes 8192 to 12287 of the plaintext are zeros' dec --salvage "${k[@]}" -o out bad.gcr
says "bytes 24576 to 28671 of the plaintext are zeros: the group's metadata page is damaged"
cp disk want
head -c 4096 /dev/zero | put want 8192
head -c 4096 /dev/zero | put want 24576
same want out
rm out

# The image decides where it ends, not the pages of the detached header.
fresh
truncate -s 20000 bad
expect_exit 4 "$GCRYPT" dec --salvage "${k[@]}" -o out bad.gcr
head -c 16384 disk | cmp -n 16384 - out || give_up "a short image"
says "at byte 20000 of the plaintext: the container ends here: $(($(stat -c %s disk) - 20000)) bytes are missing"
[ "$(stat -c %s out)" = 20000 ] || give_up "the size of what a short image gives"
rm out
fresh
truncate -s $((16384 + 2 * 4096)) bad.gcr
expect_exit 4 "$GCRYPT" dec --salvage "${k[@]}" -o out bad.gcr
cmp -n 16384 disk out || give_up "pages are missing"
says "bytes 16384 to $(($(stat -c %s disk) - 1)) of the plaintext are zeros: missing"
rm out

# Written to through the volume key, as dm-crypt would: verify fails until retag, which then is the
# only thing that changes.
fresh
"$GCRYPT" info --show-keys --json --key-file key bad.gcr >keys.json
cp disk changed
bytes 512 5 | put changed 10240
part changed 10240 512 >sector
peer xts encrypt aes "$(field groups.0.key <keys.json)" 512 20 1 sector sector.xts
put bad 10240 <sector.xts
cp bad written
rejected
[ "$(id -u)" -ne 0 ] || chown 1234:1235 bad.gcr
chmod 640 bad.gcr
owner=$(stat -c '%u %g %a' bad.gcr)
"$GCRYPT" retag --key-file key bad.gcr
same written bad
[ "$(stat -c '%u %g %a' bad.gcr)" = "$owner" ] || give_up "$(stat -c '%u %g %a' bad.gcr), not $owner"
"$GCRYPT" verify "${k[@]}" bad.gcr
"$GCRYPT" dec "${k[@]}" -f -o back bad.gcr
same changed back
part bad.gcr 0 16384 | cmp - <(part img.gcr 0 16384) || give_up "the header changed"
for g in 0 1 2 3; do # no salt is used for two contents
	! cmp -s <(part bad.gcr $((16384 + g * 4096 + 32)) 16) <(part img.gcr $((16384 + g * 4096 + 32)) 16) ||
		give_up "the salt of group $g is the old one"
done

# retag repairs a header copy; refuses another size, a wrong key, an inline container.
flip bad.gcr 100
expect_exit 4 "$GCRYPT" verify "${k[@]}" bad.gcr
"$GCRYPT" retag --key-file key bad.gcr
"$GCRYPT" verify "${k[@]}" bad.gcr
ln -s bad.gcr link
"$GCRYPT" retag --key-file key --image bad link
[ -L link ] || give_up "the link is gone"
cp bad.gcr before
(
	flock 9
	refused 3 "locked" retag --key-file key bad.gcr
) 9<"$PWD/bad.gcr"
same before bad.gcr
truncate -s 28160 bad
refused 4 'the header in bad.gcr says 28672' retag --key-file key bad.gcr
bytes 32 78 >wrong
expect_exit 5 "$GCRYPT" retag --key-file wrong bad.gcr
printf '%032d' 0 >text
chmod 600 text
refused 2 'text: not a key file: a passphrase? use --passphrase file:' retag --key-file text bad.gcr
bytes 500 5 >>text
refused 2 'text: not a key file: neither 32 bytes nor 64 hexadecimal digits' retag --key-file text bad.gcr
same before bad.gcr

# No room, or ended by a signal: neither of the two files is left, nor a part of them.
rm -rf folder out out.gcr
mkdir folder
expect_exit 3 bash -c 'trap "" XFSZ; ulimit -f 24; exec "$@"' - "$GCRYPT" "${detached[@]}" -o folder/out disk
"$GCRYPT" enc --detached --engine cpu -o folder/out --passphrase 'cmd:sleep 9; echo x' disk &
while [ "$(find folder -name '.gcrypt-*' | wc -l)" -lt 2 ]; do sleep 0.01; done
kill $!
code=0
wait $! || code=$?
[ $code -eq 143 ] || give_up "exit $code after SIGTERM"
[ -z "$(find . -name '.gcrypt-*' -o -path './folder/*')" ] || give_up "left: $(find .)"

# A run that replaces an existing pair is killed between its two renames: the manual's repair works.
bytes 1048576 1 >old
bytes 1048576 2 >new
"$GCRYPT" enc -q "${k[@]}" --detached -o pair old
expect_exit 137 faulty rename:2:kill "$GCRYPT" enc -q "${k[@]}" --detached -f -o pair new
expect_exit 4 "$GCRYPT" verify -q "${k[@]}" pair.gcr
left=(.gcrypt-????????????????.part)
[ ${#left[@]} -eq 1 ] || give_up "left: ${left[*]}"
sleep 0.12
"$GCRYPT" clean --force . >said
grep -q 'perhaps the detached header of an image here' said || give_up "$(cat said)"
mv "${left[0]}" pair.gcr
"$GCRYPT" dec -q "${k[@]}" -f -o back pair.gcr
same new back
