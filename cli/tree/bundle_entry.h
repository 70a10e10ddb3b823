/* One file of a tree as an entry of an archive. */
#ifndef BUNDLE_ENTRY_H
#define BUNDLE_ENTRY_H

#include <stdbool.h>
#include <sys/stat.h>

#include "cli/tree/libarchive.h"

/* A file's place and its status. */
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

/* Read all metadata of a file: mode, owner, times, access control lists, extended attributes, the target of a link, and
 * the data ranges of a file with holes. False: some are missing, for the reason in archive_error_string(disk). */
bool entry_fill(struct archive_entry *entry, struct archive *disk, const struct place *place);

#endif
