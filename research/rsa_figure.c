/* RSA on a GPU (Sakai, Nakano, Ito: "Accelerating RSA encryption using GPUs"): e = 65537, one work-item a message,
 * tables I to V of the paper. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/measure/measure_parts.h"
#include "ppf/measure/threads_speed.h"
#include "research/rsa.h"
#include "research/study.h"

#define EXPONENT  65537
#define RUNS      3
#define REFERENCE 10003 /* messages whose results are known */
#define QUICK     503
#define MESSAGES  (1u << 20) /* the paper's times are for this number of messages */
#define RUN_S     0.2
#define QUICK_S   0.02

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
	struct rsa_prediction prediction;
	char row[48], name[80], series[64];
	double seconds = 0;
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
	if (seconds > 0 && form != STRIDED && predict_rsa(&prediction, record, &reference->key, &shape, n)) {
		snprintf(series, sizeof series, PREDICTED "%s", forms[form]);
		figure_bar(figure, series, row, (double)n / prediction.seconds);
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
