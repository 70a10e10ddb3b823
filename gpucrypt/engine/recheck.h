/*
 * Distrust of a device while it works: of one group in so many, one chunk is computed again by the
 * CPU, after the device's result has come back, and compared.  What is found wrong stops the run.
 */
#ifndef RECHECK_H
#define RECHECK_H

#include "gpucrypt/engine/recrypt.h"

struct recheck {
	struct engine *engine; /* that does the work; not owned */
	struct engine *cpu;    /* owned; with as many lanes; NULL: nothing is computed again */
	unsigned one_in;
	unsigned item_log2, chunk_log2; /* bytes of the input in an item and in a chunk */
	uint64_t seed;
};

/* By the plan; engine may be NULL.  The CPU engine itself is not checked: it would be the same code
 * again.  chunk_log2 is that of all work that wants tags. */
int recheck_open(struct recheck *recheck, struct engine *engine, const struct gpucrypt_plan *plan, unsigned item_log2,
        unsigned chunk_log2);
void recheck_close(struct recheck *recheck); /* zeroed is fine */

/* engine_crypt() of an item (a group of a container, a segment of raw data).  GPUCRYPT_DEVICE if its
 * result or the tag of a chunk is not what the CPU computes. */
int recheck_crypt(const struct recheck *recheck, unsigned lane, const struct work *work, uint64_t item);

/* The same of engine_recrypt(). */
int recheck_recrypt(const struct recheck *recheck, unsigned lane, struct recryption *recryption, uint64_t item);

#endif
