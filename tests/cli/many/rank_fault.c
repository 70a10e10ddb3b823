/* Preloaded into all ranks: the sixth pwrite(2) of rank $RANK fails for want of space, or with RANK_FAULT=kill kills
 * it; with another RANK_FAULT it runs that shell command first. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t pwrite(int fd, const void *bytes, size_t n_bytes, off_t offset)
{
	static int n;
	ssize_t (*next)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite");
	const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *fault = getenv("RANK_FAULT");

	if (!rank || strcmp(rank, getenv("RANK")) != 0 || __atomic_add_fetch(&n, 1, __ATOMIC_SEQ_CST) != 6)
		return next(fd, bytes, n_bytes, offset);
	if (!strcmp(fault, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(fault, "full")) {
		errno = ENOSPC;
		return -1;
	}
	unsetenv("LD_PRELOAD");
	if (system(fault) != 0)
		abort();
	return next(fd, bytes, n_bytes, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t n_bytes, off64_t offset) __attribute__((alias("pwrite")));
