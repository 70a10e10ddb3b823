/* A container made from memory to nowhere: the product's own pipeline, timed without storage. */
#ifndef MEMORY_RUN_H
#define MEMORY_RUN_H

#include "engine.h"

struct memory_run {
	uint8_t *bytes; /* owned; random, read again and again; NULL: the input is in place */
	size_t n_bytes;
};

/* Take memory for runs of at most `most` bytes; freed by memory_run_close (zeroed is fine). */
int memory_run_open(struct memory_run *run, uint64_t most);
void memory_run_close(struct memory_run *run);

/*
 * Encrypt n_bytes under a new key file, with tags and all, by the plan.  run may be zeroed: then the
 * input is whatever the pipeline's buffers hold, and no one copies it.  *seconds is all of it:
 * opening the engine, its known answers, and the pipeline.
 */
int memory_run(const struct memory_run *run, const struct gpucrypt_plan *plan, uint64_t n_bytes,
        double *seconds);

#endif
