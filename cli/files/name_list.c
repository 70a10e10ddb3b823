#include "cli/files/walk.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/memory.h"
#include "gpucrypt/status.h"

void name_list_add(struct name_list *list, const char *name)
{
	size_t room = list->room ? 2 * list->room : 64;

	if (list->n == list->room) {
		list->names = memory_or_exit(realloc(list->names, room * sizeof *list->names));
		list->room = room;
	}
	list->names[list->n++] = memory_or_exit(strdup(name));
}

static int read_names(struct name_list *list, FILE *file, int end, const char *file_name)
{
	char *name = NULL;
	size_t room = 0;
	ssize_t length;
	int status = GPUCRYPT_OK;

	while (status == GPUCRYPT_OK && (length = getdelim(&name, &room, end, file)) >= 0) {
		if (length > 0 && name[length - 1] == end)
			name[--length] = '\0';
		if (strlen(name) < (size_t)length)
			status = fail(GPUCRYPT_USAGE, "%s: a name holds a zero byte (see --null)", file_name);
		else if (length > 0)
			name_list_add(list, name);
	}
	if (status == GPUCRYPT_OK && ferror(file))
		status = fail(GPUCRYPT_IO, "%s: cannot read: %s", file_name, strerror(errno));
	free(name);
	return status;
}

int name_list_read(struct name_list *list, const char *name, int end)
{
	bool standard = !strcmp(name, "-");
	FILE *file = standard ? stdin : fopen(name, "re");
	int status;

	if (!file)
		return fail(GPUCRYPT_IO, "%s: cannot open: %s", name, strerror(errno));
	status = read_names(list, file, end, standard ? "standard input" : name);
	if (!standard)
		fclose(file);
	return status;
}

int name_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void name_list_sort(struct name_list *list)
{
	if (list->n > 0)
		qsort(list->names, list->n, sizeof *list->names, name_compare);
}

void name_list_free(struct name_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->names[i]);
	free(list->names);
	*list = (struct name_list){ 0 };
}
