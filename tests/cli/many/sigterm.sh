#!/bin/bash
# A scheduler sends SIGTERM before SIGKILL: a run with a manifest records what it has done, and the next run continues
# there without -f; a part file keeps its groups.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu --key-file key)
# ends_by_term COMMAND…: SIGTERM when there are enough files or groups, of the whole group of processes or of one.
ends_by_term() {
	local code=0
	setsid "$@" 2>text &
	pid=$!
	soon enough || give_up "not enough is done: $(cat text)"
	kill -TERM "$to$pid"
	wait "$pid" || code=$?
	[ "$code" = 143 ] || give_up "exit $code instead of 143: $(cat text)"
	[ ! -s text ] || give_up "messages: $(cat text)"
}

mkdir tree
for i in {1..60}; do bytes 4000 "$i" >"tree/$i"; done
find tree -type f -print0 >list
containers() { find tree -name '*.gcr' | wc -l; }
for to in '' -; do
	for jobs in 1 2; do
		enc=(enc "${k[@]}" -0 --files-from list --manifest M -j "$jobs")
		enough() { [ "$(containers)" -ge 8 ]; }
		ends_by_term "$GCRYPT" "${enc[@]}" -q --bwlimit 40K
		n=$(containers)
		[ "$n" -lt 60 ] || give_up "all files were done"
		peer dec key M text
		# The first line is the manifest's.
		[ "$(wc -l <text)" = $((n + 1)) ] || give_up "$n containers, $(wc -l <text) lines"
		expect 0 "60 files: $((60 - n)) done, $n unchanged, 0 failed" "$GCRYPT" "${enc[@]}"
		"$GCRYPT" verify "${k[@]}" --manifest M >out
		grep -q '^M: verified: 60 files' out || give_up "$(cat out)"
		rm M tree/*.gcr
		[ -z "$(find . -name '.gcrypt-*')" ] || give_up "a temporary file is left"
		! compgen -G 'M*' >/dev/null || give_up "left: $(echo M*)"
	done
done

# Files of which one needs less and one needs more than a second after a signal to the parent alone: none gets its name
# without a record.
bytes 100000 1 >long1
bytes 230000 2 >long2
slow=("$GCRYPT" enc -q "${k[@]}" "${small[@]}" --manifest M -j 2)
"${slow[@]}" --bwlimit 250K long1 long2 &
pid=$!
soon compgen -G '.gcrypt-*.part' >/dev/null || give_up "not begun"
sleep 0.4 # of 0.8 s and 1.8 s
kill "$pid"
code=0
wait "$pid" || code=$?
[ "$code" = 143 ] || give_up "exit $code instead of 143"
expect_exit 0 "${slow[@]}" long1 long2
rm M long?.gcr

bytes 1000000 >in
to=
for option in --resume '--part 1/1'; do
	# shellcheck disable=SC2206
	enc=(enc "${small[@]}" "${k[@]}" $option)
	# The page of group 20 is not empty any more.
	enough() { [ -e in.gcr.part ] && part in.gcr.part "$(page 20)" 64 | tr -d '\0' | grep -q .; }
	ends_by_term "$GCRYPT" "${enc[@]}" -q --bwlimit 300K in
	no_file in.gcr
	expect_exit 0 "$GCRYPT" "${enc[@]}" in
	kept=$(sed -n 's/^in: \([0-9]*\)\(\.[0-9]*\)\? kB of .* had been done by an earlier run$/\1/p' err)
	[ "${kept:-0}" -ge 160 ] || give_up "$(cat err)"
	[ "$option" = --resume ] || "$GCRYPT" join --key-file key in.gcr
	peer dec key in.gcr back
	same in back
	rm in.gcr back
done

# A signal at a bad moment, named by AT: after a file got its name, before or after fork().
cat >shim.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Stand still until other processes have done their files, then until the thread that waits for signals has it. */
static void interrupt_at(const char *moment)
{
	const char *at = getenv("AT");

	if (at && !strcmp(at, moment)) {
		usleep(300000);
		kill(getpid(), SIGTERM);
		usleep(300000);
	}
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
	int (*next)(int, const char *, int, const char *, unsigned) = dlsym(RTLD_NEXT, "renameat2");
	int result = next(from_fd, from, to_fd, to, flags);

	interrupt_at(to);
	return result;
}

pid_t fork(void)
{
	static int n;
	pid_t (*next)(void) = dlsym(RTLD_NEXT, "fork"), child;

	interrupt_at(n++ == 0 ? "before fork" : "before the second fork");
	child = next();
	if (child > 0)
		interrupt_at("after fork");
	return child;
}
C
make_shim shim.c
interrupted_at() { # MOMENT WORDS of enc
	expect_exit 143 timeout -s KILL 20 env LD_PRELOAD="$PWD/shim.so" AT="$1" "$GCRYPT" enc "${k[@]}" "${@:2}"
}

# The child is a copy of a program that is about to end, and ends too.
interrupted_at 'before fork' -j 2 tree/1 tree/2

# The first container has a record, too.
rm -f tree/*.gcr
interrupted_at 1.gcr --manifest M tree/1 tree/2
expect 0 '2 files: 1 done, 1 unchanged, 0 failed' "$GCRYPT" enc "${k[@]}" --manifest M tree/1 tree/2
for moment in before 'before the second' after; do
	rm -f M tree/*.gcr
	interrupted_at "$moment fork" -j 2 --manifest M tree/1 tree/2
	expect_exit 0 "$GCRYPT" enc "${k[@]}" --manifest M tree/1 tree/2
done
