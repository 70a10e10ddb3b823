/* JSON output by jansson. */
#ifndef JSON_H
#define JSON_H

#include <jansson.h>
#include <stdint.h>

/* Everything jansson frees is overwritten first: there may be keys in it.  Called once, before
 * anything else here or of jansson. */
void json_wipe_memory(void);

/* A count of bytes; a string above 2^53, which not every reader's numbers can hold. */
json_t *json_count(uint64_t count);

/* Text that may not be UTF-8, such as a file name: other bytes become '?'. */
json_t *json_text(const char *text);

json_t *json_hex(const uint8_t *bytes, size_t n_bytes);

/* Write it and a newline to standard output, and free it.  NULL is out of memory. */
int json_print(json_t *json);

#endif
