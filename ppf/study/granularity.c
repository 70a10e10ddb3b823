/*
 * Chapter 4 of the dissertation: AES-128-ECB with 16, 8, 4 or 1 bytes of a block for each
 * work-item, and tables, round keys and the state where they can lie (tables 4.3, 4.6, 4.7,
 * figure 4.8).
 */
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "gpucrypt/bytes.h"
#include "gpucrypt/cipher.h"
#include "gpucrypt/host_crypt.h"
#include "gpucrypt/status.h"
#include "granularity.h"
#include "product.h"
#include "variant.h"

#define FILES       "word.cl table.cl aes.cl granularity.cl"
#define TABLE_FORM  "4"
#define KEY_BYTES   16
#define CHECK_BYTES ((size_t)64 << 10)
#define GPU_BYTES   ((size_t)256 << 20)
#define CPU_BYTES   ((size_t)4 << 20)
#define QUICK_PART  8 /* of these */

const unsigned granularities[N_GRANULARITIES] = { 16, 8, 4, 1 };
const char *const granularity_spaces[N_SPACES] = { "constant", "local" };
const char *const granularity_states[N_STATES] = { "registers", "local memory, AoS",
	"local memory, SoA" };

/* The dissertation's tables 4.6 and 4.7, GTX 280, Gbit/s. */
static const struct printed {
	struct placement placement;
	const char *name;
	double gigabits;
} printed[] = {
	{ { 16, 0, 0, 0 }, "16Bs-I", 4.0 },
	{ { 16, 1, 0, 0 }, "16Bs-II", 27.3 },
	{ { 16, 1, 1, 0 }, "16Bs-III", 27.9 },
	{ { 16, 1, 1, 1 }, "16Bs-IV", 23.7 },
	{ { 16, 1, 1, 2 }, "16Bs-V", 17.2 },
	{ { 8, 1, 0, 1 }, "8Bs-I", 21.3 },
	{ { 8, 1, 0, 2 }, "8Bs-III", 18.5 },
	{ { 4, 1, 0, 1 }, "4Bs-I", 20.1 },
	{ { 4, 1, 0, 2 }, "4Bs-III", 13.6 },
};

/* What all variants share: buffers, and what they are compared with. */
struct ecb {
	struct study *study;
	const struct table_form *form;
	struct round_keys keys;
	size_t n_bytes;          /* that are timed */
	uint8_t *plain, *cipher; /* CHECK_BYTES */
	cl_mem in, out, key_words, table;
	double end_s;             /* of the current variant, by host_seconds() */
	struct launch_shape best; /* of the policy's variant */
};

const char *granularity_row(char text[48], const struct placement *at)
{
	snprintf(text, 48, "%u B, T %s, K %s", at->item_bytes, granularity_spaces[at->table],
	        granularity_spaces[at->key]);
	return text;
}

static int open_buffers(struct ecb *ecb)
{
	struct bench *bench = &ecb->study->bench;
	cl_int error = CL_SUCCESS;
	int status = bench_buffer(bench, &ecb->in, ecb->n_bytes, NULL);

	if (status == GPUCRYPT_OK)
		status = bench_buffer(bench, &ecb->out, ecb->n_bytes, NULL);
	if (status == GPUCRYPT_OK)
		status = bench_buffer(
		        bench, &ecb->key_words, sizeof(ecb->keys.word), ecb->keys.word);
	if (status == GPUCRYPT_OK)
		status = bench_buffer(
		        bench, &ecb->table, 4 * ecb->form->words, ecb->form->table[ENCRYPT]);
	if (status != GPUCRYPT_OK)
		return status;
	for (size_t at = 0; at < ecb->n_bytes && error == CL_SUCCESS; at += CHECK_BYTES)
		error = clEnqueueWriteBuffer(
		        bench->queue, ecb->in, CL_TRUE, at, CHECK_BYTES, ecb->plain, 0, NULL, NULL);
	return error == CL_SUCCESS ? GPUCRYPT_OK : bench_failed(bench, "filling a buffer", error);
}

/* The expected ciphertext, by the host core. */
static int open_ecb(struct ecb *ecb, struct study *study)
{
	const struct cipher *aes = cipher_by_name("aes");
	const struct suite suite = { aes, mode_by_name("ecb"), KEY_BYTES, ENCRYPT };
	uint8_t key[KEY_BYTES];
	struct work work = { .n_bytes = CHECK_BYTES, .key = key };
	int status;

	*ecb = (struct ecb){ .study = study,
		.form = form_by_name(aes, TABLE_FORM),
		.n_bytes = (study->device->cpu ? CPU_BYTES : GPU_BYTES) /
		           (study->quick ? QUICK_PART : 1),
		.plain = malloc(CHECK_BYTES),
		.cipher = malloc(CHECK_BYTES) };
	if (ecb->plain == NULL || ecb->cipher == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	study_fill(study, key, sizeof(key));
	study_fill(study, ecb->plain, CHECK_BYTES);
	cipher_expand(aes, &ecb->keys, key, KEY_BYTES, ENCRYPT);
	work.in = ecb->plain, work.out = ecb->cipher;
	status = host_crypt(&suite, ecb->form, &work);
	return status == GPUCRYPT_OK ? open_buffers(ecb) : status;
}

static void close_ecb(struct ecb *ecb)
{
	cl_mem *buffers[] = { &ecb->in, &ecb->out, &ecb->key_words, &ecb->table };

	for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
		if (*buffers[i] != NULL)
			clReleaseMemObject(*buffers[i]);
	free(ecb->plain);
	free(ecb->cipher);
}

/* Over all that is timed the ciphertext repeats; its end is looked at as well. */
static int time_shape(
        struct ecb *ecb, struct variant *variant, size_t items, size_t groups, double *seconds)
{
	cl_ulong n_blocks = CHECK_BYTES / BLOCK_BYTES;
	const struct variant_argument arguments[] = { { sizeof(cl_mem), &ecb->in },
		{ sizeof(cl_mem), &ecb->out }, { sizeof(n_blocks), &n_blocks },
		{ sizeof(cl_mem), &ecb->key_words }, { sizeof(cl_mem), &ecb->table } };
	const struct variant_launch launch = { arguments, 5, items, groups };
	int status = variant_check(variant, &launch, ecb->out, 0, ecb->cipher, CHECK_BYTES);

	n_blocks = ecb->n_bytes / BLOCK_BYTES;
	if (status == GPUCRYPT_OK)
		status = variant_check(variant, &launch, ecb->out, ecb->n_bytes - CHECK_BYTES,
		        ecb->cipher, CHECK_BYTES);
	return status == GPUCRYPT_OK ? variant_time(variant, &launch, seconds) : status;
}

static int build(struct ecb *ecb, struct variant *variant, const char *name,
        const struct placement *at, unsigned items)
{
	static const char *const tables[N_SPACES] = { "TABLE_IN_CONSTANT", "TABLE_IN_LOCAL" },
	                         *const keys[N_SPACES] = { "KEYS_IN_CONSTANT", "KEYS_IN_LOCAL" },
	                         *const states[N_STATES] = { "STATE_IN_REGISTERS", "STATE_AOS",
		                         "STATE_SOA" };
	char options[400];

	snprintf(options, sizeof(options),
	        "-DITEM_BYTES=%u -D%s -D%s -D%s -DWORK_ITEMS=%u -DTABLE_FORM=%d -DTABLE_WORDS=%u "
	        "-DROUNDS=%d -DROUND_KEY_WORDS=%d -DDECRYPT=0%s",
	        at->item_bytes, tables[at->table], keys[at->key], states[at->state], items,
	        ecb->form->number, ecb->form->words, ecb->keys.rounds, 4 * (ecb->keys.rounds + 1),
	        ecb->study->device->cpu ? "" : " -DUNROLL");
	return variant_build(variant, ecb->study, name, FILES, options, "encrypt");
}

static const struct launch_shape gpu_shapes[] = { { 512, 3 }, { 512, 2 }, { 512, 4 }, { 256, 4 },
	{ 256, 8 }, { 1024, 1 }, { 1024, 2 } },
                                 cpu_shapes[] = { { 64, 4 } };

static const struct launch_shape *shapes_of(const struct device *device, unsigned *n)
{
	*n = device->cpu ? 1 : sizeof(gpu_shapes) / sizeof(gpu_shapes[0]);
	return device->cpu ? cpu_shapes : gpu_shapes;
}

/* The shortest time of all shapes, until the variant's time is over; another number of work-items
 * is another program.  A shape that the device cannot do is left out, unless it is the only one. */
static int time_variant(struct ecb *ecb, const char *name, const struct placement *at, double *best,
        struct launch_shape *best_shape)
{
	const struct device *device = ecb->study->device;
	unsigned n, built = 0;
	const struct launch_shape *shapes = shapes_of(device, &n);
	struct variant variant = { 0 };
	int status = GPUCRYPT_OK;

	*best = 0;
	for (unsigned i = 0; i < n && status != GPUCRYPT_CORRUPT; i++) {
		double seconds = 0;
		if (shapes[i].items > device->max_work_items ||
		        (*best > 0 && host_seconds() > ecb->end_s))
			continue;
		status = GPUCRYPT_OK;
		if (built != shapes[i].items)
			status = build(ecb, &variant, name, at, shapes[i].items);
		built = status == GPUCRYPT_OK ? shapes[i].items : 0;
		if (status == GPUCRYPT_OK)
			status = time_shape(ecb, &variant, shapes[i].items,
			        (size_t)shapes[i].groups_per_unit * device->compute_units,
			        &seconds);
		if (status == GPUCRYPT_OK && (*best == 0 || seconds < *best))
			*best = seconds, *best_shape = shapes[i];
	}
	variant_close(&variant);
	if (status != GPUCRYPT_CORRUPT && *best > 0) {
		fail_clear();
		return GPUCRYPT_OK;
	}
	*best = 0;
	return status;
}

static bool is_impossible(const struct placement *at)
{
	return at->item_bytes < BLOCK_BYTES && at->state == STATE_REGISTER;
}

static void note_impossible(struct figure *figure)
{
	char name[64];

	for (unsigned i = 1; i < N_GRANULARITIES; i++) {
		snprintf(name, sizeof(name), "%u B, any place of T and K, state in registers",
		        granularities[i]);
		figure_note(figure, NOTE_IMPOSSIBLE, name,
		        "work-items that share a block exchange its state, and do not see each "
		        "other's registers");
	}
}

static bool is_policy(const struct placement *at)
{
	return at->item_bytes == BLOCK_BYTES && at->table == SPACE_LOCAL &&
	       at->key == SPACE_LOCAL && at->state == STATE_REGISTER;
}

static int run_variant(struct ecb *ecb, struct figure *figure, const struct placement *at)
{
	struct launch_shape best = { 0 };
	char row[48], name[64];
	double seconds = 0;
	int status;

	snprintf(name, sizeof(name), "%s, state %s", granularity_row(row, at),
	        granularity_states[at->state]);
	if (is_impossible(at))
		return GPUCRYPT_OK;
	status = variant_note(figure, name, time_variant(ecb, name, at, &seconds, &best));
	if (seconds > 0)
		figure_bar(figure, granularity_states[at->state], row,
		        gigabits(ecb->n_bytes, seconds));
	if (is_policy(at))
		ecb->best = best;
	return status;
}

static void put_printed(struct figure *figure)
{
	char row[48], series[64];

	for (size_t i = 0; i < sizeof(printed) / sizeof(printed[0]); i++) {
		const struct placement *at = &printed[i].placement;
		snprintf(series, sizeof(series), "GTX 280 (dissertation): %s",
		        granularity_states[at->state]);
		figure_bar(figure, series, granularity_row(row, at), printed[i].gigabits);
		figure_mark_printed(figure, series);
	}
}

#define N_VARIANTS (N_GRANULARITIES * N_SPACES * N_SPACES * N_STATES)

/* Each has its part of the time that is left. */
static int run_variants(struct ecb *ecb, struct figure *figure)
{
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < N_VARIANTS && status == GPUCRYPT_OK; i++) {
		const struct placement at = { granularities[i / (N_SPACES * N_SPACES * N_STATES)],
			i / (N_SPACES * N_STATES) % N_SPACES, i / N_STATES % N_SPACES,
			i % N_STATES };
		ecb->end_s = host_seconds() + study_left_s(ecb->study) / (N_VARIANTS - i);
		status = run_variant(ecb, figure, &at);
	}
	return status;
}

/* The product's own kernels: the policy, a table for each bank, and what gcrypt takes here. */
static int run_products(const struct ecb *ecb, struct figure *figure)
{
	const struct suite suite = { cipher_by_name("aes"), mode_by_name("ecb"), KEY_BYTES,
		ENCRYPT };
	const char *const names[] = { PRODUCT_POLICY, PRODUCT_REPLICATED, PRODUCT_CHOSEN };
	struct gpucrypt_plan plans[] = { { .table = "4" }, { .table = "1", .copies = 32 }, { 0 } };
	int status = product_choose(&plans[2], ecb->study, &suite, ecb->n_bytes);

	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]) && status == GPUCRYPT_OK; i++) {
		double seconds;
		status = variant_note(figure, names[i],
		        product_time(ecb->study, &suite, &plans[i], ecb->n_bytes, &seconds));
		if (seconds > 0)
			figure_bar(
			        figure, PRODUCT_SERIES, names[i], gigabits(ecb->n_bytes, seconds));
	}
	return status;
}

int figure_granularity(struct study *study, struct figure *figure)
{
	struct ecb ecb;
	unsigned n_shapes;
	int status = open_ecb(&ecb, study);

	shapes_of(study->device, &n_shapes);
	figure->bars = figure->log_y = true;
	snprintf(figure->x_label, sizeof(figure->x_label),
	        "a work-item's bytes, tables (T), keys (K)");
	snprintf(figure->y_label, sizeof(figure->y_label), "Gbit/s");
	if (status == GPUCRYPT_OK)
		status = run_variants(&ecb, figure);
	note_impossible(figure);
	if (status == GPUCRYPT_OK)
		status = run_products(&ecb, figure);
	close_ecb(&ecb);
	put_printed(figure);
	if (status == GPUCRYPT_OK)
		granularity_conclude(figure, &ecb.best, n_shapes);
	return status;
}
