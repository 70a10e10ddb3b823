/*
 * A library to be preloaded: it stops the program, as if the power failed, at its call number
 * CUT_AT that changes or syncs a file in the folder CUT_FOLDER, and logs to CUT_LOG each such call
 * and each page (gcrypt(5)) that was to be written.
 *
 * CUT_MODE=keep: the process is killed; whatever was written before stays, half of this call too.
 * CUT_MODE=lose: the power fails; only what was synced stays, files and names.
 * CUT_MODE=mix: the power fails; the first half of every other write that was not synced stays.
 *
 * One thread writes at a time (-T 1).  Exit status 77.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_WRITES 1024
#define MAX_NAMES  16

/* Bytes that a write overwrote and that are not synced yet. */
struct undo {
	int fd; /* a duplicate */
	ino_t inode;
	off_t offset, size; /* of the file before */
	size_t n_bytes;     /* written */
	char *old;          /* as many, zeros behind the old end */
};

/* A name in the folder as it was last synced; the descriptor keeps its content. */
struct durable {
	char name[256];
	int fd;
	ino_t inode;
};

static struct undo undos[MAX_WRITES];
static struct durable names[MAX_NAMES];
static unsigned n_undos, n_names, calls, cut_at;
static const char *folder, *mode;
static int log_fd = -1;
static bool over; /* what follows is not the program's */

#define NEXT(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

static void die(const char *what)
{
	dprintf(STDERR_FILENO, "cut: %s: %s\n", what, strerror(errno));
	_exit(78);
}

static void say(const char *format, ...)
{
	char line[512];
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	if (log_fd >= 0 && write(log_fd, line, (size_t)n) != n)
		die("log");
}

static void forget_names(void)
{
	while (n_names > 0)
		close(names[--n_names].fd);
}

/* The folder's names are on the storage now. */
static void keep_names(void)
{
	DIR *list = opendir(folder);
	struct dirent *entry;

	forget_names();
	while (list && (entry = readdir(list))) {
		struct durable *name = &names[n_names];

		if (entry->d_type != DT_REG || n_names == MAX_NAMES)
			continue;
		snprintf(name->name, sizeof name->name, "%s", entry->d_name);
		name->inode = entry->d_ino;
		name->fd = openat(dirfd(list), entry->d_name, O_RDONLY | O_CLOEXEC);
		if (name->fd < 0)
			die(entry->d_name);
		n_names++;
	}
	if (list)
		closedir(list);
}

__attribute__((constructor)) static void start(void)
{
	const char *at = getenv("CUT_AT"), *log = getenv("CUT_LOG");

	folder = getenv("CUT_FOLDER");
	mode = getenv("CUT_MODE");
	cut_at = at ? (unsigned)atoi(at) : 0;
	if (log)
		log_fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (folder)
		keep_names();
}

/* Is the descriptor, or the folder, one of those that count? */
static bool counts(int fd)
{
	char link[64], path[4096];
	ssize_t n;

	if (!folder || over)
		return false;
	if (fd == AT_FDCWD)
		return true;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof path - 1);
	path[n > 0 ? n : 0] = '\0';
	return !strncmp(path, folder, strlen(folder));
}

/* From a byte of the write on. */
static void undo(const struct undo *entry, size_t from, bool whole)
{
	struct stat now;
	size_t n = entry->n_bytes - from;

	if (NEXT(pwrite)(entry->fd, entry->old + from, n, entry->offset + (off_t)from) != (ssize_t)n)
		die("undo");
	if (whole && fstat(entry->fd, &now) == 0 && now.st_size > entry->size && ftruncate(entry->fd, entry->size) != 0)
		die("undo");
}

static void copy(int from, const char *name)
{
	char bytes[65536];
	ssize_t n;
	off_t at = 0;
	int to = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	while ((n = pread(from, bytes, sizeof bytes, at)) > 0) {
		if (NEXT(pwrite)(to, bytes, (size_t)n, at) != n)
			die(name);
		at += n;
	}
	close(to);
}

/* Names that were not synced go, those that were and are gone come back. */
static void restore_names(void)
{
	struct durable then[MAX_NAMES];
	unsigned n_then = n_names;
	struct stat there;

	if (chdir(folder) != 0)
		die(folder);
	memcpy(then, names, sizeof then);
	n_names = 0;
	keep_names();
	for (unsigned i = 0; i < n_names; i++) {
		bool known = false;

		for (unsigned j = 0; j < n_then; j++)
			known |= names[i].inode == then[j].inode && !strcmp(names[i].name, then[j].name);
		if (!known)
			NEXT(unlinkat)(AT_FDCWD, names[i].name, 0);
	}
	for (unsigned j = 0; j < n_then; j++)
		if (stat(then[j].name, &there) != 0)
			copy(then[j].fd, then[j].name);
}

static void cut(void)
{
	bool power = strcmp(mode, "keep") != 0, all = !strcmp(mode, "lose");

	over = true;
	for (unsigned i = n_undos; power && i-- > 0;)
		undo(&undos[i], all || i % 2 ? 0 : undos[i].n_bytes / 2, all);
	if (power)
		restore_names();
	_exit(77);
}

/* Before a call that is not a write. */
static void tick(const char *what)
{
	say("call %u %s\n", ++calls, what);
	if (calls == cut_at)
		cut();
}

static void log_page(const unsigned char *bytes, size_t n_bytes)
{
	static const unsigned char magic[8] = { 0x89, 'G', 'C', 'P', '\r', '\n', 0x1a, '\n' };
	char salt[33], tags[65];

	if (n_bytes < 4096 || memcmp(bytes, magic, sizeof magic) != 0)
		return;
	for (int i = 0; i < 16; i++)
		sprintf(salt + 2 * i, "%02x", bytes[32 + i]);
	for (int i = 0; i < 32; i++)
		sprintf(tags + 2 * i, "%02x", bytes[128 + i]);
	say("page %u %s %s\n", bytes[8] | (unsigned)bytes[9] << 8, salt, tags);
}

/* Save the bytes that a write will overwrite. */
static void remember(int fd, size_t n_bytes, off_t offset)
{
	struct undo *entry = &undos[n_undos];
	struct stat there;

	if (n_undos == MAX_WRITES || fstat(fd, &there) != 0)
		die("too many writes");
	*entry = (struct undo){ dup(fd), there.st_ino, offset, there.st_size, n_bytes, calloc(1, n_bytes + 1) };
	if (entry->fd < 0 || pread(fd, entry->old, n_bytes, offset) < 0)
		die("remember");
	n_undos++;
}

ssize_t pwrite(int fd, const void *bytes, size_t n_bytes, off_t offset)
{
	if (!counts(fd))
		return NEXT(pwrite)(fd, bytes, n_bytes, offset);
	say("call %u pwrite %zu at %lld\n", ++calls, n_bytes, (long long)offset);
	log_page(bytes, n_bytes);
	remember(fd, n_bytes, offset);
	if (calls == cut_at) {
		if (NEXT(pwrite)(fd, bytes, n_bytes / 2, offset) < 0)
			die("half");
		cut();
	}
	return NEXT(pwrite)(fd, bytes, n_bytes, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t n_bytes, off64_t offset) __attribute__((alias("pwrite")));

/* What the program then writes can be undone. */
ssize_t copy_file_range(int from, off64_t *in, int to, off64_t *out, size_t n_bytes, unsigned flags)
{
	errno = EXDEV;
	return counts(to) ? -1 : NEXT(copy_file_range)(from, in, to, out, n_bytes, flags);
}

/* A file of this folder is written by position, or there is something wrong here. */
ssize_t write(int fd, const void *bytes, size_t n_bytes)
{
	if (fd != log_fd && fd > STDERR_FILENO && counts(fd))
		die("write() to a file of the folder");
	return NEXT(write)(fd, bytes, n_bytes);
}

int fsync(int fd)
{
	struct stat there;
	unsigned kept = 0;

	if (!counts(fd) || fstat(fd, &there) != 0)
		return NEXT(fsync)(fd);
	tick("fsync");
	if (S_ISDIR(there.st_mode))
		keep_names();
	for (unsigned i = 0; i < n_undos; i++)
		if (undos[i].inode == there.st_ino) {
			close(undos[i].fd);
			free(undos[i].old);
		} else
			undos[kept++] = undos[i];
	n_undos = kept;
	return NEXT(fsync)(fd);
}

int ftruncate(int fd, off_t size)
{
	struct stat there;

	if (!counts(fd) || fstat(fd, &there) != 0)
		return NEXT(ftruncate)(fd, size);
	tick("ftruncate");
	if (there.st_size > size)
		remember(fd, (size_t)(there.st_size - size), size);
	return NEXT(ftruncate)(fd, size);
}

int ftruncate64(int fd, off64_t size) __attribute__((alias("ftruncate")));

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
	if (counts(from_fd))
		tick("rename");
	return NEXT(renameat2)(from_fd, from, to_fd, to, flags);
}

int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
	return renameat2(from_fd, from, to_fd, to, 0);
}

int unlinkat(int fd, const char *name, int flags)
{
	if (counts(fd))
		tick("unlink");
	return NEXT(unlinkat)(fd, name, flags);
}

int unlink(const char *name)
{
	return unlinkat(AT_FDCWD, name, 0);
}
