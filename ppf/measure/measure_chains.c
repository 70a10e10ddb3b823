/* What chains of operations cost: operators, what compilers fuse, and the issue rate; look-ups and loads in local,
 * constant and global memory. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpucrypt/status.h"
#include "ppf/measure/bench.h"

/* Rows of chains. */

#define LEAST_WORDS 256
#define MOST_WORDS  131072 /* 512 KiB, the size of SC2000's largest table */

/* Make a random permutation with a single cycle (Sattolo's algorithm).  Each entry is the byte offset of the next. */
static void make_cycle(uint32_t *entries, unsigned words)
{
	uint32_t x = FIRST_NUMBER;

	for (unsigned i = 0; i < words; i++)
		entries[i] = 4 * i;
	for (unsigned i = words - 1; i > 0; i--) {
		unsigned j = next_number(&x) % i;
		uint32_t kept = entries[i];

		entries[i] = entries[j];
		entries[j] = kept;
	}
}

/* The buffer stays NULL for a chain that starts from random words. */
static int make_input(struct bench *bench, cl_mem *buffer, const struct chain_row *row, unsigned words)
{
	size_t n_bytes = words != 0 ? 4 * (size_t)words : row->zeros;
	uint32_t *entries = n_bytes == 0 ? NULL : calloc(1, n_bytes);
	int status;

	if (n_bytes == 0)
		return GPUCRYPT_OK;
	if (entries == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	if (words != 0)
		make_cycle(entries, words);
	status = bench_buffer(bench, buffer, n_bytes, entries);
	free(entries);
	return status;
}

static int measure_point(struct bench *bench, const struct chain_row *row, unsigned width, unsigned words,
        unsigned batches, double *cycles)
{
	struct chain chain = { .kernel = row->kernel,
		.operations = row->steps * width,
		.local_bytes = 4 * (size_t)words * row->local_copies,
		.table_words = words,
		.copies = row->local_copies > 1 ? row->local_copies : 1,
		.stride = row->stride };
	int status;

	if (chain.local_bytes > bench->device->local_bytes)
		return GPUCRYPT_OK;
	status = make_input(bench, &chain.in, row, words) ?: bench_cycles(bench, &chain, batches, cycles);
	bench_release(chain.in);
	return status;
}

/* A curve whose first point was skipped stays empty. */
static int measure_curve(struct bench *bench, const struct chain_row *row, unsigned width, struct curve *curve)
{
	bool over_words = row->launch == OVER_WORDS;
	unsigned x = over_words ? LEAST_WORDS : 1, most = over_words ? MOST_WORDS : bench->max_batches;
	int status = GPUCRYPT_OK;

	for (curve->n = 0; status == GPUCRYPT_OK && curve->n < MAX_CURVE_POINTS; x *= 2) {
		double *cycles = &curve->cycles[curve->n];

		if (x > most)
			x = most;
		status = measure_point(bench, row, width, over_words ? x : row->table_words,
		        over_words ? bench->max_batches : x, cycles);
		if (*cycles <= 0)
			break;
		curve->x[curve->n++] = x;
		if (x == most)
			break;
	}
	return status;
}

int measure_rows(struct bench *bench, const struct chain_row *rows, unsigned width, unsigned passes, void *results)
{
	const unsigned batches[] = { 1, bench->group_batches, bench->max_batches };
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < passes; i++)
		for (const struct chain_row *row = rows; row->kernel != NULL && status == GPUCRYPT_OK; row++) {
			void *figure = (char *)results + row->figure;

			if (row->gpu_only && bench->device->cpu)
				continue;
			status = row->launch >= OVER_BATCHES ? measure_curve(bench, row, width, figure)
			                                     : measure_point(bench, row, width, row->table_words,
			                                               batches[row->launch], figure);
		}
	return status;
}

/* Operators. */

#define CHAIN_STEPS         256
#define DEPENDENT_OPERATORS 512

/* The cycles of one step of each chain of kernels/micro/bench.cl. */
struct operator_chains {
	struct curve logic;
	double add, logic_add, xor_fused, shift, shift_fused, rotate_chain, mul, compare, permute, logic_mul;
	double turn_word, turn_long, carry;
	double dependent, dependent_add, dependent_mul, dependent_turn, dependent_carry;
	double wide, wide_chain;
};

#define OPERATORS(name, ...) CHAIN_ROW(operator_chains, name, CHAIN_STEPS, FULL_UNIT, ##__VA_ARGS__)
#define DEPENDENT(name)      CHAIN_ROW(operator_chains, name, CHAIN_STEPS, ONE_BATCH)

static const struct chain_row chain_rows[] = {
	CHAIN_ROW(operator_chains, logic, CHAIN_STEPS, OVER_BATCHES),
	OPERATORS(add),
	OPERATORS(logic_add),
	OPERATORS(xor_fused),
	OPERATORS(shift),
	OPERATORS(shift_fused),
	OPERATORS(rotate_chain),
	OPERATORS(mul),
	OPERATORS(compare),
	OPERATORS(permute),
	OPERATORS(logic_mul),
	OPERATORS(turn_word),
	OPERATORS(turn_long),
	OPERATORS(carry, .gpu_only = true), /* CPUs have words of 64 bits */
	CHAIN_ROW(operator_chains, dependent, DEPENDENT_OPERATORS, ONE_BATCH),
	DEPENDENT(dependent_add),
	DEPENDENT(dependent_mul),
	DEPENDENT(dependent_turn),
	DEPENDENT(dependent_carry),
	{ .kernel = NULL },
};

static const struct chain_row wide_rows[] = { OPERATORS(wide), OPERATORS(wide_chain), { .kernel = NULL } };

/*
 * The cost of a single operator.  The chain `pair` has two such operators in each step; the chains `with_pair` and
 * `with_one` have two and one of them beside an operator of another class.  If the device fuses the pair into one
 * instruction, the second operator costs nothing, and a single operator costs as much as the pair.  CPUs do not fuse
 * pairs, and their figures are too noisy for such differences.
 */
static double lone_cycles(bool is_cpu, double pair, double with_pair, double with_one)
{
	double second = fmax(with_pair - with_one, 0);

	if (is_cpu)
		return pair / 2;
	return fmax(second < pair ? pair - second : 0, pair / 2);
}

/* Each step of these chains has one logic operator more.  A rotation by data costs at least one by a constant. */
static void derive_slow(struct device_record *record, const struct operator_chains *chains, double logic)
{
	double latency = chains->dependent, rotate = fmax(chains->rotate_chain - logic, logic);

	record->operator_latency = latency;
	record->slow_latencies[SLOW_ADD] = fmax(chains->dependent_add - latency, latency);
	record->slow_latencies[SLOW_MUL] = fmax(chains->dependent_mul - latency, latency);
	record->slow_latencies[SLOW_TURN] = fmax(chains->dependent_turn - latency, latency);
	record->slow_latencies[SLOW_CARRY] = fmax(chains->dependent_carry - latency, latency);
	record->turn_cycles[TURN_WORD] = fmax(chains->turn_word - logic, rotate);
	record->turn_cycles[TURN_LONG] = fmax(chains->turn_long - logic, rotate);
	record->carry_cycles = fmax(chains->carry - 2 * logic, 2 * logic);
}

/* Derive the costs of operators from the chains.  If a chain needs an operator of another class, the cost of that
 * operator is subtracted.  No operator is set cheaper than logic, even if the two run in parallel. */
static void derive_operators(struct device_record *record, const struct operator_chains *chains)
{
	double *costs = record->operator_cycles, pair = chains->logic.cycles[chains->logic.n - 1];
	double logic = lone_cycles(record->is_cpu, pair, chains->shift_fused, chains->shift);

	costs[OPERATOR_LOGIC] = logic;
	costs[OPERATOR_ADD] = lone_cycles(record->is_cpu, chains->add, chains->xor_fused, chains->logic_add);
	costs[OPERATOR_SHIFT] = fmax(chains->shift - logic, logic);
	costs[OPERATOR_ROTATE] = fmax(chains->rotate_chain - logic, logic);
	costs[OPERATOR_MUL] = chains->mul;
	costs[OPERATOR_PERMUTE] = fmax(chains->permute - logic, logic);
	costs[OPERATOR_COMPARE] = chains->compare / 2; /* the chain has < and ?: */
	record->fusion_cycles[FUSION_LOGIC] = pair;
	record->fusion_cycles[FUSION_ADD] = chains->add;
	record->issue_cycles = fmin(chains->logic_mul / 2, fmin(logic, costs[OPERATOR_ADD]));
	derive_slow(record, chains, logic);
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

/* Memory. */

#define CHASE_STEPS     64
#define COALESCED_WORDS 128
#define COALESCED_BYTES (1u << 20) /* every load reads the first words, at most 32 bytes for each work-item */
#define LOOKUP_STEPS    64
#define HIDDEN_LOOKUPS  16
#define HIDING_STEPS    16 /* logic operations per look-up */
#define TABLE_WORDS     256

#define AT(member) .figure = offsetof(struct device_record, member), .table_words = TABLE_WORDS
#define LOCAL(launch, copies, stride, member)                                   \
	{                                                                       \
		"chase_local", CHASE_STEPS, launch, AT(member), copies, stride, \
	}
#define CONSTANT(step, member)                                                                  \
	{                                                                                       \
		"chase_constant", CHASE_STEPS, OVER_BATCHES, AT(curves[member]), .stride = step \
	}

static const struct chain_row memory_rows[] = {
	LOCAL(OVER_BATCHES, 1, 1, curves[RESOURCE_LOCAL_RANDOM]),
	LOCAL(ONE_GROUP, 1, 1, copies_cycles[0]),
	LOCAL(ONE_GROUP, 2, 1, copies_cycles[1]),
	LOCAL(ONE_GROUP, 4, 1, copies_cycles[2]),
	LOCAL(ONE_GROUP, 8, 1, copies_cycles[3]),
	LOCAL(ONE_GROUP, 16, 1, copies_cycles[4]),
	LOCAL(ONE_GROUP, 32, 1, copies_cycles[5]),
	LOCAL(ONE_GROUP, 64, 1, copies_cycles[6]),
	LOCAL(OVER_BATCHES, BANKS, 1, curves[RESOURCE_LOCAL_COPIES]),
	LOCAL(OVER_BATCHES, 1, 0, curves[RESOURCE_LOCAL_REGULAR]),
	CONSTANT(1, RESOURCE_CONSTANT),
	CONSTANT(0, RESOURCE_CONSTANT_REGULAR),
	{ "chase_global", CHASE_STEPS, OVER_WORDS, AT(global_random), .stride = 1 },
	{ "load_coalesced", COALESCED_WORDS, OVER_BATCHES,
	        .figure = offsetof(struct device_record, curves[RESOURCE_GLOBAL]), .zeros = COALESCED_BYTES },
	{ .kernel = NULL },
};
_Static_assert(MAX_COPIES_LOG2 == 6, "memory_rows has a row for each number of replicas");

int measure_memory(struct bench *bench, struct device_record *record)
{
	return measure_rows(bench, memory_rows, 1, bench_passes(bench), record);
}

/* The cycles of a look-up alone, of one among the steps of other operators, and among a few logic operations. */
struct lookup_chains {
	double look_up, look_up_in_logic, look_up_in_mul, look_up_in_both, look_up_balanced;
};

/* On a CPU the pipes cannot be distinguished. */
static const struct chain_row lookup_rows[] = {
	CHAIN_ROW(lookup_chains, look_up, LOOKUP_STEPS, ONE_GROUP),
	CHAIN_ROW(lookup_chains, look_up_in_logic, HIDDEN_LOOKUPS, ONE_GROUP, .gpu_only = true),
	CHAIN_ROW(lookup_chains, look_up_in_mul, HIDDEN_LOOKUPS, ONE_GROUP, .gpu_only = true),
	CHAIN_ROW(lookup_chains, look_up_in_both, HIDDEN_LOOKUPS, ONE_GROUP, .gpu_only = true),
	CHAIN_ROW(lookup_chains, look_up_balanced, LOOKUP_STEPS, ONE_GROUP, .gpu_only = true),
	{ .kernel = NULL },
};

static int build_lookups(struct bench *bench, enum field_kind kind, unsigned copies)
{
	char options[192];
	size_t items, all;

	bench_launch(bench, bench->group_batches, &items, &all);
	snprintf(options, sizeof(options),
	        "-DLOOKUPS -DFIELD_KIND=%d -DTABLE_IN_LOCAL -DKEYS_IN_CONSTANT -DTABLE_WORDS=%u "
	        "-DCOPIES=%u -DWORK_ITEMS=%zu%s",
	        (int)kind, TABLE_WORDS, copies, items, bench->device->ptx ? " -DPTX" : "");
	return bench_build(bench, "word.cl table.cl bench.cl", NULL, options);
}

double rest_cycles(double part, double chain, double others)
{
	return fmax(chain - others, part * chain);
}

/* Derive the cost that a look-up adds to each stream of operators.  The XOR of the look-up counts as half of a logic
 * operation of three inputs. */
static void derive_costs(const struct device_record *record, const struct lookup_chains *chains, double *costs)
{
	double logic = record->fusion_cycles[FUSION_LOGIC], issue = record->issue_cycles;
	double mul = record->operator_cycles[OPERATOR_MUL];

	costs[LOOKUP_CYCLES] = chains->look_up;
	costs[LOOKUP_LOGIC] = rest_cycles(0, chains->look_up_in_logic, HIDING_STEPS * logic + logic / 2);
	costs[LOOKUP_MUL] = rest_cycles(0, chains->look_up_in_mul, HIDING_STEPS * mul);
	costs[LOOKUP_ISSUE] = rest_cycles(0, chains->look_up_in_both, HIDING_STEPS * 2 * issue + issue / 2);
}

int measure_lookups(struct bench *bench, struct device_record *record)
{
	static const unsigned copies[N_LOOKUP_PLACES] = { [LOOKUP_LOCAL] = 1, [LOOKUP_LOCAL_COPIES] = BANKS };
	struct lookup_chains chains[N_FIELDS][N_LOOKUP_PLACES] = { 0 };
	unsigned n_places = record->curves[RESOURCE_LOCAL_COPIES].n != 0 ? N_LOOKUP_PLACES : LOOKUP_LOCAL + 1;
	unsigned n = N_FIELDS * n_places;
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < bench_passes(bench) * n && status == GPUCRYPT_OK; i++) {
		unsigned kind = i % n / n_places, place = i % n_places;

		status = build_lookups(bench, (enum field_kind)kind, copies[place])
		                 ?: measure_rows(bench, lookup_rows, 1, 1, &chains[kind][place]);
		derive_costs(record, &chains[kind][place], record->lookups[place][kind]);
	}
	record->balanced_cycles = chains[FIELD_BYTE][LOOKUP_LOCAL_COPIES].look_up_balanced;
	return status;
}
