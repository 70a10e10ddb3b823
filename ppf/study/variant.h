/*
 * One way to write a kernel: built, run once on little input whose result is known, and only then
 * timed.  What computes something else has no time.
 *
 *     variant_build, variant_check, variant_time…, variant_close
 *
 * Kernels of kernels/study/ store each result through PLANTED() (study.cl, which stands before all
 * other files): with study->plant the variant of that name is built with -DPLANT, and is wrong.
 */
#ifndef VARIANT_H
#define VARIANT_H

#include "ppf/study/study.h"

struct variant {
	struct study *study; /* not owned */
	const char *name;    /* not owned; for notes, and for study->plant */
	cl_kernel kernel;
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

/*
 * Build a kernel from files of kernels/ and kernels/study/ (separated by spaces; word.cl is not
 * implied) with options; -DPTX where the device takes it is up to the caller.  What was built before
 * is gone.  GPUCRYPT_DEVICE.
 */
int variant_build(struct variant *variant, struct study *study, const char *name, const char *files,
        const char *options, const char *kernel);

/* Run the kernel once and compare n_bytes of `out`, from offset on, with the expected bytes. `out` is filled with ones
 * first. Errors: GPUCRYPT_CORRUPT if a byte differs. */
int variant_check(struct variant *variant, const struct variant_launch *launch, cl_mem out, size_t offset,
        const void *expected, size_t n_bytes);

/* Seconds out of several runs, of which the first does not count; by the device's clock where that is
 * right; 0 if it fails.  GPUCRYPT_OTHER if it was not checked. */
int variant_time(struct variant *variant, const struct variant_launch *launch, double *seconds);

/* The median of the sorted run times; on a CPU, where other programs run too, the shortest time, because disturbances
 * only lengthen a run. The spread goes into the figure. */
double study_seconds(const struct study *study, double *runs, unsigned n);

void variant_close(struct variant *variant); /* zeroed is fine */

/* A wrong result or a failed build is noted, and the figure continues: GPUCRYPT_OK. */
int variant_note(struct figure *figure, const char *name, int status);

#endif
