#!/bin/bash
# gcrypt-mpi with 2, 3, 4 and 7 ranks: its containers open with gcrypt and the independent reader, and it reads those of
# gcrypt; a rank that is killed or has no space, damage, a node that sees another file: nothing gets the final name, and
# the next job continues.  With GCRYPT_TEST_ONE_IN 2 and 7 ranks, and one rank that fails.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
need_mpi
make_key
bytes 1500000 >in # 184 groups
touch -d '2020-02-03 04:05:06' in
k=(--engine cpu --key-file key)

numbers=(2 3 4 7) faulty_ranks=(0 2) mode=xts
[ -z "${GCRYPT_TEST_ONE_IN-}" ] || numbers=(2 7) faulty_ranks=(0)
for n in "${numbers[@]}"; do
	ends 0 '' ranks "$n" "$mpi" enc "${small[@]}" "${k[@]}" --mode $mode in
	[ "$(stat -c %Y in.gcr)" = "$(stat -c %Y in)" ] || give_up "time of the container"
	no_file in.gcr.part in.gcr.part-1-of-1
	peer dec key in.gcr back
	same in back
	rm back
	ends 0 'verified: 1500000 bytes' ranks "$n" "$mpi" verify "${k[@]}" in.gcr
	"$GCRYPT" verify --key-file key in.gcr >verified
	same verified out
	ends 0 '"status":0' ranks "$n" "$mpi" dec --json "${k[@]}" -o back in.gcr
	same in back
	rm back in.gcr
	mode=ctr
done
"$GCRYPT" enc --sparse "${small[@]}" "${k[@]}" in
ends 0 '' ranks 3 "$mpi" dec "${k[@]}" -o back in.gcr
same in back
rm in.gcr back
for size in 0 8193; do
	bytes $size >little
	ends 0 '' ranks 3 "$mpi" enc "${small[@]}" "${k[@]}" little
	"$GCRYPT" dec --key-file key -o back little.gcr
	same little back
	ends 0 '' ranks 3 "$mpi" dec -f "${k[@]}" -o back little.gcr
	same little back
	rm little.gcr back
done
truncate -s 1M little # all zeros
cat little in >holes
"$GCRYPT" enc --sparse "${small[@]}" "${k[@]}" holes
ends 0 '' ranks 3 "$mpi" dec "${k[@]}" -o back holes.gcr
same holes back
rm little holes holes.gcr back

# A passphrase, and recipients beside it; several files in one job.
bytes 30000 2 >other
export SECRET=thirteen
"$GCRYPT" keygen --x25519 -o anna
ends 0 '' ranks 2 "$mpi" enc "${small[@]}" --engine cpu --passphrase env:SECRET -r anna.pub in other
"$GCRYPT" dec --identity anna -o back other.gcr
same other back
ends 0 'verified' ranks 2 "$mpi" verify --identity anna in.gcr other.gcr
ends 6 'exists: not overwritten without -f' ranks 2 "$mpi" enc "${k[@]}" in
ends 5 'no key slot matches' ranks 2 "$mpi" dec "${k[@]}" -f -o back in.gcr
same other back
rm in.gcr other.gcr other back anna anna.pub

# Wrong usage is told once.
ends 2 '--frob: unknown option' ranks 3 "$mpi" enc --frob in
ends 2 'needs --passphrase or --key-file' ranks 3 "$mpi" enc -r x.pub in
ends 3 'No such file' ranks 3 "$mpi" enc "${k[@]}" missing
"$GCRYPT" enc --zstd "${k[@]}" in
ends 2 'only containers of one file' ranks 2 "$mpi" dec "${k[@]}" -o back in.gcr
ends 2 'only containers of one file' ranks 2 "$mpi" verify "${k[@]}" in.gcr
rm in.gcr
no_file back

# Damage anywhere; a group of another version of the container: only the root tells.
"$GCRYPT" enc "${small[@]}" "${k[@]}" in
cp in.gcr good
for at in $(($(page 77) + 5000)) $(($(page 183) + 64)); do
	flip in.gcr "$at"
	ends 4 'corrupt' ranks 3 "$mpi" dec "${k[@]}" -o back in.gcr
	ends 4 'corrupt' ranks 3 "$mpi" verify "${k[@]}" in.gcr
	no_file back
	[ -z "$(find . -name '.gcrypt-*')" ] || give_up "a temporary file is left"
	cp good in.gcr
done
flip in.gcr 100
ends 4 'header copy A is damaged' ranks 2 "$mpi" verify "${k[@]}" in.gcr
ends 0 'header copy A is damaged' ranks 2 "$mpi" dec "${k[@]}" -o back in.gcr
same in back
rm back in.gcr good
"$GCRYPT" enc "${small[@]}" "${k[@]}" --part 1/1 in
cp in.gcr.part first
flip in.gcr.part $(($(page 5) + 5000))
"$GCRYPT" enc "${small[@]}" "${k[@]}" --part 1/1 in
"$GCRYPT" join --key-file key in.gcr
part first "$(page 5)" 12288 | put in.gcr "$(page 5)" # each page is authentic
ends 4 'the root is wrong' ranks 3 "$mpi" verify "${k[@]}" in.gcr
ends 4 'the root is wrong' ranks 3 "$mpi" dec "${k[@]}" -o back in.gcr
no_file back
rm in.gcr first

# An MPI library that one thread may call only, its main thread.
cat >funneled.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	int (*next)(int *, char ***, int, int *) = dlsym(RTLD_NEXT, "MPI_Init_thread"), status;

	status = next(argc, argv, required, provided);
	*provided = 1; /* MPI_THREAD_FUNNELED of Open MPI */
	return status;
}
C
make_shim funneled.c
ends 2 'the MPI library lacks MPI_THREAD_SERIALIZED' ranks 2 -x LD_PRELOAD="$PWD/funneled.so" "$mpi" enc "${small[@]}" "${k[@]}" in
rm funneled.*

# A rank without space, a rank that is killed: the next job continues, or gcrypt does.
export FAULT FAULT_RANK FAULT_RUN
for FAULT_RANK in "${faulty_ranks[@]}"; do
	FAULT=pwrite:6:ENOSPC
	ends 3 'No space left on device' ranks 3 "${rank_fails[@]}" "$mpi" enc "${small[@]}" "${k[@]}" in
	no_file in.gcr
	[ -e in.gcr.part ] || give_up "no part file is left"
	ends 0 'had been done by an earlier run' ranks 2 "$mpi" enc "${small[@]}" "${k[@]}" in
	peer dec key in.gcr back
	same in back
	rm in.gcr back
	ends 3 'No space left on device' ranks 3 "${rank_fails[@]}" "$mpi" enc "${small[@]}" "${k[@]}" in
	"$GCRYPT" enc "${small[@]}" "${k[@]}" --part 1/1 in
	"$GCRYPT" join --key-file key in.gcr
	ends 3 'No space left on device' ranks 3 "${rank_fails[@]}" "$mpi" dec "${k[@]}" -o back in.gcr
	no_file back
	FAULT=pwrite:6:kill
	! ranks 3 "${rank_fails[@]}" "$mpi" dec "${k[@]}" -o back in.gcr 2>err || give_up "a killed rank is no failure"
	no_file back
	rm in.gcr
	! ranks 3 "${rank_fails[@]}" "$mpi" enc "${small[@]}" "${k[@]}" in 2>err || give_up "a killed rank is no failure"
	no_file in.gcr
	ends 0 '' ranks 4 "$mpi" enc "${small[@]}" "${k[@]}" in
	peer dec key in.gcr back
	same in back
	rm -f in.gcr back .gcrypt-*
done

# A node that sees another file under the name.
mkdir 0 1
cp -p in key 0
bytes 1500000 4 >1/in
touch -r in 1/in
# Not "PROGRAM : PROGRAM" with a folder each: mpirun of Open MPI 5.0.7 (Debian 13) crashes on it.
# shellcheck disable=SC2016 # expanded by each rank's shell
ends 3 'changed since' ranks 2 sh -c 'cd "$OMPI_COMM_WORLD_RANK" && exec "$@"' sh \
	"$mpi" enc "${small[@]}" "${k[@]}" -o "$PWD/out.gcr" in
no_file out.gcr
rm out.gcr.part

# One job at a time.
"$GCRYPT" enc "${small[@]}" "${k[@]}" --part 1/2 in
ends 2 'started with 2 parts' ranks 2 "$mpi" enc "${small[@]}" "${k[@]}" in
