/* An empty cache folder for one test, or for all tests of a program. */
#ifndef TESTS_UNIT_CACHE_FOLDER_H
#define TESTS_UNIT_CACHE_FOLDER_H

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/cmocka_all.h"

static char cache_folder[] = "/tmp/gcrypt_cache.XXXXXX";

static inline void make_cache_folder(void)
{
	memcpy(cache_folder + strlen(cache_folder) - 6, "XXXXXX", 6);
	assert_non_null(mkdtemp(cache_folder));
	assert_int_equal(setenv("XDG_CACHE_HOME", cache_folder, 1), 0);
}

static inline void remove_cache_folder(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", cache_folder);
	assert_int_equal(system(command), 0);
}

#define EACH_TEST_HAS_A_CACHE_FOLDER   \
	void test_set_up(void)         \
	{                              \
		make_cache_folder();   \
	}                              \
	void test_tear_down(void)      \
	{                              \
		remove_cache_folder(); \
	}

#endif
