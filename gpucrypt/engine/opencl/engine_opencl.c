/*
 * The OpenCL engine.  A lane is a queue with its own buffers; a group is sent to the device, the first pass computes
 * the tweaks if the mode has some, the cipher works in place, and the result is received (opencl_recrypt.c).
 */
#include <stdio.h>

#include "gpucrypt/engine/opencl/arguments.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/crypto/names.h"
#include "gpucrypt/status.h"

#define GROUP_LOG2 23 /* of containers, by default */

/* Closing: buffers that held keys or plaintext are overwritten first. */

static void release_wiped(cl_command_queue queue, cl_mem buffer, size_t n_bytes)
{
	static const cl_uint zero;

	if (buffer == NULL)
		return;
	if (queue != NULL &&
	        clEnqueueFillBuffer(queue, buffer, &zero, sizeof(zero), 0, n_bytes, 0, NULL, NULL) == CL_SUCCESS)
		clFinish(queue);
	clReleaseMemObject(buffer);
}

static void close_lane(struct opencl_lane *lane)
{
	release_wiped(lane->queue, lane->blocks, lane->blocks_bytes);
	release_wiped(lane->queue, lane->tweaks, lane->tweaks_bytes);
	for (int i = 0; i < N_KERNELS; i++) {
		release_wiped(lane->queue, lane->keys[i], sizeof(lane->round_keys[i].word));
		if (lane->kernels[i] != NULL)
			clReleaseKernel(lane->kernels[i]);
	}
	if (lane->tag_kernel != NULL)
		clReleaseKernel(lane->tag_kernel);
	if (lane->queue != NULL)
		clReleaseCommandQueue(lane->queue);
	wipe(lane->round_keys, sizeof(lane->round_keys));
}

static void opencl_close(struct engine *engine)
{
	struct engine_of_opencl *ocl = (struct engine_of_opencl *)engine;

	for (unsigned i = 0; i < OPENCL_LANES; i++)
		close_lane(&ocl->lanes[i]);
	for (int i = 0; i < N_KERNELS; i++) {
		if (ocl->table[i] != NULL)
			clReleaseMemObject(ocl->table[i]);
		if (ocl->programs[i] != NULL)
			clReleaseProgram(ocl->programs[i]);
	}
	if (ocl->tag_program != NULL)
		clReleaseProgram(ocl->tag_program);
	locked_free(ocl, sizeof(*ocl));
}

/* Opening. */

static cl_mem create_table(struct engine_of_opencl *ocl, enum direction direction, cl_int *error)
{
	const struct table_form *form = kernel_form(&ocl->kernel, ocl->engine.suite.cipher);

	*error = CL_SUCCESS;
	if (form_is_sliced(form))
		return NULL;
	/* COPY_HOST_PTR only reads; its parameter is not const. */
	return clCreateBuffer(ocl->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, 4 * (size_t)form->words,
	        (void *)(uintptr_t)form->table[direction], error);
}

/* In the queue of the engine that decrypts first, unless NULL: the kernels of both run in order. */
static cl_int open_lane(struct engine_of_opencl *ocl, struct opencl_lane *lane, cl_command_queue queue)
{
	cl_int error = queue != NULL ? clRetainCommandQueue(queue) : CL_SUCCESS;

	/* Without profiling, which costs the bus 4 % (docs/performance.md). */
	if (queue == NULL)
		queue = clCreateCommandQueue(ocl->context, ocl->device->id, 0, &error);
	lane->queue = error == CL_SUCCESS ? queue : NULL;
	for (unsigned i = 0; i < ocl->engine.suite.mode->n_keys && error == CL_SUCCESS; i++) {
		lane->kernels[i] = clCreateKernel(ocl->programs[i], "crypt", &error);
		if (error == CL_SUCCESS)
			lane->keys[i] = clCreateBuffer(
			        ocl->context, CL_MEM_READ_ONLY, sizeof(lane->round_keys[i].word), NULL, &error);
	}
	if (error == CL_SUCCESS && ocl->engine.tags)
		lane->tag_kernel = clCreateKernel(ocl->tag_program, "tag_chunks", &error);
	return error;
}

/* One kernel for each key of the mode: the data's, and the tweaks'. */
static int open_kernel(struct engine_of_opencl *ocl, enum kernel kernel)
{
	const struct suite *suite = &ocl->engine.suite;
	enum direction direction = kernel == KERNEL_CRYPT ? suite_direction(suite) : ENCRYPT;
	cl_int error;
	int status = program_build(&ocl->programs[kernel], ocl->context, ocl->device, suite, &ocl->kernel, kernel);

	if (status != GPUCRYPT_OK)
		return status;
	ocl->table[kernel] = create_table(ocl, direction, &error);
	return error == CL_SUCCESS ? GPUCRYPT_OK : device_failure(ocl->device, "no memory", error);
}

static int open_device(struct engine_of_opencl *ocl, const struct engine_of_opencl *first)
{
	cl_int error = device_context(&ocl->context, ocl->device);
	int status = GPUCRYPT_OK;

	if (error != CL_SUCCESS)
		return device_failure(ocl->device, "no context", error);
	for (unsigned i = 0; i < ocl->engine.suite.mode->n_keys && status == GPUCRYPT_OK; i++)
		status = open_kernel(ocl, (enum kernel)i);
	if (status == GPUCRYPT_OK && ocl->engine.tags)
		status = program_build_tags(&ocl->tag_program, ocl->context, ocl->device);
	for (unsigned i = 0; i < ocl->engine.lanes && status == GPUCRYPT_OK; i++) {
		error = open_lane(ocl, &ocl->lanes[i], first != NULL ? first->lanes[i].queue : NULL);
		if (error != CL_SUCCESS)
			status = device_failure(ocl->device, "no queue, kernel or memory", error);
	}
	return status;
}

void opencl_describe(char *text, size_t n, const struct device *device, const struct kernel_config *kernel)
{
	char blocks[32] = "";

	if (kernel->blocks_per_item > 1)
		snprintf(blocks, sizeof(blocks), " of %u blocks", kernel->blocks_per_item);
	snprintf(text, n, "OpenCL, %.60s, table %s in %s memory × %u, keys in %s%s, %u × %u work-items%s", device->name,
	        value_name(&table_names, kernel->table), value_name(&table_space_names, kernel->table_space),
	        kernel->replicas, value_name(&key_space_names, kernel->key_space),
	        kernel->key_space == MEMORY_ARGUMENT ? "" : " memory", kernel->work_groups, kernel->work_items, blocks);
}

/* On a CPU libcrypto's Poly1305 is faster than OpenCL's. */
static bool device_tags(const struct device *device, const struct gpucrypt_plan *plan)
{
	if (plan->tags != TAGS_OPEN)
		return plan->tags == TAGS_ON_DEVICE;
	return !device->cpu && device->max_work_items >= 1u << TAG_LOG2;
}

static int opencl_open(
        struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan, struct engine *before)
{
	const struct engine_of_opencl *first = (struct engine_of_opencl *)before;
	unsigned number = first != NULL ? 1 + (unsigned)(first->device - first->inventory.devices) : plan->device;
	struct engine_of_opencl *ocl = locked_allocate(sizeof(*ocl));
	int status = GPUCRYPT_DEVICE;

	if (ocl == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	ocl->engine.class = &engine_opencl_bare;
	ocl->engine.suite = *suite;
	ocl->engine.devices = 1;
	inventory_take(&ocl->inventory);
	ocl->device = inventory_choose(&ocl->inventory, number);
	if (ocl->device != NULL) {
		ocl->engine.lanes = opencl_lanes(ocl->device->cpu);
		ocl->engine.tags = device_tags(ocl->device, plan);
		status = kernel_config_complete(&ocl->kernel, suite, plan, ocl->device) ?: open_device(ocl, first);
	}
	if (status != GPUCRYPT_OK) {
		opencl_close(&ocl->engine);
		return status;
	}
	ocl->engine.pass_blocks =
	        (uint64_t)ocl->kernel.work_items * ocl->kernel.work_groups * kernel_item_blocks(&ocl->kernel);
	/* A CPU device would take long for a whole group. */
	if (!ocl->device->cpu)
		ocl->engine.test_bytes = (size_t)1 << (plan->group_log2 != 0 ? plan->group_log2 : GROUP_LOG2);
	ocl->engine.no_ecc = ocl->device->gpu && !ocl->device->ecc;
	opencl_describe(ocl->engine.description, sizeof(ocl->engine.description), ocl->device, &ocl->kernel);
	*engine = &ocl->engine;
	return GPUCRYPT_OK;
}

/* Working. */

/* Make a buffer at least n_bytes long; its content is lost, and overwritten if the buffer is replaced. */
static cl_int reserve_buffer(
        struct engine_of_opencl *ocl, struct opencl_lane *lane, cl_mem *buffer, size_t *has_bytes, size_t n_bytes)
{
	cl_int error;

	n_bytes = (n_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
	if (*has_bytes >= n_bytes)
		return CL_SUCCESS;
	release_wiped(lane->queue, *buffer, *has_bytes);
	*has_bytes = 0;
	*buffer = clCreateBuffer(ocl->context, CL_MEM_READ_WRITE, n_bytes, NULL, &error);
	if (error == CL_SUCCESS)
		*has_bytes = n_bytes;
	else
		*buffer = NULL;
	return error;
}

/* Round keys. */

static size_t round_key_bytes(const struct engine_of_opencl *ocl)
{
	const struct suite *suite = &ocl->engine.suite;

	return 4 * (size_t)suite->cipher->round_key_words[suite->key_bytes / 8 - 2];
}

static cl_int send_keys(const struct engine_of_opencl *ocl, struct opencl_lane *lane, const struct work *work)
{
	const struct suite *suite = &ocl->engine.suite;
	cl_int error = CL_SUCCESS;

	for (unsigned i = 0; i < suite->mode->n_keys && error == CL_SUCCESS; i++) {
		struct round_keys *keys = &lane->round_keys[i];
		cipher_expand(suite->cipher, keys, work->key + i * suite->key_bytes, suite->key_bytes,
		        i == KERNEL_CRYPT ? suite_direction(suite) : ENCRYPT);
		if (ocl->kernel.key_space != MEMORY_ARGUMENT)
			error = clEnqueueWriteBuffer(
			        lane->queue, lane->keys[i], CL_FALSE, 0, sizeof(keys->word), keys->word, 0, NULL, NULL);
	}
	return error;
}

/* The driver keeps keys that were passed by value until the next clSetKernelArg(): overwrite them with zeros. Copies
 * that it made for earlier launches cannot be erased. */
void opencl_forget_keys(const struct engine_of_opencl *ocl, struct opencl_lane *lane)
{
	static const struct round_keys zeros;

	wipe(lane->round_keys, sizeof(lane->round_keys));
	for (unsigned i = 0; i < N_KERNELS && lane->kernels[i] != NULL && ocl->kernel.key_space == MEMORY_ARGUMENT; i++)
		clSetKernelArg(lane->kernels[i], CRYPT_key_argument, round_key_bytes(ocl), zeros.word);
}

/* Launches. */

/* The buffer of round keys, or the round keys themselves. */
static struct kernel_argument key_argument(
        const struct engine_of_opencl *ocl, const struct opencl_lane *lane, enum kernel kernel)
{
	struct kernel_argument buffer = ARGUMENT(lane->keys[kernel]),
	                       value = { round_key_bytes(ocl), lane->round_keys[kernel].word };

	return ocl->kernel.key_space == MEMORY_ARGUMENT ? value : buffer;
}

/* Launch no more work-groups than there are blocks for. */
static cl_int launch(const struct engine_of_opencl *ocl, const struct opencl_lane *lane, enum kernel kernel,
        const struct span *span, cl_event *event)
{
	size_t items = ocl->kernel.work_items, of_group = items * kernel_item_blocks(&ocl->kernel);
	uint64_t needed = (span->n_blocks + of_group - 1) / of_group;
	size_t all = items * (needed < ocl->kernel.work_groups ? needed : ocl->kernel.work_groups);
	const cl_mem *buffer = kernel == KERNEL_TWEAKS ? &lane->tweaks : &lane->blocks;
	const struct kernel_argument arguments[N_CRYPT_ARGUMENTS] = { [CRYPT_in] = ARGUMENT(*buffer),
		[CRYPT_out] = ARGUMENT(*buffer),
		[CRYPT_n_blocks] = ARGUMENT(span->n_blocks),
		[CRYPT_first_block] = ARGUMENT(span->first_block),
		[CRYPT_high] = ARGUMENT(span->high),
		[CRYPT_low] = ARGUMENT(span->low),
		[CRYPT_step] = ARGUMENT(span->step),
		[CRYPT_unit_log2] = ARGUMENT(span->unit_log2),
		[CRYPT_tweaks] = ARGUMENT(lane->tweaks),
		[CRYPT_key_argument] = key_argument(ocl, lane, kernel),
		[CRYPT_table_argument] = ARGUMENT(ocl->table[kernel]) };

	return kernel_set_arguments(lane->kernels[kernel], arguments, N_CRYPT_ARGUMENTS)
	               ?: clEnqueueNDRangeKernel(
	                          lane->queue, lane->kernels[kernel], 1, NULL, &all, &items, 0, NULL, event);
}

cl_int opencl_prepare(struct engine_of_opencl *ocl, struct opencl_lane *lane, const struct work *work, size_t n_bytes,
        struct span *span)
{
	cl_int error = reserve_buffer(ocl, lane, &lane->blocks, &lane->blocks_bytes, n_bytes);

	span_of_work(span, &ocl->engine.suite, work);
	if (error == CL_SUCCESS && ocl->engine.suite.mode->has_tweaks)
		error = reserve_buffer(
		        ocl, lane, &lane->tweaks, &lane->tweaks_bytes, tweaks_of_work(work) * BLOCK_BYTES);
	return error ?: send_keys(ocl, lane, work);
}

cl_int opencl_launch(struct engine_of_opencl *ocl, struct opencl_lane *lane, const struct work *work,
        const struct span *span, cl_event events[N_KERNELS])
{
	struct span units = *span; /* n_blocks counts data units: see TWEAKS in grid.cl */
	cl_int error = CL_SUCCESS;

	units.n_blocks = units_of_work(work);
	if (ocl->engine.suite.mode->has_tweaks)
		error = launch(ocl, lane, KERNEL_TWEAKS, &units, events == NULL ? NULL : &events[KERNEL_TWEAKS]);
	return error ?: launch(ocl, lane, KERNEL_CRYPT, span, events == NULL ? NULL : &events[KERNEL_CRYPT]);
}

const struct engine_class engine_opencl_bare = {
	.name = "opencl", .id = GPUCRYPT_OPENCL, .open = opencl_open, .close = opencl_close, .recrypt = opencl_recrypt
};
