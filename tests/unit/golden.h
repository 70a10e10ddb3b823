/* Texts of commands, which are compared as a whole with a file that was written from the manual. */
#ifndef TESTS_UNIT_GOLDEN_H
#define TESTS_UNIT_GOLDEN_H

#include <stdio.h>

#include "tests/unit/cmocka_all.h"

static char golden_text[1 << 16];

/* What is written here is the text that assert_golden() compares. */
static inline FILE *golden_stream(void)
{
	FILE *stream = fmemopen(golden_text, sizeof golden_text, "w");

	assert_non_null(stream);
	return stream;
}

static inline void assert_golden(FILE *stream, const char *path)
{
	char *expected = kept_allocate(sizeof golden_text);
	FILE *file = fopen(path, "r");

	fclose(stream);
	assert_non_null(file);
	assert_true(fread(expected, 1, sizeof golden_text - 1, file) > 0);
	fclose(file);
	if (strcmp(golden_text, expected) != 0)
		fprintf(stderr, "not the text of %s:\n%s", path, golden_text);
	assert_int_equal(strcmp(golden_text, expected), 0);
}

#endif
