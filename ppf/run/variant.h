/*
 * One way to write a kernel: built by the caller, run once on little input whose result is known, and only then timed.
 * What computes something else has no time.
 *
 *     variant->kernel = …, variant_check, variant_time…, variant_close
 */
#ifndef VARIANT_H
#define VARIANT_H

#include "ppf/run/session.h"

struct variant {
	struct session *session; /* not owned */
	const char *name;        /* not owned; for messages */
	cl_kernel kernel;        /* owned */
	bool checked;
};

/* As for clSetKernelArg(); value NULL means local memory. */
struct variant_argument {
	size_t n_bytes;
	const void *value;
};

/* One launch in one dimension. */
struct variant_launch {
	const struct variant_argument *arguments;
	unsigned n_arguments;
	size_t work_items, work_groups; /* of a group; their number */
};

/* Run the kernel once and compare n_bytes of `out`, from offset on, with the expected bytes. `out` is filled with ones
 * first. Errors: GPUCRYPT_CORRUPT if a byte differs. */
int variant_check(struct variant *variant, const struct variant_launch *launch, cl_mem out, size_t offset,
        const void *expected, size_t n_bytes);

/* Seconds out of several runs, of which the first does not count; by the device's clock where that is
 * right; 0 if it fails.  GPUCRYPT_OTHER if it was not checked. */
int variant_time(struct variant *variant, const struct variant_launch *launch, double *seconds);

void variant_close(struct variant *variant); /* zeroed is fine */

#endif
