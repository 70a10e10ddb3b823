/*
 * The demand of one block: what the counts of the source, the mode and the launch amount to, and its cycles on CPUs.
 * Private to the overlap model, which prices it on GPUs.
 */
#ifndef PPF_MODEL_DEMAND_H
#define PPF_MODEL_DEMAND_H

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

/* Whether this kernel on this device is a bitsliced kernel with vectors as slices. */
bool slices_are_vectors(const struct device_record *record, const struct launch *launch);

/*
 * Set the cycles of a block, by resource, in kernels on CPUs that process one block after another with words.  A core
 * does all instructions of a block in one pipe; it starts with an instruction as soon as the operands are there, so
 * that the critical path and the way from and to memory overlap with other instructions, but not perfectly. BOUND_ISSUE
 * is all instructions, BOUND_LATENCY the critical path.
 */
void scalars_fill(double cycles[N_BOUNDS], const struct device_record *record, const struct demand *demand,
        const struct launch *launch);

/* The same in bitsliced kernels, where slices are vectors.  The profile counts operators on words, for 32 blocks; one
 * instruction works on all words of a vector, and one pipe does all work in sequence. */
void slices_fill(double cycles[N_BOUNDS], const struct device_record *record, const struct profile *profile,
        const struct launch *launch);

#define CHASE_CHAINS   4   /* independent chains in a work-item of a benchmark */
#define MEASURED_WORDS 256 /* size of the table whose look-ups ppf measure times */

#endif
