/*
 * What a batch of blocks asks of local memory: each look-up of the batch's work-items, traced
 * through the very core, and how many words of one bank it wants at once.
 */
#ifndef TRACE_H
#define TRACE_H

#include <stdbool.h>

#include "gpucrypt/crypto/cipher.h"

#define MAX_LOOKUPS 256 /* of a block */

/* The word numbers of one block's look-ups, in order. */
struct trace {
	unsigned n, n_shared; /* of a counter: the first n_shared are the same for its neighbours */
	uint32_t word[MAX_LOOKUPS];
};

/* A core that writes down its look-ups; made by trace_core.c.  counter: as one of 256 neighbouring
 * ones. */
typedef void trace_core(
        struct trace *trace, uint8_t block[16], bool counter, const struct round_keys *keys, const uint32_t *table);

/*
 * Accesses to local memory, one after the other, that the look-ups of a batch of `lanes` blocks
 * take: for each look-up the most distinct words in one of `banks` banks, summed over a block's
 * look-ups, on average over keys.  counters: the blocks are neighbouring counters (CTR), of which a
 * work-item has so many, and what these share is looked up once for all of them; 0: the blocks are
 * random.  The result 0: the form has no traced core.
 */
double trace_wavefronts(const struct cipher *cipher, const struct table_form *form, unsigned key_bytes,
        unsigned counters, unsigned copies, unsigned lanes, unsigned banks);

#endif
