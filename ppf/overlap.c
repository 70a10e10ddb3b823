#include "overlap.h"

#define BLOCK_BYTES 16

const char *const bound_names[N_BOUNDS] = { "local memory", "arithmetic", "instruction issue",
	"device memory" };

/*
 * Operators of a block outside the core: estimates from reading kernels/, not an analysis.  The
 * grid's loop and addresses, and CTR's number, byte order and xor; XTS in units of 4096 bytes: on
 * average 3.5 word shifts of the tweak, the last shift, and two xors of the block.
 */
#define CTR_OPERATORS 30
#define XTS_OPERATORS 85

static double smaller_than_zero_is_zero(double x)
{
	return x > 0 ? x : 0;
}

/* Logic operators come in chains (a ^ b ^ c …): what the device fuses costs one for two. */
static double logic_cycles(const struct record *record, double operators)
{
	double fused = record->fusion_cycles[FUSION_LOGIC] / 2,
	       alone = record->operator_cycles[OPERATOR_LOGIC];

	return operators * (fused > 0 && fused < alone ? fused : alone);
}

/* What is left of the counted operators when look-ups, which have a price of their own, take their
 * field extraction with them: a mask each, and a shift for three bytes of four. */
static double arithmetic_cycles(const struct record *record, const struct profile *profile,
        const struct lookup_cost *lookup, unsigned mode_operators)
{
	const unsigned *n = profile->operators;
	double logic = smaller_than_zero_is_zero((double)n[OPERATOR_LOGIC] - profile->n_tbl);
	double shift = smaller_than_zero_is_zero(n[OPERATOR_SHIFT] - 0.75 * profile->n_tbl);
	double cycles = profile->n_tbl * lookup->arithmetic;

	cycles += logic_cycles(record, logic);
	cycles += shift * record->operator_cycles[OPERATOR_SHIFT];
	for (int i = 0; i < N_OPERATORS; i++)
		if (i != OPERATOR_LOGIC && i != OPERATOR_SHIFT)
			cycles += n[i] * record->operator_cycles[i];
	return cycles + mode_operators * record->operator_cycles[OPERATOR_SHIFT];
}

static unsigned log2_of(unsigned n)
{
	unsigned log2 = 0;

	while (n >> log2 > 1)
		log2++;
	return log2;
}

static double local_cycles(const struct record *record, const struct profile *profile,
        const struct kernel_shape *shape, double batches)
{
	double lookup = record->copies_cycles[log2_of(shape->copies)];
	double busy = record_cycles(record, RESOURCE_LOCAL_RANDOM, batches) /
	              record_cycles(record, RESOURCE_LOCAL_RANDOM, record->max_batches);
	/* Taken as given: four neighbouring round keys are one load of 16 bytes. */
	double keys = shape->keys_local
	                      ? profile->n_key / 4.0 *
	                                record_cycles(record, RESOURCE_LOCAL_REGULAR, batches)
	                      : 0;

	/* A traced core says how often a batch goes to local memory; else every look-up is random.
	 */
	if (shape->wavefronts > 0 && !record->is_cpu)
		return shape->wavefronts * record_cycles(record, RESOURCE_LOCAL_REGULAR, batches) +
		       keys;
	return profile->n_tbl * lookup * busy + keys;
}

bool predict_overlap(struct overlap_prediction *p, const struct record *record,
        const struct profile *profile, const struct kernel_shape *shape,
        const struct launch *launch)
{
	const struct lookup_cost *lookup =
	        &record->lookups[shape->copies > 1 ? LOOKUP_LOCAL_COPIES : LOOKUP_LOCAL];
	unsigned mode_operators = shape->has_tweaks ? XTS_OPERATORS : CTR_OPERATORS;
	double bytes = 2.0 * BLOCK_BYTES * record->batch_items; /* read and written */
	double batches = (double)launch->work_groups * launch->work_items /
	                 (record->batch_items * (double)record->compute_units);
	double units_batches = (double)launch->n_bytes /
	                       (BLOCK_BYTES * (double)record->batch_items * record->compute_units);

	if (record->copies_cycles[log2_of(shape->copies)] <= 0 || lookup->arithmetic <= 0 ||
	        record->global_bytes_per_s <= 0)
		return false;
	if (batches > record->max_batches)
		batches = record->max_batches;
	p->cycles[BOUND_LOCAL] = local_cycles(record, profile, shape, batches);
	p->cycles[BOUND_ARITHMETIC] = arithmetic_cycles(record, profile, lookup, mode_operators);
	/* An estimate: two instructions a look-up, and pairs of operators fused. */
	p->cycles[BOUND_ISSUE] =
	        record->issue_cycles * (2.0 * profile->n_tbl + profile_n_inst(profile) / 2.0 +
	                                       profile->n_key / 4.0 + mode_operators);
	p->cycles[BOUND_GLOBAL] =
	        bytes * record->compute_units * record->clock_hz / record->global_bytes_per_s;
	p->bound = BOUND_LOCAL;
	for (enum bottleneck b = BOUND_LOCAL; b < N_BOUNDS; b++)
		if (p->cycles[b] > p->cycles[p->bound])
			p->bound = b;
	p->total_cycles = p->cycles[p->bound] * units_batches +
	                  record_table_load_cycles(record, launch->table_words * shape->copies) +
	                  record->launch_s * record->clock_hz;
	p->seconds = p->total_cycles / record->clock_hz;
	return true;
}
