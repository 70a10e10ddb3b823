/* Names from the command line and from files with a name in each line. */
#ifndef CLI_FILES_NAME_LIST_H
#define CLI_FILES_NAME_LIST_H

#include <stddef.h>

struct name_list {
	char **names; /* owned, each of them too */
	size_t n, room;
};

void name_list_add(struct name_list *list, const char *name);

/* Add the names that end with the byte `end` in a file; "-" is standard input.  Empty names are skipped. */
int name_list_read(struct name_list *list, const char *file, int end);

void name_list_free(struct name_list *list); /* *list may be zeroed */

#endif
