/*
 * A new folder into one that exists: files of the same name are replaced, each in one step, folders become one, and
 * everything else stays.  A folder never takes the place of a file, nor a file that of a folder.  Links below the
 * existing folder are not followed.
 */
#ifndef CLI_FILES_MERGE_H
#define CLI_FILES_MERGE_H

#include "cli/files/output.h"

struct merge {
	const struct output *output; /* its folder is open; not owned */
	unsigned long long n_replaced, n_new;
};

/* Count a file that is to come, by its path in the folder, and change nothing.  GPUCRYPT_EXISTS if it cannot be merged:
 * there is a folder in place of a file or the reverse, or the input or a key file. */
int merge_examine(struct merge *merge, const char *path, bool is_folder);

/* Print in one line what becomes of the files that are there. */
void merge_announce(const struct merge *merge);

/* Move all that is in the output's temporary folder to its place, except folders that exist.  After a failure each file
 * there is the old or the new one. */
int merge_move(const struct output *output);

#endif
