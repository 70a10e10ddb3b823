/* What the vector operations of bitsliced kernels cost on a CPU. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "gpucrypt/status.h"
#include "ppf/measure/bench.h"

#define ROWS_BYTES (64u << 20) /* larger than caches */
#define KEY_WORDS  12          /* the chain uses up to 372 bits of these words */

/* The least cost of a step, as a fraction of its chain.  A key bit has no measurable cost if the driver's compiler
 * makes it a memory operand, but 0 would mean that the cost was not measured. */
#define LEAST_PART 0.01

/* The cycles of a word of a slice in each chain of kernels/micro/bench.cl. */
struct slice_chains {
	double slice_function, slice_logic_add, slice_shift, slice_key, slice_key_made, slice_move, slice_row;
};

#define SLICES(name, slices, ...) CHAIN_ROW(slice_chains, name, slices, FULL_UNIT, ##__VA_ARGS__)

static const struct chain_row slice_rows[] = {
	SLICES(slice_function, 384),
	SLICES(slice_logic_add, 384),
	SLICES(slice_shift, 384),
	SLICES(slice_key, 192),
	SLICES(slice_key_made, 192),
	SLICES(slice_move, 256),
	SLICES(slice_row, 4 * 32, .zeros = ROWS_BYTES), /* filled, so that its memory is allocated */
	{ .kernel = NULL },
};

static int build_slices(struct bench *bench, unsigned slice_words)
{
	char options[256];
	size_t items, all;

	bench_launch(bench, bench->group_batches, &items, &all);
	snprintf(options, sizeof(options),
	        "-DSLICES -DSLICE_WORDS=%u -DALL_BLOCKS=%u -DTABLE_WORDS=0 -DKEYS_IN_LOCAL "
	        "-DROUND_KEY_WORDS=%u -DWORK_ITEMS=%zu",
	        slice_words, ROWS_BYTES / 16, KEY_WORDS, items);
	return bench_build(bench, "word.cl table.cl slice.cl bench.cl", NULL, options);
}

/* Subtract the other operations of each step; an addition costs as much as a logic operator. */
static void derive_operations(double *costs, const struct slice_chains *chains)
{
	double logic = chains->slice_logic_add / 2;

	costs[SLICE_LOGIC] = fmin(logic, chains->slice_function);
	costs[SLICE_FUNCTION] = chains->slice_function;
	costs[SLICE_SHIFT] = rest_cycles(LEAST_PART, chains->slice_shift, logic);
	costs[SLICE_KEY] = rest_cycles(LEAST_PART, chains->slice_key, chains->slice_logic_add);
	costs[SLICE_KEY_MADE] = rest_cycles(LEAST_PART, chains->slice_key_made, chains->slice_logic_add);
	costs[SLICE_MOVE] = rest_cycles(LEAST_PART, chains->slice_move, chains->slice_function) / 2;
	costs[SLICE_ROW] = chains->slice_row;
}

/* If the compiler removes a chain, the costs of vectors stay unknown, and ciphers are timed instead (trials.h). */
int measure_slices(struct bench *bench, struct device_record *record)
{
	unsigned slice_words = device_slice_words(bench->device);
	struct slice_chains chains = { .slice_row = 0 };
	int status;

	if (!bench->device->cpu)
		return GPUCRYPT_OK;
	status = build_slices(bench, slice_words)
	                 ?: measure_rows(bench, slice_rows, slice_words, bench_passes(bench), &chains);
	if (status == GPUCRYPT_OK) {
		record->slice_words = slice_words;
		derive_operations(record->slice_cycles, &chains);
	}
	if (status != GPUCRYPT_DEVICE)
		return status;
	fail_clear();
	return GPUCRYPT_OK;
}
