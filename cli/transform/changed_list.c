/* enc --update --changed LIST: lines `OFFSET LENGTH`, or a dirty bitmap as lines of nbdinfo(1), or as JSON of
 * nbdinfo(1) or qemu-img(1). */
#include "cli/transform/update.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/memory.h"
#include "command/text.h"
#include "gpucrypt/status.h"

static void add_range(struct changed_list *list, uint64_t from, uint64_t n_bytes)
{
	if ((list->n & (list->n - 1)) == 0) /* the array is full: double it */
		list->ranges = memory_or_exit(realloc(list->ranges, 2 * (list->n + 1) * sizeof *list->ranges));
	list->ranges[list->n++] =
	        (struct byte_range){ from, n_bytes < UINT64_MAX - from ? from + n_bytes : UINT64_MAX };
}

/* nbdinfo describes the extents of other maps by other words: type 0 is `data` in the map of allocation. */
static bool of_bitmap(const char *description)
{
	return !strcmp(description, "dirty") || !strcmp(description, "clean");
}

/* nbdinfo prints two more words after the length, type and description, such as `0 clean`. */
static bool add_line(struct changed_list *list, char *line)
{
	char *rest, *offset = strtok_r(line, " \t\r\n", &rest), *length = strtok_r(NULL, " \t\r\n", &rest), *type,
	            *what;
	uint64_t from, n_bytes;

	if (offset == NULL || *offset == '#')
		return true;
	type = strtok_r(NULL, " \t\r\n", &rest);
	what = strtok_r(NULL, " \t\r\n", &rest);
	if (length == NULL || number_parse(&from, offset, true) || number_parse(&n_bytes, length, true) ||
	        (type && (!what || !of_bitmap(what))))
		return false;
	if (!what || strcmp(what, "dirty") == 0)
		add_range(list, from, n_bytes);
	return true;
}

static int read_lines(struct changed_list *list, FILE *file, const char *name)
{
	char *line = NULL;
	size_t room = 0, number = 1;
	ssize_t n;
	bool good = true;

	for (; good && (n = getline(&line, &room, file)) >= 0; number += good)
		good = strlen(line) == (size_t)n && add_line(list, line);
	free(line);
	if (ferror(file))
		return fail(GPUCRYPT_IO, "%s: cannot read: %s", name, strerror(errno));
	return good ? GPUCRYPT_OK : fail(GPUCRYPT_USAGE, "%s: line %zu: not `OFFSET LENGTH`", name, number);
}

/* An object of nbdinfo has offset, length and type (1: changed); one of qemu-img map with x-dirty-bitmap has start,
 * length and data (false: changed). */
static bool add_object(struct changed_list *list, json_t *object)
{
	json_t *type = json_object_get(object, "type"), *data = json_object_get(object, "data"),
	       *length = json_object_get(object, "length"), *from = json_object_get(object, type ? "offset" : "start");
	const char *what = json_string_value(json_object_get(object, "description"));

	if ((what && !of_bitmap(what)) || !json_is_integer(from) || !json_is_integer(length) ||
	        json_integer_value(from) < 0 || json_integer_value(length) < 0 ||
	        !(json_is_integer(type) || json_is_boolean(data)))
		return false;
	if (type ? json_integer_value(type) != 0 : json_is_false(data))
		add_range(list, (uint64_t)json_integer_value(from), (uint64_t)json_integer_value(length));
	return true;
}

static int read_json(struct changed_list *list, FILE *file, const char *name)
{
	json_t *array = json_loadf(file, 0, NULL), *object;
	bool good = json_is_array(array);
	size_t i;

	json_array_foreach(array, i, object) good = good && add_object(list, object);
	json_decref(array);
	return good ? GPUCRYPT_OK : fail(GPUCRYPT_USAGE, "%s: not the JSON of a dirty bitmap", name);
}

int changed_list_read(struct changed_list *list, const char *name)
{
	bool standard = !strcmp(name, "-");
	FILE *file = standard ? stdin : fopen(name, "re");
	int first, status;

	if (!file)
		return fail(GPUCRYPT_IO, "%s: cannot open: %s", name, strerror(errno));
	add_range(list, UINT64_MAX, 0); /* an empty range, so that ranges is not NULL for an empty list */
	first = ungetc(getc(file), file);
	status = first == '[' ? read_json(list, file, name) : read_lines(list, file, name);
	if (!standard)
		fclose(file);
	return status;
}
