#include "research/rsa.h"

#include <math.h>

/* Cost of a product by 64-bit arithmetic where it was not measured: its two additions and both carries, as NVIDIA's
 * compiler makes them for the logic pipe (kernels/common/carry.cl). */
#define WIDE_ADDITIONS 3

unsigned rsa_products(uint64_t exponent)
{
	unsigned bits = 64 - (unsigned)__builtin_clzll(exponent);

	/* The conversion, a square for each bit but the first, a product for each other 1. */
	return 1 + bits - 1 + (unsigned)__builtin_popcountll(exponent) - 1;
}

/* Words that a product loads and stores, as they are counted; on CPUs, whose registers are few,
 * both factors, the modulus and the sum for each product of words. */
static double words_moved(const struct device_record *record, const struct profile *product)
{
	if (record->is_cpu)
		return 2.0 * product->operators[OPERATOR_WIDE];
	return product->n_pt + product->n_ct;
}

/* Products of words with their summands; returns how many instructions they are.  Where a device
 * has chains of carries, additions cost nothing in them, so that a step is what a product costs
 * alone. */
static double add_wide(double cycles[N_BOUNDS], const struct device_record *record, bool chains, unsigned n)
{
	const double *costs = record->operator_cycles;
	double chain = record->fusion_cycles[FUSION_CHAIN], alone = chain > 0 ? chain : 2 * costs[OPERATOR_MUL];

	if (chains || costs[OPERATOR_WIDE] > 0) {
		cycles[BOUND_MUL] += n * (chains ? alone : costs[OPERATOR_WIDE]);
		return n;
	}
	cycles[BOUND_MUL] += n * alone;
	cycles[BOUND_LOGIC] += n * WIDE_ADDITIONS * costs[OPERATOR_LOGIC];
	return n * (1.0 + WIDE_ADDITIONS);
}

/* A shift only selects one half of a double word, which is a separate register. */
static void fill_cycles(double cycles[N_BOUNDS], const struct device_record *record, const struct profile *product,
        const struct rsa_shape *shape)
{
	static const enum operator_class others[] = { OPERATOR_LOGIC, OPERATOR_ADD, OPERATOR_COMPARE, OPERATOR_MUL };
	const unsigned *n = product->operators;
	double instructions;

	for (int i = 0; i < N_BOUNDS; i++)
		cycles[i] = 0;
	cycles[BOUND_LOCAL] = words_moved(record, product) *
	                      device_record_cycles(record, record->is_cpu ? RESOURCE_LOCAL_REGULAR : RESOURCE_GLOBAL,
	                              record->max_batches);
	instructions = add_wide(cycles, record, shape->chains, n[OPERATOR_WIDE]);
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		cycles[others[i] == OPERATOR_MUL ? BOUND_MUL : BOUND_LOGIC] +=
		        n[others[i]] * record->operator_cycles[others[i]];
		instructions += n[others[i]];
	}
	if (!record->is_cpu)
		cycles[BOUND_ISSUE] = instructions * record->issue_cycles;
}

bool predict_rsa(struct rsa_prediction *p, const struct device_record *record, const struct rsa_key *key,
        const struct rsa_shape *shape, size_t n)
{
	const struct profile *product = profile_rsa_product(key->bits);
	double groups = ceil((double)n / shape->work_items), turns = ceil(groups / record->compute_units),
	       batches = (double)shape->work_items / record->batch_items;

	if (product == NULL || record->operator_cycles[OPERATOR_MUL] <= 0 || record->launch_s <= 0)
		return false;
	p->products = rsa_products(key->exponent);
	fill_cycles(p->cycles, record, product, shape);
	p->bound = BOUND_LOCAL;
	for (enum bottleneck b = BOUND_LOCAL; b < N_BOUNDS; b++)
		if (p->cycles[b] > p->cycles[p->bound])
			p->bound = b;
	p->batch_cycles = overlap_join(record, p->cycles);
	p->seconds = record->launch_s + turns * batches * p->products * p->batch_cycles / record->clock_hz;
	return true;
}
