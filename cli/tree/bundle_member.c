/* Extraction of regular files with no other attributes than mode, owner and time, which are most files: 6 system calls
 * here, 16 in libarchive.  libarchive extracts all other members. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cli/files/folder.h"
#include "cli/files/output.h"
#include "cli/terminal/memory.h"
#include "cli/tree/bundle.h"
#include "command/message.h"
#include "gpucrypt/status.h"

bool member_is_plain(struct archive_entry *entry, const char *path)
{
	const char *base = folder_base(path);

	return libarchive.entry_filetype(entry) == AE_IFREG && !libarchive.entry_hardlink(entry) && *base &&
	       strcmp(base, ".") != 0 && (libarchive.entry_perm(entry) & ~PERMISSIONS) == 0 &&
	       !libarchive.entry_atime_is_set(entry) && libarchive.entry_acl_types(entry) == 0 &&
	       libarchive.entry_xattr_count(entry) == 0;
}

/* A symbolic link in the path, which could lead out of the tree, is not followed.  The folder stays open for the next
 * file, because no member replaces a folder. */
static bool open_parent(struct extraction *extraction, const char *path)
{
	const size_t length = (size_t)(folder_base(path) - path);
	char base[NAME_MAX + 1];

	if (extraction->parent && !strncmp(extraction->parent, path, length) && !extraction->parent[length])
		return true;
	member_leave_parent(extraction);
	extraction->parent_fd = folder_open_parent(extraction->folder_fd, path, base);
	extraction->parent = extraction->parent_fd < 0 ? NULL : memory_or_exit(strndup(path, length));
	return extraction->parent_fd >= 0;
}

void member_leave_parent(struct extraction *extraction)
{
	if (extraction->parent)
		close(extraction->parent_fd);
	free(extraction->parent);
	extraction->parent = NULL;
}

static int failed(const struct extraction *extraction, int result, const char *what)
{
	libarchive.set_error(extraction->disk, errno, "%s", what);
	return result;
}

int member_create(struct extraction *extraction, struct archive_entry *entry, const char *path)
{
	if (!member_is_plain(entry, path))
		return libarchive.write_header(extraction->disk, entry);
	if (!open_parent(extraction, path))
		return failed(extraction, ARCHIVE_FAILED, "cannot open the file's folder");
	extraction->fd = openat(extraction->parent_fd, folder_base(path),
	        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, libarchive.entry_perm(entry));
	extraction->n_written = 0;
	return extraction->fd < 0 ? failed(extraction, ARCHIVE_FAILED, "cannot create") : ARCHIVE_OK;
}

int member_write(struct extraction *extraction, const uint8_t *bytes, size_t n_bytes, off_t offset)
{
	ssize_t n;

	if (extraction->fd < 0)
		return (int)libarchive.write_data_block(extraction->disk, bytes, n_bytes, offset);
	for (; n_bytes > 0; bytes += n, n_bytes -= (size_t)n, offset += n) {
		do
			n = pwrite(extraction->fd, bytes, n_bytes, offset);
		while (n < 0 && errno == EINTR);
		errno = n == 0 ? ENOSPC : errno;
		if (n <= 0)
			return failed(extraction, ARCHIVE_FAILED, "cannot write");
	}
	extraction->n_written = offset;
	return ARCHIVE_OK;
}

static bool set_owner(const struct extraction *extraction, struct archive_entry *entry)
{
	la_int64_t uid =
	        libarchive.write_disk_uid(extraction->disk, libarchive.entry_uname(entry), libarchive.entry_uid(entry));
	la_int64_t gid =
	        libarchive.write_disk_gid(extraction->disk, libarchive.entry_gname(entry), libarchive.entry_gid(entry));

	return fchown(extraction->fd, (uid_t)uid, (gid_t)gid) == 0;
}

/* The file may lack blocks of zeros at its end, which were not written, and permissions that the umask removed; or the
 * archive's map of a sparse file goes beyond the file's size. */
static int set_attributes(const struct extraction *extraction, struct archive_entry *entry)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
		{ .tv_sec = libarchive.entry_mtime(entry), .tv_nsec = libarchive.entry_mtime_nsec(entry) } };
	const mode_t perm = libarchive.entry_perm(entry);
	const off_t size = libarchive.entry_size(entry);
	const int fd = extraction->fd;
	int result = ARCHIVE_OK;

	if (extraction->n_written != size && ftruncate(fd, size) != 0)
		return failed(extraction, ARCHIVE_FAILED, "cannot set the length");
	if (geteuid() == 0 && !set_owner(extraction, entry))
		result = failed(extraction, ARCHIVE_WARN, "cannot set the owner");
	if ((perm & extraction->mask) != 0 && fchmod(fd, perm) != 0)
		result = failed(extraction, ARCHIVE_WARN, "cannot set the mode");
	if (libarchive.entry_mtime_is_set(entry) && futimens(fd, times) != 0)
		result = failed(extraction, ARCHIVE_WARN, "cannot set the time");
	return result;
}

int member_finish(struct extraction *extraction, struct archive_entry *entry)
{
	int result;

	if (extraction->fd < 0)
		return libarchive.write_finish_entry(extraction->disk);
	result = set_attributes(extraction, entry);
	if (close(extraction->fd) != 0)
		result = failed(extraction, ARCHIVE_FAILED, "cannot write");
	extraction->fd = -1;
	return result;
}

/* Members of an archive that cannot be made, or whose attributes cannot all be restored. */

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
