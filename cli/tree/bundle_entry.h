/* One file of a tree as an entry of an archive. */
#ifndef BUNDLE_ENTRY_H
#define BUNDLE_ENTRY_H

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>
#include <sys/stat.h>

/* Where a file is, and what it was found to be. */
struct place {
	int folder_fd;
	const char *name; /* in the folder; not owned */
	const char *path; /* in the tree; not owned */
	int fd;           /* regular files and folders: open; else -1 */
	struct stat stat;
};

/* Look at what the name is, and open files and folders.  Links are not followed.  -1: errno says why
 * it cannot be read. */
int place_open(struct place *place);

/* All that is known of it: mode, owner, times, access control lists, extended attributes, a link's
 * target, and where a file has data if it has holes.  False: not everything (archive_error_string(disk)
 * says why). */
bool entry_fill(struct archive_entry *entry, struct archive *disk, const struct place *place);

#endif
