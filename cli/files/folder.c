#include "cli/files/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

	if (length == 0)
		return strdup(".");
	return strndup(name, length > 1 ? length - 1 : 1);
}

/* Is this folder where the kernel lists the descriptors of this process? */
static bool lists_descriptors(const char *folder)
{
	char here[64], threads[96];

	snprintf(here, sizeof here, "/proc/%ld/fd", (long)getpid());
	snprintf(threads, sizeof threads, "/proc/%ld/task/%ld/fd", (long)getpid(), (long)getpid());
	return !strcmp(folder, here) || !strcmp(folder, threads);
}

/* A whole decimal number, or -1. */
static int number_of(const char *text)
{
	char *end;
	long number = strtol(text, &end, 10);

	return *text >= '0' && *text <= '9' && !*end && number <= INT_MAX ? (int)number : -1;
}

/* One step: the real folder of name, and what name points to if it is a symbolic link, as an
 * absolute name.  False if it is none, or there is no such folder. */
static bool follow(const char *name, char folder[PATH_MAX], char target[PATH_MAX])
{
	char *given = folder_name(name);
	bool found = given && realpath(given, folder);
	ssize_t length;
	size_t front;

	free(given);
	if (!found)
		folder[0] = '\0';
	length = found ? readlink(name, target, PATH_MAX - 1) : -1;
	if (length < 0)
		return false;
	target[length] = '\0';
	front = strlen(folder) + 1;
	if (target[0] != '/') {
		if (front + (size_t)length >= PATH_MAX)
			return false;
		memmove(target + front, target, (size_t)length + 1);
		memcpy(target, folder, front - 1);
		target[front - 1] = '/';
	}
	return true;
}

int folder_descriptor(const char *name)
{
	char folder[PATH_MAX], target[PATH_MAX], current[PATH_MAX];

	if (strlen(name) >= sizeof current)
		return -1;
	strcpy(current, name);
	for (int i = 0; i < MAX_LINKS; i++) {
		bool linked = follow(current, folder, target);

		if (lists_descriptors(folder))
			return number_of(folder_base(current));
		if (!linked)
			return -1;
		strcpy(current, target);
	}
	return -1;
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

bool folder_synced(int folder_fd)
{
	return fsync(folder_fd) == 0 || errno == EINVAL || errno == EROFS;
}

int folder_sync(int folder_fd, const char *name)
{
	return folder_synced(folder_fd) ? GPUCRYPT_OK
	                                : fail(GPUCRYPT_IO, "%s: cannot sync its folder: %s", name, strerror(errno));
}
