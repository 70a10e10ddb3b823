/* The inputs of a run: the operands, the names of --files-from, or standard input. */
#ifndef CLI_TRANSFORM_OPERANDS_H
#define CLI_TRANSFORM_OPERANDS_H

#include "cli/args/options.h"

struct operands {
	char **names; /* owned, each of them too */
	size_t n, room;
};

/* Without operands and --files-from the input is standard input, unless that is a terminal.  Free *operands after a
 * failure too. */
int operands_read(struct operands *operands, const struct options *options);

/* Add a name behind a prefix. */
void operands_add(struct operands *operands, const char *prefix, const char *name);

/* Of several operands each has to be there, so that a mistake ends the run before its first file.  A file of a list may
 * have gone. */
int operands_check(const struct operands *operands, const struct options *options);

void operands_free(struct operands *operands);

#endif
