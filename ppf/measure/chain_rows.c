/* Tables of chains: each row is a kernel, and the figure that its chain measures. */
#include <stdlib.h>

#include "gpucrypt/status.h"
#include "ppf/measure/measure_parts.h"

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

static int measure_row(struct bench *bench, const struct chain_row *row, unsigned width, void *figure)
{
	const unsigned batches[] = { 1, bench->group_batches, bench->max_batches };

	if (row->launch >= OVER_BATCHES)
		return measure_curve(bench, row, width, figure);
	return measure_point(bench, row, width, row->table_words, batches[row->launch], figure);
}

int measure_rows(struct bench *bench, const struct chain_row *rows, unsigned width, unsigned passes, void *results)
{
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < passes; i++)
		for (const struct chain_row *row = rows; row->kernel != NULL && status == GPUCRYPT_OK; row++)
			if (!row->gpu_only || !bench->device->cpu)
				status = measure_row(bench, row, width, (char *)results + row->figure);
	return status;
}
