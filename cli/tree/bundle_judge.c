/* Members of an archive that cannot be made, or whose attributes cannot all be restored. */
#include "cli/tree/bundle.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>

#include "cli/files/output.h"
#include "command/message.h"
#include "gpucrypt/status.h"

int member_leave_out(struct extraction *extraction, const char *path, const char *why)
{
	extraction->n_left_out++;
	if (!extraction->quiet)
		message_warning(extraction->name, "'%s' is left out: %s", path, why);
	return MEMBER_LEFT_OUT;
}

/* libarchive's own errors have no errno. In a new folder, only the archive can have caused an existing entry or a
 * missing folder. */
static int fail_member(const struct extraction *extraction, const char *path)
{
	int error = libarchive.archive_errno(extraction->disk);
	bool hostile = error <= 0 || error == ENOENT || error == ENOTDIR || error == EEXIST || error == ELOOP;
	const char *why = error == EEXIST ? "it " MEMBER_TWICE : libarchive.error_string(extraction->disk);

	return fail(hostile ? GPUCRYPT_CORRUPT : GPUCRYPT_IO, "%s: %s" QUOTED_NAME " cannot be made: %s%s%s",
	        extraction->name, hostile ? "refused: " : "", path, why ? why : "libarchive does not say why",
	        hostile ? "" : ": ", hostile ? "" : strerror(error));
}

/* Does this errno concern the member alone, because this user or this file system cannot have it?  Other errors, such
 * as a full disk, concern the whole target.  ENOENT: the member's folder may have been left out. */
static bool is_impossible(const struct extraction *extraction, int error)
{
	return output_refuses(error) || error == EINVAL || error == EILSEQ || error == ENAMETOOLONG ||
	       error == EMLINK || (error == ENOENT && extraction->n_left_out > 0);
}

int member_judge_header(struct extraction *extraction, const char *path, int result)
{
	int error = libarchive.archive_errno(extraction->disk);

	return result < ARCHIVE_WARN && is_impossible(extraction, error)
	               ? member_leave_out(extraction, path, strerror(error))
	               : member_judge(extraction, path, NULL, result);
}

static void note_refused(struct extraction *extraction, const char *path, const char *what, int error)
{
	if (!extraction->refused[0])
		snprintf(extraction->refused, sizeof extraction->refused, QUOTED_NAME ": %s%s%s", path, what,
		        error > 0 ? ": " : "", error > 0 ? strerror(error) : "");
}

/* libarchive does not report the errno of an extended attribute that it failed to set: set all again to get it. */
static bool attributes_refused(struct archive_entry *entry, const char *path)
{
	const char *name;
	const void *value;
	size_t n_bytes;
	bool refused = false;

	libarchive.entry_xattr_reset(entry);
	while (libarchive.entry_xattr_next(entry, &name, &value, &n_bytes) == ARCHIVE_OK) {
		if (lsetxattr(path, name, value, n_bytes, 0) == 0)
			continue;
		if (!output_refuses(errno))
			return false;
		refused = true;
	}
	return refused;
}

/* ARCHIVE_WARN: the entry was extracted, but not all of its metadata. */
int member_judge(struct extraction *extraction, const char *path, struct archive_entry *entry, int result)
{
	int error = libarchive.archive_errno(extraction->disk);
	const char *why = libarchive.error_string(extraction->disk);

	if (result == ARCHIVE_OK)
		return GPUCRYPT_OK;
	if (result != ARCHIVE_WARN)
		return fail_member(extraction, path);
	if (output_refuses(error) || (error < 0 && entry && attributes_refused(entry, path))) {
		note_refused(extraction, path, why ? why : "", error);
		return GPUCRYPT_OK;
	}
	extraction->n_incomplete++;
	if (!extraction->quiet)
		message_warning(extraction->name, "'%s': not all attributes are restored: %s", path, why ? why : "");
	return GPUCRYPT_OK;
}

int extraction_try_target(struct extraction *extraction)
{
	static const struct timespec now[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_nsec = UTIME_NOW } };

	if (fchmod(extraction->folder_fd, S_IRWXU) == 0 && futimens(extraction->folder_fd, now) == 0)
		return GPUCRYPT_OK;
	if (!output_refuses(errno))
		return fail_errno(extraction->name, "cannot set mode and time of its folder");
	note_refused(extraction, ".", "cannot set mode and time", errno);
	return GPUCRYPT_OK;
}

int extraction_result(const struct extraction *extraction)
{
	if (extraction->n_restricted > 0 && !extraction->quiet)
		message_warning(extraction->name,
		        "dropped permissions, access control lists or attributes of %llu files "
		        "(--same-permissions keeps them)",
		        extraction->n_restricted);
	if (extraction->refused[0] && !extraction->quiet)
		message_warning(extraction->name,
		        "not all modes, owners, times and attributes are set: the target refuses some, first for %s",
		        extraction->refused);
	if (extraction->n_left_out > 0)
		return fail(GPUCRYPT_IO, "%s: decrypted without %llu of its members", extraction->name,
		        extraction->n_left_out);
	if (extraction->n_incomplete > 0)
		return fail(GPUCRYPT_IO, "%s: decrypted, but without all attributes of %llu of its files",
		        extraction->name, extraction->n_incomplete);
	return GPUCRYPT_OK;
}
