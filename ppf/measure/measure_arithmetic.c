/* Operators, what compilers fuse, and the issue rate. */
#include "gpucrypt/status.h"
#include "ppf/measure/measure_parts.h"

/* kernels/micro/bench.cl: of a work-item in one turn */
#define CHAIN_STEPS         256
#define DEPENDENT_OPERATORS 512

/* The chains of kernels/micro/bench.cl, cycles for one step of each. */
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
 * What a lone operator costs when `pair` is a chain of two of them a step, and `with_pair` and
 * `with_one` are chains of two and of one beside an operator of another class.  Where a device
 * makes one instruction of the pair, the second adds nothing there, and a lone one costs as much.
 * CPUs do not, and their figures are too noisy for such differences.
 */
static double lone_cycles(bool is_cpu, double pair, double with_pair, double with_one)
{
	double second = at_least(with_pair - with_one, 0);

	if (is_cpu)
		return pair / 2;
	return at_least(second < pair ? pair - second : 0, pair / 2);
}

/* Operators from chains: one of another class that was needed to keep the chain is taken off; none
 * is cheaper than logic, which also holds where the two run side by side. */
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
	costs[OPERATOR_COMPARE] = c[COMPARE] / 2; /* < and ?: */
	costs[OPERATOR_WIDE] = c[WIDE];
	record->fusion_cycles[FUSION_LOGIC] = c[LOGIC];
	record->fusion_cycles[FUSION_ADD] = c[ADD];
	record->fusion_cycles[FUSION_CHAIN] = c[WIDE_CHAIN];
	record->issue_cycles = least_of(c[LOGIC_MUL] / 2, least_of(logic, costs[OPERATOR_ADD]));
}

/* All chains, pass by pass: other programs on a CPU slow some of them down, not always the same. */
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
