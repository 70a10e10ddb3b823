/*
 * Loaded before libc: makes system calls go wrong at the n-th time.
 *
 *   FAULT=CALL:N:HOW[,CALL:N:HOW...]   N: of the calls on files under FAULT_UNDER, from 1; 0: every one
 *   FAULT=count                        counts them only
 *
 * FAULT_LOG: at the end this file gets lines "CALL N", and the largest number of late calls at the same time.
 *
 * FAULT_ON=TEXT: of these only the calls on paths with TEXT in them; TEXT$: at their end; !TEXT: without.
 * FAULT_RANDOM=1: random numbers of libcrypto are always the same, so that two runs can be compared.
 * FAULT_RANK=N: only in this rank of an MPI job.  FAULT_RUN: the command of "run".
 * PAGE_LOG: this file gets a line with group and salt for each metadata page that is written.
 * FAULT_POOR=1: a file system that cannot rename without replacing, as some FUSE and old NFS ones.
 * HOW: a number of errno by name; short (one byte), eof (0), shrink, grow (the file, before the
 * call), touch (its inode, before the call), flip (a bit of what was read), late (20 ms), run (a command, before the
 * call), kill, term, int, stop (a signal before the call).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The calls that may go wrong. */
static const char *const names[] = { "open", "read", "pread", "write", "pwrite", "fsync", "close", "rename", "link",
	"unlink", "fstat", "lseek", "fchmod", "futimens", "mkdir", "symlink" };

#define N_CALLS (sizeof names / sizeof *names)

enum how { FAILS, SHORT, END, SHRINK, GROW, TOUCH, FLIP, LATE, RUN, SIGNAL, NOTHING };

static const struct {
	const char *name;
	enum how how;
	int number;
} hows[] = { { "EIO", FAILS, EIO }, { "ENOSPC", FAILS, ENOSPC }, { "EDQUOT", FAILS, EDQUOT }, { "EROFS", FAILS, EROFS },
	{ "EACCES", FAILS, EACCES }, { "EINTR", FAILS, EINTR }, { "EMFILE", FAILS, EMFILE },
	{ "ENOMEM", FAILS, ENOMEM }, { "EEXIST", FAILS, EEXIST }, { "EINVAL", FAILS, EINVAL },
	{ "EPERM", FAILS, EPERM }, { "ESTALE", FAILS, ESTALE }, { "ETXTBSY", FAILS, ETXTBSY },
	{ "EFBIG", FAILS, EFBIG }, { "EOPNOTSUPP", FAILS, EOPNOTSUPP }, { "ENOSYS", FAILS, ENOSYS },
	{ "short", SHORT, 0 }, { "eof", END, 0 }, { "shrink", SHRINK, 0 }, { "grow", GROW, 0 }, { "touch", TOUCH, 0 },
	{ "flip", FLIP, 0 }, { "late", LATE, 0 }, { "run", RUN, 0 }, { "kill", SIGNAL, SIGKILL },
	{ "term", SIGNAL, SIGTERM }, { "int", SIGNAL, SIGINT }, { "stop", SIGNAL, SIGSTOP } };

static atomic_int counts[N_CALLS], n_late, most_late;

/* libc's function of this name. */
#define NEXT(function) ((__typeof__(&function))find_next(#function))

static void *find_next(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (function == NULL)
		abort();
	return function;
}

/* Paths of the descriptors that count.  Kept here: a process that is not dumpable may not read its
 * /proc/self/fd. */
static _Atomic(char *) paths[1024];

static const char *path_of(int fd)
{
	return fd >= 0 && fd < 1024 ? paths[fd] : NULL;
}

/* The absolute path, if it is under the folder, else NULL; to be freed. */
static char *our_path(int folder, const char *name)
{
	const char *under = getenv("FAULT_UNDER"), *start = folder == AT_FDCWD ? NULL : path_of(folder);
	char current[4096], *path = NULL;

	if (name[0] == '/')
		path = strdup(name);
	else if (start == NULL && folder == AT_FDCWD)
		start = getcwd(current, sizeof current);
	if (path == NULL && (start == NULL || asprintf(&path, "%s/%s", start, name) < 0))
		return NULL;
	if (under == NULL || strncmp(path, under, strlen(under)) != 0) {
		free(path);
		path = NULL;
	}
	return path;
}

static int matches(const char *path)
{
	const char *on = getenv("FAULT_ON");
	size_t n = on != NULL ? strlen(on) : 0, length = path != NULL ? strlen(path) : 0;

	if (path == NULL || on == NULL)
		return path != NULL;
	if (n > 0 && on[n - 1] == '$')
		return length >= n - 1 && strncmp(path + length - (n - 1), on, n - 1) == 0;
	return on[0] == '!' ? strstr(path, on + 1) == NULL : strstr(path, on) != NULL;
}

static int path_matches(int folder, const char *name)
{
	char *path = our_path(folder, name);
	int found = matches(path);

	free(path);
	return found;
}

static void remember(int fd, char *path)
{
	if (fd < 0 || fd >= 1024) {
		free(path);
		return;
	}
	free(atomic_exchange(&paths[fd], path));
}

__attribute__((constructor)) static void remember_standard_descriptors(void)
{
	for (int fd = 0; fd < 3; fd++) {
		char link[64], path[4096] = "";

		snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
		if (readlink(link, path, sizeof path - 1) > 0)
			remember(fd, our_path(AT_FDCWD, path));
	}
}

/* A file that somebody else changes now. */
static void change(int fd, enum how how)
{
	int other;
	struct stat status;

	if (how == TOUCH && chmod(path_of(fd), 0600) == 0)
		return;
	other = NEXT(open)(path_of(fd), O_WRONLY | O_APPEND);
	if (other < 0 || stat(path_of(fd), &status) != 0 ||
	        (how == SHRINK ? ftruncate(other, status.st_size / 2) != 0 : NEXT(write)(other, "more", 4) != 4))
		abort();
	NEXT(close)(other);
}

static void be_late(void)
{
	const struct timespec latency = { 0, 20000000 };
	int now = ++n_late, before = most_late;

	while (now > before && !atomic_compare_exchange_weak(&most_late, &before, now))
		continue;
	nanosleep(&latency, NULL);
	n_late--;
}

static void run_command(void)
{
	unsetenv("LD_PRELOAD");
	if (system(getenv("FAULT_RUN")) != 0)
		abort();
}

static int other_rank(void)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *wanted = getenv("FAULT_RANK");

	return wanted != NULL && (rank == NULL || strcmp(rank, wanted) != 0);
}

/* Find the fault for this call, the n-th of its kind. */
static enum how fate(const char *call, int fd)
{
	const char *text = getenv("FAULT");
	char name[16], how[16];
	size_t i = 0;
	int n, when;

	if (other_rank())
		return NOTHING;
	while (strcmp(names[i], call) != 0)
		i++;
	n = ++counts[i];

	for (; text != NULL; text = strchr(text, ',') != NULL ? strchr(text, ',') + 1 : NULL) {
		if (sscanf(text, "%15[a-z]:%d:%15[A-Za-z]", name, &when, how) != 3 || strcmp(name, call) != 0 ||
		        (when != 0 && when != n))
			continue;
		for (i = 0; i < sizeof hows / sizeof *hows; i++) {
			if (strcmp(hows[i].name, how) != 0)
				continue;
			if (hows[i].how == FAILS)
				errno = hows[i].number;
			if (hows[i].how == SIGNAL) /* this thread must not run on when the process stops */
				(hows[i].number == SIGSTOP ? raise(SIGSTOP) : kill(getpid(), hows[i].number));
			if (hows[i].how == SHRINK || hows[i].how == GROW || hows[i].how == TOUCH)
				change(fd, hows[i].how);
			if (hows[i].how == LATE)
				be_late();
			if (hows[i].how == RUN)
				run_command();
			return hows[i].how;
		}
	}
	return NOTHING;
}

static enum how fate_of_fd(const char *call, int fd)
{
	return matches(path_of(fd)) ? fate(call, fd) : NOTHING;
}

__attribute__((destructor)) static void report(void)
{
	FILE *log = getenv("FAULT_LOG") != NULL ? fopen(getenv("FAULT_LOG"), "w") : NULL;

	if (log == NULL)
		return;
	for (size_t i = 0; i < N_CALLS; i++)
		fprintf(log, "%s %d\n", names[i], counts[i]);
	fprintf(log, "late %d\n", most_late);
	fclose(log);
}

/* The calls themselves. */

static int open_at(int folder, const char *name, int flags, mode_t mode)
{
	char *path = our_path(folder, name);
	int fd = -1;

	if (!matches(path) || fate("open", -1) != FAILS)
		fd = NEXT(openat)(folder, name, flags, mode);
	remember(fd, path);
	return fd;
}

#define MODE_ARGUMENT(mode)                                     \
	va_list arguments;                                      \
	mode_t mode;                                            \
	va_start(arguments, flags);                             \
	mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0; \
	va_end(arguments)

int openat(int folder, const char *name, int flags, ...)
{
	MODE_ARGUMENT(mode);
	return open_at(folder, name, flags, mode);
}

int open(const char *name, int flags, ...)
{
	MODE_ARGUMENT(mode);
	return open_at(AT_FDCWD, name, flags, mode);
}

/* The names of these functions for libraries with 64-bit offsets. */
int openat64(int folder, const char *name, int flags, ...) __attribute__((alias("openat")));
int open64(const char *name, int flags, ...) __attribute__((alias("open")));

int __open_2(const char *name, int flags)
{
	return open_at(AT_FDCWD, name, flags, 0);
}

int __openat_2(int folder, const char *name, int flags)
{
	return open_at(folder, name, flags, 0);
}

/* Only so far as it makes descriptors. */
int fcntl(int fd, int command, ...)
{
	va_list arguments;
	void *argument;
	int result;

	va_start(arguments, command);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	result = NEXT(fcntl)(fd, command, argument);
	if (command == F_DUPFD_CLOEXEC && result >= 0 && path_of(fd) != NULL)
		remember(result, strdup(path_of(fd)));
	return result;
}

static size_t fewer(enum how how, size_t n)
{
	return how == SHORT && n > 1 ? 1 : n;
}

static ssize_t flipped(enum how how, void *bytes, ssize_t n)
{
	if (how == FLIP && n > 0)
		((char *)bytes)[n / 2] ^= 1;
	return n;
}

static const void *log_page(const unsigned char *page, size_t n_bytes)
{
	char line[64];
	int fd, n = 0;

	if (getenv("PAGE_LOG") == NULL || n_bytes < 4096 || memcmp(page, "\x89GCP\r\n\x1a\n", 8) != 0)
		return page;
	n = sprintf(line, "%u ", page[8] | (unsigned)page[9] << 8);
	for (int i = 0; i < 16; i++)
		n += sprintf(line + n, "%02x", page[32 + i]);
	line[n++] = '\n';
	fd = NEXT(open)(getenv("PAGE_LOG"), O_WRONLY | O_APPEND | O_CREAT, 0600);
	if (fd < 0 || NEXT(write)(fd, line, (size_t)n) != n)
		abort();
	NEXT(close)(fd);
	return page;
}

#define MOVING(function, parameters, result)              \
	ssize_t function parameters                       \
	{                                                 \
		enum how how = fate_of_fd(#function, fd); \
		if (how == FAILS || how == END)           \
			return how == END ? 0 : -1;       \
		return result;                            \
	}

MOVING(read, (int fd, void *bytes, size_t n), flipped(how, bytes, NEXT(read)(fd, bytes, fewer(how, n))))
MOVING(pread, (int fd, void *bytes, size_t n, off_t offset),
        flipped(how, bytes, NEXT(pread)(fd, bytes, fewer(how, n), offset)))
MOVING(write, (int fd, const void *bytes, size_t n), NEXT(write)(fd, bytes, fewer(how, n)))
MOVING(pwrite, (int fd, const void *bytes, size_t n, off_t offset),
        NEXT(pwrite)(fd, log_page(bytes, n), fewer(how, n), offset))

ssize_t __read_chk(int fd, void *bytes, size_t n, size_t room)
{
	(void)room;
	return read(fd, bytes, n);
}

ssize_t __pread_chk(int fd, void *bytes, size_t n, off_t offset, size_t room)
{
	(void)room;
	return pread(fd, bytes, n, offset);
}

/* The kernel closes the descriptor whatever close() returns, and another thread may get the same number. */
int close(int fd)
{
	enum how how = fate_of_fd("close", fd);
	int error = errno, result;

	remember(fd, NULL);
	result = NEXT(close)(fd);
	if (how != FAILS)
		return result;
	errno = error;
	return -1;
}

/* Calls that do one thing: they fail or are passed on. */
#define PASSED_ON(type, function, fate, parameters, arguments)              \
	type function parameters                                            \
	{                                                                   \
		return fate == FAILS ? (type)-1 : NEXT(function) arguments; \
	}

#define AT(folder, name, call) (path_matches(folder, name) ? fate(call, -1) : NOTHING)

PASSED_ON(int, fsync, fate_of_fd("fsync", fd), (int fd), (fd))
PASSED_ON(int, fstat, fate_of_fd("fstat", fd), (int fd, struct stat *status), (fd, status))
PASSED_ON(int, fchmod, fate_of_fd("fchmod", fd), (int fd, mode_t mode), (fd, mode))
PASSED_ON(int, futimens, fate_of_fd("futimens", fd), (int fd, const struct timespec times[2]), (fd, times))
PASSED_ON(off_t, lseek, fate_of_fd("lseek", fd), (int fd, off_t offset, int whence), (fd, offset, whence))
PASSED_ON(int, renameat, AT(b, to, "rename"), (int a, const char *from, int b, const char *to), (a, from, b, to))
PASSED_ON(int, renameat2, (getenv("FAULT_POOR") ? (errno = EINVAL, FAILS) : AT(b, to, "rename")),
        (int a, const char *from, int b, const char *to, unsigned flags), (a, from, b, to, flags))
PASSED_ON(int, linkat, AT(b, to, "link"), (int a, const char *from, int b, const char *to, int flags),
        (a, from, b, to, flags))
PASSED_ON(int, mkdirat, AT(folder, name, "mkdir"), (int folder, const char *name, mode_t mode), (folder, name, mode))
PASSED_ON(int, mkdir, AT(AT_FDCWD, name, "mkdir"), (const char *name, mode_t mode), (name, mode))
PASSED_ON(int, symlinkat, AT(folder, name, "symlink"), (const char *target, int folder, const char *name),
        (target, folder, name))
PASSED_ON(int, symlink, AT(AT_FDCWD, name, "symlink"), (const char *target, const char *name), (target, name))
PASSED_ON(int, unlinkat, AT(folder, name, "unlink"), (int folder, const char *name, int flags), (folder, name, flags))
PASSED_ON(int, unlink, AT(AT_FDCWD, name, "unlink"), (const char *name), (name))

int RAND_bytes(unsigned char *bytes, int n)
{
	if (getenv("FAULT_RANDOM") == NULL)
		return ((int (*)(unsigned char *, int))find_next("RAND_bytes"))(bytes, n);
	for (int i = 0; i < n; i++)
		bytes[i] = (unsigned char)(17 * i + n);
	return 1;
}
