#!/bin/bash
# Streams without an operand, lists of files, several files at a time, one derivation, mistakes before work.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu --key-file key)
bytes 30000 >plain

# No operand: standard input, unless it is a terminal.
"$GCRYPT" enc "${k[@]}" <plain >plain.gcr
"$GCRYPT" verify "${k[@]}" <plain.gcr >/dev/null
"$GCRYPT" dec "${k[@]}" <plain.gcr >back
same plain back
rm back
for verb in enc dec verify; do
	code=0
	script -qec "$GCRYPT $verb --key-file key" /dev/null </dev/null >out || code=$?
	[ "$code" -eq 2 ] || give_up "$verb at a terminal: exit $code"
	grep -q 'operand missing' out || give_up "$(cat out)"
done

# A mistake in the operands: nothing is done.
cp plain a
refused 3 'result: cannot open' enc "${k[@]}" a result
says '-o names the output; -- stands before the name of a member'
no_file a.gcr result.gcr

# Lists: lines, or names that end with a zero byte.
mkdir in
names=('with blank' $'two\nlines' - 'b' 'c')
for name in "${names[@]}"; do
	bytes 5000 ${#name} >"in/$name"
done
(cd in && printf '%s\0' "${names[@]}" | "$GCRYPT" enc -q --engine cpu --key-file ../key --files-from - --null)
for name in "${names[@]}"; do
	"$GCRYPT" dec "${k[@]}" -o back "in/$name.gcr"
	cmp back "in/$name" || give_up "$name is another"
	rm back
done
rm in/*.gcr
printf 'in/b\n\nin/missing\nin/c\n' >list
refused 3 'in/missing: cannot open' enc "${k[@]}" --files-from list
says '3 files: 2 done, 1 failed'
for name in b c; do
	[ -e in/$name.gcr ] || give_up "the others are not done"
done
expect_exit 2 "$GCRYPT" enc "${k[@]}" --files-from list in/b
expect_exit 3 "$GCRYPT" enc "${k[@]}" --files-from missing
printf 'in/b\0in/c\0' >zeros
refused 2 '--null' enc "${k[@]}" --files-from zeros

# Several at a time: the same results, and the status of the first failure by order.
mkdir many
for ((i = 1; i <= 40; i++)); do
	bytes $((i * 997)) "$i" >"many/$i"
done
expect 0 '40 files: 40 done, 0 failed' "$GCRYPT" enc -j 4 "${k[@]}" many/*
# No salt is used twice, in whatever process: of the file, of its slot and of its group.
for ((i = 1; i <= 40; i++)); do
	for at in 32 496 16416; do
		od -An -tx1 -v -j $at -N 32 "many/$i.gcr" | tr -d ' \n'
		echo
	done
done | sort >salts
[ "$(uniq salts | wc -l)" -eq 120 ] || give_up "a salt is there twice: $(uniq -d salts)"
! grep -q note: err || give_up "a note about 40 files: $(cat err)"
for i in {100..199}; do echo "$i" >"many/$i"; done
expect 0 "20 KiB longer than its file, together 2.05 MB: 'gcrypt enc DIR'" "$GCRYPT" enc -j 4 "${k[@]}" many/1??
[ $(($(cat many/1??.gcr | wc -c) - 400)) -eq 2048000 ] || give_up "other lengths than the note's"
rm many/1?? many/1??.gcr
mkdir copy
expect_exit 0 "$GCRYPT" dec -q -j 3 "${k[@]}" --output-dir copy many/*.gcr
[ ! -s err ] || give_up "$(cat err)"
for ((i = 1; i <= 40; i++)); do
	same "many/$i" "copy/$i"
done
flip many/7.gcr 20480
expect_exit 4 "$GCRYPT" verify -j 2 "${k[@]}" many/*.gcr >out
[ "$(grep -c ': verified: ' out)" -eq 39 ] || give_up "$(cat out)"

# One derivation: a passphrase's slots have one salt.
PASSPHRASE='a good passphrase' "$GCRYPT" enc -q -j 2 --engine cpu --passphrase env:PASSPHRASE --kdf-cost 12 -f many/[1-9]
for ((i = 1; i <= 9; i++)); do
	od -An -tx1 -v -j $((480 + 16)) -N 32 "many/$i.gcr" | tr -d ' \n' # of the first slot
	echo
done | sort -u >salts
[ "$(wc -l <salts)" -eq 1 ] || give_up "salts: $(cat salts)"
PASSPHRASE='a good passphrase' "$GCRYPT" verify -q -j 2 --passphrase env:PASSPHRASE many/[1-9].gcr

# A signal ends all processes, and nothing half is left.
head -c 300M /dev/zero >large
mkdir large.d && for i in 1 2 3 4; do ln large large.d/$i; done
"$GCRYPT" enc -j 2 --bwlimit 20M "${k[@]}" large.d/* &
pid=$!
soon compgen -G 'large.d/.gcrypt-*.part' >/dev/null || give_up "not begun"
kill "$pid"
code=0
wait "$pid" || code=$?
[ "$code" -eq 143 ] || give_up "exit $code"
[ "$(find large.d -type f | wc -l)" -eq 4 ] || give_up "left: $(ls -A large.d)"
pgrep -P "$pid" && give_up "processes are left"
true
