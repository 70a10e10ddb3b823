/* Measurement of a CPU's vector operations for bitsliced kernels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpucrypt/engine/opencl/program.h"
#include "gpucrypt/status.h"
#include "ppf/measure/measure_parts.h"

#define ROWS_BYTES (64u << 20) /* larger than caches */
#define KEY_WORDS  12          /* the chain uses up to 372 bits of these words */

/* The least cost of a step, as a fraction of its chain.  A key bit has no measurable cost if the driver's compiler
 * makes it a memory operand, but 0 would mean that the cost was not measured. */
#define LEAST_PART 0.01

/* The chains of kernels/micro/bench.cl, and the slices that a work-item computes in one loop iteration. */
enum chain_kernel { FUNCTION, LOGIC_ADD, SHIFT, KEY, KEY_MADE, MOVE, ROW, N_CHAINS };

static const struct {
	const char *kernel;
	unsigned slices;
} kernels[N_CHAINS] = {
	[FUNCTION] = { "slice_function", 384 },
	[LOGIC_ADD] = { "slice_logic_add", 384 },
	[SHIFT] = { "slice_shift", 384 },
	[KEY] = { "slice_key", 192 },
	[KEY_MADE] = { "slice_key_made", 192 },
	[MOVE] = { "slice_move", 256 },
	[ROW] = { "slice_row", 4 * 32 },
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

/* Fill the buffer with zeros, so that its pages are allocated. */
static int make_rows(struct bench *bench, cl_mem *rows)
{
	void *zeros = calloc(1, ROWS_BYTES);
	int status =
	        zeros == NULL ? fail(GPUCRYPT_OTHER, "out of memory") : bench_buffer(bench, rows, ROWS_BYTES, zeros);

	free(zeros);
	return status;
}

static int time_chains(struct bench *bench, unsigned slice_words, cl_mem rows, double cycles[N_CHAINS])
{
	unsigned n = bench_passes(bench) * N_CHAINS;
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < n && status == GPUCRYPT_OK; i++) {
		unsigned which = i % N_CHAINS;
		const struct chain chain = { .kernel = kernels[which].kernel,
			.operations = kernels[which].slices * slice_words,
			.in = which == ROW ? rows : NULL };
		status = bench_cycles_again(bench, &chain, bench->max_batches, &cycles[which]);
	}
	return status;
}

static double rest_cycles(double chain, double others)
{
	return fmax(chain - others, LEAST_PART * chain);
}

/* Subtract the other operations of each step; an addition costs as much as a logic operator. */
static void derive_operations(double *costs, const double c[N_CHAINS])
{
	double logic = c[LOGIC_ADD] / 2;

	costs[SLICE_LOGIC] = logic < c[FUNCTION] ? logic : c[FUNCTION];
	costs[SLICE_FUNCTION] = c[FUNCTION];
	costs[SLICE_SHIFT] = rest_cycles(c[SHIFT], logic);
	costs[SLICE_KEY] = rest_cycles(c[KEY], c[LOGIC_ADD]);
	costs[SLICE_KEY_MADE] = rest_cycles(c[KEY_MADE], c[LOGIC_ADD]);
	costs[SLICE_MOVE] = rest_cycles(c[MOVE], c[FUNCTION]) / 2;
	costs[SLICE_ROW] = c[ROW];
}

/* If the compiler removes a chain, the costs of vectors stay unknown, and ciphers are timed instead (trials.h). */
int measure_slices(struct bench *bench, struct device_record *record)
{
	unsigned slice_words = device_slice_words(bench->device);
	double cycles[N_CHAINS] = { 0 };
	cl_mem rows = NULL;
	int status;

	if (!bench->device->cpu)
		return GPUCRYPT_OK;
	status = build_slices(bench, slice_words);
	if (status == GPUCRYPT_OK)
		status = make_rows(bench, &rows);
	if (status == GPUCRYPT_OK)
		status = time_chains(bench, slice_words, rows, cycles);
	bench_release(rows);
	if (status == GPUCRYPT_OK) {
		record->slice_words = slice_words;
		derive_operations(record->slice_cycles, cycles);
	} else if (status == GPUCRYPT_DEVICE) {
		fail_clear();
		status = GPUCRYPT_OK;
	}
	return status;
}
