/*
 * The demand of one block: what the counts of the source, the mode and the launch amount to.  Private to the
 * overlap model: overlap.c prices it on GPUs, scalars.c on CPUs.
 */
#ifndef DEMAND_H
#define DEMAND_H

#include "ppf/model/overlap.h"

/* Work that a work-item does once for several blocks is divided among these blocks. */
struct demand {
	double n_tbl, n_key, n_words;  /* look-ups, round keys; words of plaintext and ciphertext */
	double halves[N_OPERATORS];    /* of the operators: what processors with words of 64 bits do not need */
	double left_shifts;            /* by a constant */
	double lookups[N_TABLE_SIZES]; /* of n_tbl, by the log2 of the table's words; all 0: unknown */
	double operators[N_OPERATORS]; /* instructions, without the extraction of fields */
	double fields[N_FIELDS], high_fields;
	double lookups_deep, operators_deep;
};

/* The blocks that a work-item has at once. */
unsigned item_blocks(const struct launch *launch);

struct demand demand_of(const struct device_record *record, const struct profile *profile, const struct launch *launch);

/* The cycles of the critical path through a block, of which each step waits for the one before.  farther: cycles that a
 * look-up takes longer than in a table of MEASURED_WORDS. */
double demand_latency(const struct device_record *record, const struct demand *demand, double farther);

#define CHASE_CHAINS   4   /* independent chains in a work-item of a benchmark */
#define MEASURED_WORDS 256 /* size of the table whose look-ups ppf measure times */

#endif
