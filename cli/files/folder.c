#include "cli/files/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/files/input.h"
#include "cli/terminal/memory.h"
#include "command/message.h"
#include "command/text.h"
#include "gpucrypt/clock.h"
#include "gpucrypt/status.h"
#include "gpucrypt/system_calls.h"

#define MAX_LINKS 40 /* as in the kernel */

const char *folder_base(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

char *folder_name(const char *name)
{
	size_t length = (size_t)(folder_base(name) - name);

	return memory_or_exit(length == 0 ? strdup(".") : strndup(name, length > 1 ? length - 1 : 1));
}

static bool is_folder(const struct stat *folder, const char *name)
{
	struct stat named;

	return stat(name, &named) == 0 && folder->st_dev == named.st_dev && folder->st_ino == named.st_ino;
}

/* Is this folder where the kernel lists the descriptors of this process? */
static bool lists_descriptors(int folder_fd)
{
	struct stat folder;

	return fstat(folder_fd, &folder) == 0 &&
	       (is_folder(&folder, "/proc/self/fd") || is_folder(&folder, "/proc/thread-self/fd"));
}

/* A whole decimal number, or -1. */
static int number_of(const char *text)
{
	char *end;
	long number = strtol(text, &end, 10);

	return *text >= '0' && *text <= '9' && !*end && number <= INT_MAX ? (int)number : -1;
}

/* Open the folder of a name that is relative to another folder, which is closed. */
static int open_folder_of(const char *name, int from_fd)
{
	char *folder = folder_name(name);
	int fd = openat(from_fd, folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	free(folder);
	if (from_fd >= 0)
		close(from_fd);
	return fd;
}

int folder_descriptor(const char *name)
{
	char current[PATH_MAX], target[PATH_MAX];
	int fd = AT_FDCWD, number = -1;
	ssize_t length = 0;

	if (strlen(name) >= sizeof current)
		return -1;
	strcpy(current, name);
	for (int i = 0; i < MAX_LINKS && length >= 0 && (fd = open_folder_of(current, fd)) >= 0; i++) {
		if (lists_descriptors(fd)) {
			number = number_of(folder_base(current));
			break;
		}
		length = readlinkat(fd, folder_base(current), target, sizeof target - 1);
		snprintf(current, sizeof current, "%.*s", length < 0 ? 0 : (int)length, target);
	}
	if (fd >= 0)
		close(fd);
	return number;
}

int folder_rename_new(int folder, const char *from, const char *to)
{
	int fd, error;

	if (renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
		return -1;
	if (linkat(folder, from, folder, to, 0) == 0)
		return unlinkat(folder, from, 0) == 0 || errno == ENOENT ? 0 : -1;
	if (errno != EPERM && errno != ENOSYS && errno != EOPNOTSUPP)
		return -1;
	fd = openat(folder, to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
	if (fd < 0)
		return -1;
	close(fd);
	if (renameat(folder, from, folder, to) == 0)
		return 0;
	error = errno;
	unlinkat(folder, to, 0);
	errno = error;
	return -1;
}

/* Where the file system has no rename without replacement, rename() replaces an empty folder only. */
int folder_rename_tree(int from_fd, const char *from, int to_fd, const char *to)
{
	struct stat there;

	if (renameat2(from_fd, from, to_fd, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
		return -1;
	if (fstatat(to_fd, to, &there, AT_SYMLINK_NOFOLLOW) == 0) {
		errno = EEXIST;
		return -1;
	}
	return renameat(from_fd, from, to_fd, to);
}

int folder_open_own(int folder_fd, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(folder_fd, name, flags);

	if (fd < 0 && errno == EACCES && fchmodat(folder_fd, name, S_IRWXU, AT_SYMLINK_NOFOLLOW) == 0)
		fd = openat(folder_fd, name, flags);
	if (fd >= 0)
		fchmod(fd, S_IRWXU);
	return fd;
}

int folder_open_parent(int top_fd, const char *path, char base[NAME_MAX + 1])
{
	const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int next, fd = openat(top_fd, ".", flags);

	while (fd >= 0) {
		size_t length = strcspn(path, "/");

		if (length > NAME_MAX || (length == 2 && memcmp(path, "..", 2) == 0)) {
			close(fd);
			errno = length > NAME_MAX ? ENAMETOOLONG : EINVAL;
			return -1;
		}
		memcpy(base, path, length);
		base[length] = '\0';
		path += length + strspn(path + length, "/");
		if (!*path)
			break;
		next = openat(fd, base, flags);
		close(fd);
		fd = next;
	}
	return fd;
}

bool folder_synced(int folder_fd)
{
	return fsync(folder_fd) == 0 || errno == EINVAL || errno == EROFS;
}

int folder_sync(int folder_fd, const char *name)
{
	return folder_synced(folder_fd) ? GPUCRYPT_OK : fail_errno(name, "cannot sync its folder");
}

/* Removing a tree. */

/* Hexadecimal digits behind a dot. */
static void number_name(char name[32], unsigned long long number)
{
	char *at = name;

	*at++ = '.';
	for (; number > 0; number >>= 4)
		*at++ = "0123456789abcdef"[number & 0xf];
	*at = '\0';
}

/* Move a deep folder to the top under a new name; a later pass removes it there. */
static int move_up(int fd, const char *name, int top_fd)
{
	static unsigned long long number;
	char moved[32];
	int failed, folder = folder_open_own(fd, name);

	if (folder < 0)
		return -1;
	close(folder); /* it has the permissions now: its .. changes */
	do {
		number_name(moved, ++number);
		failed = folder_rename_tree(fd, name, top_fd, moved);
	} while (failed && errno == EEXIST);
	return failed;
}

/* Call a function for each name in the folder fd. */
typedef int action(int fd, const char *name, int top_fd);

static int each_name(int fd, int top_fd, action *act, bool *any)
{
	_Alignas(struct dirent64) char buffer[4096];
	ssize_t n_bytes;

	if (lseek(fd, 0, SEEK_SET) != 0)
		return -1;
	while ((n_bytes = getdents64(fd, buffer, sizeof buffer)) > 0)
		for (char *at = buffer; at < buffer + n_bytes;) {
			const struct dirent64 *entry = (const struct dirent64 *)at;

			at += entry->d_reclen;
			if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
				continue;
			*any = true;
			if (act(fd, entry->d_name, top_fd) != 0)
				return -1;
		}
	return n_bytes < 0 ? -1 : 0;
}

/* Files go, folders move to the top. */
static int remove_or_move_up(int fd, const char *name, int top_fd)
{
	if (unlinkat(fd, name, 0) == 0 || errno == ENOENT)
		return 0;
	return errno == EISDIR || errno == EPERM ? move_up(fd, name, top_fd) : -1;
}

/* One entry at the top. */
static int remove_entry(int fd, const char *name, int top_fd)
{
	bool any;
	int folder, failed;

	if (unlinkat(fd, name, 0) == 0 || unlinkat(fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return 0;
	folder = folder_open_own(fd, name);
	if (folder < 0)
		return -1;
	failed = each_name(folder, top_fd, remove_or_move_up, &any);
	close(folder);
	return failed ? -1 : unlinkat(fd, name, AT_REMOVEDIR);
}

/* A folder that was moved to the top is found in this pass or in the next one. */
int remove_tree(int folder_fd, const char *name)
{
	int top_fd = folder_open_own(folder_fd, name), failed = 0;
	bool any = true;

	if (top_fd < 0)
		return -1;
	while (!failed && any) {
		any = false;
		failed = each_name(top_fd, top_fd, remove_entry, &any);
	}
	close(top_fd);
	return failed ? -1 : unlinkat(folder_fd, name, AT_REMOVEDIR);
}

#define DIGIT  "[0123456789abcdef]"
#define DIGITS DIGIT DIGIT DIGIT DIGIT

/* A younger entry may belong to a run that has not locked it yet. */
#define LEAST_AGE_SECONDS 0.1

/* Remote file systems lock only files that are open for writing, but the final mode of a file may forbid to write.  The
 * run that makes an entry holds a lock on the entry until the entry has its final name. */
static int lock_entry(const struct leftover *leftover)
{
	const struct stat *there = &leftover->stat;
	int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, fd = -1;
	double changed = (double)there->st_ctim.tv_sec + 1e-9 * (double)there->st_ctim.tv_nsec;

	if (clock_seconds(CLOCK_REALTIME) - changed <= LEAST_AGE_SECONDS)
		return -1;
	if (S_ISREG(there->st_mode))
		fd = openat(leftover->folder_fd, leftover->name, O_RDWR | flags);
	if (fd < 0)
		fd = openat(leftover->folder_fd, leftover->name, O_RDONLY | flags);
	if (fd >= 0 && lock_file(fd, LOCK_EX, leftover->folder_fd, leftover->name))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static void describe(struct leftover *leftover)
{
	char amount[16] = "a folder", when[32] = "";
	struct tm local;

	if (!S_ISDIR(leftover->stat.st_mode))
		amount_text(amount, 512.0 * (double)leftover->stat.st_blocks);
	if (localtime_r(&leftover->stat.st_ctim.tv_sec, &local) != NULL)
		strftime(when, sizeof when, "%F %H:%M", &local);
	snprintf(leftover->text, sizeof leftover->text, "%s, last changed %s", amount, when);
}

bool leftover_next(struct leftover *leftover, struct walk *walk)
{
	struct stat *there = &leftover->stat;

	while ((leftover->name = walk_next(walk, &leftover->folder_fd)) != NULL) {
		leftover->part = fnmatch("?*.gcr.part", leftover->name, 0) == 0;
		if ((!leftover->part &&
		            fnmatch(".gcrypt-" DIGITS DIGITS DIGITS DIGITS ".part", leftover->name, 0) != 0) ||
		        fstatat(leftover->folder_fd, leftover->name, there, AT_SYMLINK_NOFOLLOW) != 0 ||
		        !(S_ISREG(there->st_mode) || S_ISDIR(there->st_mode)) || there->st_uid != geteuid())
			continue;
		leftover->lock = leftover->part ? -1 : lock_entry(leftover);
		describe(leftover);
		return true;
	}
	return false;
}

void leftover_release(struct leftover *leftover)
{
	if (leftover->lock >= 0)
		close(leftover->lock);
}

bool leftovers_warn(int folder_fd, const char *folder)
{
	struct walk walk = { 0 };
	struct leftover leftover = { .lock = -1 };

	if (walk_enter(&walk, fcntl(folder_fd, F_DUPFD_CLOEXEC, 3)))
		while (leftover.lock < 0 && leftover_next(&leftover, &walk))
			;
	if (leftover.lock >= 0)
		message_warning(folder, "contains %s, left by a killed run (%s): see gcrypt clean %s", leftover.name,
		        leftover.text, folder);
	leftover_release(&leftover);
	walk_close(&walk);
	return leftover.lock >= 0;
}
