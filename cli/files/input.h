/* A file to read: a name, or - for standard input. */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <sys/stat.h>

#include "gpucrypt/pipeline/source.h"

struct input {
	struct source source;
	const char *name; /* for messages; not owned */
	struct stat stat; /* when it was opened */
	uint64_t medium;  /* disk sequence number of a block device when it was opened; 0: not known */
	bool standard;    /* standard input */
	bool tree;        /* a directory; source.fd is its descriptor, and it gives no bytes yet */
};

/* GPUCRYPT_IO when it cannot be opened; GPUCRYPT_USAGE for a directory. */
int input_open(struct input *input, const char *name);

/* The same, or a directory. */
int input_open_any(struct input *input, const char *name);

/* One regular file, or one block device under two names.  Pipes, sockets and terminals may well be
 * both input and output. */
bool same_storage(const struct stat *a, const struct stat *b);

bool same_time(const struct timespec *a, const struct timespec *b);

/* Do two states of one file have the same size, modification time and change time?  Then nothing wrote to the file,
 * truncated it or changed its attributes between them, as far as these three can show. */
bool same_version(const struct stat *a, const struct stat *b);

/* Was the open file or block device written to, or its medium replaced, since it was opened?  False for pipes and
 * terminals. */
bool input_changed(const struct input *input);

void input_close(struct input *input); /* of one that was never opened: fd is -1 */

#endif
