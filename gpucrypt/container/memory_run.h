/* Encrypts or decrypts a container in memory and discards the output, to time the pipeline without storage. */
#ifndef GPUCRYPT_CONTAINER_MEMORY_RUN_H
#define GPUCRYPT_CONTAINER_MEMORY_RUN_H

#include "gpucrypt/engine/engine.h"

struct report;

struct memory_run {
	uint8_t *bytes; /* owned; random, repeated; NULL: see source_open_unfilled() */
	size_t n_bytes;
	uint8_t key[32];       /* key of all containers */
	struct report *report; /* report of the last run; not owned, or NULL */
	/* The container to decrypt, created on first use; bytes is owned. */
	struct {
		uint8_t *bytes;
		size_t n_bytes;
		struct suite suite;
		uint64_t plaintext_bytes;
	} container;
};

/* Allocate memory for runs of at most `most` bytes; freed by memory_run_close (zeroed is fine). */
int memory_run_open(struct memory_run *run, uint64_t most);
void memory_run_close(struct memory_run *run);

/* Encrypt n_bytes by the plan.  run may be zeroed: then the pipeline's buffers stay unfilled, and nothing is copied.
 * *seconds includes opening the engine, its known answers, and the pipeline. */
int memory_run(const struct memory_run *run, const struct gpucrypt_plan *plan, uint64_t n_bytes, double *seconds);

/* The same for decryption of a container of n_bytes in memory; making it is not timed. */
int memory_run_decrypt(struct memory_run *run, const struct gpucrypt_plan *plan, uint64_t n_bytes, double *seconds);

#endif
