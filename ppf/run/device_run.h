/* The translated function on a device: built, compared with the host's results, and timed. */
#ifndef PPF_RUN_DEVICE_RUN_H
#define PPF_RUN_DEVICE_RUN_H

#include "gpucrypt/config.h"
#include "ppf/run/translate.h"
#include "ppf/run/variant.h"

#define BUILD_SECONDS 120 /* SIGALRM ends the process if a build takes longer: drivers cannot be interrupted */

struct device_run {
	struct session *session; /* not owned */
	const struct translation *translation;
	const char *name; /* of the function; not owned */
	uint64_t n_blocks;
	uint8_t *expected;            /* owned; the ciphertext of all blocks */
	cl_mem in, out, tables, keys; /* owned */
	struct variant variant;       /* of the last shape */
	enum memory_space spaces[2];  /* that the variant was built for; MEMORY_OPEN: none yet */
	unsigned registers;           /* the limit that it was built for */
};

/* Buffers for n_bytes of ciphertext, whole blocks.  The caller closes the run, also after a failure. */
int device_run_open(struct device_run *run, struct session *session, const struct translation *translation,
        const struct host_results *results, uint64_t n_bytes, const char *name);
void device_run_close(struct device_run *run); /* zeroed is fine */

/*
 * Build the kernel for the shape if needed, compare every block with the host's result, and time it; *seconds is the
 * median of several runs (the shortest on a CPU).  Errors: GPUCRYPT_CORRUPT if a block differs; GPUCRYPT_DEVICE if the
 * device cannot build or run it; GPUCRYPT_USAGE if the tables do not fit the memory they are to be in.  Of the shape,
 * placement and launch are used: the table is local, constant or global, the keys are local or constant.
 */
int device_run_time(struct device_run *run, const struct kernel_config *shape, double *seconds);

#endif
