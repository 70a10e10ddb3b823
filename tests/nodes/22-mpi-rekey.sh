#!/bin/bash
# gcrypt-mpi rekey: the new container opens with its new secret alone, by gcrypt and the independent reader, and has the
# old content; the old one stays as it is.  A damaged or changed old container, a rank that is killed, options of another
# job: nothing gets the final name.
# shellcheck source=tests/nodes/lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
need_mpi
make_key
bytes 32 9 >new-key
chmod 600 new-key
bytes 1500000 >in # 184 groups
ranks() { timeout 120 mpirun --bind-to none -np "$@"; }
# ends CODE MESSAGE COMMAND…
ends() {
	local want=$1 text=$2 code=0
	shift 2
	"$@" >out 2>err </dev/null || code=$?
	[ "$code" = "$want" ] || give_up "exit $code instead of $want: $*: $(cat err)"
	[ -z "$text" ] || grep -qF -e "$text" err out || give_up "message without '$text': $(cat err)"
}
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
n=2
for modes in 'ctr xts' 'xts ecb' 'ecb ctr'; do
	read -r from into <<<"$modes"
	"$GCRYPT" enc "${small[@]}" "${k[@]}" --mode "$from" in
	cp in.gcr old
	ends 0 'replaced: slot 0' ranks $n "$mpi" rekey "${k[@]}" "${to[@]}" --mode "$into" --cipher camellia in.gcr
	same old in.gcr
	"$GCRYPT" info new.gcr >out
	[ "$(grep -cxe 'cipher: camellia' -e "mode: $into" out)" = 2 ] || give_up "suite: $(cat out)"
	ends 5 'no key slot matches' "$GCRYPT" verify "${k[@]}" new.gcr
	rekeyed in
	rm in.gcr old
	n=$((2 * n - 1))
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

# A job of which a rank has no space or dies is continued with the same options only.
if rank_fault; then
	for RANK in 0 2; do
		RANK_FAULT=full
		ends 3 'No space left on device' ranks 3 "${faulty[@]}" "$mpi" rekey "${k[@]}" "${to[@]}" in.gcr
		no_file new.gcr
		ends 2 'started with' ranks 2 "$mpi" rekey "${k[@]}" "${to[@]}" --mode xts in.gcr
		RANK_FAULT='kill'
		! ranks 3 "${faulty[@]}" "$mpi" rekey "${k[@]}" "${to[@]}" in.gcr 2>err || give_up "a killed rank is no failure"
		no_file new.gcr
		expect_exit 4 "$GCRYPT" join --key-file new-key new.gcr # no part counts as done
		ends 0 '' ranks 2 "$mpi" rekey "${k[@]}" "${to[@]}" in.gcr
		rekeyed in
	done
fi
