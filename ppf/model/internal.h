/* Private to this folder: the demand of a block (demand.c), and the costs of the stages of a run (stage_costs.c). */
#ifndef PPF_MODEL_INTERNAL_H
#define PPF_MODEL_INTERNAL_H

#include "ppf/model/end_to_end.h"

/*
 * The demand of one block: operations and accesses, from the counts of the source, the mode and the launch; and the
 * cycles of these on CPUs.  The overlap model computes the cycles on GPUs.
 */

/* Work that a work-item does once for several blocks is divided among these blocks. */
struct demand {
	double n_tbl, n_key, n_words;  /* look-ups, round keys; words of plaintext and ciphertext */
	double halves[N_OPERATORS];    /* of the operators: what processors with words of 64 bits do not need */
	double left_shifts;            /* by a constant */
	double turns[N_TURNS];         /* of the rotations */
	double lookups[N_TABLE_SIZES]; /* of n_tbl, by the log2 of the table's words; all 0: unknown */
	double operators[N_OPERATORS]; /* instructions, without the extraction of fields */
	double fields[N_FIELDS], high_fields;
	double lookups_deep, operators_deep, slow_deep[N_SLOW_OPERATORS];
};

/* The blocks that a work-item has at once. */
unsigned item_blocks(const struct launch *launch);

struct demand demand_of(const struct device_record *record, const struct profile *profile, const struct launch *launch);

/* The cycles of rotations by data beyond those of as many rotations by a constant.  Records of earlier releases have no
 * such costs. */
double demand_turns(const struct device_record *record, const struct demand *demand);

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

/* The costs of the stages of a run. */

/* A run to predict. */
struct run {
	const struct machine *machine;
	const struct suite *suite;
	const struct gpucrypt_plan *plan; /* complete */
	const struct task *task;
	uint64_t n_bytes; /* of the task */
	struct pipeline_layout layout;
	struct gpucrypt_part engines[GPUCRYPT_MAX_PARTS];
	const struct machine_device *devices[GPUCRYPT_MAX_PARTS]; /* of the engines; NULL: the CPU */
	unsigned n_engines;
};

/* The cost of one byte in a stage. */
struct cost {
	double alone_s;  /* seconds of one worker; the first group waits for one worker */
	double period_s; /* seconds of all workers of the stage in parallel */
	double core_s;   /* seconds of one CPU core while the other cores work too */
};

/* The cost of a stage that one CPU thread runs. */
struct cost cost_one_thread(double bytes_per_s);

/* The cost of a stage that several threads run: each at its single-thread speed, up to the limit of all cores. */
struct cost cost_threads(const struct machine *machine, double one_per_s, double all_per_s, unsigned workers);

/* Set the costs of an engine's stages, which are 0 before.  Returns false if the records lack a figure. */
bool engine_costs(struct cost costs[N_STAGES], const struct run *run, unsigned engine);

#endif
