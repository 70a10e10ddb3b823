/*
 * The accesses of a warp to local memory: the cipher core itself runs on the host and records each look-up, and the
 * number of distinct words in one bank is counted.
 */
#ifndef TRACE_H
#define TRACE_H

#include <stdbool.h>

#include "gpucrypt/crypto/cipher.h"

#define MAX_LOOKUPS 256 /* look-ups of a block */

/* The word indices of one block's look-ups, in order. */
struct trace {
	unsigned n, n_shared; /* counter block: its neighbours share the first n_shared look-ups */
	uint32_t word[MAX_LOOKUPS];
};

/* A core that records its look-ups; trace_core.c defines each.  counter: the block is one of 256 neighbouring
 * counters. */
typedef void trace_core(
        struct trace *trace, uint8_t block[16], bool counter, const struct round_keys *keys, const uint32_t *table);

/*
 * Count the sequential accesses to local memory for the look-ups of a warp of `lanes` blocks: the maximum number of
 * distinct words in one of `banks` banks, summed over a block's look-ups, as the mean over keys.  counters: the number
 * of neighbouring counter blocks (CTR) per work-item, which does the shared look-ups once for all of these blocks; 0:
 * the blocks are random.  Returns 0 if the form has no traced core.
 */
double trace_wavefronts(const struct cipher *cipher, const struct table_form *form, unsigned key_bytes,
        unsigned counters, unsigned copies, unsigned lanes, unsigned banks);

#endif
