/* Operators, what compilers fuse, and the issue rate. */
#include <stddef.h>

#include "gpucrypt/status.h"
#include "ppf/measure/measure_parts.h"

#define CHAIN_STEPS         256
#define DEPENDENT_OPERATORS 512

/* The cycles of one step of each chain of kernels/micro/bench.cl. */
struct operator_chains {
	struct curve logic;
	double add, logic_add, xor_fused, shift, shift_fused, rotate_chain, mul, compare, permute, logic_mul;
	double dependent;
	double wide, wide_chain;
};

#define ROW(name, steps, launch)                                                       \
	{                                                                              \
#name, steps, launch, .figure = offsetof(struct operator_chains, name) \
	}
#define CHAIN(name) ROW(name, CHAIN_STEPS, FULL_UNIT)

static const struct chain_row chain_rows[] = {
	ROW(logic, CHAIN_STEPS, OVER_BATCHES),
	CHAIN(add),
	CHAIN(logic_add),
	CHAIN(xor_fused),
	CHAIN(shift),
	CHAIN(shift_fused),
	CHAIN(rotate_chain),
	CHAIN(mul),
	CHAIN(compare),
	CHAIN(permute),
	CHAIN(logic_mul),
	ROW(dependent, DEPENDENT_OPERATORS, ONE_BATCH),
	{ .kernel = NULL },
};

static const struct chain_row wide_rows[] = { CHAIN(wide), CHAIN(wide_chain), { .kernel = NULL } };

static double at_least(double x, double least)
{
	return x > least ? x : least;
}

static double least_of(double x, double y)
{
	return x < y ? x : y;
}

/*
 * The cost of a single operator.  The chain `pair` has two such operators in each step; the chains `with_pair` and
 * `with_one` have two and one of them beside an operator of another class.  If the device fuses the pair into one
 * instruction, the second operator costs nothing, and a single operator costs as much as the pair.  CPUs do not fuse
 * pairs, and their figures are too noisy for such differences.
 */
static double lone_cycles(bool is_cpu, double pair, double with_pair, double with_one)
{
	double second = at_least(with_pair - with_one, 0);

	if (is_cpu)
		return pair / 2;
	return at_least(second < pair ? pair - second : 0, pair / 2);
}

/* Derive the costs of operators from the chains.  If a chain needs an operator of another class, the cost of that
 * operator is subtracted.  No operator is set cheaper than logic, even if the two run in parallel. */
static void derive_operators(struct device_record *record, const struct operator_chains *chains)
{
	double *costs = record->operator_cycles, pair = chains->logic.cycles[chains->logic.n - 1];
	double logic = lone_cycles(record->is_cpu, pair, chains->shift_fused, chains->shift);

	costs[OPERATOR_LOGIC] = logic;
	costs[OPERATOR_ADD] = lone_cycles(record->is_cpu, chains->add, chains->xor_fused, chains->logic_add);
	costs[OPERATOR_SHIFT] = at_least(chains->shift - logic, logic);
	costs[OPERATOR_ROTATE] = at_least(chains->rotate_chain - logic, logic);
	costs[OPERATOR_MUL] = chains->mul;
	costs[OPERATOR_PERMUTE] = at_least(chains->permute - logic, logic);
	costs[OPERATOR_COMPARE] = chains->compare / 2; /* the chain has < and ?: */
	record->fusion_cycles[FUSION_LOGIC] = pair;
	record->fusion_cycles[FUSION_ADD] = chains->add;
	record->issue_cycles = least_of(chains->logic_mul / 2, least_of(logic, costs[OPERATOR_ADD]));
	record->operator_latency = chains->dependent;
	record->curves[RESOURCE_ARITHMETIC] = chains->logic;
}

static int measure_products(struct bench *bench, struct device_record *record)
{
	struct operator_chains chains = { .wide = 0 };
	int status = measure_rows(bench, wide_rows, 1, bench_passes(bench), &chains);

	record->operator_cycles[OPERATOR_WIDE] = chains.wide;
	record->fusion_cycles[FUSION_CHAIN] = chains.wide_chain;
	return status;
}

int measure_arithmetic(struct bench *bench, struct device_record *record)
{
	struct operator_chains chains = { .wide = 0 };
	int status = measure_rows(bench, chain_rows, 1, bench_passes(bench), &chains);

	if (status == GPUCRYPT_OK)
		derive_operators(record, &chains);
	return status ?: measure_products(bench, record);
}

int measure_build_chains(struct bench *bench)
{
	return bench_build(bench, "word.cl carry.cl bench.cl", NULL, bench->device->ptx ? "-DPTX" : "");
}

int measure_wide(struct bench *bench, struct device_record *record)
{
	return measure_build_chains(bench) ?: measure_products(bench, record);
}
