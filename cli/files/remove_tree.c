#include "cli/files/remove_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/files/folder.h"
#include "gpucrypt/system_calls.h"

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
