/* RSA on a GPU (Sakai, Nakano, Ito: "Accelerating RSA encryption using GPUs"): e = 65537, one work-item a message,
 * tables I to V of the paper. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/measure/bench.h"
#include "ppf/measure/threads_speed.h"
#include "ppf/model/overlap.h"
#include "research/rsa.h"
#include "research/study.h"

#define EXPONENT  65537
#define RUNS      3
#define REFERENCE 10003 /* messages whose results are known */
#define QUICK     503
#define MESSAGES  (1u << 20) /* the paper's times are for this number of messages */
#define RUN_S     0.2
#define QUICK_S   0.02

/* Cost of a product by 64-bit arithmetic where it was not measured: its two additions and both carries, as NVIDIA's
 * compiler makes them for the logic pipe (kernels/common/carry.cl). */
#define WIDE_ADDITIONS 3

#define PREDICTED   "predicted: "
#define ONE_THREAD  "libcrypto, one thread"
#define ALL_THREADS "libcrypto, all threads"

enum form { STRIDED, COALESCED, CARRIES, N_FORMS };
#define N_ITEMS 4

static const char *const forms[N_FORMS] = { "strided", "coalesced", "coalesced, carries" };
static const unsigned group_items[N_ITEMS] = { 32, 64, 128, 256 };

/* The name of a row; items 0 means the CPU. */
static const char *row_of(char text[48], unsigned bits, unsigned items)
{
	snprintf(text, 48, items == 0 ? "%u, CPU" : "%u, t=%u", bits, items);
	return text;
}

/* A modulus, messages, and the messages' results by libcrypto. */
struct reference {
	struct chore chore; /* first member: power_chore() casts from it */
	struct rsa_key key;
	size_t n;
	uint8_t *messages, *results; /* each has n numbers */
};

/* The messages are 0, 1, the modulus less 1, and other numbers below the modulus. */
static void fill_messages(struct reference *reference)
{
	size_t n_bytes = reference->key.bits / 8;
	uint8_t *messages = reference->messages, *modulus = reference->key.modulus;

	study_fill(messages, reference->n * n_bytes);
	memcpy(modulus, messages + 5 * n_bytes, n_bytes);
	modulus[0] |= 0x80;
	modulus[n_bytes - 1] |= 1;
	memset(messages, 0, 2 * n_bytes);
	messages[2 * n_bytes - 1] = 1;
	memcpy(messages + 2 * n_bytes, modulus, n_bytes);
	messages[3 * n_bytes - 1]--;
	for (size_t i = 3; i < reference->n; i++)
		if (memcmp(messages + i * n_bytes, modulus, n_bytes) >= 0)
			messages[i * n_bytes] &= 0x7f;
}

static int open_reference(struct reference *reference, const struct study *study, unsigned bits)
{
	size_t n = study->quick ? QUICK : REFERENCE, n_bytes = n * (bits / 8);

	*reference = (struct reference){ .key = { .bits = bits, .exponent = EXPONENT },
		.n = n,
		.messages = malloc(n_bytes),
		.results = malloc(n_bytes) };
	if (reference->messages == NULL || reference->results == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	fill_messages(reference);
	memcpy(reference->results, reference->messages, n_bytes);
	return rsa_power(&reference->key, reference->results, n);
}

/* A thread's piece holds numbers below the modulus: first bytes of 1, and later the results of the call before. */
static int power_chore(const struct chore *self, unsigned thread, uint64_t done, uint8_t *piece, size_t n_bytes)
{
	const struct reference *reference = (const struct reference *)self;

	(void)thread, (void)done;
	return rsa_power(&reference->key, piece, n_bytes / (reference->key.bits / 8));
}

static int time_cpu(struct reference *reference, json_t *figure, const char *series, unsigned threads, double run_s)
{
	double bytes_per_s = 0;
	char row[48];
	int status;

	reference->chore = (struct chore){ .run = power_chore, .buffer_bytes = 256 << 10 };
	status = threads_speed(&reference->chore, threads, run_s, &bytes_per_s);
	figure_bar(figure, series, row_of(row, reference->key.bits, 0), 8 * bytes_per_s / reference->key.bits);
	return status;
}

/* The kernel is timed only after all of its results have been compared. */
static int time_kernel(struct study *study, const struct reference *reference, const struct rsa_shape *shape,
        const char *name, size_t n, double *seconds)
{
	bool plant = study_is_planted(study, name);
	double runs[1 + RUNS];
	struct rsa rsa;
	int status = rsa_open(&rsa, &study->session.bench, &reference->key, shape, n)
	                     ?: rsa_load(&rsa, reference->messages, reference->n);

	for (unsigned i = 0; i < 1 + RUNS && status == GPUCRYPT_OK; i++) {
		status = rsa_run(&rsa, &runs[i]);
		if (status == GPUCRYPT_OK && i == 0)
			status = rsa_check(&rsa, plant ? reference->messages : reference->results, reference->n);
	}
	if (status == GPUCRYPT_OK)
		*seconds = session_seconds(&study->session, runs + 1, RUNS);
	rsa_close(&rsa);
	return status;
}

/* The predicted time. */

/* Words that a product loads and stores, as they are counted; on CPUs, whose registers are few,
 * both factors, the modulus and the sum for each product of words. */
static double words_moved(const struct device_record *record, const struct profile *product)
{
	if (record->is_cpu)
		return 2.0 * product->operators[OPERATOR_WIDE];
	return product->n_pt + product->n_ct;
}

/* Products of words with their summands; returns how many instructions they are.  Where a device
 * has chains of carries, additions cost nothing in them, so that a step is what a product costs
 * alone. */
static double add_wide(double cycles[N_BOUNDS], const struct device_record *record, bool chains, unsigned n)
{
	const double *costs = record->operator_cycles;
	double chain = record->fusion_cycles[FUSION_CHAIN], alone = chain > 0 ? chain : 2 * costs[OPERATOR_MUL];

	if (chains || costs[OPERATOR_WIDE] > 0) {
		cycles[BOUND_MUL] += n * (chains ? alone : costs[OPERATOR_WIDE]);
		return n;
	}
	cycles[BOUND_MUL] += n * alone;
	cycles[BOUND_LOGIC] += n * WIDE_ADDITIONS * costs[OPERATOR_LOGIC];
	return n * (1.0 + WIDE_ADDITIONS);
}

/* A shift only selects one half of a double word, which is a separate register. */
static void fill_cycles(double cycles[N_BOUNDS], const struct device_record *record, const struct profile *product,
        const struct rsa_shape *shape)
{
	static const enum operator_class others[] = { OPERATOR_LOGIC, OPERATOR_ADD, OPERATOR_COMPARE, OPERATOR_MUL };
	const unsigned *n = product->operators;
	double instructions;

	for (int i = 0; i < N_BOUNDS; i++)
		cycles[i] = 0;
	cycles[BOUND_LOCAL] = words_moved(record, product) *
	                      device_record_cycles(record, record->is_cpu ? RESOURCE_LOCAL_REGULAR : RESOURCE_GLOBAL,
	                              record->max_batches);
	instructions = add_wide(cycles, record, shape->chains, n[OPERATOR_WIDE]);
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		cycles[others[i] == OPERATOR_MUL ? BOUND_MUL : BOUND_LOGIC] +=
		        n[others[i]] * record->operator_cycles[others[i]];
		instructions += n[others[i]];
	}
	if (!record->is_cpu)
		cycles[BOUND_ISSUE] = instructions * record->issue_cycles;
}

/* Seconds of the coalesced kernel for n messages; NAN without a profile, or if the record lacks a figure.  The analysis
 * counts the operations of one product in rsa.cl, and the record's micro-benchmarks give their costs. */
static double predict_rsa(
        const struct device_record *record, const struct rsa_key *key, const struct rsa_shape *shape, size_t n)
{
	char name[32];
	const struct profile *product;
	double groups = ceil((double)n / shape->work_items), turns = ceil(groups / record->compute_units),
	       warps = (double)shape->work_items / record->batch_items, cycles[N_BOUNDS];
	/* The conversion, a square for each bit of the exponent but the first, a product for each other 1. */
	unsigned bits = 64 - (unsigned)__builtin_clzll(key->exponent),
	         products = 1 + bits - 1 + (unsigned)__builtin_popcountll(key->exponent) - 1;

	snprintf(name, sizeof name, "rsa-%u product", key->bits);
	product = study_profile(name);
	if (product == NULL || record->operator_cycles[OPERATOR_MUL] <= 0 || record->launch_s <= 0)
		return NAN;
	fill_cycles(cycles, record, product, shape);
	return record->launch_s + turns * warps * products * overlap_join(record, cycles) / record->clock_hz;
}

/* The figure. */

/* On a CPU, the number of messages falls with the size, so that a run takes about the same time for every size. */
static size_t messages_of(const struct study *study, const struct reference *reference)
{
	unsigned k = reference->key.bits / 1024;
	size_t n = (study->quick ? 2048u : 8192u) / (k * k);

	if (!study->session.device->cpu)
		return MESSAGES;
	n = n > QUICK ? n : QUICK + 9;
	return n > reference->n ? n : reference->n;
}

static int run_form(struct study *study, json_t *figure, const struct reference *reference,
        const struct device_record *record, unsigned items, enum form form)
{
	const struct rsa_shape shape = { form != STRIDED, form == CARRIES, study->session.device->ptx, items };
	size_t n = messages_of(study, reference);
	char row[48], name[80], series[64];
	double seconds = 0, predicted;
	int status;

	row_of(row, reference->key.bits, items);
	snprintf(name, sizeof name, "%s, %s", row, forms[form]);
	if (study_left_s(study) <= 0) {
		figure_note(figure, NOTE_FAILED, name, "no time is left");
		return GPUCRYPT_OK;
	}
	status = time_kernel(study, reference, &shape, name, n, &seconds);
	if (seconds > 0)
		figure_bar(figure, forms[form], row, (double)n / seconds);
	predicted = form == STRIDED ? NAN : predict_rsa(record, &reference->key, &shape, n);
	if (seconds > 0 && !isnan(predicted)) {
		snprintf(series, sizeof series, PREDICTED "%s", forms[form]);
		figure_bar(figure, series, row, (double)n / predicted);
	}
	return study_note(figure, name, status);
}

/* All sizes of work-groups for the paper's moduli, one size for longer moduli. */
static bool is_run(const struct study *study, unsigned bits, unsigned item)
{
	if (bits <= 2048)
		return !study->quick || item % 2 == 0;
	return group_items[item] == (study->session.device->gpu ? 128 : 32);
}

static int run_size(struct study *study, json_t *figure, const struct device_record *record, unsigned bits)
{
	struct reference reference;
	double run_s = study->quick ? QUICK_S : RUN_S;
	int status = open_reference(&reference, study, bits)
	                     ?: time_cpu(&reference, figure, ONE_THREAD, 1, run_s)
	                     ?: time_cpu(&reference, figure, ALL_THREADS, processor_threads(), run_s);

	for (unsigned item = 0; item < N_ITEMS; item++)
		for (enum form form = 0; form < N_FORMS && status == GPUCRYPT_OK; form++)
			if (is_run(study, bits, item))
				status = run_form(study, figure, &reference, record, group_items[item], form);
	free(reference.messages);
	free(reference.results);
	return status;
}

/* If the record is of an earlier release, it lacks the costs of wide products, which are measured here. */
int measure_rsa(struct study *study, json_t *figure, int which)
{
	struct device_record *copy = malloc(sizeof *copy);
	const struct device_record *record;
	int status = copy == NULL ? fail(GPUCRYPT_OTHER, "out of memory") : session_record(&study->session, &record);

	(void)which;
	if (status == GPUCRYPT_OK) {
		*copy = *record;
		if (copy->fusion_cycles[FUSION_CHAIN] <= 0 || copy->operator_cycles[OPERATOR_WIDE] <= 0)
			status = measure_wide(&study->session.bench, copy);
	}
	figure_set(figure, "carry instructions", study->session.device->ptx);
	for (unsigned bits = 1024; bits <= MAX_RSA_BITS && status == GPUCRYPT_OK; bits += 1024)
		status = run_size(study, figure, copy, bits);
	free(copy);
	return status;
}
