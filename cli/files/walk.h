/* Walk a directory tree: folders before their content, each folder sorted by name. */
#ifndef CLI_FILES_WALK_H
#define CLI_FILES_WALK_H

#include "cli/args/options.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* name_list.c: names from the command line and from files with a name in each line. */

struct name_list {
	char **names; /* owned, each of them too */
	size_t n, room;
};

void name_list_add(struct name_list *list, const char *name);

/* Add the names that end with the byte `end` in a file; "-" is standard input.  Empty names are skipped. */
int name_list_read(struct name_list *list, const char *file, int end);

/* By bytes; name_compare() is for bsearch(3) in a sorted list. */
void name_list_sort(struct name_list *list);
int name_compare(const void *a, const void *b);

void name_list_free(struct name_list *list); /* *list may be zeroed */

/* patterns.c: names of the members of a directory tree, and the patterns for them, by the rules of tar(1). */

/* A path without the slashes at its end; the caller frees it. */
char *path_trim(const char *path);

/* The rest of a name behind a folder's name; "": the names are the same; NULL: the name is not below the folder. */
const char *path_below(const char *folder, size_t length, const char *name);

/* Does the path match the name, or a folder above the name?  A path with * ? or [ is also a pattern of fnmatch(3). */
bool path_covers(const char *path, const char *name);

/* The patterns of --exclude and --exclude-from. */
int patterns_read(struct name_list *patterns, const struct options *options);

/* Does a pattern match the name TOP/PATH, or the rest of the name after a slash?  top: the tree's name as the user or
 * the archive gives it.  The tree itself is never excluded: a pattern that matches TOP does not exclude everything. */
bool patterns_exclude(const struct name_list *patterns, const char *top, const char *path);

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
