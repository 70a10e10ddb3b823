#include "remove_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder without permissions may be somebody's own all the same. */
static int open_folder(int folder_fd, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(folder_fd, name, flags);

	if (fd < 0 && errno == EACCES && fchmodat(folder_fd, name, S_IRWXU, AT_SYMLINK_NOFOLLOW) == 0)
		fd = openat(folder_fd, name, flags);
	if (fd >= 0)
		fchmod(fd, S_IRWXU);
	return fd;
}

/* Under a name of its own at the top, where its turn will come. */
static int move_up(int fd, const char *name, int top_fd)
{
	static unsigned long long number;
	char moved[32];
	int failed, folder = open_folder(fd, name);

	if (folder < 0)
		return -1;
	close(folder); /* it has the permissions now: its .. changes */
	do {
		snprintf(moved, sizeof moved, ".%llx", number++);
		failed = renameat2(fd, name, top_fd, moved, RENAME_NOREPLACE);
	} while (failed && errno == EEXIST);
	return failed;
}

/* Files go, folders move to the top; fd is closed. */
static int empty(int fd, int top_fd)
{
	DIR *folder = fdopendir(fd);
	struct dirent *entry;
	int failed = 0;

	if (!folder) {
		close(fd);
		return -1;
	}
	while (!failed && (entry = readdir(folder))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (unlinkat(fd, entry->d_name, 0) == 0 || errno == ENOENT)
			continue;
		failed = errno == EISDIR || errno == EPERM ? move_up(fd, entry->d_name, top_fd) : -1;
	}
	closedir(folder);
	return failed;
}

/* One entry at the top. */
static int remove_entry(int top_fd, const char *name)
{
	int fd;

	if (unlinkat(top_fd, name, 0) == 0 || unlinkat(top_fd, name, AT_REMOVEDIR) == 0 ||
	        errno == ENOENT)
		return 0;
	fd = open_folder(top_fd, name);
	if (fd < 0 || empty(fd, top_fd) != 0)
		return -1;
	return unlinkat(top_fd, name, AT_REMOVEDIR);
}

/* All entries seen in one pass; what moves up meanwhile is seen in this pass or the next one. */
static int pass(DIR *top, bool *any)
{
	struct dirent *entry;

	*any = false;
	rewinddir(top);
	while ((entry = readdir(top))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		*any = true;
		if (remove_entry(dirfd(top), entry->d_name) != 0)
			return -1;
	}
	return 0;
}

int remove_tree(int folder_fd, const char *name)
{
	int fd = open_folder(folder_fd, name), failed = 0;
	DIR *top = fd >= 0 ? fdopendir(fd) : NULL;
	bool any = true;

	if (!top) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while (!failed && any)
		failed = pass(top, &any);
	closedir(top);
	return failed ? -1 : unlinkat(folder_fd, name, AT_REMOVEDIR);
}
