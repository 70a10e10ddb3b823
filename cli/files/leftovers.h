/* Leftovers: temporary files and folders of outputs whose run was killed. */
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
