/* An empty cache folder of its own, for one test or for all tests of a program. */
#ifndef CACHE_FOLDER_H
#define CACHE_FOLDER_H

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/cmocka_all.h"

static char cache_folder[] = "/tmp/gcrypt_cache.XXXXXX";

static inline int make_cache_folder(void **state)
{
	(void)state;
	memcpy(cache_folder + strlen(cache_folder) - 6, "XXXXXX", 6);
	return mkdtemp(cache_folder) == NULL || setenv("XDG_CACHE_HOME", cache_folder, 1) != 0;
}

static inline int remove_cache_folder(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", cache_folder);
	return system(command);
}

#endif
