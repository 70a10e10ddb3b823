/*
 * Device programs that were built on this machine before.  Drivers keep what they build, so a run
 * that needs such a program starts without building it; there is no way to ask a driver.
 */
#ifndef BUILT_H
#define BUILT_H

#include "gpucrypt/engine/opencl/program.h"

#define MAX_BUILT 256 /* the older ones are forgotten */

struct built {
	uint64_t keys[MAX_BUILT]; /* oldest first */
	unsigned n;
};

/* What is in the cache; nothing if there is none, or it is damaged. */
void built_read(struct built *built);

bool built_before(const struct built *built, const struct device *device, const struct suite *suite,
        const struct program_shape *shape);

/* Remember one that was built just now, for this run and in the cache. */
void built_keep(
        struct built *built, const struct device *device, const struct suite *suite, const struct program_shape *shape);

#endif
