#!/bin/bash
# Runs that are killed between two steps of one change: the next run finishes it.  A file that gets its final name by
# On a file system that cannot rename without replacing, link and unlink are used: a kill between them leaves both names.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 32 5 >other
chmod 600 other
bytes 100000 >in
k=(--engine cpu --key-file key)
by_links() { FAULT_POOR=1 faulty none "$@"; }
# killed_before NAME COMMAND…: before the file with a name that ends so is unlinked.
killed_before() { FAULT_POOR=1 FAULT_ON="$1$" expect_exit 137 faulty unlink:1:kill "${@:2}"; }
both() { [ "$1" -ef "$1.part" ] || give_up "$1 and $1.part are not one file"; }
parts() { for i in 1 2 3; do "$GCRYPT" enc -q "${small[@]}" "${k[@]}" --part "$i/3" in; done; }

# join: what it authenticates, it authenticates again.
parts
killed_before in.gcr.part "$GCRYPT" join --key-file key in.gcr
both in.gcr
"$GCRYPT" verify --key-file key in.gcr
expect_exit 5 "$GCRYPT" join --key-file other in.gcr
both in.gcr
cp in.gcr whole
expect_exit 0 "$GCRYPT" join --key-file key in.gcr
same whole in.gcr
only in in.gcr key other whole
for force in '' -f; do
	ln in.gcr in.gcr.part
	expect_exit 0 by_links "$GCRYPT" join $force --key-file key in.gcr
	same whole in.gcr
	only in in.gcr key other whole
done
mv in.gcr in.gcr.part # a symbolic link is no second name
ln -s in.gcr.part in.gcr
refused 6 'in.gcr: exists: not overwritten without -f' join --key-file key in.gcr
same whole in.gcr.part
rm in.gcr in.gcr.part

# dec --part, enc --part: the file is complete, and only the other name is removed.
mv whole c
for force in '' -f; do
	for i in 1 2; do "$GCRYPT" dec -q "${k[@]}" --part $i/3 -o out c; done
	killed_before out.part "$GCRYPT" dec -q "${k[@]}" --part 3/3 -o out c
	both out
	expect_exit 6 "$GCRYPT" dec --dry-run "${k[@]}" --part 1/3 -o out c
	both out
	if [ -z "$force" ]; then
		refused 6 'out: exists: not overwritten without -f' dec "${k[@]}" --part 1/3 -o out c
	else
		for i in 3 2 1; do "$GCRYPT" dec -q -f "${k[@]}" --part $i/3 -o out c; done
	fi
	same in out
	no_file out.part
	rm -f out out.part*
done
mv c in.gcr
ln in.gcr in.gcr.part
cp in.gcr whole
refused 6 'in.gcr: exists: not overwritten without -f' enc "${small[@]}" "${k[@]}" --part 1/3 in
same whole in.gcr
only in in.gcr key other whole
rm in.gcr whole

# Two names of a file of somebody else, of the input and of a key file stay.
"$GCRYPT" enc -q "${small[@]}" "${k[@]}" -o c in
echo 'my notes' >notes
for name in in c key notes; do ln "$name" "$name.part"; done
for force in '' -f; do
	for how in 'enc --part 1/2' 'enc --resume' 'dec --part 1/2' 'rekey --part 1/2'; do
		from=in
		[ "${how%% *}" = enc ] || from=c
		for files in "-o notes $from" "-o $from $from.part"; do
			expect_exit 6 "$GCRYPT" $how $force "${k[@]}" $files
		done
		expect_exit 6 "$GCRYPT" $how $force --engine cpu --key-file key.part -o key $from
	done
done
for name in in c key notes; do both "$name" && rm "$name.part"; done
[ "$(cat notes)" = 'my notes' ] || give_up 'notes was overwritten'
rm c notes

# enc --resume: the finished container is not written to.
killed_before in.gcr.part "$GCRYPT" enc --resume "${small[@]}" "${k[@]}" in
both in.gcr
cp in.gcr whole
refused 6 'in.gcr: exists: not overwritten without -f' enc --resume "${small[@]}" "${k[@]}" in
same whole in.gcr
no_file in.gcr.part
ln in.gcr in.gcr.part
ln in.gcr old
cat in in >changed
expect_exit 0 "$GCRYPT" enc -f --resume "${small[@]}" "${k[@]}" -o in.gcr changed
same whole old
peer dec key in.gcr back
same changed back
only in changed in.gcr old whole back key other
rm changed in.gcr old whole back

# OUT.part gets its name in the same way: the ranks of gcrypt-mpi take the file with two names as gcrypt does.
command -v mpirun >/dev/null && [ -x "$(dirname "$GCRYPT")/gcrypt-mpi" ] || exit 0
need_mpi
for rank in one two; do
	killed_before .part "$GCRYPT" enc "${small[@]}" "${k[@]}" --part 1/1 in
	[ "$(stat -c %h in.gcr.part)" = 2 ] || give_up "links of in.gcr.part"
	if [ $rank = one ]; then
		ranks 3 "$mpi" enc "${small[@]}" "${k[@]}" in </dev/null
	else
		expect_exit 137 ranks 3 -x LD_PRELOAD="$GCRYPT_TEST_SHIM" -x FAULT_UNDER="$PWD" -x FAULT_POOR=1 \
			-x FAULT_ON='in.gcr.part$' -x FAULT=unlink:1:kill "$mpi" enc "${small[@]}" "${k[@]}" in </dev/null
		both in.gcr
		expect_exit 0 "$GCRYPT" join --key-file key in.gcr
		no_file in.gcr.part
	fi
	peer dec key in.gcr back
	same in back
	rm -f in.gcr back .gcrypt-*
done
