/*
 * The list of device programs that were built on this machine before.  Drivers cache the programs that they build, so a
 * run with a listed program starts without a build.  A driver cannot be asked for the contents of its cache.
 */
#ifndef PPF_RECORD_BUILT_H
#define PPF_RECORD_BUILT_H

#include <jansson.h>

#include "gpucrypt/engine/opencl/program.h"

#define MAX_BUILT 256 /* older programs are dropped from the list */

struct built {
	uint64_t keys[MAX_BUILT]; /* oldest first */
	unsigned n;
};

/* Read the list from the cache (NULL: there is none); what is damaged in the list matches no program. */
void built_read(struct built *built, const json_t *cache);

bool built_before(const struct built *built, const struct device *device, const struct suite *suite,
        const struct kernel_config *kernel);

/* Add a program that was just built to the list, in memory and in the cache. */
void built_keep(struct built *built, const struct device *device, const struct suite *suite,
        const struct kernel_config *kernel);

#endif
