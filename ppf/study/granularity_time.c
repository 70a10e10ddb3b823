/* One variant of chapter 4 at a time: built for several launches, compared with the reference implementation,
 * timed. */
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/engine/host_crypt.h"
#include "gpucrypt/status.h"
#include "ppf/study/granularity.h"
#include "ppf/study/variant.h"

#define FILES       "word.cl table.cl aes.cl granularity.cl"
#define CHECK_BYTES ((size_t)64 << 10)
#define GPU_BYTES   ((size_t)256 << 20)
#define CPU_BYTES   ((size_t)4 << 20)
#define QUICK_PART  8 /* of these */

static int open_buffers(struct ecb *ecb)
{
	struct bench *bench = &ecb->study->bench;
	cl_int error = CL_SUCCESS;
	int status = bench_buffer(bench, &ecb->in, ecb->n_bytes, NULL);

	if (status == GPUCRYPT_OK)
		status = bench_buffer(bench, &ecb->out, ecb->n_bytes, NULL);
	if (status == GPUCRYPT_OK)
		status = bench_buffer(bench, &ecb->key_words, sizeof(ecb->keys.word), ecb->keys.word);
	if (status == GPUCRYPT_OK)
		status = bench_buffer(bench, &ecb->table, 4 * ecb->form->words, ecb->form->table[ENCRYPT]);
	if (status != GPUCRYPT_OK)
		return status;
	for (size_t at = 0; at < ecb->n_bytes && error == CL_SUCCESS; at += CHECK_BYTES)
		error = clEnqueueWriteBuffer(
		        bench->queue, ecb->in, CL_TRUE, at, CHECK_BYTES, ecb->plain, 0, NULL, NULL);
	return error == CL_SUCCESS ? GPUCRYPT_OK : bench_failed(bench, "filling a buffer", error);
}

/* The expected ciphertext, by the reference implementation. */
int ecb_open(struct ecb *ecb, struct study *study)
{
	const struct cipher *aes = &cipher_aes;
	const struct suite suite = { aes, &modes[MODE_ECB], ECB_KEY_BYTES, ENCRYPT };
	uint8_t key[ECB_KEY_BYTES];
	struct work work = { .n_bytes = CHECK_BYTES, .key = key };
	int status;

	*ecb = (struct ecb){ .study = study,
		.form = cipher_form(aes, TABLE_4),
		.n_bytes = (study->device->cpu ? CPU_BYTES : GPU_BYTES) / (study->quick ? QUICK_PART : 1),
		.plain = malloc(CHECK_BYTES),
		.cipher = malloc(CHECK_BYTES) };
	if (ecb->plain == NULL || ecb->cipher == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	study_fill(study, key, sizeof(key));
	study_fill(study, ecb->plain, CHECK_BYTES);
	cipher_expand(aes, &ecb->keys, key, ECB_KEY_BYTES, ENCRYPT);
	work.in = ecb->plain, work.out = ecb->cipher;
	status = host_crypt(&suite, ecb->form, &work);
	return status == GPUCRYPT_OK ? open_buffers(ecb) : status;
}

void ecb_close(struct ecb *ecb)
{
	cl_mem *buffers[] = { &ecb->in, &ecb->out, &ecb->key_words, &ecb->table };

	for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
		if (*buffers[i] != NULL)
			clReleaseMemObject(*buffers[i]);
	free(ecb->plain);
	free(ecb->cipher);
}

/* Over all that is timed the ciphertext repeats; its end is looked at as well. */
static int time_shape(struct ecb *ecb, struct variant *variant, size_t items, size_t groups, double *seconds)
{
	cl_ulong n_blocks = CHECK_BYTES / BLOCK_BYTES;
	const struct variant_argument arguments[] = { { sizeof(cl_mem), &ecb->in }, { sizeof(cl_mem), &ecb->out },
		{ sizeof(n_blocks), &n_blocks }, { sizeof(cl_mem), &ecb->key_words }, { sizeof(cl_mem), &ecb->table } };
	const struct variant_launch launch = { arguments, 5, items, groups };
	int status = variant_check(variant, &launch, ecb->out, 0, ecb->cipher, CHECK_BYTES);

	n_blocks = ecb->n_bytes / BLOCK_BYTES;
	if (status == GPUCRYPT_OK)
		status =
		        variant_check(variant, &launch, ecb->out, ecb->n_bytes - CHECK_BYTES, ecb->cipher, CHECK_BYTES);
	return status == GPUCRYPT_OK ? variant_time(variant, &launch, seconds) : status;
}

static int build_variant(
        struct ecb *ecb, struct variant *variant, const char *name, const struct placement *at, unsigned items)
{
	static const char *const tables[N_SPACES] = { "TABLE_IN_CONSTANT", "TABLE_IN_LOCAL" },
	                         *const keys[N_SPACES] = { "KEYS_IN_CONSTANT", "KEYS_IN_LOCAL" },
	                         *const states[N_STATES] = { "STATE_IN_REGISTERS", "STATE_AOS", "STATE_SOA" };
	char options[400];

	snprintf(options, sizeof(options),
	        "-DITEM_BYTES=%u -D%s -D%s -D%s -DWORK_ITEMS=%u -DTABLE_FORM=%d -DTABLE_WORDS=%u "
	        "-DROUNDS=%d -DROUND_KEY_WORDS=%d -DDECRYPT=0%s",
	        at->item_bytes, tables[at->table], keys[at->key], states[at->state], items, ecb->form->number,
	        ecb->form->words, ecb->keys.rounds, 4 * (ecb->keys.rounds + 1),
	        ecb->study->device->cpu ? "" : " -DUNROLL");
	return variant_build(variant, ecb->study, name, FILES, options, "encrypt");
}

static const struct launch_shape gpu_shapes[] = { { 512, 3 }, { 512, 2 }, { 512, 4 }, { 256, 4 }, { 256, 8 },
	{ 1024, 1 }, { 1024, 2 } },
                                 cpu_shapes[] = { { 64, 4 } };

static const struct launch_shape *shapes_of(const struct device *device, unsigned *n)
{
	*n = device->cpu ? 1 : sizeof(gpu_shapes) / sizeof(gpu_shapes[0]);
	return device->cpu ? cpu_shapes : gpu_shapes;
}

unsigned ecb_n_shapes(const struct device *device)
{
	unsigned n;

	shapes_of(device, &n);
	return n;
}

/* Everything with one shape; built: the work-items that the program is for. */
static int try_shape(struct ecb *ecb, struct variant *variant, const char *name, const struct placement *at,
        const struct launch_shape *shape, unsigned *built, double *seconds)
{
	size_t groups = (size_t)shape->groups_per_unit * ecb->study->device->compute_units;
	int status = GPUCRYPT_OK;

	if (*built != shape->items)
		status = build_variant(ecb, variant, name, at, shape->items);
	*built = status == GPUCRYPT_OK ? shape->items : 0;
	return status == GPUCRYPT_OK ? time_shape(ecb, variant, shape->items, groups, seconds) : status;
}

/* A shape that the device cannot do is left out, unless no other can be done either. */
int ecb_time(struct ecb *ecb, const char *name, const struct placement *at, double end_s, double *seconds,
        struct launch_shape *best)
{
	const struct device *device = ecb->study->device;
	unsigned n, built = 0;
	const struct launch_shape *shapes = shapes_of(device, &n);
	struct variant variant = { 0 };
	int status = GPUCRYPT_OK;

	*seconds = 0;
	for (unsigned i = 0; i < n && status != GPUCRYPT_CORRUPT; i++) {
		double once = 0;
		bool late = *seconds > 0 && host_seconds() > end_s;
		if (shapes[i].items > device->max_work_items || late)
			continue;
		fail_clear(); /* of a shape before */
		status = try_shape(ecb, &variant, name, at, &shapes[i], &built, &once);
		if (status == GPUCRYPT_OK && (*seconds == 0 || once < *seconds))
			*seconds = once, *best = shapes[i];
	}
	variant_close(&variant);
	if (status == GPUCRYPT_CORRUPT)
		*seconds = 0;
	if (*seconds == 0)
		return status;
	fail_clear();
	return GPUCRYPT_OK;
}
