/* A container made from memory to nowhere, or decrypted: the product's own pipeline, timed without
 * storage. */
#ifndef MEMORY_RUN_H
#define MEMORY_RUN_H

#include "gpucrypt/engine/engine.h"

struct report;

struct memory_run {
	uint8_t *bytes; /* owned; random, read again and again; NULL: the input is in place */
	size_t n_bytes;
	uint8_t key[32];       /* of all its containers */
	struct report *report; /* of the last run; not owned, or NULL */
	/* What is decrypted, made when it is first asked for; owned. */
	struct {
		uint8_t *bytes;
		size_t n_bytes;
		const struct cipher *cipher;
		const struct mode *mode;
		unsigned key_bytes;
		uint64_t of_bytes;
	} container;
};

/* Take memory for runs of at most `most` bytes; freed by memory_run_close (zeroed is fine). */
int memory_run_open(struct memory_run *run, uint64_t most);
void memory_run_close(struct memory_run *run);

/*
 * Encrypt n_bytes under a new key file, with tags and all, by the plan.  run may be zeroed: then the
 * input is whatever the pipeline's buffers hold, and no one copies it.  *seconds is all of it:
 * opening the engine, its known answers, and the pipeline.
 */
int memory_run(const struct memory_run *run, const struct gpucrypt_plan *plan, uint64_t n_bytes, double *seconds);

/* The same for decryption of a container of n_bytes, which is all in memory: it is made first, which
 * is not timed. */
int memory_run_decrypt(struct memory_run *run, const struct gpucrypt_plan *plan, uint64_t n_bytes, double *seconds);

#endif
