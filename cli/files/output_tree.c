/* A directory tree as output. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/files/folder.h"
#include "gpucrypt/status.h"
#include "gpucrypt/system_calls.h"
#include "command/message.h"
#include "cli/files/output.h"
#include "cli/files/remove_tree.h"
#include "cli/terminal/signals.h"

int output_tree_create(struct output *output)
{
	struct stat made;
	int failed;

	signals_hold();
	failed = mkdirat(output->folder_fd, output->temporary, S_IRWXU);
	if (!failed)
		signals_guard_tree(output->folder_fd, output->temporary, remove_tree);
	signals_go_on();
	if (failed) {
		output->temporary[0] = '\0';
		return fail_errno(output->name, "cannot create");
	}
	output->fd = openat(output->folder_fd, output->temporary, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (output->fd < 0 || fstat(output->fd, &made) != 0)
		return fail_errno(output->name, "cannot open");
	output->exposed = (made.st_mode & (S_IRWXG | S_IRWXO)) != 0;
	return GPUCRYPT_OK;
}

/* Where the file system has no rename without replacement, rename() replaces an empty folder only. */
static int rename_new(int folder, const char *from, const char *to)
{
	struct stat there;

	if (renameat2(folder, from, folder, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
		return -1;
	if (fstatat(folder, to, &there, AT_SYMLINK_NOFOLLOW) == 0) {
		errno = EEXIST;
		return -1;
	}
	return renameat(folder, from, folder, to);
}

/* Rename an existing entry to the first free name of the form NAME.~N~. The caller frees *moved, which is NULL if there
 * was no entry. */
static int move_away(const struct output *output, char **moved)
{
	int failed = -1;

	errno = EEXIST;
	for (unsigned n = 1; failed && errno == EEXIST; n++) {
		free(*moved);
		if (asprintf(moved, "%s.~%u~", output->base, n) < 0) {
			*moved = NULL;
			return fail(GPUCRYPT_OTHER, "out of memory");
		}
		failed = rename_new(output->folder_fd, output->base, *moved);
	}
	if (!failed)
		return GPUCRYPT_OK;
	free(*moved);
	*moved = NULL;
	return errno == ENOENT ? GPUCRYPT_OK : fail_errno(output->name, "cannot move what is there");
}

static int rename_tree(struct output *output)
{
	char *moved = NULL;
	int status = output->terms.force ? move_away(output, &moved) : GPUCRYPT_OK;

	if (status != GPUCRYPT_OK)
		return status;
	if (rename_new(output->folder_fd, output->temporary, output->base) != 0) {
		status = errno == EEXIST ? fail(GPUCRYPT_EXISTS, "%s: exists: not overwritten without -f", output->name)
		                         : fail_errno(output->name, "cannot rename");
		if (moved)
			rename_new(output->folder_fd, moved, output->base);
	} else if (moved)
		message_warning(output->name, "what was there is %s now", moved);
	free(moved);
	return status;
}

void output_tree_discard(struct output *output)
{
	signals_hold();
	remove_tree(output->folder_fd, output->temporary);
	signals_release_tree();
	signals_go_on();
}

int output_tree_commit(struct output *output)
{
	int status;

	signals_hold();
	status = rename_tree(output);
	if (status == GPUCRYPT_OK) {
		signals_release_tree();
		output->temporary[0] = '\0';
	}
	signals_go_on();
	return status == GPUCRYPT_OK ? output_name_given(output) : status;
}
