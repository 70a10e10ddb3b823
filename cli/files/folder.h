/* Folders: names of entries, walks through trees, removing a tree, and leftovers of killed runs. */
#ifndef CLI_FILES_FOLDER_H
#define CLI_FILES_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "cli/args/options.h"

/* The part of a path after its last slash. */
const char *folder_base(const char *name);

/* The folder's name, which the caller frees: "." where there is no slash. */
char *folder_name(const char *name);

/* The descriptor number that a name like /dev/stdout or /dev/fd/3 refers to, also through symbolic links; -1 if the
 * name refers to no descriptor of this process. */
int folder_descriptor(const char *name);

/* Rename a file within a folder unless something has the new name, in one step: by rename; by link on file systems that
 * cannot refuse while renaming; and where there are no links either by renaming over an empty file that was made for
 * it. 0, or -1 with errno. */
int folder_rename_new(int folder_fd, const char *from, const char *to);

/* The same for a file or a folder, from one folder into another.  Async-signal-safe. */
int folder_rename_tree(int from_fd, const char *from, int to_fd, const char *to);

/* Open a folder without following a link, and give the folder's owner all permissions on it.  Async-signal-safe. */
int folder_open_own(int folder_fd, const char *name);

/* Open the folder that contains the path's last component, below another folder, and copy that component to base. Links
 * are not followed, and ".." is refused.  -1: see errno. */
int folder_open_parent(int top_fd, const char *path, char base[NAME_MAX + 1]);

/* Entries of the folder to the storage; if not, errno says why. */
bool folder_synced(int folder_fd);
int folder_sync(int folder_fd, const char *name);

/* Remove a folder with all that is in it; links are not followed.  However deep it is, few
 * descriptors are open.  0, or -1 with errno: something is left. */
int remove_tree(int folder_fd, const char *name);

/* Names from the command line and from files with a name in each line. */

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

/* Names of the members of a directory tree, and the patterns for them, by the rules of tar(1). */

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

/* Walk a directory tree: folders before their content, each folder sorted by name. */

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

/* Leftovers: temporary files and folders of outputs whose run was killed. */

/* .gcrypt-HEX.part, with 16 digits */
#define TEMPORARY_FORMAT ".gcrypt-%016llx.part"

struct leftover {
	const char *name; /* the walk's */
	int folder_fd;    /* the walk's */
	struct stat stat;
	bool part;     /* OUT.gcr.part, which --resume or --part continues; then lock is -1 */
	int lock;      /* owned by the caller until leftover_release(); -1: a run holds the lock */
	char text[64]; /* size, and time of the last change */
};

/* Find the next leftover in the walk's one folder: a regular file or a folder of this user, with a name that
 * output_create(), --resume or --part gives.  False: the end. */
bool leftover_next(struct leftover *leftover, struct walk *walk);
void leftover_release(struct leftover *leftover);

/* Print one warning if the folder has a leftover; the folder's name is for the message.  Returns whether it printed
 * one. */
bool leftovers_warn(int folder_fd, const char *folder);

#endif
