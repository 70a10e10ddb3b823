/*
 * One way to write a kernel.  The caller builds the kernel; variant_check() runs it on a small input whose result is
 * known; only then variant_time() may measure it.  A kernel with a wrong result gets no time.
 *
 *     variant->kernel = …, variant_check, variant_time…, variant_close
 */
#ifndef PPF_RUN_VARIANT_H
#define PPF_RUN_VARIANT_H

#include "ppf/measure/bench.h"
#include "ppf/record/device_record.h"

/* A device on which kernels are built, checked and timed: opened once, with its record. */
struct session {
	struct inventory inventory;
	const struct device *device;  /* points into inventory; NULL: not open */
	unsigned number;              /* the device as in a plan: 1 + its number */
	struct bench bench;           /* open and warm */
	struct device_record *record; /* owned; NULL before the first session_record() */
	bool plant;                   /* kernels are built with -DPLANT and are wrong, for tests */
	double spread; /* of a kernel's runs: median over the shortest, less 1; the mean of n_spreads kernels */
	unsigned n_spreads;
};

/* number: the device's number as in a plan, or 0 for the best device.  GPUCRYPT_DEVICE: nothing is open. */
int session_open(struct session *session, unsigned number);
void session_close(struct session *session); /* session may be zeroed */

/* Get the device's record from the cache; if the cache has none, the first call measures it and stores it.  The session
 * owns *record. */
int session_record(struct session *session, const struct device_record **record);

/* Sort the times of a kernel's runs and return their robust value (robust_seconds()); their spread is added to
 * session->spread. */
double session_seconds(struct session *session, double *runs, unsigned n);

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
	size_t work_items, work_groups; /* work-items of a group; number of groups */
};

/* Run the kernel once and compare n_bytes of `out`, from offset on, with the expected bytes. `out` is filled with ones
 * first. Errors: GPUCRYPT_CORRUPT if a byte differs. */
int variant_check(struct variant *variant, const struct variant_launch *launch, cl_mem out, size_t offset,
        const void *expected, size_t n_bytes);

/* The time of one run in seconds, from several runs after one that does not count, by the device's clock if that clock
 * is right; 0 if a run fails.  GPUCRYPT_OTHER: variant_check() has not passed. */
int variant_time(struct variant *variant, const struct variant_launch *launch, double *seconds);

void variant_close(struct variant *variant); /* variant may be zeroed */

#endif
