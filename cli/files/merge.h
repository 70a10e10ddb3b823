/*
 * Merge a new folder into an existing folder: files of the same name are replaced, each by one rename; folders of the
 * same name are merged; other entries stay.  A folder never replaces a file, and a file never replaces a folder.
 * Links below the existing folder are not followed.
 */
#ifndef CLI_FILES_MERGE_H
#define CLI_FILES_MERGE_H

#include "cli/files/output.h"

struct merge {
	const struct output *output; /* not owned; output->folder_fd is open */
	unsigned long long n_replaced, n_new;
};

/* Count a member as new or as a replacement, by its path in the folder, and change nothing.  GPUCRYPT_EXISTS: the path
 * is a folder and the member is not, or the reverse, or the path is the input or a key file. */
int merge_examine(struct merge *merge, const char *path, bool is_folder);

/* Print one line: how many files are replaced and how many are new. */
void merge_announce(const struct merge *merge);

/* Move the content of the output's temporary folder into the existing folder, except folders that exist there.  After
 * a failure each file is either the old or the new one. */
int merge_move(const struct output *output);

#endif
