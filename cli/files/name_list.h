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

/* By bytes; name_compare() is for bsearch(3) in a sorted list. */
void name_list_sort(struct name_list *list);
int name_compare(const void *a, const void *b);

void name_list_free(struct name_list *list); /* *list may be zeroed */

#endif
