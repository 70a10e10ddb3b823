#include "ppf/model/internal.h"

#include <math.h>

/* The number of instructions for the logic operators outside look-ups; the costs of look-ups include the extraction of
 * their fields.  Pairs of operators fuse on devices with logic instructions of three inputs. */
static double logic_instructions(const struct device_record *record, const struct profile *profile)
{
	double two = record->fusion_cycles[FUSION_LOGIC], one = record->operator_cycles[OPERATOR_LOGIC];

	if (two > 0 && two < 1.5 * one)
		return profile->logic_functions;
	return profile->operators[OPERATOR_LOGIC] - profile->field_operators[OPERATOR_LOGIC];
}

static void add_demand(
        struct demand *demand, const struct device_record *record, const struct profile *profile, double share)
{
	demand->n_tbl += share * profile->n_tbl;
	demand->n_key += share * (profile->keys_once ? profile->keys_once : profile->n_key);
	demand->left_shifts += share * profile->left_shifts;
	for (unsigned i = 0; i < N_TABLE_SIZES; i++)
		demand->lookups[i] += share * profile->lookups[i];
	demand->n_words += share * (profile->n_pt + profile->n_ct);
	for (int i = 0; i < N_OPERATORS; i++) {
		demand->operators[i] +=
		        share * (i == OPERATOR_LOGIC ? logic_instructions(record, profile)
		                                     : profile->operators[i] - profile->field_operators[i]);
		demand->halves[i] += share * profile->halves[i];
	}
	for (int kind = 0; kind < N_FIELDS; kind++)
		demand->fields[kind] += share * profile->fields[kind];
	demand->high_fields += share * profile->high_fields;
	demand->lookups_deep += share * profile->lookups_deep;
	demand->operators_deep += share * profile->operators_deep;
	for (int i = 0; i < N_SLOW_OPERATORS; i++)
		demand->slow_deep[i] += share * profile->slow_deep[i];
	for (int i = 0; i < N_TURNS; i++)
		demand->turns[i] += share * profile->turns[i];
}

unsigned item_blocks(const struct launch *launch)
{
	return launch->item_blocks > 1 ? launch->item_blocks : 1;
}

static bool is_bitsliced(const struct launch *launch)
{
	return item_blocks(launch) > 1 && launch->shared == NULL;
}

/* In bitsliced kernels with keys in local memory, table.cl expands each key bit to a word when it copies the keys.  The
 * profile counts the shift, the AND and the subtraction of that expansion in the block. */
static void subtract_placing(struct demand *demand, const struct launch *launch)
{
	if (!is_bitsliced(launch) || launch->kernel.key_space != MEMORY_LOCAL)
		return;
	demand->operators[OPERATOR_SHIFT] -= demand->n_key;
	demand->operators[OPERATOR_LOGIC] -= demand->n_key;
	demand->operators[OPERATOR_ADD] -= demand->n_key;
}

struct demand demand_of(const struct device_record *record, const struct profile *profile, const struct launch *launch)
{
	struct demand demand = { 0 };

	add_demand(&demand, record, profile, 1);
	subtract_placing(&demand, launch);
	/* Tweaks are computed twice, because slices leave no registers for tweaks during the cipher (xts_slice.cl). */
	if (launch->mode)
		add_demand(&demand, record, launch->mode, launch->has_tweaks && item_blocks(launch) > 1 ? 2 : 1);
	if (launch->shared)
		add_demand(&demand, record, launch->shared, 1.0 / item_blocks(launch));
	return demand;
}

double demand_turns(const struct device_record *record, const struct demand *demand)
{
	double cycles = 0;

	for (int i = 0; i < N_TURNS; i++)
		if (record->turn_cycles[i] > 0)
			cycles +=
			        demand->turns[i] * (record->turn_cycles[i] - record->operator_cycles[OPERATOR_ROTATE]);
	return cycles;
}

double demand_latency(const struct device_record *record, const struct demand *demand, double farther)
{
	double lookup = CHASE_CHAINS * (device_record_cycles(record, RESOURCE_LOCAL_COPIES, 1) + farther),
	       operators = demand->operators_deep * record->operator_latency;

	for (int i = 0; i < N_SLOW_OPERATORS; i++)
		if (record->slow_latencies[i] > 0)
			operators += demand->slow_deep[i] * (record->slow_latencies[i] - record->operator_latency);
	return demand->lookups_deep * (lookup + record->operator_latency) + operators;
}

/* Words on CPUs. */

/* Bytes of a line of the caches of x86-64 and of most 64-bit Arm processors.  The blocks of a work-item are a grid
 * apart, so that no two of them share a line. */
#define CACHE_LINE 64

/* The cycles that a look-up takes longer than in the measured table, because a larger one lies in slower caches. */
static double farther_cycles(const struct device_record *record, unsigned table_words, unsigned copies)
{
	double farther = curve_cycles(&record->global_random, (double)table_words * copies) -
	                 curve_cycles(&record->global_random, (double)MEASURED_WORDS * copies);

	return farther > 0 ? farther : 0;
}

/* A load whose address does not depend on data counts as one instruction; so does an operator on 64 bits. */
static double instruction_cycles(const struct device_record *record, const struct demand *demand, unsigned copies)
{
	enum lookup_place place = copies > 1 ? LOOKUP_LOCAL_COPIES : LOOKUP_LOCAL;
	double cycles = (demand->n_key + demand->n_words) * record->issue_cycles + demand_turns(record, demand);

	for (int i = 0; i < N_OPERATORS; i++)
		cycles += (demand->operators[i] - demand->halves[i]) * record->operator_cycles[i];
	for (int kind = 0; kind < N_FIELDS; kind++)
		cycles += demand->fields[kind] * record->lookups[place][kind][LOOKUP_CYCLES];
	return cycles;
}

void scalars_fill(double cycles[N_BOUNDS], const struct device_record *record, const struct demand *demand,
        const struct launch *launch)
{
	unsigned copies = launch->kernel.replicas;
	double farther = farther_cycles(record, launch->table_words, copies),
	       lines = ceil(launch_block_bytes(launch) / CACHE_LINE);

	for (int i = 0; i < N_BOUNDS; i++)
		cycles[i] = 0;
	cycles[BOUND_ISSUE] = instruction_cycles(record, demand, copies) + demand->n_tbl * farther;
	cycles[BOUND_LATENCY] = demand_latency(record, demand, farther);
	cycles[BOUND_GLOBAL] = lines * device_record_full_cycles(record, RESOURCE_STREAM);
}

/* Slices on CPUs. */

/* Devices with 512-bit vectors have 32 registers, and logic instructions of three inputs (AVX-512: VPTERNLOG). */
#define LONG_VECTOR_BLOCKS (16 * 32)

bool slices_are_vectors(const struct device_record *record, const struct launch *launch)
{
	return record->is_cpu && is_bitsliced(launch);
}

static bool is_long(const struct launch *launch)
{
	return launch->item_blocks >= LONG_VECTOR_BLOCKS;
}

/* The profile counts in the block the shift, the AND and the subtraction that make a slice of a key bit.  These
 * operations have a separate cost, because they work on one word and not on a vector, or run before the block (keys in
 * local memory). */
static double operator_cycles(
        const struct device_record *record, const struct profile *profile, const struct launch *launch)
{
	const double *costs = record->slice_cycles;
	double cycles = 0, n_key = profile->n_key;

	for (int i = 0; i < N_OPERATORS; i++)
		if (i == OPERATOR_LOGIC && is_long(launch))
			cycles += (profile->logic_functions - n_key) * costs[SLICE_FUNCTION];
		else if (i == OPERATOR_LOGIC || i == OPERATOR_ADD)
			cycles += (profile->operators[i] - n_key) * costs[SLICE_LOGIC];
		else
			cycles += profile->operators[i] * costs[SLICE_SHIFT];
	return cycles - n_key * costs[SLICE_SHIFT];
}

void slices_fill(double cycles[N_BOUNDS], const struct device_record *record, const struct profile *profile,
        const struct launch *launch)
{
	const double *costs = record->slice_cycles;
	enum register_file file = is_long(launch) ? REGISTERS_32 : REGISTERS_16;
	enum slice_operation key = launch->kernel.key_space == MEMORY_LOCAL ? SLICE_KEY : SLICE_KEY_MADE;

	for (int i = 0; i < N_BOUNDS; i++)
		cycles[i] = 0;
	cycles[BOUND_LOGIC] = operator_cycles(record, profile, launch);
	/* Tweaks are computed twice (xts_slice.cl). */
	if (launch->mode)
		cycles[BOUND_LOGIC] += (launch->has_tweaks ? 2 : 1) * operator_cycles(record, launch->mode, launch);
	cycles[BOUND_LOCAL] = profile->moves[file] * costs[SLICE_MOVE] + profile->n_key * costs[key];
	cycles[BOUND_GLOBAL] = (profile->n_pt + profile->n_ct) / 2.0 * costs[SLICE_ROW];
}
