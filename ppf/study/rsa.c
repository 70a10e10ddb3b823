/*
 * RSA on a GPU (Sakai, Nakano, Ito: "Accelerating RSA encryption using GPUs"): e = 65537, one
 * work-item a message, tables I to V.  The kernel is the product's.
 */
#include "ppf/study/rsa.h"

#include <stdlib.h>
#include <string.h>

#include "ppf/study/figures.h"
#include "gpucrypt/engine/engine.h"
#include "ppf/study/rsa_cpu.h"
#include "gpucrypt/status.h"
#include "ppf/measure/measure_parts.h"
#include "ppf/study/rsa_model.h"
#include "ppf/study/variant.h"

#define EXPONENT  65537
#define RUNS      3
#define REFERENCE 10003 /* messages whose results are known */
#define QUICK     503

const char *const rsa_forms[N_RSA_FORMS] = { "strided", "coalesced", "coalesced, carries" };
const unsigned rsa_items[N_RSA_ITEMS] = { 32, 64, 128, 256 };

/* The paper's, in seconds, by form and work-items. */
static const struct {
	unsigned bits;
	double cpu, seconds[N_RSA_FORMS][N_RSA_ITEMS];
} printed[] = {
	{ 1024, 97.800,
	        { { 16.840, 16.851, 16.874, 21.242 }, { 2.995, 2.691, 2.687, 3.031 },
	                { 1.840, 1.854, 1.862, 1.869 } } },
	{ 2048, 368.975,
	        { { 103.658, 143.671, 147.207, 143.192 }, { 14.137, 10.070, 10.068, 10.048 },
	                { 9.410, 6.545, 6.539, 7.107 } } },
};

double rsa_printed(unsigned bits, unsigned item, enum rsa_form form)
{
	for (size_t i = 0; i < sizeof(printed) / sizeof(printed[0]); i++)
		if (printed[i].bits == bits)
			return printed[i].seconds[form][item];
	return 0;
}

const char *rsa_row(char text[48], unsigned bits, unsigned items)
{
	if (items == 0)
		snprintf(text, 48, "%u, " RSA_CPU_ROW, bits);
	else
		snprintf(text, 48, "%u, t=%u", bits, items);
	return text;
}

/* A modulus, messages, and their results by libcrypto. */
struct reference {
	struct rsa_key key;
	size_t n;
	uint8_t *messages, *results; /* owned; n numbers each */
};

/* 0, 1, the modulus less 1, and others below the modulus. */
static void fill_messages(struct reference *reference, const struct study *study)
{
	size_t n_bytes = reference->key.bits / 8;
	uint8_t *messages = reference->messages, *modulus = reference->key.modulus;

	study_fill(study, messages, reference->n * n_bytes);
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

/* Messages a second, which are also the figure's. */
static int compute(
        const struct reference *reference, struct figure *figure, const char *series, size_t n, unsigned threads)
{
	double begin = host_seconds();
	int status = rsa_cpu(&reference->key, reference->results, n, threads);
	char row[48];

	figure_bar(figure, series, rsa_row(row, reference->key.bits, 0), (double)n / (host_seconds() - begin));
	return status;
}

static int open_reference(struct reference *reference, struct figure *figure, const struct study *study, unsigned bits)
{
	const struct gpucrypt_plan plan = { 0 };
	size_t n = study->quick ? QUICK : REFERENCE, n_bytes = bits / 8;
	int status;

	*reference = (struct reference){ .key = { .bits = bits, .exponent = EXPONENT }, .n = n };
	reference->messages = malloc(n * n_bytes);
	reference->results = malloc(n * n_bytes);
	if (reference->messages == NULL || reference->results == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	fill_messages(reference, study);
	memcpy(reference->results, reference->messages, n * n_bytes);
	status = compute(reference, figure, RSA_ONE_THREAD, n / 16, 1);
	memcpy(reference->results, reference->messages, n * n_bytes);
	if (status == GPUCRYPT_OK)
		status = compute(reference, figure, RSA_ALL_THREADS, n, plan_threads(&plan));
	return status;
}

static void close_reference(struct reference *reference)
{
	free(reference->messages);
	free(reference->results);
}

/* One kernel: all known results compared, and only then timed. */
struct trial {
	struct study *study;
	const struct reference *reference;
	struct rsa_shape shape;
	const char *name;
	size_t n; /* messages that are timed */
};

static int check_results(const struct trial *trial, struct rsa_device *rsa)
{
	const struct reference *reference = trial->reference;
	size_t n_bytes = reference->n * (reference->key.bits / 8);
	bool planted = trial->study->plant != NULL && strcmp(trial->study->plant, trial->name) == 0;
	uint8_t *results = malloc(n_bytes);
	double seconds;
	int status = results == NULL ? fail(GPUCRYPT_OTHER, "out of memory") : GPUCRYPT_OK;

	if (status == GPUCRYPT_OK)
		status = rsa_device_load(rsa, reference->messages, reference->n);
	if (status == GPUCRYPT_OK)
		status = rsa_device_run(rsa, &seconds);
	if (status == GPUCRYPT_OK)
		status = rsa_device_fetch(rsa, results);
	if (status == GPUCRYPT_OK && planted)
		results[n_bytes - 1] ^= 1;
	if (status == GPUCRYPT_OK && memcmp(results, reference->results, n_bytes) != 0)
		status = fail(GPUCRYPT_CORRUPT, "its results are not libcrypto's");
	free(results);
	return status;
}

static int run_timed(const struct trial *trial, struct rsa_device *rsa, double *seconds)
{
	double runs[1 + RUNS];
	int status = rsa_device_repeat(rsa);

	for (unsigned i = 0; i < 1 + RUNS && status == GPUCRYPT_OK; i++)
		status = rsa_device_run(rsa, &runs[i]);
	if (status == GPUCRYPT_OK)
		*seconds = study_seconds(trial->study, runs + 1, RUNS);
	return status;
}

static int run_trial(const struct trial *trial, double *seconds)
{
	struct rsa_device *rsa = NULL;
	int status = rsa_device_open(&rsa, &trial->study->bench, &trial->reference->key, &trial->shape, trial->n);

	*seconds = 0;
	if (status == GPUCRYPT_OK)
		status = check_results(trial, rsa);
	if (status == GPUCRYPT_OK)
		status = run_timed(trial, rsa, seconds);
	rsa_device_close(rsa);
	return status;
}

/* On a CPU so many that a run takes about as long for every size. */
static size_t messages_of(const struct study *study, unsigned bits)
{
	unsigned k = bits / 1024;

	if (!study->device->cpu)
		return RSA_MESSAGES;
	return (study->quick ? 2048 : 8192) / (k * k) > QUICK ? (study->quick ? 2048u : 8192u) / (k * k) : QUICK + 9;
}

static void predict_time(
        struct figure *figure, const struct trial *trial, const struct device_record *record, enum rsa_form form)
{
	struct rsa_prediction prediction;
	char row[48], series[64];

	if (form == RSA_STRIDED || record == NULL ||
	        !predict_rsa(&prediction, record, &trial->reference->key, &trial->shape, trial->n))
		return;
	snprintf(series, sizeof(series), RSA_PREDICTED "%s", rsa_forms[form]);
	figure_bar(figure, series, rsa_row(row, trial->reference->key.bits, trial->shape.work_items),
	        (double)trial->n / prediction.seconds);
}

static int run_form(struct study *study, struct figure *figure, const struct reference *reference,
        const struct device_record *record, unsigned items, enum rsa_form form)
{
	char row[48], name[80];
	struct trial trial = { .study = study,
		.reference = reference,
		.shape = { .coalesced = form != RSA_STRIDED,
		        .chains = form == RSA_CARRIES,
		        .ptx = study->device->ptx,
		        .work_items = items },
		.name = name,
		.n = messages_of(study, reference->key.bits) };
	double seconds;
	int status;

	rsa_row(row, reference->key.bits, items);
	snprintf(name, sizeof(name), "%s, %s", row, rsa_forms[form]);
	if (study_left_s(study) <= 0) {
		figure_note(figure, NOTE_FAILED, name, "no time is left");
		return GPUCRYPT_OK;
	}
	if (trial.n < reference->n)
		trial.n = reference->n;
	status = run_trial(&trial, &seconds);
	if (seconds > 0) {
		figure_bar(figure, rsa_forms[form], row, (double)trial.n / seconds);
		predict_time(figure, &trial, record, form);
	}
	return variant_note(figure, name, status);
}

/* All work-groups for the paper's sizes, one for the longer ones. */
static bool is_run(const struct study *study, unsigned bits, unsigned item)
{
	if (bits <= 2048)
		return !study->quick || item % 2 == 0;
	return rsa_items[item] == (study->device->gpu ? 128 : 32);
}

static int run_size(struct study *study, struct figure *figure, const struct device_record *record, unsigned bits)
{
	struct reference reference;
	int status = open_reference(&reference, figure, study, bits);

	for (unsigned item = 0; item < N_RSA_ITEMS; item++)
		for (enum rsa_form form = 0; form < N_RSA_FORMS && status == GPUCRYPT_OK; form++)
			if (is_run(study, bits, item))
				status = run_form(study, figure, &reference, record, rsa_items[item], form);
	close_reference(&reference);
	return status;
}

static void put_printed(struct figure *figure)
{
	char row[48], series[64];

	for (size_t i = 0; i < sizeof(printed) / sizeof(printed[0]); i++) {
		for (unsigned form = 0; form < N_RSA_FORMS; form++)
			for (unsigned item = 0; item < N_RSA_ITEMS; item++) {
				snprintf(series, sizeof(series), RSA_GPU "%s", rsa_forms[form]);
				figure_bar(figure, series, rsa_row(row, printed[i].bits, rsa_items[item]),
				        RSA_MESSAGES / printed[i].seconds[form][item]);
				figure_mark_printed(figure, series);
			}
		figure_bar(figure, "Xeon X7460 (paper): one thread", rsa_row(row, printed[i].bits, 0),
		        RSA_MESSAGES / printed[i].cpu);
		figure_mark_printed(figure, "Xeon X7460 (paper): one thread");
	}
}

/* A record of an earlier release lacks what wide products cost: then it is measured now.  A copy.
 */
static int find_record(struct study *study, struct device_record *copy)
{
	const struct device_record *record;
	int status = study_record(study, &record);

	if (status != GPUCRYPT_OK)
		return status;
	*copy = *record;
	return copy->fusion_cycles[FUSION_CHAIN] > 0 && copy->operator_cycles[OPERATOR_WIDE] > 0
	               ? GPUCRYPT_OK
	               : measure_wide(&study->bench, copy);
}

int figure_rsa(struct study *study, struct figure *figure)
{
	struct device_record *record = malloc(sizeof(*record));
	int status = record == NULL ? fail(GPUCRYPT_OTHER, "out of memory") : find_record(study, record);

	figure->bars = figure->log_y = true;
	snprintf(figure->x_label, sizeof(figure->x_label), "bits, work-items of a group (t)");
	snprintf(figure->y_label, sizeof(figure->y_label), "messages/s");
	for (unsigned bits = 1024; bits <= MAX_RSA_BITS && status == GPUCRYPT_OK; bits += 1024)
		status = run_size(study, figure, record, bits);
	put_printed(figure);
	if (status == GPUCRYPT_OK)
		rsa_conclude(figure, study->device->ptx);
	free(record);
	return status;
}
