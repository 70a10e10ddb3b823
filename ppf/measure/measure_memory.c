/* Measurement of look-ups and loads in local, constant and global memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/measure/measure_parts.h"

/* Steps of a work-item in one loop iteration of kernels/micro/bench.cl. */
#define CHASE_STEPS     64
#define COALESCED_WORDS 128
#define LOOKUP_STEPS    64
#define HIDDEN_LOOKUPS  16
#define HIDING_STEPS    16 /* logic operations per look-up */

#define TABLE_WORDS    256
#define NO_BANK_COPIES 32

int measure_curve(struct bench *bench, struct curve *curve, const struct chain *chain)
{
	int status = GPUCRYPT_OK;

	curve->n = 0;
	for (unsigned batches = 1; status == GPUCRYPT_OK && curve->n < MAX_CURVE_POINTS; batches *= 2) {
		if (batches > bench->max_batches)
			batches = bench->max_batches;
		curve->x[curve->n] = batches;
		status = bench_cycles_again(bench, chain, batches, &curve->cycles[curve->n++]);
		if (batches == bench->max_batches)
			break;
	}
	return status;
}

/*
 * Make a random permutation with a single cycle (Sattolo's algorithm).  Each of the `words` entries is the byte offset
 * of the next entry.
 */
static int make_cycle(struct bench *bench, cl_mem *buffer, unsigned words)
{
	uint32_t *entries = malloc(4 * (size_t)words), x = FIRST_NUMBER;
	int status;

	if (entries == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	for (unsigned i = 0; i < words; i++)
		entries[i] = 4 * i;
	for (unsigned i = words - 1; i > 0; i--) {
		unsigned j;
		uint32_t kept = entries[i];
		j = next_number(&x) % i;
		entries[i] = entries[j];
		entries[j] = kept;
	}
	status = bench_buffer(bench, buffer, 4 * (size_t)words, entries);
	free(entries);
	return status;
}

static int measure_copies(struct bench *bench, struct device_record *record, struct chain chain)
{
	int status = GPUCRYPT_OK;

	for (unsigned n = 0; n <= MAX_COPIES_LOG2 && status == GPUCRYPT_OK; n++) {
		chain.copies = 1u << n;
		chain.local_bytes = 4 * (size_t)TABLE_WORDS << n;
		if (chain.local_bytes > bench->device->local_bytes)
			break;
		status = bench_cycles_again(bench, &chain, bench->group_batches, &record->copies_cycles[n]);
	}
	return status;
}

static unsigned log2_of(unsigned n)
{
	unsigned log2 = 0;

	while (n >>= 1)
		log2++;
	return log2;
}

/* Measure with one replica for each bank, or with the largest number of replicas that fits. */
static int measure_conflict_free(struct bench *bench, struct device_record *record, struct chain chain)
{
	unsigned copies = record->banks != 0 ? record->banks : NO_BANK_COPIES;

	if (log2_of(copies) > MAX_COPIES_LOG2 || record->copies_cycles[log2_of(copies)] <= 0)
		return GPUCRYPT_OK;
	chain.copies = copies;
	chain.local_bytes = 4 * (size_t)TABLE_WORDS * copies;
	return measure_curve(bench, &record->curves[RESOURCE_LOCAL_COPIES], &chain);
}

static int measure_local(struct bench *bench, struct device_record *record, cl_mem cycle)
{
	struct chain chain = { .kernel = "chase_local",
		.operations = CHASE_STEPS,
		.in = cycle,
		.local_bytes = 4 * TABLE_WORDS,
		.table_words = TABLE_WORDS,
		.copies = 1,
		.stride = 1 };
	int status = measure_curve(bench, &record->curves[RESOURCE_LOCAL_RANDOM], &chain);

	if (status == GPUCRYPT_OK)
		status = measure_copies(bench, record, chain);
	if (status == GPUCRYPT_OK)
		status = measure_conflict_free(bench, record, chain);
	chain.stride = 0;
	if (status == GPUCRYPT_OK)
		status = measure_curve(bench, &record->curves[RESOURCE_LOCAL_REGULAR], &chain);
	return status;
}

static int measure_constant(struct bench *bench, struct device_record *record, cl_mem cycle)
{
	struct chain chain = { .kernel = "chase_constant",
		.operations = CHASE_STEPS,
		.in = cycle,
		.table_words = TABLE_WORDS,
		.copies = 1,
		.stride = 1 };
	int status = measure_curve(bench, &record->curves[RESOURCE_CONSTANT], &chain);

	chain.stride = 0;
	if (status == GPUCRYPT_OK)
		status = measure_curve(bench, &record->curves[RESOURCE_CONSTANT_REGULAR], &chain);
	return status;
}

/* Measure tables from 1 to 512 KiB, the size of SC2000's largest table. */
static int measure_global_random(struct bench *bench, struct device_record *record)
{
	struct curve *curve = &record->global_random;
	int status = GPUCRYPT_OK;

	curve->n = 0;
	for (unsigned words = TABLE_WORDS; words <= 131072 && status == GPUCRYPT_OK; words *= 2) {
		cl_mem cycle = NULL;
		status = make_cycle(bench, &cycle, words);
		if (status == GPUCRYPT_OK) {
			struct chain chain = { .kernel = "chase_global",
				.operations = CHASE_STEPS,
				.in = cycle,
				.table_words = words,
				.copies = 1,
				.stride = 1 };
			curve->x[curve->n] = words;
			status = bench_cycles_again(bench, &chain, bench->max_batches, &curve->cycles[curve->n++]);
		}
		bench_release(cycle);
	}
	return status;
}

/* The buffer has zeros, so every load reads the same address. */
static int measure_coalesced(struct bench *bench, struct device_record *record)
{
	size_t n_bytes = 32 * (size_t)(bench->device->max_work_items + 64);
	struct chain chain = { .kernel = "load_coalesced", .operations = COALESCED_WORDS };
	void *zeros = calloc(1, n_bytes);
	int status;

	if (zeros == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	status = bench_buffer(bench, &chain.in, n_bytes, zeros);
	free(zeros);
	if (status == GPUCRYPT_OK)
		status = measure_curve(bench, &record->curves[RESOURCE_GLOBAL], &chain);
	bench_release(chain.in);
	return status;
}

int measure_memory(struct bench *bench, struct device_record *record)
{
	cl_mem cycle = NULL;
	int status = make_cycle(bench, &cycle, TABLE_WORDS);

	for (unsigned i = 0; i < bench_passes(bench) && status == GPUCRYPT_OK; i++) {
		status = measure_local(bench, record, cycle);
		if (status == GPUCRYPT_OK)
			status = measure_constant(bench, record, cycle);
		if (status == GPUCRYPT_OK)
			status = measure_global_random(bench, record);
		if (status == GPUCRYPT_OK)
			status = measure_coalesced(bench, record);
	}
	bench_release(cycle);
	return status;
}

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

/* Measure the cost that a look-up adds to each stream of operators.  The XOR of the look-up counts as half of a logic
 * operation of three inputs.  On a CPU the pipes cannot be distinguished. */
static int measure_hidden(struct bench *bench, struct device_record *record, double *costs)
{
	double logic = record->fusion_cycles[FUSION_LOGIC], issue = record->issue_cycles;
	const struct {
		const char *kernel;
		enum lookup_cost cost;
		double step, xor; /* cycles of a step of the stream, and of the XOR of the look-up */
	} rows[] = {
		{ "look_up_in_logic", LOOKUP_LOGIC, logic, logic / 2 },
		{ "look_up_in_mul", LOOKUP_MUL, record->operator_cycles[OPERATOR_MUL], 0 },
		{ "look_up_in_both", LOOKUP_ISSUE, 2 * issue, issue / 2 },
	};
	int status = GPUCRYPT_OK;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && status == GPUCRYPT_OK; i++) {
		struct chain chain = { .kernel = rows[i].kernel, .operations = HIDDEN_LOOKUPS };
		double cycles = 0;
		status = bench_cycles(bench, &chain, bench->group_batches, &cycles);
		cycles -= HIDING_STEPS * rows[i].step + rows[i].xor ;
		costs[rows[i].cost] = cycles > 0 ? cycles : 0;
	}
	return status;
}

/* Measure look-ups of one kind of field, with a number of replicas. */
static int measure_lookup(struct bench *bench, struct device_record *record, enum lookup_place place,
        enum field_kind kind, unsigned copies)
{
	const struct chain alone = { .kernel = "look_up", .operations = LOOKUP_STEPS },
	                   balanced = { .kernel = "look_up_balanced", .operations = LOOKUP_STEPS };
	double *costs = record->lookups[place][kind];
	int status = build_lookups(bench, kind, copies);

	if (status == GPUCRYPT_OK)
		status = bench_cycles_again(bench, &alone, bench->group_batches, &costs[LOOKUP_CYCLES]);
	if (status == GPUCRYPT_OK && !bench->device->cpu)
		status = measure_hidden(bench, record, costs);
	if (status == GPUCRYPT_OK && !bench->device->cpu && place == LOOKUP_LOCAL_COPIES && kind == FIELD_BYTE)
		status = bench_cycles(bench, &balanced, bench->group_batches, &record->balanced_cycles);
	return status;
}

int measure_lookups(struct bench *bench, struct device_record *record)
{
	unsigned copies = record->banks != 0 ? record->banks : NO_BANK_COPIES;
	bool has_copies = record->curves[RESOURCE_LOCAL_COPIES].n != 0;
	unsigned n = bench_passes(bench) * N_FIELDS;
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < n && status == GPUCRYPT_OK; i++) {
		enum field_kind kind = (enum field_kind)(i % N_FIELDS);
		status = measure_lookup(bench, record, LOOKUP_LOCAL, kind, 1);
		if (status == GPUCRYPT_OK && has_copies)
			status = measure_lookup(bench, record, LOOKUP_LOCAL_COPIES, kind, copies);
	}
	return status;
}
