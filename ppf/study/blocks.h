/* Data for the variants of an experiment: repeated blocks on the device, and the expected result. */
#ifndef BLOCKS_H
#define BLOCKS_H

#include "ppf/study/variant.h"

#define REPEATED_BYTES ((size_t)64 << 10)

struct blocks {
	struct study *study;
	size_t n_bytes; /* of in and out; a multiple of REPEATED_BYTES */
	cl_mem in, out;
	uint8_t *plain, *expected; /* REPEATED_BYTES; the caller fills in the latter */
};

int blocks_open(struct blocks *blocks, struct study *study, size_t n_bytes);
void blocks_close(struct blocks *blocks); /* zeroed is fine */

/* Check the results of a launch that takes n_bytes, at their start and their end. */
int blocks_check(
        const struct blocks *blocks, struct variant *variant, const struct variant_launch *launch, size_t n_bytes);

#endif
