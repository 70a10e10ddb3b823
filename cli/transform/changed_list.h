/* The byte ranges that may have changed, from the file of --changed. */
#ifndef CLI_TRANSFORM_CHANGED_LIST_H
#define CLI_TRANSFORM_CHANGED_LIST_H

#include "gpucrypt/container/update.h"

struct changed_list {
	struct byte_range *ranges; /* owned; NULL: there is no list */
	size_t n;
};

/* Read the list; name "-" is standard input.  GPUCRYPT_USAGE: the file has another form. */
int changed_list_read(struct changed_list *list, const char *name);

#endif
