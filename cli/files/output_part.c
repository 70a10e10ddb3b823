/* NAME.part: the unfinished output of enc --resume, and the one that all runs of enc --part write to. */
#include "cli/files/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cli/files/folder.h"
#include "cli/terminal/signals.h"
#include "gpucrypt/status.h"

/* A run ends with the mode of its input: where the owner may not write that, the next run allows it again. */
static int allow_writing(int folder_fd, const char *part)
{
	int fd = openat(folder_fd, part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct stat there;
	bool done = fd >= 0 && fstat(fd, &there) == 0 && S_ISREG(there.st_mode) && there.st_uid == geteuid() &&
	            !(there.st_mode & S_IWUSR) && fchmod(fd, (there.st_mode & 0777) | S_IWUSR) == 0;

	if (fd >= 0)
		close(fd);
	errno = EACCES;
	return done ? 0 : -1;
}

/* A file of another user, or one that is no regular file, is rejected. */
static int open_file(struct output *output)
{
	const int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
	char shown[PATH_MAX + sizeof ".part"];
	struct stat there;

	output->fd = openat(output->folder_fd, output->part, flags);
	if (output->fd < 0 && errno == EACCES && allow_writing(output->folder_fd, output->part) == 0)
		output->fd = openat(output->folder_fd, output->part, flags);
	if (output->fd < 0 || fstat(output->fd, &there) != 0)
		return fail_errno(output->name, "cannot open its part file");
	if (!S_ISREG(there.st_mode) || there.st_nlink > PART_LINKS || there.st_uid != geteuid())
		return fail(GPUCRYPT_EXISTS, "%s.part: not overwritten: it is not a part file", output->name);
	snprintf(shown, sizeof shown, "%s.part", output->name);
	return output_refuse_same(output, &there, shown);
}

/* The start record says whether the file is one of ours. */
int output_open_part(struct output *output, bool *there)
{
	int status = open_file(output);

	*there = status == GPUCRYPT_OK || output->fd >= 0 || errno != ENOENT;
	if (!*there)
		fail_clear();
	return *there ? status : GPUCRYPT_OK;
}

int output_start_part(struct output *output)
{
	if (output->fd >= 0)
		close(output->fd);
	output->fd = -1;
	return output_create_temporary(output);
}

int output_name_part(struct output *output, bool replaces)
{
	bool there;
	int status, failed;

	(void)flock(output->fd, LOCK_UN); /* on NFS this lock would exclude the locks of the parts */
	failed = replaces ? renameat(output->folder_fd, output->temporary, output->folder_fd, output->part)
	                  : folder_rename_new(output->folder_fd, output->temporary, output->part);
	if (failed && errno != EEXIST)
		return fail_errno(output->name, "cannot create its part file");
	if (failed)
		unlinkat(output->folder_fd, output->temporary, 0);
	signals_release(output->temporary);
	output->temporary[0] = '\0';
	close(output->fd);
	output->fd = -1;
	status = folder_sync(output->folder_fd, output->name) ?: output_open_part(output, &there);
	if (status == GPUCRYPT_OK && !there)
		status = fail(GPUCRYPT_EXISTS, "%s.part: was removed meanwhile", output->name);
	return status;
}

int output_has_name(const struct output *output, const char *name, bool *has)
{
	struct stat opened, named;
	bool there = true;

	*has = false;
	if (fstat(output->fd, &opened) != 0)
		return fail_errno(output->name, "cannot be examined");
	if (fstatat(output->folder_fd, name, &named, AT_SYMLINK_NOFOLLOW) != 0) {
		if (errno != ENOENT)
			return fail_errno(output->name, "cannot be examined");
		there = false;
	}
	*has = there && same_storage(&opened, &named);
	return GPUCRYPT_OK;
}

int output_check_part(const struct output *output)
{
	bool has = false;
	int status = output_has_name(output, output->part, &has);

	if (status != GPUCRYPT_OK || has)
		return status;
	return fail(GPUCRYPT_EXISTS, "%s.part: was joined or removed meanwhile", output->name);
}

int output_lock_part(struct output *output, uint64_t number)
{
	if (!lock_bytes(output->fd, F_WRLCK, number, number == 0 ? 0 : 1)) {
		if (errno != EAGAIN && errno != EACCES)
			return fail(GPUCRYPT_IO, "%s.part: cannot be locked: %s", output->name, strerror(errno));
		return number == 0 ? fail(GPUCRYPT_EXISTS, "%s.part: another run is writing it", output->name)
		                   : fail(GPUCRYPT_EXISTS,
		                             "%s.part: another run is writing part %" PRIu64 ", or joins the parts",
		                             output->name, number);
	}
	return output_check_part(output);
}

int output_lock_all_parts(struct output *output, uint64_t number, bool *locked)
{
	bool complete;
	int status;

	*locked = lock_bytes(output->fd, F_UNLCK, number, 1) && lock_bytes(output->fd, F_WRLCK, 0, 0);
	if (!*locked && errno != EAGAIN && errno != EACCES)
		return fail(GPUCRYPT_IO, "%s.part: cannot be locked: %s", output->name, strerror(errno));
	if (!*locked)
		return GPUCRYPT_OK;
	status = output_has_name(output, output->base, &complete);
	*locked = status == GPUCRYPT_OK && !complete;
	return *locked ? output_check_part(output) : status;
}

int output_take_part(struct output *output)
{
	output->terms.part = false;
	output->terms.resume = true;
	strcpy(output->temporary, output->part); /* the file has this name, so it is short enough */
	return GPUCRYPT_OK;
}

/* NAME.part if that, too, is a name of this regular file, which the caller frees; else NULL. */
static char *second_name(const char *name, struct stat *there)
{
	struct stat other;
	char *part;

	if (asprintf(&part, "%s.part", name) < 0)
		return NULL;
	if (lstat(name, there) == 0 && S_ISREG(there->st_mode) && lstat(part, &other) == 0 &&
	        same_storage(there, &other))
		return part;
	free(part);
	return NULL;
}

bool output_named_twice(const char *name)
{
	struct stat there;
	char *part = second_name(name, &there);

	free(part);
	return part != NULL;
}

int output_end_naming(const char *name, const struct output_terms *terms)
{
	const struct output output = { .terms = *terms };
	struct stat there;
	char *part = second_name(name, &there);
	int status = part != NULL ? output_refuse_same(&output, &there, name) : GPUCRYPT_OK;

	if (status == GPUCRYPT_OK && part != NULL && unlink(part) != 0)
		status = fail_errno(part, "cannot remove");
	free(part);
	return status;
}
