#include "cli/files/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/files/folder.h"
#include "cli/terminal/signals.h"
#include "command/message.h"
#include "gpucrypt/status.h"

/* May a member replace the entry `there`, or, if both are folders, be merged into it?  A rename cannot cross file
 * systems. */
static int check_place(const struct merge *merge, const struct stat *there, const char *path, bool is_folder)
{
	const char *name = merge->output->name;
	struct stat top;

	if (is_folder != S_ISDIR(there->st_mode))
		return fail(GPUCRYPT_EXISTS, "%s: nothing is merged: '%.400s' is a directory in the %s only", name,
		        path, is_folder ? "container" : "output");
	if (!is_folder)
		return output_refuse_same(merge->output, there, path);
	if (fstat(merge->output->folder_fd, &top) != 0)
		return fail_errno(name, "cannot examine");
	return top.st_dev == there->st_dev
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_IO, "%s: nothing is merged: '%.400s' is on another file system", name, path);
}

/* As for rename(2): in a sticky folder, only the owner of the entry or of the folder can replace the entry. */
static bool may_replace(int folder_fd, const struct stat *there)
{
	const uid_t user = geteuid();
	struct stat folder;

	errno = EPERM;
	return user == 0 || there->st_uid == user ||
	       (fstat(folder_fd, &folder) == 0 && (!(folder.st_mode & S_ISVTX) || folder.st_uid == user));
}

int merge_examine(struct merge *merge, const char *path, bool is_folder)
{
	char base[NAME_MAX + 1];
	struct stat there;
	int fd = folder_open_parent(merge->output->folder_fd, path, base), status = GPUCRYPT_OK;
	bool exists = fd >= 0 && fstatat(fd, base, &there, AT_SYMLINK_NOFOLLOW) == 0;
	bool fails = !exists && errno != ENOENT;

	/* A rename writes to the parent folder, so the user needs permission to write to the parent folder. */
	if (fd >= 0 && !(exists && is_folder))
		fails = fails || faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) != 0 ||
		        (exists && !may_replace(fd, &there));
	if (fails)
		status = fail(GPUCRYPT_IO, "%s: nothing is merged: '%.400s' cannot be created or replaced: %s",
		        merge->output->name, path, strerror(errno));
	else if (exists)
		status = check_place(merge, &there, path, is_folder);
	*(exists ? &merge->n_replaced : &merge->n_new) += !is_folder;
	if (fd >= 0)
		close(fd);
	return status;
}

void merge_announce(const struct merge *merge)
{
	message_warning(merge->output->name, "files to replace: %llu, new: %llu; all other files stay",
	        merge->n_replaced, merge->n_new);
}

static int fail_move(const struct output *output, const char *path)
{
	return fail(GPUCRYPT_IO, "%s: merged in part: cannot move '%.400s' into it: %s; run the same command again",
	        output->name, path, strerror(errno));
}

/* A new folder moves with its content.  The move needs owner permissions that the folder's final mode may lack.  Into
 * an existing folder the files move one by one. */
static int move_folder(struct walk *walk, int from_fd, const char *name, mode_t mode, int to_fd)
{
	int moved, fd = folder_open_own(from_fd, name);

	if (fd < 0)
		return -1;
	moved = folder_rename_tree(from_fd, name, to_fd, name);
	if (moved != 0 && errno == EEXIST)
		return walk_enter(walk, fd) ? 0 : -1;
	if (moved == 0 && fchmod(fd, mode & ~(mode_t)S_IFMT) != 0 && !output_refuses(errno))
		moved = -1;
	close(fd);
	return moved;
}

static int move_entry(struct walk *walk, int from_fd, const char *name, int top_fd)
{
	char base[NAME_MAX + 1];
	struct stat entry;
	int moved, to_fd = folder_open_parent(top_fd, walk->path, base);

	if (to_fd < 0 || fstatat(from_fd, name, &entry, AT_SYMLINK_NOFOLLOW) != 0)
		moved = -1;
	else if (S_ISDIR(entry.st_mode))
		moved = move_folder(walk, from_fd, name, entry.st_mode, to_fd);
	else
		moved = renameat(from_fd, name, to_fd, name);
	if (to_fd >= 0)
		close(to_fd);
	return moved;
}

int merge_move(const struct output *output)
{
	struct walk walk = { 0 };
	const char *name;
	int from_fd, status = GPUCRYPT_OK;

	signals_hold();
	from_fd = fchmod(output->fd, S_IRWXU) == 0 ? openat(output->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (from_fd < 0 || !walk_enter(&walk, from_fd))
		status = fail_move(output, ".");
	while (status == GPUCRYPT_OK && (name = walk_next(&walk, &from_fd)))
		if (move_entry(&walk, from_fd, name, output->folder_fd) != 0)
			status = fail_move(output, walk.path);
	signals_go_on();
	walk_close(&walk);
	return status ?: syncfs(output->folder_fd) == 0 ? GPUCRYPT_OK : fail_errno(output->name, "cannot sync");
}
