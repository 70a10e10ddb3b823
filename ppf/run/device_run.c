#include "ppf/run/device_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpucrypt/crypto/names.h"
#include "gpucrypt/status.h"

/* CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": registers of a compute unit and of a
 * work-item. */
#define UNIT_REGISTERS  65536
#define MOST_REGISTERS  255
#define LEAST_REGISTERS 32

/* The period over and over. */
static void repeat(uint8_t *bytes, const uint8_t *period, size_t period_bytes, size_t n_bytes)
{
	for (size_t at = 0, n; at < n_bytes; at += n) {
		n = n_bytes - at < period_bytes ? n_bytes - at : period_bytes;
		memcpy(bytes + at, period, n);
	}
}

/* A kernel needs a buffer for each argument, also for no tables. */
static int area_buffer(struct bench *bench, cl_mem *buffer, size_t n_bytes, const uint8_t *bytes)
{
	return bench_buffer(bench, buffer, n_bytes > 0 ? n_bytes : 16, n_bytes > 0 ? bytes : NULL);
}

int device_run_open(struct device_run *run, struct session *session, const struct translation *translation,
        const struct host_results *results, uint64_t n_bytes, const char *name)
{
	const uint32_t *block_bytes = translation->block_bytes;
	uint64_t n_blocks = n_bytes / block_bytes[1], n_plain = n_blocks * block_bytes[0];
	uint8_t *plaintext = malloc(n_plain);
	struct bench *bench = &session->bench;
	int status;

	*run = (struct device_run){ .session = session,
		.translation = translation,
		.name = name,
		.n_blocks = n_blocks,
		.expected = malloc(n_bytes) };
	if (!plaintext || !run->expected) {
		free(plaintext);
		return fail(GPUCRYPT_OTHER, "out of memory");
	}
	repeat(plaintext, results->plaintext, (size_t)PERIOD_BLOCKS * block_bytes[0], n_plain);
	repeat(run->expected, results->ciphertext, (size_t)PERIOD_BLOCKS * block_bytes[1], n_bytes);
	status = area_buffer(bench, &run->in, n_plain, plaintext)
	                 ?: bench_buffer(bench, &run->out, n_bytes, NULL)
	                 ?: area_buffer(bench, &run->tables, translation->n_bytes[OBJECT_TABLE], results->tables)
	                 ?: area_buffer(bench, &run->keys, translation->n_bytes[OBJECT_KEY], results->keys);
	free(plaintext);
	return status;
}

void device_run_close(struct device_run *run)
{
	variant_close(&run->variant);
	bench_release(run->in);
	bench_release(run->out);
	bench_release(run->tables);
	bench_release(run->keys);
	free(run->expected);
	memset(run, 0, sizeof *run);
}

/* NAME_SPACE, NAME_SOURCE and NAME_COPIED of the kernel's text. */
static void place(char *text, size_t n, const char *name, enum memory_space space)
{
	const char *word = space == MEMORY_CONSTANT ? "__constant" : space == MEMORY_GLOBAL ? "__global" : "__local";
	bool copied = space == MEMORY_LOCAL;

	snprintf(text, n, "-D%s_SPACE=%s -D%s_SOURCE=%s -D%s_COPIED=%d ", name, word, name, copied ? "__global" : word,
	        name, copied);
}

static int check_space(const struct device_run *run, const char *what, unsigned kind, enum memory_space space)
{
	const struct device *device = run->session->device;
	uint64_t most = space == MEMORY_LOCAL      ? device->local_bytes
	                : space == MEMORY_CONSTANT ? device->constant_bytes
	                                           : device->max_buffer_bytes;

	if (run->translation->n_bytes[kind] <= most)
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_USAGE, "%s: %s of %u bytes do not fit the %llu bytes of %s memory of %s", run->name, what,
	        run->translation->n_bytes[kind], (unsigned long long)most, value_name(&table_space_names, space),
	        device->name);
}

/* NVIDIA's compiler is told of the registers that let all groups of a compute unit run at once: its own choice may
 * leave the last group of each unit to run alone. */
static unsigned register_limit(const struct device_run *run, const struct kernel_config *shape)
{
	unsigned units = run->session->device->compute_units, groups = (shape->work_groups + units - 1) / units,
	         limit = UNIT_REGISTERS / (groups * shape->work_items) / 8 * 8;

	return limit < LEAST_REGISTERS ? LEAST_REGISTERS : limit > MOST_REGISTERS ? MOST_REGISTERS : limit;
}

static int build(struct device_run *run, const struct kernel_config *shape)
{
	struct bench *bench = &run->session->bench;
	char options[512], tables[160], keys[160];
	unsigned registers = register_limit(run, shape);
	cl_int error = CL_SUCCESS;
	int status;

	place(tables, sizeof tables, "TABLE", shape->table_space);
	place(keys, sizeof keys, "KEY", shape->key_space);
	snprintf(options, sizeof options, "%s%s-DUNROLLED%s", tables, keys, run->session->plant ? " -DPLANT" : "");
	if (run->session->device->ptx)
		snprintf(options + strlen(options), sizeof options - strlen(options), " -cl-nv-maxrregcount=%u",
		        registers);
	variant_close(&run->variant);
	run->variant = (struct variant){ .session = run->session, .name = run->name };
	alarm(BUILD_SECONDS);
	status = bench_build(bench, NULL, run->translation->kernel, options);
	if (status == GPUCRYPT_OK)
		run->variant.kernel = clCreateKernel(bench->program, "crypt", &error);
	alarm(0);
	run->spaces[OBJECT_TABLE] = shape->table_space;
	run->spaces[OBJECT_KEY] = shape->key_space;
	run->registers = registers;
	return error == CL_SUCCESS ? status : bench_failed(bench, run->name, error);
}

static bool is_built(const struct device_run *run, const struct kernel_config *shape)
{
	return run->variant.kernel && run->spaces[OBJECT_TABLE] == shape->table_space &&
	       run->spaces[OBJECT_KEY] == shape->key_space && run->registers == register_limit(run, shape);
}

int device_run_time(struct device_run *run, const struct kernel_config *shape, double *seconds)
{
	const struct variant_argument arguments[] = { { sizeof run->in, &run->in }, { sizeof run->out, &run->out },
		{ sizeof run->n_blocks, &run->n_blocks }, { sizeof run->tables, &run->tables },
		{ sizeof run->keys, &run->keys } };
	const struct variant_launch launch = { arguments, sizeof arguments / sizeof *arguments, shape->work_items,
		shape->work_groups };
	int status = check_space(run, "tables", OBJECT_TABLE, shape->table_space)
	                     ?: check_space(run, "keys", OBJECT_KEY, shape->key_space);

	if (status == GPUCRYPT_OK && !is_built(run, shape))
		status = build(run, shape);
	return status ?: variant_check(&run->variant, &launch, run->out, 0, run->expected,
	                         run->n_blocks * run->translation->block_bytes[1])
	              ?: variant_time(&run->variant, &launch, seconds);
}
