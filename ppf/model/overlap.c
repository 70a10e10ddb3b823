#include "ppf/model/overlap.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "ppf/model/internal.h"

#define UNIT_BLOCKS 256 /* blocks of the largest XTS data unit */

/* Instructions of kernels/common/grid.cl for addresses, load, store and the loop.  They were counted by hand, because
 * the analysis does not cover that file. */
#define GRID_INSTRUCTIONS 12

/* 32-bit registers of a compute unit: NVIDIA's since 2012 (CUDA C++ Programming Guide, "Technical Specifications per
 * Compute Capability") and AMD's since GCN; those of one work-item; and those that the kernel of ppf run needs for
 * addresses and its loop. */
#define UNIT_REGISTERS (64 * 1024)
#define ITEM_REGISTERS 255
#define LOOP_REGISTERS 12

#define SECOND_PIPE 0.75 /* two pipes take half the time of one */

#define MAX_BANKS       64
#define MAX_BATCH_ITEMS 64
#define TRIALS          256

#define LEAST_CONTENTION 2
#define MOST_CONTENTION  64

const char *const bound_names[N_BOUNDS] = { "local memory", "logic", "multiplication", "instruction issue",
	"device memory", "latency" };

static unsigned log2_of(unsigned n)
{
	unsigned log2 = 0;

	while (n >> log2 > 1)
		log2++;
	return log2;
}

/* Add the operators outside look-ups to the cycles of the logic and multiplication pipes, and return the number of
 * instructions.  Additions go to the less busy pipe, except those with a carry, which only the logic pipe has; so do
 * shifts to the left, which are products, where additions show that a second pipe exists. */
static double add_operators(double cycles[N_BOUNDS], const struct device_record *record, const struct demand *demand)
{
	double turns = demand_turns(record, demand), instructions = turns / record->operator_cycles[OPERATOR_LOGIC],
	       carry = record->carry_cycles > 0 ? record->carry_cycles : 2 * record->operator_cycles[OPERATOR_LOGIC];

	for (int i = 0; i < N_OPERATORS; i++) {
		enum bottleneck pipe = i == OPERATOR_MUL ? BOUND_MUL : BOUND_LOGIC;
		if (i != OPERATOR_ADD)
			cycles[pipe] += demand->operators[i] * record->operator_cycles[i];
		instructions += demand->operators[i];
	}
	cycles[BOUND_LOGIC] += demand->halves[OPERATOR_ADD] * carry + turns;
	if (record->operator_cycles[OPERATOR_ADD] < SECOND_PIPE * record->operator_cycles[OPERATOR_SHIFT])
		cycles[BOUND_LOGIC] -= demand->left_shifts * record->operator_cycles[OPERATOR_SHIFT];
	return instructions;
}

/* Entries of a single replica are 4 bytes apart.  A field above bit 2 of its byte is not a multiple of 4, and costs as
 * much as a field that crosses bytes (table.cl). */
static void add_lookups(double cycles[N_BOUNDS], const struct device_record *record, const struct demand *demand,
        enum lookup_place place)
{
	static const enum bottleneck bounds[N_LOOKUP_COSTS] = {
		[LOOKUP_LOGIC] = BOUND_LOGIC, [LOOKUP_MUL] = BOUND_MUL, [LOOKUP_ISSUE] = BOUND_ISSUE
	};

	double high = place == LOOKUP_LOCAL ? demand->high_fields : 0;

	for (int kind = 0; kind < N_FIELDS; kind++) {
		double n = demand->fields[kind] + (kind == FIELD_ACROSS ? high : kind == FIELD_BYTE ? -high : 0);

		for (int cost = LOOKUP_LOGIC; cost < N_LOOKUP_COSTS; cost++)
			cycles[bounds[cost]] += n * record->lookups[place][kind][cost];
	}
}

/*
 * The accesses of a warp to local memory for one look-up of each work-item in a random entry: the most different words
 * in one bank, on average.  A table with no more words than banks has no conflicts.  The average is taken over TRIALS
 * look-ups by a fixed sequence of numbers.
 */
static double sample_wavefronts(unsigned banks, unsigned items, unsigned n_words)
{
	unsigned sum = 0;
	uint32_t x = 2463534242u; /* xorshift32, Marsaglia, 2003 */

	if (banks == 0 || banks > MAX_BANKS || items > MAX_BATCH_ITEMS || n_words <= banks)
		return 1;
	for (unsigned trial = 0; trial < TRIALS; trial++) {
		unsigned words[MAX_BATCH_ITEMS], n[MAX_BANKS] = { 0 }, most = 0;

		for (unsigned i = 0; i < items; i++) {
			bool again = false;

			x ^= x << 13, x ^= x >> 17, x ^= x << 5;
			words[i] = (uint32_t)((uint64_t)x * n_words >> 32);
			for (unsigned j = 0; j < i; j++)
				again |= words[j] == words[i];
			n[words[i] % banks] += !again;
			most = n[words[i] % banks] > most ? n[words[i] % banks] : most;
		}
		sum += most;
	}
	return (double)sum / TRIALS;
}

/* The results for the last device are kept: a choice asks for the same few sizes hundreds of times. */
static double expected_wavefronts(const struct device_record *record, unsigned words_log2)
{
	static _Thread_local unsigned banks, items;
	static _Thread_local double known[N_TABLE_SIZES];

	if (banks != record->banks || items != record->batch_items) {
		banks = record->banks;
		items = record->batch_items;
		memset(known, 0, sizeof(known));
	}
	if (known[words_log2] == 0)
		known[words_log2] = sample_wavefronts(banks, items, 1u << words_log2);
	return known[words_log2];
}

/* Look-ups in one replica of tables of several sizes.  The cost of one of 256 words is measured. */
static double lookup_cycles(const struct device_record *record, const struct demand *demand)
{
	double measured = record->copies_cycles[0], known = 0, cycles = 0,
	       sized = expected_wavefronts(record, log2_of(MEASURED_WORDS));

	for (unsigned i = 0; i < N_TABLE_SIZES; i++) {
		if (demand->lookups[i] > 0)
			cycles += demand->lookups[i] * measured * expected_wavefronts(record, i) / sized;
		known += demand->lookups[i];
	}
	return cycles + (demand->n_tbl - known) * measured;
}

/* Does ppf run make this kernel of a source?  Such a kernel processes one block after another in a loop. */
static bool is_of_source(const struct launch *launch)
{
	return launch->block_bytes > 0;
}

/* The key words loaded for each block.  In a kernel of ppf run, as many as registers can hold stay in registers. */
static double loaded_keys(
        const struct device_record *record, const struct demand *demand, const struct launch *launch, double batches)
{
	double room = fmin(UNIT_REGISTERS / (batches * record->batch_items), ITEM_REGISTERS) - LOOP_REGISTERS -
	              demand->n_words / 2;

	return is_of_source(launch) && !record->is_cpu ? fmax(demand->n_key - fmax(room, 0), 0) : demand->n_key;
}

/* The cycles of look-ups and round keys.  The caches of constant and global memory count as local memory. */
static double local_cycles(const struct device_record *record, const struct demand *demand, const struct launch *launch)
{
	double regular = device_record_full_cycles(record, RESOURCE_LOCAL_REGULAR);
	double constant = device_record_full_cycles(record, RESOURCE_CONSTANT_REGULAR);
	double keys = demand->n_key * (launch->kernel.key_space == MEMORY_LOCAL             ? regular
	                                      : launch->kernel.key_space == MEMORY_CONSTANT ? constant
	                                                                                    : 0);

	if (launch->kernel.table_space == MEMORY_CONSTANT)
		return demand->n_tbl * device_record_full_cycles(record, RESOURCE_CONSTANT) + keys;
	if (launch->kernel.table_space == MEMORY_GLOBAL)
		return demand->n_tbl * curve_cycles(&record->global_random, launch->table_words) + keys;
	/* A traced core gives the number of accesses of a warp to local memory; without a trace, all look-ups count as
	 * random. */
	if (launch->wavefronts > 0)
		return launch->wavefronts * regular + keys;
	if (launch->kernel.replicas <= 1)
		return lookup_cycles(record, demand) + keys;
	return demand->n_tbl * record->copies_cycles[log2_of(launch->kernel.replicas)] + keys;
}

/* (Σ cycles^p)^(1/p) */
static double join_cycles(const double cycles[N_BOUNDS], double p)
{
	double most = 0, sum = 0;

	for (int i = 0; i < N_BOUNDS; i++)
		most = cycles[i] > most ? cycles[i] : most;
	for (int i = 0; i < N_BOUNDS; i++)
		sum += pow(cycles[i] / most, p);
	return most * pow(sum, 1 / p);
}

/*
 * The contention of pipes that are about equally busy: the exponent with which the model predicts the measured time of
 * the balanced chain, which keeps several pipes equally busy.
 */
static double find_contention(const struct device_record *record)
{
	const double *lookup = record->lookups[LOOKUP_LOCAL_COPIES][FIELD_BYTE];
	double operations = BALANCED_LOGIC + 0.5; /* includes the XOR of the look-up */
	double logic = record->operator_cycles[OPERATOR_LOGIC];
	const double cycles[N_BOUNDS] = { [BOUND_LOCAL] = device_record_full_cycles(record, RESOURCE_LOCAL_COPIES),
		[BOUND_LOGIC] = lookup[LOOKUP_LOGIC] + operations * logic,
		[BOUND_MUL] = lookup[LOOKUP_MUL],
		[BOUND_ISSUE] = lookup[LOOKUP_ISSUE] + operations * record->issue_cycles };
	double low = LEAST_CONTENTION, high = MOST_CONTENTION;

	if (record->balanced_cycles <= 0 || cycles[BOUND_LOCAL] <= 0)
		return MOST_CONTENTION;
	while (high - low > 0.01) {
		double p = (low + high) / 2;
		if (join_cycles(cycles, p) > record->balanced_cycles)
			low = p;
		else
			high = p;
	}
	return low;
}

double overlap_join(const struct device_record *record, const double cycles[N_BOUNDS])
{
	return join_cycles(cycles, record->is_cpu ? 1 : find_contention(record));
}

static double pipe_cycles(const double cycles[N_BOUNDS])
{
	return fmax(cycles[BOUND_LOGIC], fmax(cycles[BOUND_MUL], cycles[BOUND_ISSUE]));
}

/* The wait of each block for device memory, divided by the number of resident warps.  A bitsliced work-item waits once
 * for all its blocks; counter blocks of a work-item wait one after another. */
static double memory_wait(const struct device_record *record, const struct launch *launch, double batches)
{
	unsigned at_once = launch->shared ? 1 : item_blocks(launch);

	return device_record_cycles(record, RESOURCE_STREAM, 1) / at_once / batches;
}

/*
 * A single warp needs for a block the longer of two times: it issues the instructions to its part of the unit's pipes,
 * and each operator and look-up of the critical path waits for the one before.  The warp also waits for device memory.
 * The time is divided by the number of resident warps.
 */
static double latency_cycles(const double cycles[N_BOUNDS], const struct device_record *record,
        const struct demand *demand, const struct launch *launch, double batches)
{
	double issue = pipe_cycles(cycles) * device_record_cycles(record, RESOURCE_ARITHMETIC, 1) /
	               device_record_full_cycles(record, RESOURCE_ARITHMETIC);

	return fmax(issue, demand_latency(record, demand, 0)) / batches + memory_wait(record, launch, batches);
}

/* Set the cycles that a warp's blocks need of each resource. */
static void fill_cycles(double cycles[N_BOUNDS], const struct device_record *record, const struct profile *profile,
        const struct launch *launch, double batches)
{
	enum lookup_place place = launch->kernel.replicas > 1 ? LOOKUP_LOCAL_COPIES : LOOKUP_LOCAL;
	double bytes = 2.0 * launch_block_bytes(launch) * record->batch_items; /* bytes read and written */
	struct demand demand = demand_of(record, profile, launch);
	double instructions = GRID_INSTRUCTIONS;

	if (record->is_cpu) {
		if (slices_are_vectors(record, launch))
			slices_fill(cycles, record, profile, launch);
		else
			scalars_fill(cycles, record, &demand, launch);
		return;
	}
	for (int i = 0; i < N_BOUNDS; i++)
		cycles[i] = 0;
	demand.n_key = loaded_keys(record, &demand, launch, batches);
	instructions += add_operators(cycles, record, &demand);
	if (launch->kernel.key_space == MEMORY_LOCAL ||
	        launch->kernel.key_space == MEMORY_CONSTANT) /* one load for four neighbouring words */
		instructions += demand.n_key / 4.0;
	cycles[BOUND_ISSUE] = record->issue_cycles * instructions;
	add_lookups(cycles, record, &demand, place);
	cycles[BOUND_LOCAL] = local_cycles(record, &demand, launch);
	cycles[BOUND_GLOBAL] = bytes * record->compute_units * record->clock_hz / record->global_bytes_per_s;
	cycles[BOUND_LATENCY] = latency_cycles(cycles, record, &demand, launch, batches);
}

static double launch_cycles(const struct device_record *record, const struct launch *launch)
{
	bool copied = launch->kernel.table_space == MEMORY_OPEN || launch->kernel.table_space == MEMORY_LOCAL;

	return (copied ? curve_cycles(&record->table_load, launch->table_words * launch->kernel.replicas) : 0) +
	       record->launch_s * record->clock_hz;
}

/* The number of warps that the busiest group runs one after another.  With several blocks per work-item, neighbouring
 * warps go to different groups; otherwise a group has either a full load or nothing. */
static double group_turns(const struct device_record *record, const struct launch *launch, double groups)
{
	double batches = (double)launch->kernel.work_items / record->batch_items,
	       of_batch = (double)record->batch_items * item_blocks(launch) * launch_block_bytes(launch), turns;

	if (launch->shared && !record->is_cpu)
		return ceil((double)launch->n_bytes / (groups * of_batch));
	turns = ceil((double)launch->n_bytes / (groups * batches * of_batch));
	/* A CPU runs work-items one after another, and a work-item without blocks takes no time. */
	if (record->is_cpu)
		batches = fmin(batches, ceil((double)launch->n_bytes / of_batch));
	return batches * turns;
}

/* Predict one launch: the cycles of a warp's blocks, and the number of warps that the busiest compute unit runs one
 * after another. */
static void predict_pass(struct overlap_prediction *p, const struct device_record *record,
        const struct profile *profile, const struct launch *launch)
{
	/* The work-items with the most blocks, in the units with the most groups, work longest. */
	double blocks = ceil((double)launch->n_bytes / launch_block_bytes(launch)),
	       of_group = (double)launch->kernel.work_items * item_blocks(launch), needed = ceil(blocks / of_group),
	       all_groups = needed < launch->kernel.work_groups ? needed : launch->kernel.work_groups,
	       groups = ceil(all_groups / record->compute_units),
	       batches = groups * launch->kernel.work_items / record->batch_items;

	p->unit_batches = item_blocks(launch) * groups * group_turns(record, launch, all_groups);
	if (batches > record->max_batches)
		batches = record->max_batches;
	fill_cycles(p->cycles, record, profile, launch, batches);
	p->batch_cycles = join_cycles(p->cycles, p->contention);
	/* Warps that share the pipes of arithmetic stay in step, so all of them wait for their blocks at the same time.
	 */
	if (is_of_source(launch) && !record->is_cpu)
		p->batch_cycles = fmax(p->batch_cycles, pipe_cycles(p->cycles) + memory_wait(record, launch, batches));
}

/* Cycles of the first pass of XTS, which encrypts one block for each data unit.  Data units are few, so most of the
 * device is idle. */
static double tweak_cycles(const struct overlap_prediction *p, const struct device_record *record,
        const struct profile *profile, const struct launch *launch)
{
	struct overlap_prediction pass = *p;
	struct launch units = *launch;

	units.mode = NULL;
	units.n_bytes = (launch->n_bytes + UNIT_BLOCKS - 1) / UNIT_BLOCKS;
	predict_pass(&pass, record, profile, &units);
	return pass.batch_cycles * pass.unit_batches + p->launch_cycles;
}

bool predict_overlap(struct overlap_prediction *p, const struct device_record *record, const struct profile *profile,
        const struct launch *launch)
{
	if (log2_of(launch->kernel.replicas) > MAX_COPIES_LOG2 ||
	        record->copies_cycles[log2_of(launch->kernel.replicas)] <= 0 ||
	        record->lookups[LOOKUP_LOCAL][FIELD_BYTE][LOOKUP_CYCLES] <= 0 || record->global_bytes_per_s <= 0 ||
	        (slices_are_vectors(record, launch) && !device_record_has_slices(record)))
		return false;
	p->tried = false;
	p->contention = slices_are_vectors(record, launch) ? 1
	                : record->is_cpu                   ? LEAST_CONTENTION
	                                                   : find_contention(record);
	p->launch_cycles = launch_cycles(record, launch);
	predict_pass(p, record, profile, launch);
	p->bound = BOUND_LOCAL;
	for (enum bottleneck b = BOUND_LOCAL; b < N_BOUNDS; b++)
		if (p->cycles[b] > p->cycles[p->bound])
			p->bound = b;
	p->tweak_cycles = launch->has_tweaks ? tweak_cycles(p, record, profile, launch) : 0;
	p->total_cycles = p->batch_cycles * p->unit_batches + p->launch_cycles + p->tweak_cycles;
	p->seconds = p->total_cycles / record->clock_hz;
	return true;
}

const char *overlap_note(const struct overlap_prediction *p, const struct thesis_prediction *thesis)
{
	static const char *const ignored[N_BOUNDS] = {
		[BOUND_LOGIC] = "SA ignores the bottleneck, arithmetic, and SI includes it",
		[BOUND_ISSUE] = "SA ignores the bottleneck, arithmetic, and SI includes it",
		[BOUND_MUL] = "SA and SI ignore the bottleneck: a multiplication counts as any operator",
		[BOUND_GLOBAL] = "SA and SI ignore the bottleneck: L_glb is a latency, not a bandwidth",
		[BOUND_LATENCY] = "SA and SI ignore the bottleneck: the critical path, for which there are few warps"
	};

	if (p->total_cycles < thesis->total_sa)
		return "the estimate is below SA, which adds up what this device does at the same time";
	if (ignored[p->bound])
		return ignored[p->bound];
	if (p->total_cycles > thesis->total_si)
		return "the estimate is above SI, which ignores contention and unequal loads of compute units";
	return NULL;
}
