/* One file of a tree as an entry of an archive. */
#include "cli/tree/bundle_state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cli/files/output.h"

int place_open(struct place *place)
{
	mode_t seen;

	place->fd = -1;
	if (fstatat(place->folder_fd, place->name, &place->stat, AT_SYMLINK_NOFOLLOW) != 0)
		return -1;
	seen = place->stat.st_mode & S_IFMT;
	if (!S_ISREG(seen) && !S_ISDIR(seen))
		return 0;
	/* The file may have been replaced by a FIFO: open it without waiting for a writer. */
	place->fd = openat(place->folder_fd, place->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (place->fd < 0)
		return -1;
	if (fstat(place->fd, &place->stat) == 0 && (place->stat.st_mode & S_IFMT) == seen)
		return 0;
	close(place->fd);
	place->fd = -1;
	errno = ENOENT; /* it is another one now */
	return -1;
}

/* The map of holes takes up to 40 bytes for each extent, and a reader refuses more than 16 MiB of
 * metadata: holes behind so many extents become zeros. */
#define MAX_EXTENTS 380000

/* The extents with data.  A file system without SEEK_DATA reports no holes. */
static void find_holes(struct archive_entry *entry, const struct place *place)
{
	off_t size = place->stat.st_size, data = 0, hole;

	if (place->stat.st_blocks >= (size + 511) / 512)
		return;
	for (int n = 1; (data = lseek(place->fd, data, SEEK_DATA)) >= 0 && data < size; n++) {
		hole = n < MAX_EXTENTS ? lseek(place->fd, data, SEEK_HOLE) : size;
		if (hole < 0 || hole > size)
			hole = size;
		if (data == 0 && hole == size)
			break;
		libarchive.entry_sparse_add_entry(entry, data, hole - data);
		data = hole;
	}
	if (libarchive.entry_sparse_count(entry) == 0 && data < 0 && errno == ENXIO)
		libarchive.entry_sparse_add_entry(entry, 0, 0); /* nothing but a hole */
	lseek(place->fd, 0, SEEK_SET);
}

/* For a file without an access control list, libarchive would make a list from the mode and drop that list. */
static bool has_access_list(const struct place *place)
{
	return !S_ISREG(place->stat.st_mode) || fgetxattr(place->fd, ACCESS_LIST, NULL, 0) >= 0 ||
	       (errno != ENODATA && errno != EOPNOTSUPP);
}

bool entry_fill(struct archive_entry *entry, struct archive *disk, const struct place *place)
{
	char source[64 + NAME_MAX + 1];
	bool good;

	/* A name that does not depend on where the process stands. */
	snprintf(source, sizeof source, "/proc/self/fd/%d/%s", place->folder_fd, place->name);
	libarchive.entry_copy_sourcepath(entry, source);
	libarchive.entry_copy_pathname(entry, place->path);
	libarchive.read_disk_set_behavior(disk, ARCHIVE_READDISK_NO_FFLAGS | ARCHIVE_READDISK_NO_SPARSE |
	                                                (has_access_list(place) ? 0 : ARCHIVE_READDISK_NO_ACL));
	good = libarchive.read_disk_entry_from_file(disk, entry, place->fd, &place->stat) == ARCHIVE_OK;
	libarchive.entry_unset_atime(entry);
	libarchive.entry_unset_ctime(entry);
	libarchive.entry_unset_birthtime(entry);
	if (S_ISREG(place->stat.st_mode))
		find_holes(entry, place);
	return good;
}
