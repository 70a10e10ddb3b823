#!/bin/bash
# What other programs of a node may do to gcrypt-mpi: look for keys in shared memory and in the environment, put a file
# in the place of the output, and start a job while a rank of a dead one still lives.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
need_mpi
make_key
bytes 1500000 >in
k=(--engine cpu --key-file key)

# In rank 1: SPY is "look" (store what others can read), "swap" (the output's name leads to a file of theirs) or "stop".
cat >spy.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int spies(const char *what)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *spy = getenv("SPY");

	return rank && spy && !strcmp(rank, "1") && !strcmp(spy, what);
}

int open(const char *name, int flags, ...)
{
	int (*next)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
	va_list rest;
	int mode;

	va_start(rest, flags);
	mode = flags & O_CREAT ? va_arg(rest, int) : 0;
	va_end(rest);
	if (strstr(name, ".gcrypt-") && spies("swap")) {
		rename(name, "moved");
		if (link("foreign", name))
			abort();
	}
	return next(name, flags, mode);
}

int open64(const char *name, int flags, ...) __attribute__((alias("open")));

ssize_t pread(int fd, void *bytes, size_t n_bytes, off_t offset)
{
	ssize_t (*next)(int, void *, size_t, off_t) = dlsym(RTLD_NEXT, "pread");
	static int n;

	if (!strcmp(getenv("OMPI_COMM_WORLD_RANK"), "1") && ++n == 3) {
		if (spies("look") && system("cat *_segment.* >shared; cat /proc/$PPID/environ >environment"))
			abort();
		if (spies("stop"))
			raise(SIGSTOP);
	}
	return next(fd, bytes, n_bytes, offset);
}

ssize_t pread64(int fd, void *bytes, size_t n_bytes, off64_t offset) __attribute__((alias("pread")));
C
make_shim spy.c
export SPY
spied() { ranks 3 -x LD_PRELOAD="$PWD/spy.so" -x SPY "$mpi" "$@"; }

SPY=look
export SECRET=thirteen
"$GCRYPT" enc "${small[@]}" --engine cpu --kdf-cost 10 --passphrase env:SECRET in
export SECRET=thirteen
spied dec --engine cpu --passphrase env:SECRET -o back in.gcr
same in back
[ -s shared ] || give_up "no shared memory of Open MPI was found"
grep -q OMPI_COMM_WORLD_RANK=1 environment || give_up "not the environment of rank 1"
! grep -q thirteen environment || give_up "the passphrase stays in the environment of a rank"
rm back in.gcr shared
"$GCRYPT" enc "${small[@]}" "${k[@]}" in
spied dec "${k[@]}" -o back in.gcr
rm back
python3 - <<'P'
import sys
from model import reader
kept = []
original = reader.FileKeys.__init__
def keep(self, *arguments):
    original(self, *arguments)
    kept.append((arguments, self))
reader.FileKeys.__init__ = keep
import io
reader.decrypt(reader.read_secret("key"), open("in.gcr", "rb"), io.BytesIO())
shared = open("shared", "rb").read()
keys = [key for key in (kept[-1][1].header, kept[-1][1].root, kept[-1][1].group, kept[-1][0][0])]
assert all(len(key) == 32 for key in keys) and len(shared) > 100000
if any(key in shared for key in keys):
    sys.exit("a key is in shared memory in clear")
P

SPY=swap
bytes 10 >foreign
code=0
spied dec "${k[@]}" -o back in.gcr 2>err || code=$?
[ "$code" = 6 ] || give_up "exit $code with another file in the place of the output: $(cat err)"
grep -q 'is not the file that rank 0 has opened' err || give_up "$(cat err)"
no_file back
[ "$(stat -c %s foreign)" = 10 ] || give_up "plaintext went into another file"
rm -f moved .gcrypt-* in.gcr

SPY=stop
spied enc "${small[@]}" "${k[@]}" "$PWD/in" 2>err &
ranks_that() { pgrep -f "^$mpi enc .* $PWD/in\$" --runstates "$1"; }
stopped() { pid=$(ranks_that T); }
soon stopped || give_up "no rank was stopped"
launcher='^(mpirun|prterun)' # of Open MPI 4, 5
pkill -STOP -f "$launcher .*$PWD/spy.so"
pkill -KILL -f "^$mpi enc .* $PWD/in\$" --runstates RSD
expect_exit 6 "$GCRYPT" enc "${small[@]}" "${k[@]}" --part 1/1 in
kill -KILL "$pid"
pkill -KILL -f "$launcher .*$PWD/spy.so"
wait || true
soon "$GCRYPT" enc "${small[@]}" "${k[@]}" --part 1/1 in
"$GCRYPT" join --key-file key in.gcr
peer dec key in.gcr back
same in back
