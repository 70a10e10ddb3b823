/*
 * Checks of a device while it works: in one group of so many, randomly sampled, the CPU computes one chunk again and
 * compares it with the device's result.
 */
#ifndef GPUCRYPT_ENGINE_RECHECK_H
#define GPUCRYPT_ENGINE_RECHECK_H

#include "gpucrypt/engine/recrypt.h"

struct recheck {
	struct engine *engine; /* the engine under check; not owned */
	struct engine *cpu;    /* owned; has as many lanes as engine; NULL: no checks */
	unsigned one_in;
	unsigned item_log2, chunk_log2; /* bytes of the input in an item and in a chunk */
	uint64_t seed;
};

/* Compute chunks again as often as plan->recheck says; engine may be NULL. The CPU engine is not rechecked, because the
 * same code would compute the same result. All work with tags must have this chunk_log2. */
int recheck_open(struct recheck *recheck, struct engine *engine, const struct gpucrypt_plan *plan, unsigned item_log2,
        unsigned chunk_log2);
void recheck_close(struct recheck *recheck); /* may be zeroed */

/* engine_crypt() of an item (a group of a container, a segment of raw data).  GPUCRYPT_DEVICE if the
 * CPU computes another result, or another tag of a chunk. */
int recheck_crypt(const struct recheck *recheck, unsigned lane, const struct work *work, uint64_t item);

/* The same for engine_recrypt(). */
int recheck_recrypt(const struct recheck *recheck, unsigned lane, struct recryption *recryption, uint64_t item);

#endif
