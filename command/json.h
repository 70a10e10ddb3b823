/* JSON output by jansson. */
#ifndef COMMAND_JSON_H
#define COMMAND_JSON_H

#include <jansson.h>
#include <stdint.h>

#define JSON_MAX_EXACT (UINT64_C(1) << 53)

/* A count of bytes; a string above that, which not every reader's numbers can hold. */
json_t *json_count(uint64_t count);

/* Text that may not be UTF-8, such as a file name: bytes that are not become '?'. */
json_t *json_text(const char *text);

/* Values that are not known (0 or "" in the structs) become null. */
json_t *json_figure(double value);
json_t *json_text_or_null(const char *text);

json_t *json_hex(const uint8_t *bytes, size_t n_bytes);

/* JSON has no bytes: of a name that is not UTF-8, NAME_hex has the bytes. */
void json_set_name(json_t *object, const char *key, const char *name);

/* Takes the value. */
static inline void json_set(json_t *object, const char *name, json_t *value)
{
	json_object_set_new(object, name, value);
}

/* Write to a file of this name without stdio's buffer: a copy of text, which may hold keys, would stay there. */
int json_write(int fd, const char *name, const char *text);

/* Write it and a newline to standard output, and free it.  NULL is out of memory. */
int json_print(json_t *json);

#endif
