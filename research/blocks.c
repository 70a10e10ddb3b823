/* Functions that several experiments share: build kernels, time them over blocks, and time the product's kernels. */
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/status.h"
#include "ppf/model/choose.h"
#include "ppf/record/records.h"
#include "research/study.h"

#define RUNS       5
#define QUICK_RUNS 3

void study_fill(void *bytes, size_t n_bytes)
{
	uint32_t x = FIRST_NUMBER ^ 1;
	uint8_t *to = bytes;

	for (size_t i = 0; i < n_bytes; i++)
		to[i] = (uint8_t)(next_number(&x) >> 11);
}

bool study_is_planted(const struct study *study, const char *variant)
{
	for (const char *const *plant = study->plants; *plant != NULL; plant++)
		if (strcmp(*plant, variant) == 0)
			return true;
	return false;
}

int study_note(json_t *figure, const char *variant, int status)
{
	if (status == GPUCRYPT_OK || status == GPUCRYPT_OTHER)
		return status;
	figure_note(figure, status == GPUCRYPT_CORRUPT ? NOTE_WRONG : NOTE_FAILED, variant, gpucrypt_error());
	fail_clear();
	return GPUCRYPT_OK;
}

unsigned study_items(const struct study *study, unsigned gpu_items, unsigned cpu_items)
{
	const struct device *device = study->session.device;
	size_t items = device->cpu ? cpu_items : gpu_items;

	return (unsigned)(items < device->max_work_items ? items : device->max_work_items);
}

int study_build(struct variant *variant, struct study *study, const char *name, const char *files, const char *options,
        const char *kernel)
{
	struct bench *bench = &study->session.bench;
	char all_files[256], all_options[512];
	cl_int error;
	int status;

	variant_close(variant);
	*variant = (struct variant){ .session = &study->session, .name = name };
	snprintf(all_files, sizeof all_files, "study.cl %s", files);
	snprintf(all_options, sizeof all_options, "%s%s%s", options, bench->device->cpu ? "" : " -DUNROLL",
	        study_is_planted(study, name) ? " -DPLANT" : "");
	status = bench_build(bench, all_files, NULL, all_options);
	if (status != GPUCRYPT_OK)
		return status;
	variant->kernel = clCreateKernel(bench->program, kernel, &error);
	return error == CL_SUCCESS ? GPUCRYPT_OK : bench_failed(bench, name, error);
}

static cl_int repeat_plaintext(const struct blocks *blocks)
{
	cl_command_queue queue = blocks->study->session.bench.queue;
	cl_int error =
	        clEnqueueWriteBuffer(queue, blocks->in, CL_TRUE, 0, REPEATED_BYTES, blocks->plain, 0, NULL, NULL);

	for (size_t done = REPEATED_BYTES; done < blocks->n_bytes && error == CL_SUCCESS; done *= 2)
		error = clEnqueueCopyBuffer(queue, blocks->in, blocks->in, 0, done,
		        done < blocks->n_bytes - done ? done : blocks->n_bytes - done, 0, NULL, NULL);
	return error == CL_SUCCESS ? clFinish(queue) : error;
}

int blocks_open(struct blocks *blocks, struct study *study, size_t n_bytes, const void *keys, size_t key_bytes,
        const void *table, size_t table_bytes)
{
	struct bench *bench = &study->session.bench;
	cl_int error;
	int status;

	*blocks = (struct blocks){
		.study = study, .n_bytes = n_bytes, .plain = malloc(REPEATED_BYTES), .expected = malloc(REPEATED_BYTES)
	};
	if (blocks->plain == NULL || blocks->expected == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	study_fill(blocks->plain, REPEATED_BYTES);
	status = bench_buffer(bench, &blocks->in, n_bytes, NULL)
	                 ?: bench_buffer(bench, &blocks->out, n_bytes, NULL)
	                 ?: bench_buffer(bench, &blocks->keys, key_bytes, keys)
	                 ?: bench_buffer(bench, &blocks->table, table_bytes, table);
	if (status != GPUCRYPT_OK)
		return status;
	error = repeat_plaintext(blocks);
	return error == CL_SUCCESS ? GPUCRYPT_OK : bench_failed(bench, "filling a buffer", error);
}

void blocks_close(struct blocks *blocks)
{
	bench_release(blocks->in);
	bench_release(blocks->out);
	bench_release(blocks->keys);
	bench_release(blocks->table);
	free(blocks->plain);
	free(blocks->expected);
}

int blocks_time(
        struct blocks *blocks, struct variant *variant, size_t items, size_t groups, size_t n_bytes, double *seconds)
{
	const cl_ulong n_blocks = n_bytes / BLOCK_BYTES;
	const struct variant_argument arguments[] = { { sizeof(cl_mem), &blocks->in }, { sizeof(cl_mem), &blocks->out },
		{ sizeof n_blocks, &n_blocks }, { sizeof(cl_mem), &blocks->keys }, { sizeof(cl_mem), &blocks->table } };
	const struct variant_launch launch = { arguments, 5, items, groups };

	return variant_check(variant, &launch, blocks->out, 0, blocks->expected, REPEATED_BYTES)
	               ?: variant_check(variant, &launch, blocks->out, n_bytes - REPEATED_BYTES, blocks->expected,
	                          REPEATED_BYTES)
	               ?: variant_time(variant, &launch, seconds);
}

/* The product's kernels. */

int product_choose(struct gpucrypt_plan *plan, struct study *study, const struct suite *suite, uint64_t n_bytes)
{
	const struct device *device = study->session.device;
	struct machine_device *at = calloc(1, sizeof *at);
	struct kernel_config kernel;
	char note[CACHE_NOTE] = "";
	json_t *cache = cache_read(note);
	int status = GPUCRYPT_OK;

	if (at == NULL) {
		json_decref(cache);
		return fail(GPUCRYPT_OTHER, "out of memory");
	}
	at->device = *device;
	if (study->session.record != NULL)
		at->record = *study->session.record;
	else
		status = device_record_find(&at->record, device, cache, &at->measured, note);
	json_decref(cache);
	if (status == GPUCRYPT_OK && !choose_kernel(&kernel, at, suite, plan, n_bytes))
		status = fail(GPUCRYPT_DEVICE, "%s: no shape of its kernel fits", suite->cipher->name);
	if (status == GPUCRYPT_OK)
		plan->kernel = kernel;
	free(at);
	return status;
}

static int time_size(struct study *study, struct engine *engine, uint64_t n_bytes, double *seconds)
{
	struct kernel_timing timing = { 0 };
	int status = kernel_times(engine, n_bytes, study->quick ? QUICK_RUNS : RUNS, &timing);

	if (status == GPUCRYPT_OK)
		*seconds = session_seconds(&study->session, timing.seconds, timing.runs);
	return timing.wrong ? GPUCRYPT_CORRUPT : status;
}

int product_times(struct study *study, const struct suite *suite, const struct gpucrypt_plan *plan,
        const uint64_t *n_bytes, unsigned n, double *seconds)
{
	struct gpucrypt_plan on_device = *plan;
	struct engine *engine = NULL;
	int status;

	memset(seconds, 0, n * sizeof *seconds);
	on_device.engine = GPUCRYPT_OPENCL;
	on_device.device = study->session.number;
	status = engine_opencl.open(&engine, suite, &on_device, NULL);
	for (unsigned i = 0; i < n && status == GPUCRYPT_OK; i++)
		if (i == 0 || study_left_s(study) > 0)
			status = time_size(study, engine, n_bytes[i], &seconds[i]);
	engine_close(engine);
	return status;
}
