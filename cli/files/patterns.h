/* Names of the members of a directory tree, and the patterns for them, by the rules of tar(1). */
#ifndef CLI_FILES_PATTERNS_H
#define CLI_FILES_PATTERNS_H

#include <stdbool.h>

#include "cli/args/options.h"
#include "cli/files/name_list.h"

/* A path without the slashes at its end; the caller frees it. */
char *path_trim(const char *path);

/* What is behind the folder's name in a name below it; "": they are the same; NULL: it is not below it. */
const char *path_below(const char *folder, size_t length, const char *name);

/* Does the path match the name, or a folder above the name?  A path with * ? or [ is also a pattern of fnmatch(3). */
bool path_covers(const char *path, const char *name);

/* The patterns of --exclude and --exclude-from. */
int patterns_read(struct name_list *patterns, const struct options *options);

/* Does a pattern match the name TOP/PATH, or the rest of the name after a slash?  top: the tree's name as the user or
 * the archive gives it.  The tree itself is never excluded: a pattern that matches TOP does not exclude everything. */
bool patterns_exclude(const struct name_list *patterns, const char *top, const char *path);

#endif
