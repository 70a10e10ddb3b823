#!/bin/bash
# Trees that change while they are read, and kernels that give threads no working directory of their own.  (Each call
# that fails, signals and full disks: groups 10 and 20 of tests/faults.)
. "${BASH_SOURCE[0]%/*}/../lib.sh"
make_key
k=(--engine cpu --key-file key)

# The shim stops the program where the test wants to change something.
cat >shim.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NEXT(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

int unshare(int flags)
{
	(void)flags;
	errno = EPERM;
	return -1;
}

/* The folder has been listed by then. */
int fstatat(int fd, const char *name, struct stat *status, int flags)
{
	if (getenv("GONE") && !strcmp(name, getenv("GONE")))
		unlinkat(fd, name, 0);
	return NEXT(fstatat)(fd, name, status, flags);
}
C
make_shim shim.c

fresh() {
	rm -rf tree tree.gcr
	mkdir -p tree/sub
	bytes 600000 >tree/sub/"$1"
	echo x >tree/z
}
# changed NAME HOW COMMAND…: the file of the tree changes when it is read.
changed() { FAULT_ON="/$1" faulty "pread:1:$2" "${@:3}"; }

fresh gone
expect 3 'tree/sub/gone: vanished: left out' env LD_PRELOAD="$PWD/shim.so" GONE=gone "$GCRYPT" enc "${small[@]}" "${k[@]}" tree
says 'tree: encrypted, but 1 of its files'
expect_exit 0 "$GCRYPT" dec "${k[@]}" -o back tree.gcr
[ -e back/z ] || give_up "the rest is not there"
no_file back/sub/gone

fresh shrinks
expect 3 'tree/sub/shrinks: shrank while being read' changed shrinks shrink "$GCRYPT" enc "${small[@]}" "${k[@]}" tree
rm -r back
expect_exit 0 "$GCRYPT" dec "${k[@]}" -o back tree.gcr
[ "$(stat -c %s back/sub/shrinks)" -eq 600000 ] || give_up "not the length that was announced"
cmp -n 300000 back/sub/shrinks tree/sub/shrinks

fresh altered
expect 3 'tree/sub/altered: changed while being read' changed altered touch "$GCRYPT" enc "${small[@]}" "${k[@]}" tree

# Where all threads share a working directory: several files are found all the same.
fresh a
"$GCRYPT" enc "${small[@]}" "${k[@]}" tree
cp tree.gcr two.gcr
mkdir shared
expect_exit 0 env LD_PRELOAD="$PWD/shim.so" "$GCRYPT" dec "${k[@]}" --output-dir shared tree.gcr two.gcr
cmp shared/two/sub/a tree/sub/a
