/* Operators, what compilers fuse, and the issue rate. */
#include "gpucrypt/status.h"
#include "ppf/measure/measure_parts.h"

/* steps of a work-item in one loop iteration of kernels/micro/bench.cl */
#define CHAIN_STEPS         256
#define DEPENDENT_OPERATORS 512

/* The chains of kernels/micro/bench.cl; an array by this index has the cycles of one step. */
enum chain_kernel {
	LOGIC,
	ADD,
	LOGIC_ADD,
	XOR_FUSED,
	SHIFT,
	SHIFT_FUSED,
	ROTATE,
	MUL,
	COMPARE,
	PERMUTE,
	LOGIC_MUL,
	WIDE,
	WIDE_CHAIN,
	N_CHAINS
};

static const char *const kernels[N_CHAINS] = { "logic", "add", "logic_add", "xor_fused", "shift", "shift_fused",
	"rotate_chain", "mul", "compare", "permute", "logic_mul", "wide", "wide_chain" };

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
static void derive_operators(struct device_record *record, const double c[N_CHAINS])
{
	double *costs = record->operator_cycles;
	double logic = lone_cycles(record->is_cpu, c[LOGIC], c[SHIFT_FUSED], c[SHIFT]);

	costs[OPERATOR_LOGIC] = logic;
	costs[OPERATOR_ADD] = lone_cycles(record->is_cpu, c[ADD], c[XOR_FUSED], c[LOGIC_ADD]);
	costs[OPERATOR_SHIFT] = at_least(c[SHIFT] - logic, logic);
	costs[OPERATOR_ROTATE] = at_least(c[ROTATE] - logic, logic);
	costs[OPERATOR_MUL] = c[MUL];
	costs[OPERATOR_PERMUTE] = at_least(c[PERMUTE] - logic, logic);
	costs[OPERATOR_COMPARE] = c[COMPARE] / 2; /* the chain has < and ?: */
	costs[OPERATOR_WIDE] = c[WIDE];
	record->fusion_cycles[FUSION_LOGIC] = c[LOGIC];
	record->fusion_cycles[FUSION_ADD] = c[ADD];
	record->fusion_cycles[FUSION_CHAIN] = c[WIDE_CHAIN];
	record->issue_cycles = least_of(c[LOGIC_MUL] / 2, least_of(logic, costs[OPERATOR_ADD]));
}

/* Time all chains in several passes, because other programs on a CPU slow down different chains in each pass. */
static int time_chains(struct bench *bench, struct chain *chain, double cycles[N_CHAINS])
{
	unsigned n = bench_passes(bench) * N_CHAINS;
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < n && status == GPUCRYPT_OK; i++) {
		chain->kernel = kernels[i % N_CHAINS];
		status = bench_cycles_again(bench, chain, bench->max_batches, &cycles[i % N_CHAINS]);
	}
	return status;
}

int measure_arithmetic(struct bench *bench, struct device_record *record)
{
	double cycles[N_CHAINS] = { 0 };
	struct chain chain = { .operations = CHAIN_STEPS };
	struct curve *curve = &record->curves[RESOURCE_ARITHMETIC];
	int status = time_chains(bench, &chain, cycles);

	if (status != GPUCRYPT_OK)
		return status;
	derive_operators(record, cycles);
	chain.kernel = "dependent";
	chain.operations = DEPENDENT_OPERATORS;
	status = bench_cycles(bench, &chain, 1, &record->operator_latency);
	if (status != GPUCRYPT_OK)
		return status;
	chain.kernel = kernels[LOGIC];
	chain.operations = CHAIN_STEPS;
	status = measure_curve(bench, curve, &chain);
	if (status == GPUCRYPT_OK && curve->cycles[curve->n - 1] > cycles[LOGIC])
		curve->cycles[curve->n - 1] = cycles[LOGIC];
	return status;
}

int measure_build_chains(struct bench *bench)
{
	return bench_build(bench, "word.cl carry.cl bench.cl", NULL, bench->device->ptx ? "-DPTX" : "");
}

int measure_wide(struct bench *bench, struct device_record *record)
{
	struct chain chain = { .kernel = kernels[WIDE], .operations = CHAIN_STEPS };
	int status = measure_build_chains(bench);

	if (status == GPUCRYPT_OK)
		status = bench_cycles(bench, &chain, bench->max_batches, &record->operator_cycles[OPERATOR_WIDE]);
	chain.kernel = kernels[WIDE_CHAIN];
	if (status == GPUCRYPT_OK)
		status = bench_cycles(bench, &chain, bench->max_batches, &record->fusion_cycles[FUSION_CHAIN]);
	return status;
}
