#include "cli/tree/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/status.h"
#include "command/text.h"
#include "cli/terminal/memory.h"
#include "command/message.h"
#include "cli/terminal/signals.h"

#define FLAGS                                                                                                    \
	(ARCHIVE_EXTRACT_PERM | ARCHIVE_EXTRACT_TIME | ARCHIVE_EXTRACT_ACL | ARCHIVE_EXTRACT_XATTR |             \
	        ARCHIVE_EXTRACT_NO_AUTODIR | ARCHIVE_EXTRACT_SECURE_SYMLINKS | ARCHIVE_EXTRACT_SECURE_NODOTDOT | \
	        ARCHIVE_EXTRACT_SECURE_NOABSOLUTEPATHS)

static int refuse(const struct extraction *extraction, const char *path, const char *why)
{
	return fail(GPUCRYPT_CORRUPT, "%s: refused: " QUOTED_NAME " %s", extraction->name, path, why);
}

/* The reason why the name is not allowed in the tree; NULL: it is allowed. */
static const char *wrong_name(const char *path)
{
	const char *part = path;
	size_t length;

	if (!*path)
		return "has no name";
	if (*path == '/')
		return "has an absolute name";
	/* libarchive would make the folders one by one before the system refuses the name. */
	if (strlen(path) >= PATH_MAX)
		return "has a name of more than 4095 bytes";
	for (; *part; part += length + (part[length] != '\0')) {
		length = strcspn(part, "/");
		if (length == 2 && part[0] == '.' && part[1] == '.')
			return "has a name with '..'";
	}
	return NULL;
}

/* The tree's own folder: libarchive puts slashes behind folders. */
static bool is_root(struct archive_entry *entry)
{
	const char *path = libarchive.entry_pathname(entry);

	return libarchive.entry_filetype(entry) == AE_IFDIR && path[0] == '.' &&
	       path[1 + strspn(path + 1, "/")] == '\0';
}

/* Create a hard link to an extracted file; never through a symbolic link. */
static int check_link(struct extraction *extraction, const char *path, const char *target)
{
	const char *wrong = wrong_name(target);
	struct stat there;

	if (wrong)
		return fail(GPUCRYPT_CORRUPT, "%s: refused: " QUOTED_NAME " links to " QUOTED_NAME ", which %s",
		        extraction->name, path, target, wrong);
	if (lstat(target, &there) == 0)
		return S_ISREG(there.st_mode) ? GPUCRYPT_OK : refuse(extraction, path, "is a hard link to no file");
	return extraction->n_left_out > 0 ? member_leave_out(extraction, path, "the file that it links to is missing")
	                                  : refuse(extraction, path, "is a hard link to no file");
}

static int check_type(struct extraction *extraction, const char *path, struct archive_entry *entry)
{
	mode_t type = libarchive.entry_filetype(entry);

	if (type == AE_IFLNK && !libarchive.entry_symlink(entry))
		return refuse(extraction, path, "is a link to nothing");
	if (type == AE_IFREG || type == AE_IFDIR || type == AE_IFLNK || type == AE_IFIFO)
		return GPUCRYPT_OK;
	if (type != AE_IFCHR && type != AE_IFBLK)
		return refuse(extraction, path, "is of an unknown kind");
	return extraction->devices ? GPUCRYPT_OK : member_leave_out(extraction, path, "a device (see --devices)");
}

/* A folder's name may end in slashes, with which it would be looked up as what a link leads to. */
static bool taken(const char *path)
{
	char *name = path_trim(path);
	struct stat there;
	bool found = lstat(name, &there) == 0 || errno == ENOTDIR;

	free(name);
	return found;
}

/* The folder began empty, so that nothing can be there but what the archive put there.  libarchive
 * checks again, and that no symbolic link is on the way. */
static int check(struct extraction *extraction, struct archive_entry *entry)
{
	const char *path = libarchive.entry_pathname(entry), *target = libarchive.entry_hardlink(entry);
	const char *wrong = path ? wrong_name(path) : "has no name";
	int status;

	if (wrong)
		return refuse(extraction, path ? path : "", wrong);
	if (is_root(entry))
		return GPUCRYPT_OK;
	status = target ? check_link(extraction, path, target) : check_type(extraction, path, entry);
	if (status != GPUCRYPT_OK)
		return status;
	if (!member_is_plain(entry, path) && taken(path))
		return refuse(extraction, path, MEMBER_TWICE);
	return GPUCRYPT_OK;
}

/* Keep the attributes whose names pass; the function may change a name in place.  True: some were dropped. */
static bool filter_attributes(struct archive_entry *entry, bool (*passes)(char *name))
{
	struct archive_entry *copy;
	const char *name;
	const void *value;
	size_t n_bytes;
	char *own;
	int before = libarchive.entry_xattr_count(entry);

	if (before == 0)
		return false;
	copy = memory_or_exit(libarchive.entry_clone(entry));
	libarchive.entry_xattr_clear(entry);
	libarchive.entry_xattr_reset(copy);
	while (libarchive.entry_xattr_next(copy, &name, &value, &n_bytes) == ARCHIVE_OK) {
		own = memory_or_exit(strdup(name));
		if (passes(own))
			libarchive.entry_xattr_add_entry(entry, own, value, n_bytes);
		free(own);
	}
	libarchive.entry_free(copy);
	return libarchive.entry_xattr_count(entry) < before;
}

/* Undo the encoding of names in a pax archive (gcrypt(5), "Directories"): decode each %XX; not %00, because no name has
 * a zero byte. */
static bool decode_name(char *name)
{
	char *to = name;
	uint8_t byte;

	for (const char *from = name; *from; from++) {
		bool encoded = from[0] == '%' && from[1] && hex_decode(&byte, 1, from + 1) && byte;

		*to++ = encoded ? (char)byte : *from;
		from += encoded ? 2 : 0;
	}
	*to = '\0';
	return true;
}

static bool is_user_attribute(char *name)
{
	return !strncmp(name, "user.", 5);
}

/* Linux ignores the mode of a symbolic link. */
static bool drop_permissions(struct archive_entry *entry, mode_t mask)
{
	mode_t had = libarchive.entry_perm(entry);

	if (libarchive.entry_filetype(entry) == AE_IFLNK)
		return false;
	libarchive.entry_set_perm(entry, had & PERMISSIONS & ~mask);
	return libarchive.entry_perm(entry) != had;
}

/* Remove the permissions that an entry gives to others: setuid, setgid and sticky bits, permissions that the umask
 * forbids, access control lists, and extended attributes outside of user.  With same_permissions only the attributes
 * are removed, and not for the superuser: as with owners, what only the superuser may set is not tried by others. */
static void restrict_entry(struct extraction *extraction, struct archive_entry *entry)
{
	bool restricted = libarchive.entry_acl_types(entry) != 0;

	if (extraction->same_permissions && geteuid() == 0)
		return;
	restricted |= filter_attributes(entry, is_user_attribute);
	if (extraction->same_permissions)
		return;
	libarchive.entry_acl_clear(entry);
	restricted |= drop_permissions(entry, extraction->mask);
	/* A further name of a file is no further file, though it has its mode too. */
	extraction->n_restricted += restricted && !libarchive.entry_hardlink(entry);
}

/* Blocks of zeros are not written; libarchive sets the length of the file at its end. */
static bool write_blocks(struct extraction *extraction, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	bool zero = false;

	for (size_t done = 0, n = n_bytes; done < n_bytes; done += n) {
		if (extraction->block_bytes > 0)
			n = zero_run(bytes + done, n_bytes - done, offset + done, extraction->block_bytes, &zero);
		if (!zero && member_write(extraction, bytes + done, n, (off_t)(offset + done)) < ARCHIVE_OK)
			return false;
	}
	return true;
}

static int copy(struct extraction *extraction, struct archive *archive, const char *path)
{
	const void *bytes;
	size_t n_bytes;
	la_int64_t offset;
	int result, status = GPUCRYPT_OK;

	while (status == GPUCRYPT_OK) {
		result = libarchive.read_data_block(archive, &bytes, &n_bytes, &offset);
		if (result == ARCHIVE_EOF)
			break;
		if (result != ARCHIVE_OK)
			return bundle_failed(
			        GPUCRYPT_CORRUPT, archive, extraction->name, "the archive in it is damaged");
		signals_hold();
		if (!write_blocks(extraction, bytes, n_bytes, (uint64_t)offset))
			status = member_judge(extraction, path, NULL, ARCHIVE_FAILED);
		signals_go_on();
	}
	return status;
}

/* Returns MEMBER_LEFT_OUT or a status. */
static int make(struct extraction *extraction, struct archive *archive, struct archive_entry *entry, const char *path)
{
	int status;

	restrict_entry(extraction, entry);
	signals_hold();
	status = member_judge_header(extraction, path, member_create(extraction, entry, path));
	signals_go_on();
	if (status == GPUCRYPT_OK && archive && libarchive.entry_size(entry) > 0)
		status = copy(extraction, archive, path);
	if (status != GPUCRYPT_OK)
		return status;
	signals_hold();
	status = member_judge(extraction, path, entry, member_finish(extraction, entry));
	signals_go_on();
	return status;
}

static int visit(void *self, struct archive *archive, struct archive_entry *entry)
{
	struct extraction *extraction = self;
	char *path;
	int status;

	filter_attributes(entry, decode_name); /* before a name decides anything */
	status = check(extraction, entry);
	/* The tree's own folder gets its mode in the end: until then it is private and can be written to. */
	if (status == GPUCRYPT_OK && is_root(entry)) {
		libarchive.entry_free(extraction->root);
		extraction->root = memory_or_exit(libarchive.entry_clone(entry));
	} else if (status == GPUCRYPT_OK) {
		path = memory_or_exit(strdup(libarchive.entry_pathname(entry))); /* libarchive may change it */
		status = make(extraction, archive, entry, path);
		free(path);
	}
	return status == MEMBER_LEFT_OUT ? GPUCRYPT_OK : status;
}

/* Give the thread a working directory of its own where the kernel permits it (containers often do not). Otherwise all
 * threads change to the directory meanwhile; no file is opened by a relative name then. */
static int start(void *self)
{
	struct extraction *extraction = self;
	struct stat there;

	if (unshare(CLONE_FS) != 0)
		extraction->left_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fchdir(extraction->folder_fd) != 0)
		return fail(GPUCRYPT_IO, "%s: cannot change to the folder of the extraction: %s", extraction->name,
		        strerror(errno));
	extraction->disk = memory_or_exit(libarchive.write_disk_new());
	libarchive.write_disk_set_options(extraction->disk, geteuid() == 0 ? FLAGS | ARCHIVE_EXTRACT_OWNER : FLAGS);
	libarchive.write_disk_set_standard_lookup(extraction->disk);
	if (!extraction->fills_zeros && fstat(extraction->folder_fd, &there) == 0 && there.st_blksize > 0)
		extraction->block_bytes = (size_t)there.st_blksize;
	return extraction_try_target(extraction);
}

/* Modes and times of folders come last. */
static int finish(void *self)
{
	struct extraction *extraction = self;
	int status = GPUCRYPT_OK;

	if (extraction->root)
		status = make(extraction, NULL, extraction->root, ".");
	if (status != GPUCRYPT_OK && status != MEMBER_LEFT_OUT)
		return status;
	signals_hold();
	status = member_judge(extraction, ".", NULL, libarchive.write_close(extraction->disk));
	signals_go_on();
	return status;
}

/* Still in the folder: what libarchive has put off, it does by relative names. */
static void stop(void *self)
{
	struct extraction *extraction = self;

	signals_hold();
	libarchive.write_free(extraction->disk);
	signals_go_on();
	libarchive.entry_free(extraction->root);
	member_leave_parent(extraction);
	if (extraction->fd >= 0)
		close(extraction->fd);
	extraction->disk = NULL;
	extraction->root = NULL;
	if (extraction->left_fd < 0)
		return;
	if (fchdir(extraction->left_fd) != 0)
		message_warning(NULL, "cannot return to the working directory: %s", strerror(errno));
	close(extraction->left_fd);
	extraction->left_fd = -1;
}

struct bundle_visitor extraction_visitor(struct extraction *extraction, struct selection *selection)
{
	extraction->left_fd = extraction->fd = -1;
	extraction->mask = umask(0);
	umask(extraction->mask);
	return (struct bundle_visitor){ .self = extraction,
		.start = start,
		.visit = visit,
		.finish = finish,
		.stop = stop,
		.selection = selection };
}
