#include "cli/files/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cli/files/folder.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/status.h"
#include "gpucrypt/pipeline/sink.h"
#include "cli/terminal/memory.h"
#include "command/message.h"
#include "ppf/gnuplot.h"
#include "cli/terminal/signals.h"

int output_open_folder(struct output *output)
{
	char *folder = folder_name(output->name);

	output->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	return output->folder_fd < 0 ? fail_errno(output->name, "cannot open its folder") : GPUCRYPT_OK;
}

/* Make a temporary name in the output's folder. Its prefix and suffix identify it if a power failure leaves the file
 * behind. */
static int choose_temporary(struct output *output)
{
	uint64_t number;
	int status = random_bytes((uint8_t *)&number, sizeof number);

	if (status == GPUCRYPT_OK)
		status = output->folder_fd < 0 ? output_open_folder(output) : GPUCRYPT_OK;
	if (status == GPUCRYPT_OK)
		snprintf(output->temporary, sizeof output->temporary, TEMPORARY_FORMAT, (unsigned long long)number);
	return status;
}

/* The name is guarded before the file exists. A signal handler that ends the program runs before or after this section,
 * never within it.  The lock, where the file system has locks, shows gcrypt clean that a run uses the entry. */
int output_create_temporary(struct output *output)
{
	const bool tree = output->kind == OUTPUT_TREE;
	struct stat made;
	int result, status = choose_temporary(output);

	if (status != GPUCRYPT_OK)
		return status;
	signals_hold();
	signals_guard(output->folder_fd, output->temporary, tree ? remove_tree : NULL);
	result = tree ? mkdirat(output->folder_fd, output->temporary, S_IRWXU)
	              : openat(output->folder_fd, output->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
	                        S_IRUSR | S_IWUSR);
	signals_go_on();
	if (result < 0) {
		signals_release(output->temporary);
		output->temporary[0] = '\0';
		return fail_errno(output->name, "cannot create");
	}
	output->fd =
	        tree ? openat(output->folder_fd, output->temporary, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
	             : result;
	if (tree && (output->fd < 0 || fstat(output->fd, &made) != 0))
		return fail_errno(output->name, "cannot open");
	(void)flock(output->fd, LOCK_EX | LOCK_NB);
	output->exposed = tree && (made.st_mode & (S_IRWXG | S_IRWXO)) != 0;
	return GPUCRYPT_OK;
}

/* Opened as it is: not created, truncated or renamed.  Exclusively (block devices): this fails when
 * the device is mounted or otherwise in use. */
static int open_special(struct output *output)
{
	struct stat there;

	if (stat(output->name, &there) != 0 || S_ISREG(there.st_mode))
		return fail(GPUCRYPT_IO, "%s: was replaced meanwhile", output->name);
	output->fd = open_exclusively(output->name, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (output->fd < 0 && errno == EBUSY)
		return fail(GPUCRYPT_EXISTS, "%s: not overwritten: it is mounted or in use", output->name);
	if (output->fd < 0 || fstat(output->fd, &there) != 0)
		return fail_errno(output->name, "cannot open");
	if (S_ISREG(there.st_mode))
		return fail(GPUCRYPT_IO, "%s: was replaced meanwhile", output->name);
	if (output->terms.ciphertext && isatty(output->fd))
		return fail(GPUCRYPT_USAGE, "%s: is a terminal: ciphertext is not written to it", output->name);
	return GPUCRYPT_OK;
}

int output_create(struct output *output)
{
	if (output->kind == OUTPUT_NAMED && output->terms.part)
		return output_open_folder(output);
	if (output->kind == OUTPUT_NAMED || output->kind == OUTPUT_TREE)
		return output_create_temporary(output);
	if (output->kind == OUTPUT_SPECIAL)
		return open_special(output);
	output->fd = fcntl(output->descriptor, F_DUPFD_CLOEXEC, 3);
	return output->fd < 0 ? fail_errno(output->name, "cannot open") : GPUCRYPT_OK;
}

/* A part of a plaintext keeps the mode 0600 until all are complete; join takes mode and time of a container from its
 * parts.
 */
int output_sync(struct output *output)
{
	bool sets = output->kind == OUTPUT_NAMED && (!output->terms.part || output->terms.ciphertext);
	int status = sets ? output_set_attributes(output) : GPUCRYPT_OK;

	/* Pipes, terminals and the like have no storage. */
	if (output->kind == OUTPUT_TREE)
		return syncfs(output->fd) == 0 ? GPUCRYPT_OK : fail_errno(output->name, "cannot sync");
	if (status == GPUCRYPT_OK && fsync(output->fd) != 0 && errno != EINVAL && errno != EROFS)
		status = fail_errno(output->name, "cannot sync");
	return status;
}

/* The output has its name now; after the sync of its folder, the name survives a power failure. */
static int name_given(struct output *output)
{
	output->named = true;
	(void)flock(output->fd, LOCK_UN); /* who sees the name may want a lock of the file */
	return folder_synced(output->folder_fd)
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_IO,
	                         "%s: is complete and stays, but a power failure may take its name: "
	                         "cannot sync its folder: %s",
	                         output->name, strerror(errno));
}

/* Somebody may have removed the unfinished file, or put another one in its place. */
static int check_name(const struct output *output)
{
	bool has;
	int status = output_has_name(output, output->temporary, &has);

	if (status != GPUCRYPT_OK || has)
		return status;
	return fail(GPUCRYPT_IO, "%s: its unfinished file was removed or replaced meanwhile", output->name);
}

/* named: an earlier run was killed after it gave the name by a link; rename(2) would do nothing then.  -1: see errno.
 */
static int give_name(const struct output *output, bool named)
{
	int folder = output->folder_fd;

	if (named)
		return unlinkat(folder, output->temporary, 0);
	return output->terms.force ? renameat(folder, output->temporary, folder, output->base)
	                           : folder_rename_new(folder, output->temporary, output->base);
}

static int commit_named(struct output *output)
{
	bool named = false;
	struct stat there;
	int status = output->terms.resume ? output_has_name(output, output->base, &named) : GPUCRYPT_OK;

	if (status != GPUCRYPT_OK)
		return status;
	if (output->terms.force && fstatat(output->folder_fd, output->base, &there, 0) == 0 && !S_ISREG(there.st_mode))
		return fail(GPUCRYPT_IO, "%s: was replaced meanwhile", output->name);
	if (give_name(output, named) != 0) {
		if (errno == EEXIST)
			return fail(GPUCRYPT_EXISTS, "%s: exists: not overwritten without -f", output->name);
		signals_leave_stopping();
		return fail_errno(output->name, "cannot rename");
	}
	signals_release(output->temporary);
	output->temporary[0] = '\0';
	return name_given(output);
}

/* Rename an existing entry to the first free name of the form NAME.~N~. The caller frees *moved, which is NULL if there
 * was no entry. */
static int move_away(const struct output *output, char **moved)
{
	int failed = -1;

	errno = EEXIST;
	for (unsigned n = 1; failed && errno == EEXIST; n++) {
		free(*moved);
		*moved = format_or_exit("%s.~%u~", output->base, n);
		failed = folder_rename_tree(output->folder_fd, output->base, output->folder_fd, *moved);
	}
	if (!failed)
		return GPUCRYPT_OK;
	free(*moved);
	*moved = NULL;
	return errno == ENOENT ? GPUCRYPT_OK : fail_errno(output->name, "cannot move what is there");
}

static int name_tree(struct output *output)
{
	char *moved = NULL;
	int status = output->terms.force ? move_away(output, &moved) : GPUCRYPT_OK;

	if (status != GPUCRYPT_OK)
		return status;
	if (folder_rename_tree(output->folder_fd, output->temporary, output->folder_fd, output->base) != 0) {
		status = errno == EEXIST ? fail(GPUCRYPT_EXISTS, "%s: exists: not overwritten without -f", output->name)
		                         : fail_errno(output->name, "cannot rename");
		if (moved)
			folder_rename_tree(output->folder_fd, moved, output->folder_fd, output->base);
	} else if (moved)
		message_warning(output->name, "what was there is %s now", moved);
	free(moved);
	return status;
}

static int commit_tree(struct output *output)
{
	int status;

	signals_hold();
	status = name_tree(output);
	if (status == GPUCRYPT_OK) {
		signals_release(output->temporary);
		output->temporary[0] = '\0';
	}
	signals_go_on();
	return status == GPUCRYPT_OK ? name_given(output) : status;
}

/* Closing reports failed writes, so another descriptor is closed first: this one holds the lock until the output has
 * its name. */
int output_commit(struct output *output)
{
	bool names = output->kind == OUTPUT_NAMED && !output->terms.part;
	bool locks = output->kind == OUTPUT_NAMED || output->kind == OUTPUT_TREE;
	int fd = output->fd, status = names ? check_name(output) : output->merges ? merge_move(output) : GPUCRYPT_OK;

	if (locks)
		fd = fcntl(output->fd, F_DUPFD_CLOEXEC, 3);
	else
		output->fd = -1;
	if ((fd < 0 || close(fd) != 0) && status == GPUCRYPT_OK)
		status = fail_errno(output->name, "cannot write");
	if (status == GPUCRYPT_OK && names)
		status = commit_named(output);
	if (status == GPUCRYPT_OK && output->kind == OUTPUT_TREE && !output->merges)
		status = commit_tree(output);
	if (locks)
		close(output->fd); /* the writes are synced, and the other descriptor has reported a failure */
	output->fd = -1;
	output_discard(output);
	return status;
}

void output_discard(struct output *output)
{
	if (output->temporary[0] && !output->terms.resume) {
		signals_hold();
		if (output->kind == OUTPUT_TREE)
			remove_tree(output->folder_fd, output->temporary);
		else
			unlinkat(output->folder_fd, output->temporary, 0);
		signals_release(output->temporary);
		signals_go_on();
		output->temporary[0] = '\0';
	}
	if (output->fd >= 0)
		close(output->fd);
	if (output->folder_fd >= 0)
		close(output->folder_fd);
	output->fd = output->folder_fd = -1;
}

int output_put(struct output *output, const void *bytes, size_t n_bytes)
{
	struct fd_sink sink;

	return fd_sink_open(&sink, output->fd, output->name)
	        ?: sink.sink.write(&sink.sink, bytes, n_bytes, 0)
	        ?: output_sync(output)
	        ?: output_result(output)
	        ?: output_commit(output);
}

int output_write(const char *name, const void *bytes, size_t n_bytes, const struct output_terms *terms)
{
	struct output output;
	int status = output_choose(&output, name, terms)
	                     ?: output_create(&output)
	                     ?: output_put(&output, bytes, n_bytes);

	output_discard(&output);
	return status;
}

int gnuplot_draw(struct output *output, void (*script)(FILE *stream, const void *self), const void *self)
{
	char *svg;
	int status = gnuplot_picture(&svg, script, self) ?: output_put(output, svg, strlen(svg));

	free(svg);
	return status;
}

int gnuplot_open(struct output *output, const char *name, bool force)
{
	/* The picture holds no secret: the umask decides who may read it. */
	const struct output_terms terms = { .standard_input = true, .ciphertext = true, .force = force };
	int status;

	if (!name)
		return GPUCRYPT_OK;
	status = output_choose(output, name, &terms);
	if (status == GPUCRYPT_OK && output->kind == OUTPUT_DESCRIPTOR)
		status = fail(GPUCRYPT_USAGE, "--plot: %s: must be a file", name);
	return status ?: gnuplot_present() ?: output_create(output);
}
