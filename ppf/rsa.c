#include "rsa.h"

#include <math.h>

#define REGISTER_WORDS 64 /* kernels/rsa.cl: beyond these, a factor stays in memory */

unsigned rsa_products(uint64_t exponent)
{
	unsigned bits = 64 - (unsigned)__builtin_clzll(exponent);

	/* The conversion, a square for each bit but the first, a product for each other 1. */
	return 1 + bits - 1 + (unsigned)__builtin_popcountll(exponent) - 1;
}

double rsa_wide_cycles(const struct record *record, bool chains)
{
	double measured = chains ? record->fusion_cycles[FUSION_CHAIN]
	                         : record->operator_cycles[OPERATOR_WIDE];
	double halves = 2 * record->operator_cycles[OPERATOR_MUL];

	if (measured > 0)
		return measured;
	/* Two summands, of two words each with the carry. */
	return chains ? halves : halves + 4 * record->operator_cycles[OPERATOR_ADD];
}

/* Words that a product loads and stores: both factors and the result; on GPUs a factor that is not
 * in registers again for each word of the other; on CPUs, whose registers are few, also the modulus
 * and the sum. */
static double words_moved(const struct record *record, unsigned words)
{
	double square = (double)words * words;

	if (record->is_cpu)
		return 4 * square;
	return 3.0 * words + (words > REGISTER_WORDS ? square - words : 0);
}

/* Shifts only pick a half of a double word, which is a register of its own. */
static void fill(double cycles[N_BOUNDS], const struct record *record,
        const struct profile *product, const struct rsa_shape *shape, unsigned words)
{
	const unsigned *n = product->operators;
	const double *costs = record->operator_cycles;
	double loads =
	        words_moved(record, words) *
	        record_cycles(record, record->is_cpu ? RESOURCE_LOCAL_REGULAR : RESOURCE_GLOBAL,
	                record->max_batches);

	for (int i = 0; i < N_BOUNDS; i++)
		cycles[i] = 0;
	cycles[BOUND_LOCAL] = loads;
	cycles[BOUND_LOGIC] = n[OPERATOR_LOGIC] * costs[OPERATOR_LOGIC] +
	                      n[OPERATOR_ADD] * costs[OPERATOR_ADD] +
	                      n[OPERATOR_COMPARE] * costs[OPERATOR_COMPARE];
	cycles[BOUND_MUL] = n[OPERATOR_WIDE] * rsa_wide_cycles(record, shape->chains) +
	                    n[OPERATOR_MUL] * costs[OPERATOR_MUL];
	if (!record->is_cpu)
		cycles[BOUND_ISSUE] = (n[OPERATOR_WIDE] + n[OPERATOR_MUL] + n[OPERATOR_LOGIC] +
		                              n[OPERATOR_ADD] + n[OPERATOR_COMPARE]) *
		                      record->issue_cycles;
}

bool predict_rsa(struct rsa_prediction *p, const struct record *record, const struct rsa_key *key,
        const struct rsa_shape *shape, size_t n)
{
	const struct profile *product = profile_rsa_product(key->bits);
	double groups = ceil((double)n / shape->work_items),
	       turns = ceil(groups / record->compute_units),
	       batches = (double)shape->work_items / record->batch_items;

	if (product == NULL || record->operator_cycles[OPERATOR_MUL] <= 0 || record->launch_s <= 0)
		return false;
	p->products = rsa_products(key->exponent);
	fill(p->cycles, record, product, shape, key->bits / 32);
	p->bound = BOUND_LOCAL;
	for (enum bottleneck b = BOUND_LOCAL; b < N_BOUNDS; b++)
		if (p->cycles[b] > p->cycles[p->bound])
			p->bound = b;
	p->batch_cycles = overlap_join(record, p->cycles);
	p->seconds = record->launch_s +
	             turns * batches * p->products * p->batch_cycles / record->clock_hz;
	return true;
}

double rsa_device_seconds(const struct machine_device *device, const struct rsa_key *key, size_t n)
{
	const struct record *record = &device->record;
	const struct rsa_shape shape = rsa_shape_of(&device->device, key->bits);
	const struct transfer_speed *transfer = &record->transfer;
	double bytes = (double)n * key->bits / 8;
	struct rsa_prediction prediction;

	if (!predict_rsa(&prediction, record, key, &shape, n) || transfer->pageable_in <= 0 ||
	        transfer->pageable_out <= 0)
		return 0;
	return record->context_s + record->build_s + bytes / transfer->pageable_in +
	       bytes / transfer->pageable_out + prediction.seconds;
}
