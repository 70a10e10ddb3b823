#!/bin/bash
# What killed runs leave: the next run in the folder says so, and gcrypt clean removes nothing else.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
bytes 9000 >in
mkdir tree && cp in tree
"$GCRYPT" enc --key-file key "${small[@]}" tree
cat tree.gcr >whole
mkdir d
mkfifo pipe

# start WORDS…: a run that waits for its input in descriptor 7, with a temporary entry in d.
start() {
	"$GCRYPT" "$@" --key-file key - <pipe 2>late &
	run=$! left=
	exec 7>pipe
	head -c 17000 whole >&7
	soon compgen -G 'd/.gcrypt-*.part' >/dev/null || give_up "not begun: $(cat late)"
	left=$(compgen -G 'd/.gcrypt-*.part')
	sleep 0.12 # a younger entry counts as in use
}
stop() {
	kill -9 "$run"
	exec 7>&-
	wait "$run" || true
}
# quiet WORDS…: gcrypt succeeds without a message.
quiet() {
	expect_exit 0 "$GCRYPT" "$@"
	[ ! -s err ] || give_up "$*: $(cat err)"
}

# A run that is alive keeps its file: it is not called a leftover.
start enc -o d/live
quiet clean d >said
grep -qF "$left: " said || give_up "$(cat said)"
grep -q "in use$" said || give_up "$(cat said)"
quiet clean --force d >said
quiet enc --key-file key -o d/other in
exec 7>&-
wait "$run" || give_up "$(cat late)"
"$GCRYPT" verify -q --key-file key d/live
[ -z "$(compgen -G 'd/.gcrypt-*')" ] || give_up "left: $(ls -A d)"

# Nor does one lose it that stops just before it gives the name.
for words in "enc in" "dec tree.gcr"; do
	# shellcheck disable=SC2016 # for the shell of the shim
	FAULT_RUN='unset LD_PRELOAD; sleep 0.12; "$GCRYPT" clean --force d >said' \
		expect_exit 0 faulty rename:1:run "$GCRYPT" ${words% *} --key-file key -o d/late "${words#* }"
	grep -q "in use$" said || give_up "$words: $(cat said)"
	rm -r d/late
done

# A killed one: one warning for all files of a run in the folder, none with -q; a folder is left of a tree.
for words in "enc -o d/killed" "dec -o d/killed"; do
	start $words
	stop
	for more in "" "-j 2"; do
		expect_exit 0 "$GCRYPT" enc --key-file key -f $more --output-dir d in key tree.gcr
		[ "$(grep -c "d: warning: contains ${left#d/}, left by a killed run (.* see gcrypt clean d$" err)" = 1 ] || give_up "$(cat err)"
	done
	quiet enc -q --key-file key -f --output-dir d in
	quiet clean d >said
	[ "$(grep -c "^$left: .*: left by a killed run" said)" = 1 ] || give_up "$(cat said)"
	[ -e "$left" ] || give_up "removed without --force"
	quiet clean --force d >said
	grep -q "^$left: .*: removed$" said || give_up "$(cat said)"
	no_file "$left"
done

# Nothing else is removed.
cd d
mkdir .gcrypt-0123456789abcdef.part
ln -s .gcrypt-0123456789abcdef.part .gcrypt-0123456789abcdee.part
mkfifo .gcrypt-0123456789abcded.part
touch .gcrypt-0123456789ABCDEF.part .gcrypt-123456789abcdef.part .gcrypt-00123456789abcdef.part .gcrypt-0123456789abcdef.part~ big.gcr.part
[ "$(id -u)" != 0 ] || { touch .gcrypt-0123456789abcdec.part && chown 1 .gcrypt-0123456789abcdec.part; }
find . | sort >../before
sleep 0.12
quiet clean --force ../d >../said
[ "$(wc -l <../said)" = 2 ] || give_up "$(cat ../said)"
grep -q '/big.gcr.part: .*: unfinished: run the same command with --resume or --part to continue$' ../said || give_up "$(cat ../said)"
find . | sort | diff ../before - >../diff || true
[ "$(grep "^[<>]" ../diff | grep -v "err$")" = "< ./.gcrypt-0123456789abcdef.part" ] || give_up "$(cat ../diff)"
cd ..

# A file that has its final mode already, without the permission to write.
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	mkdir mine && cp "$GCRYPT" gcrypt && touch mine/.gcrypt-0123456789abcdef.part && chmod 444 mine/.g*
	chown -R 65534 mine && chmod 755 . .. gcrypt mine
	sleep 0.12
	expect_exit 0 setpriv --reuid=65534 --regid=65534 --clear-groups ./gcrypt clean --force mine >said
	no_file mine/.gcrypt-0123456789abcdef.part
fi

# A run does not list a large directory for a warning: that would take longer than the run.
mkdir large && touch large/.gcrypt-0123456789abcdef.part
seq -f large/a-name-of-more-than-twenty-bytes-%g 14000 | xargs touch
sleep 0.12
quiet enc --key-file key --output-dir large in
quiet clean large >said
grep -q "left by a killed run" said || give_up "$(cat said)"

# The others are cleaned although one folder cannot be read.
touch d/.gcrypt-0123456789abcdef.part
sleep 0.12
refused 3 "none: cannot read" clean --force none d >said
no_file d/.gcrypt-0123456789abcdef.part
refused 3 "in: cannot read: Not a directory" clean in
