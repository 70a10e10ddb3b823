/* Source files of a text each, analysed, for tests. */
#ifndef TESTS_UNIT_SOURCES_H
#define TESTS_UNIT_SOURCES_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ppf/analysis/analyze.h"
#include "tests/unit/cmocka_all.h"

#define HEAD                                                                             \
	"typedef unsigned word; typedef const word *tables; typedef const word *keys;\n" \
	"word rotate_left(word, int);\n"

/* A source file with this text; the name stays valid until the next one. */
static inline const char *source(const char *text)
{
	static char name[64];
	FILE *file;
	int fd;

	if (*name)
		unlink(name);
	strcpy(name, "/tmp/test_analyze_XXXXXX.c");
	fd = mkstemps(name, 2);
	assert_true(fd >= 0);
	file = fdopen(fd, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
	return name;
}

void program_set_up(void)
{
	if (!analyze_available())
		program_skip("built without libclang");
}

void program_tear_down(void)
{
	unlink(source(""));
}

static inline struct profile analyzed(const struct analysis *analysis)
{
	struct profile profile = { 0 };
	int status;

	fail_clear();
	status = analyze(&profile, analysis);
	if (status != GPUCRYPT_OK)
		print_error("%s\n", gpucrypt_error());
	assert_int_equal(status, GPUCRYPT_OK);
	return profile;
}

static inline void expect_operators(
        const struct profile *profile, const unsigned expected[N_OPERATORS], const char *text)
{
	for (int i = 0; i < N_OPERATORS; i++) {
		if (profile->operators[i] != expected[i])
			print_error("%s\n%u %s, expected %u\n", text, profile->operators[i], operator_names[i],
			        expected[i]);
		assert_int_equal(profile->operators[i], expected[i]);
	}
}

#endif
