#include "cli/files/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/terminal/memory.h"
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

bool folder_synced(int folder_fd)
{
	return fsync(folder_fd) == 0 || errno == EINVAL || errno == EROFS;
}

int folder_sync(int folder_fd, const char *name)
{
	return folder_synced(folder_fd) ? GPUCRYPT_OK : fail_errno(name, "cannot sync its folder");
}
