/* Walk a directory tree: folders before their content, each folder sorted by name. */
#ifndef CLI_FILES_WALK_H
#define CLI_FILES_WALK_H

#include <stdbool.h>
#include <stddef.h>

struct walk {
	struct walk_level *levels; /* owned; the last one is being read */
	size_t n_levels;
	char *path; /* of the entry given last, relative to the tree; owned */
	size_t path_capacity;
};

/* Go into a folder, which is the tree itself or what walk_next() gave last; fd is the walk's from now on.  False: it
 * cannot be listed, errno says why. */
bool walk_enter(struct walk *walk, int fd);

/* The next entry: its name in the folder *folder_fd, and walk->path; both stay until the next call.  NULL: the end. */
const char *walk_next(struct walk *walk, int *folder_fd);

void walk_close(struct walk *walk); /* zeroed is fine */

#endif
