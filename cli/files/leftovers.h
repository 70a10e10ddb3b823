/* Temporary files and folders of outputs: those of runs that were killed are left over. */
#ifndef CLI_FILES_LEFTOVERS_H
#define CLI_FILES_LEFTOVERS_H

#include <stdbool.h>
#include <sys/stat.h>

#include "cli/files/walk.h"

/* .gcrypt-HEX.part, with 16 digits */
#define TEMPORARY_FORMAT ".gcrypt-%016llx.part"

struct leftover {
	const char *name; /* the walk's */
	int folder_fd;    /* the walk's */
	struct stat stat;
	bool part;     /* OUT.gcr.part, which a run of --resume or --part continues; lock is -1 */
	int lock;      /* of the caller until leftover_release(); -1: a run is using it */
	char text[64]; /* size, and time of the last change */
};

/* Find the next entry of the walk's one folder that output_create() or a run of --resume or --part may have made for
 * this user: a regular file or a folder.  False: the end. */
bool leftover_next(struct leftover *leftover, struct walk *walk);
void leftover_release(struct leftover *leftover);

/* Print one warning if a run that was killed left something in this folder, whose name is for the message.  Returns
 * whether one did. */
bool leftovers_warn(int folder_fd, const char *folder);

#endif
