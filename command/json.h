/* JSON output by jansson, and text that is made from JSON. */
#ifndef COMMAND_JSON_H
#define COMMAND_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

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

/* pattern.c: results for people: patterns that are filled with members of a result's JSON, and tables of such patterns.
 */

#define PATTERN_TEXT 1024

/*
 * Fill a pattern from a JSON object, or else from the whole result (NULL: none).  In a pattern
 *   {plan.threads}      is a member's text, or the number of an array's elements; {seconds.0} is an element
 *   {bytes/start-end}   is a number: the first member divided by the difference of the other two
 *   {bytes:size}        is a number in a unit (see `units` in pattern.c)
 *   {copies!1}          is a member's text, and exists only if the text is not "1"
 *   {?chosen}           gives no text, and exists only if the value is true, positive or a nonempty text
 *   [a|b]               is the first of the alternatives all of whose members exist; no text if there is none
 * A member that is missing or null does not exist.  A number in a unit exists only if the number is positive.  A member
 * that is null in the object is not looked for in the whole result.
 *
 * Returns false, and the text "-", if a member of the pattern does not exist.  Control characters of members become
 * '?'.  What does not fit is cut off.
 */
bool pattern_fill(char text[PATTERN_TEXT], const char *pattern, const json_t *object, const json_t *whole);

/* Print a line, or nothing if a member of the pattern does not exist. */
void pattern_print(FILE *stream, const char *pattern, const json_t *object, const json_t *whole);

/* Print such lines for an object, or for each object in an array.  patterns end with NULL. */
void patterns_print(FILE *stream, const char *const *patterns, const json_t *json);

struct column {
	int width; /* negative: aligned to the left */
	const char *heading, *pattern;
};

/* Print a table: its headings, and a line for each object in an array. */
void columns_print(FILE *stream, const struct column *columns, unsigned n, const json_t *array, const json_t *whole);

/* Print one line of a table. */
void columns_print_heading(FILE *stream, const struct column *columns, unsigned n);
void columns_print_row(
        FILE *stream, const struct column *columns, unsigned n, const json_t *object, const json_t *whole);

/* Write the datablock NAME of a gnuplot script, with a line for each object in the array.  In a line each pattern gives
 * a number, a text, or NaN, which gnuplot does not draw; tabs separate them. */
void pattern_data(FILE *stream, const char *name, const json_t *rows, const char *const *patterns, unsigned n);

/* Does the pattern have a value for any object in the array?  gnuplot fails if all values of a plot are NaN. */
bool pattern_exists(const json_t *rows, const char *pattern);

#endif
