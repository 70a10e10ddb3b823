#!/bin/bash
# gcrypt-mpi rekey: gcrypt and the independent reader open the new container with the new secret alone, and find the old
# content; the old container stays as it is.  A damaged or changed old container, a rank that is killed, options of
# another job: nothing gets the final name.  With GCRYPT_TEST_ONE_IN 2 and 7 ranks, and one rank that fails.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
need_mpi
make_key
bytes 32 9 >new-key
chmod 600 new-key
bytes 1500000 >in # 184 groups
k=(--engine cpu --key-file key)
to=(--new-key-file new-key -o new.gcr)
# rekeyed CONTENT: new.gcr has it; then remove it.
rekeyed() {
	peer dec new-key new.gcr back
	same "$1" back
	rm back
	"$GCRYPT" dec --key-file new-key -o back new.gcr
	same "$1" back
	no_file new.gcr.part new.gcr.part-1-of-1
	rm new.gcr back
}

# From each mode to another one, with 2, 3 and 7 ranks.
jobs=('ctr xts 2' 'xts ecb 3' 'ecb ctr 7') faulty_ranks=(0 2)
[ -z "${GCRYPT_TEST_ONE_IN-}" ] || jobs=('ctr xts 2' 'ecb ctr 7') faulty_ranks=(2)
for modes in "${jobs[@]}"; do
	read -r from into n <<<"$modes"
	"$GCRYPT" enc "${small[@]}" "${k[@]}" --mode "$from" in
	cp in.gcr old
	ends 0 'replaced: slot 0' ranks "$n" "$mpi" rekey "${k[@]}" "${to[@]}" --mode "$into" --cipher camellia in.gcr
	same old in.gcr
	"$GCRYPT" info new.gcr >out
	[ "$(grep -cxe 'cipher: camellia' -e "mode: $into" out)" = 2 ] || give_up "suite: $(cat out)"
	refused 5 'no key slot matches' verify "${k[@]}" new.gcr
	rekeyed in
	rm in.gcr old
done

# The same secret; OpenCL; sizes at the borders; holes; a folder.
"$GCRYPT" enc "${small[@]}" "${k[@]}" in
ends 0 '' ranks 2 "$mpi" rekey --key-file key --engine opencl -o new.gcr in.gcr
mv new-key other-key && cp key new-key
rekeyed in
mv other-key new-key
for size in 0 8192 8193; do
	bytes $size >little
	"$GCRYPT" enc "${small[@]}" "${k[@]}" little
	ends 0 '' ranks 3 "$mpi" rekey "${k[@]}" "${to[@]}" little.gcr
	rekeyed little
	rm little.gcr little
done
truncate -s 1M holes
cat in >>holes
"$GCRYPT" enc --sparse "${small[@]}" "${k[@]}" holes
ends 0 '' ranks 2 "$mpi" rekey "${k[@]}" "${to[@]}" holes.gcr
rekeyed holes
rm holes holes.gcr
mkdir folder
cp in folder/
"$GCRYPT" enc "${small[@]}" "${k[@]}" -o folder.gcr folder
ends 0 '' ranks 2 "$mpi" rekey "${k[@]}" "${to[@]}" folder.gcr
"$GCRYPT" dec --key-file new-key -o back new.gcr
same in back/in
rm -r folder folder.gcr back new.gcr

# A recipient of the new container, and a private key of the old one.
"$GCRYPT" keygen --x25519 -o anna
ends 0 '' ranks 2 "$mpi" rekey "${k[@]}" "${to[@]}" -r anna.pub in.gcr
"$GCRYPT" dec --identity anna -o back new.gcr
same in back
ends 0 '' ranks 2 "$mpi" rekey --engine cpu --identity anna --new-key-file key -o newer.gcr --drop-slot 0 new.gcr
"$GCRYPT" verify --key-file key newer.gcr >/dev/null
rm newer.gcr new.gcr back

# Refused, with nothing under the final name.
ends 2 'the old container stays' ranks 2 "$mpi" rekey "${k[@]}" in.gcr
ends 2 '--engine all' ranks 2 "$mpi" rekey --key-file key --engine all "${to[@]}" in.gcr
ends 5 'no key slot matches' ranks 2 "$mpi" rekey --engine cpu --key-file new-key "${to[@]}" in.gcr
ends 4 '' ranks 2 "$mpi" rekey "${k[@]}" "${to[@]}" in
cp in.gcr bad.gcr
printf X | dd of=bad.gcr bs=1 seek=700000 conv=notrunc status=none
ends 4 'bad.gcr' ranks 3 "$mpi" rekey "${k[@]}" "${to[@]}" bad.gcr
no_file new.gcr new.gcr.part-1-of-1
ends 3 'changed' ranks 2 "$mpi" rekey "${k[@]}" "${to[@]}" in.gcr
rm new.gcr.part bad.gcr

# Inputs that gcrypt rekey takes without parts: one line, which names no option that gcrypt-mpi lacks.
bytes 65536 >image
"$GCRYPT" enc --detached --engine cpu --mode xts --key-file key -o volume image
ends 2 'rekey by parts needs a container without a detached header' ranks 2 "$mpi" rekey "${k[@]}" "${to[@]}" volume.gcr
"$GCRYPT" enc "${small[@]}" --anonymous -r anna.pub -o hidden.gcr in
ends 2 'rekey by parts cannot keep an anonymous key slot' \
	ranks 2 "$mpi" rekey --engine cpu --identity anna "${to[@]}" hidden.gcr
ends 2 'work by parts needs a regular file' ranks 2 "$mpi" rekey "${k[@]}" --new-key-file new-key -f -o /dev/full in.gcr
no_file new.gcr new.gcr.part
rm image volume volume.gcr hidden.gcr

# The old container under another name, or as OUT.part: it stays.
cp -p in.gcr old
ln in.gcr hard
ln -s in.gcr soft
for name in in.gcr hard soft; do
	ends 6 'it is the input' ranks 2 "$mpi" rekey "${k[@]}" --new-key-file new-key -f -o $name in.gcr
done
mv hard new.gcr.part
ends 6 'it is the input' ranks 2 "$mpi" rekey "${k[@]}" "${to[@]}" in.gcr
ends 6 'it is the input' ranks 2 "$mpi" rekey "${k[@]}" -f "${to[@]}" new.gcr.part
same old in.gcr
rm new.gcr.part soft

# OUT.part of gcrypt rekey --part 1/1 is continued, and its record goes; that of enc stays.
"$GCRYPT" rekey "${k[@]}" "${to[@]}" --part 1/1 in.gcr 2>err
printf x >new.gcr
ends 6 'not overwritten without -f' ranks 2 "$mpi" rekey "${k[@]}" "${to[@]}" in.gcr
[ "$(<new.gcr)" = x ] || give_up "new.gcr has changed"
ends 0 '' ranks 2 "$mpi" rekey "${k[@]}" -f "${to[@]}" in.gcr
rekeyed in
"$GCRYPT" enc "${small[@]}" --engine cpu --key-file new-key --part 1/1 -o new.gcr in
cp new.gcr.part part
ends 3 'changed' ranks 2 "$mpi" rekey "${k[@]}" "${to[@]}" in.gcr
same part new.gcr.part
rm new.gcr.part* part

# A rank that sees a FIFO in place of the old container does not wait for its writer.
mkdir 0 1
cp -p in.gcr 0
mkfifo 1/in.gcr
# shellcheck disable=SC2016 # expanded by each rank's shell
ends 3 'changed since' ranks 2 sh -c 'cd "$OMPI_COMM_WORLD_RANK" && exec "$@"' sh \
	"$mpi" rekey --engine cpu --key-file "$PWD/key" --new-key-file "$PWD/new-key" -o "$PWD/new.gcr" in.gcr
no_file new.gcr
rm -r new.gcr.part 0 1

# A group of another version of the old container: each page is authentic, only the root tells.
"$GCRYPT" enc "${small[@]}" "${k[@]}" --part 1/1 -o two.gcr in
cp two.gcr.part first
flip two.gcr.part $(($(page 5) + 5000))
"$GCRYPT" enc "${small[@]}" "${k[@]}" --part 1/1 -o two.gcr in
"$GCRYPT" join --key-file key two.gcr
part first "$(page 5)" 12288 | put two.gcr "$(page 5)"
ends 4 'the root is wrong' ranks 3 "$mpi" rekey "${k[@]}" "${to[@]}" two.gcr
no_file new.gcr new.gcr.part-1-of-1
rm new.gcr.part two.gcr first

# Changes during the job; the locks keep gcrypt out.
export GCRYPT FAULT FAULT_RANK=1 FAULT_RUN
during() {
	FAULT=pwrite:6:run FAULT_RUN=$3
	ends "$1" "$2" ranks 2 "${rank_fails[@]}" "$mpi" rekey "${k[@]}" "${to[@]}" in.gcr
	[ "$1" = 0 ] || no_file new.gcr
}
# shellcheck disable=SC2016 # expanded by the rank's shell
during 0 'cannot be locked: it is being re-encrypted' \
	'! $GCRYPT key add --key-file key --new-key-file new-key in.gcr && ! $GCRYPT rekey --key-file key in.gcr'
same old in.gcr
rekeyed in
# shellcheck disable=SC2016
during 0 'another run is writing part 1' \
	'! $GCRYPT rekey --key-file key --new-key-file new-key -o new.gcr --part 1/1 in.gcr'
rekeyed in
for change in 'touch in.gcr' 'echo >>in.gcr'; do
	during 3 'changed since' "$change"
	cp -p old in.gcr
	rm new.gcr.part
done
during 6 'joined or removed meanwhile' 'mv new.gcr.part other'
rm other
during 4 'changed while it was written' 'printf XXXX | dd of=new.gcr.part bs=1 seek=100 conv=notrunc status=none'
rm new.gcr.part
rm old

# A job of which a rank has no space or dies is continued with the same options only.
for FAULT_RANK in "${faulty_ranks[@]}"; do
	FAULT=pwrite:6:ENOSPC
	ends 3 'No space left on device' ranks 3 "${rank_fails[@]}" "$mpi" rekey "${k[@]}" "${to[@]}" in.gcr
	no_file new.gcr
	ends 2 'started with' ranks 2 "$mpi" rekey "${k[@]}" "${to[@]}" --mode xts in.gcr
	FAULT=pwrite:6:kill
	! ranks 3 "${rank_fails[@]}" "$mpi" rekey "${k[@]}" "${to[@]}" in.gcr 2>err || give_up "a killed rank is no failure"
	no_file new.gcr
	expect_exit 4 "$GCRYPT" join --key-file new-key new.gcr # no part counts as done
	ends 0 '' ranks 2 "$mpi" rekey "${k[@]}" "${to[@]}" in.gcr
	rekeyed in
done
