/* To be preloaded: a file whose name ends in .gcr, or .img, is on a remote file system.  Each pread takes LATENCY_MS;
 * the largest number of them at the same time is written to the file FLIGHTS at the end. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static atomic_int flying, most;

static int is_remote(int fd)
{
	char link[64], path[4096];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof path - 1);
	path[n > 0 ? n : 0] = '\0';
	return n > 4 && (!strcmp(path + n - 4, ".gcr") || !strcmp(path + n - 4, ".img"));
}

static ssize_t next_pread(int fd, void *bytes, size_t n_bytes, off_t offset)
{
	static ssize_t (*next)(int, void *, size_t, off_t);

	if (!next)
		next = (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread");
	return next(fd, bytes, n_bytes, offset);
}

ssize_t pread(int fd, void *bytes, size_t n_bytes, off_t offset)
{
	const struct timespec latency = { 0, atol(getenv("LATENCY_MS")) * 1000000 };
	int now, before = atomic_load(&most);
	ssize_t got;

	if (!is_remote(fd))
		return next_pread(fd, bytes, n_bytes, offset);
	now = atomic_fetch_add(&flying, 1) + 1;
	while (now > before && !atomic_compare_exchange_weak(&most, &before, now))
		continue;
	nanosleep(&latency, NULL);
	got = next_pread(fd, bytes, n_bytes, offset);
	atomic_fetch_sub(&flying, 1);
	return got;
}

ssize_t pread64(int fd, void *bytes, size_t n_bytes, off_t offset) __attribute__((alias("pread")));

__attribute__((destructor)) static void report(void)
{
	FILE *file = fopen(getenv("FLIGHTS"), "w");

	if (file) {
		fprintf(file, "%d\n", atomic_load(&most));
		fclose(file);
	}
}
