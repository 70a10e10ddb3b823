/* Walk a directory tree: folders before their content, each folder sorted by name. */
#ifndef CLI_FILES_WALK_H
#define CLI_FILES_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cli/files/name_list.h"

/* The entries that a walk skips. */
struct walk_limits {
	const struct name_list *excluded; /* patterns; not owned */
	const char *top;                  /* the tree's name in patterns; not owned */
	bool one_file_system;
};

struct walk {
	const struct walk_limits *limits; /* not owned; NULL: nothing is skipped */
	dev_t device;                     /* of the tree itself */
	struct walk_level *levels;        /* owned; the last one is being read */
	size_t n_levels;
	char *path; /* of the entry given last, relative to the tree; owned */
	size_t path_capacity;
};

/* Go into a folder: the tree itself, or the last entry of walk_next().  The walk owns fd from then on.  False:
 * the folder cannot be listed, see errno; EXDEV: the limits skip the folder, which is on another file system. */
bool walk_enter(struct walk *walk, int fd);

/* The next entry: its name in the folder *folder_fd, and walk->path; both stay until the next call.  NULL: the end. */
const char *walk_next(struct walk *walk, int *folder_fd);

void walk_close(struct walk *walk); /* *walk may be zeroed */

#endif
