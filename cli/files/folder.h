/* The folder part of a file's name. */
#ifndef CLI_FILES_FOLDER_H
#define CLI_FILES_FOLDER_H

#include <limits.h>
#include <stdbool.h>

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

#endif
