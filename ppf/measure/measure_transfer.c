/* Measurement of transfers between host and device, and of the build of a cipher program that is not cached. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpucrypt/engine/opencl/arguments.h"
#include "gpucrypt/engine/opencl/opencl_memory.h"
#include "gpucrypt/engine/opencl/program.h"
#include "gpucrypt/status.h"
#include "ppf/measure/measure_parts.h"

#define RUNS               5
#define GPU_TRANSFER_BYTES (64u << 20)
#define CPU_TRANSFER_BYTES (8u << 20)

/* Two directions, each with a queue, a device buffer and host memory. */
struct transfer {
	struct bench *bench;
	cl_command_queue queues[2];
	cl_mem buffers[2];
	struct host_buffer pinned[2];
	void *host[2];
	size_t n_bytes;
};

static cl_int start_transfer(const struct transfer *t, unsigned direction)
{
	return direction == 0 ? clEnqueueWriteBuffer(
	                                t->queues[0], t->buffers[0], CL_FALSE, 0, t->n_bytes, t->host[0], 0, NULL, NULL)
	                      : clEnqueueReadBuffer(t->queues[1], t->buffers[1], CL_FALSE, 0, t->n_bytes, t->host[1], 0,
	                                NULL, NULL);
}

/* Measure the bytes per second of each direction in the mask, while all of them run; the first run is discarded. */
static int transfer_speed(struct transfer *t, unsigned mask, double *bytes_per_s)
{
	double runs[RUNS + 1];
	cl_int error = CL_SUCCESS;

	for (unsigned i = 0; i <= RUNS; i++) {
		double begin = host_seconds();
		for (unsigned d = 0; d < 2 && error == CL_SUCCESS; d++) {
			if (mask & 1u << d)
				error = start_transfer(t, d);
			if (mask & 1u << d && error == CL_SUCCESS)
				error = clFlush(t->queues[d]);
		}
		for (unsigned d = 0; d < 2 && error == CL_SUCCESS; d++)
			error = clFinish(t->queues[d]);
		runs[i] = host_seconds() - begin;
	}
	if (error != CL_SUCCESS)
		return bench_failed(t->bench, "a transfer failed", error);
	*bytes_per_s = (double)t->n_bytes / robust_seconds(runs + 1, RUNS, t->bench->device->cpu);
	return GPUCRYPT_OK;
}

static int measure_pageable(struct transfer *t, struct transfer_speed *speed)
{
	int status;

	t->host[0] = malloc(t->n_bytes);
	t->host[1] = malloc(t->n_bytes);
	if (t->host[0] == NULL || t->host[1] == NULL) {
		status = fail(GPUCRYPT_OTHER, "out of memory");
	} else {
		memset(t->host[0], 1, t->n_bytes);
		memset(t->host[1], 1, t->n_bytes);
		status = transfer_speed(t, 1, &speed->pageable_in);
	}
	if (status == GPUCRYPT_OK)
		status = transfer_speed(t, 2, &speed->pageable_out);
	free(t->host[0]);
	free(t->host[1]);
	return status;
}

/* Page-lock host memory in the same way as an engine's slots. */
static cl_int lock_memory(struct transfer *t, unsigned direction)
{
	struct host_buffer *buffer = &t->pinned[direction];
	cl_mem memory;
	cl_int error;

	if (engine_allocate(NULL, buffer, t->n_bytes) != GPUCRYPT_OK)
		return CL_OUT_OF_HOST_MEMORY;
	error = opencl_lock_memory(&memory, t->bench->context, t->queues[direction], buffer->bytes, t->n_bytes);
	buffer->handle = error == CL_SUCCESS ? memory : NULL;
	t->host[direction] = buffer->bytes;
	return error;
}

static void unlock_memory(struct transfer *t, unsigned direction)
{
	struct host_buffer *buffer = &t->pinned[direction];

	if (buffer->handle != NULL)
		opencl_unlock_memory(buffer->handle, t->queues[direction], buffer->bytes);
	buffer->handle = NULL;
	engine_release(NULL, buffer);
}

/* Time the allocation, first write and release of page-locked memory.  The first of two runs is discarded, because the
 * driver may initialise itself in that run. */
static cl_int measure_pinning(struct transfer *t, struct transfer_speed *speed)
{
	cl_int error = CL_SUCCESS;
	double begin = 0;

	for (unsigned i = 0; i < 2 && error == CL_SUCCESS; i++) {
		begin = host_seconds();
		error = lock_memory(t, 0);
		unlock_memory(t, 0);
	}
	speed->pinning = (double)t->n_bytes / (host_seconds() - begin);
	return error;
}

static int measure_pinned(struct transfer *t, struct transfer_speed *speed)
{
	cl_int error = measure_pinning(t, speed);
	int status;

	for (unsigned d = 0; d < 2 && error == CL_SUCCESS; d++)
		error = lock_memory(t, d);
	if (error != CL_SUCCESS)
		return bench_failed(t->bench, "no pinned memory", error);
	status = transfer_speed(t, 1, &speed->pinned_in);
	if (status == GPUCRYPT_OK)
		status = transfer_speed(t, 2, &speed->pinned_out);
	if (status == GPUCRYPT_OK)
		status = transfer_speed(t, 3, &speed->pinned_both);
	return status;
}

static void close_transfer(struct transfer *t)
{
	for (unsigned d = 0; d < 2; d++) {
		if (t->queues[d] != NULL)
			clFinish(t->queues[d]);
		unlock_memory(t, d);
		bench_release(t->buffers[d]);
		if (t->queues[d] != NULL)
			clReleaseCommandQueue(t->queues[d]);
	}
}

int measure_transfers(struct bench *bench, struct device_record *record)
{
	const struct device *device = bench->device;
	struct transfer t = { .bench = bench };
	int status = GPUCRYPT_OK;

	t.n_bytes = device->cpu ? CPU_TRANSFER_BYTES : GPU_TRANSFER_BYTES;
	while (t.n_bytes > device->max_buffer_bytes || 8 * t.n_bytes > device->global_bytes)
		t.n_bytes /= 2;
	for (unsigned d = 0; d < 2 && status == GPUCRYPT_OK; d++) {
		cl_int error;
		t.queues[d] = clCreateCommandQueue(bench->context, device->id, 0, &error);
		status = error == CL_SUCCESS ? bench_buffer(bench, &t.buffers[d], t.n_bytes, NULL)
		                             : bench_failed(bench, "no queue", error);
	}
	if (status == GPUCRYPT_OK)
		status = measure_pageable(&t, &record->transfer);
	if (status == GPUCRYPT_OK)
		status = measure_pinned(&t, &record->transfer);
	close_transfer(&t);
	return status;
}

/*
 * Launch the kernel over no blocks, because drivers may finish a build only at the first launch.  The arguments are
 * those of grid.cl; all buffers are the same scratch buffer.
 */
static cl_int first_launch(struct bench *bench, cl_program program, const struct program_shape *shape, cl_mem buffer)
{
	cl_int error;
	cl_kernel kernel = clCreateKernel(program, kernel_names[KERNEL_CRYPT], &error);
	const uint64_t zero = 0;
	const struct kernel_argument of_buffer = ARGUMENT(buffer), of_ulong = ARGUMENT(zero), of_uint = { 4, &zero };
	const struct kernel_argument arguments[N_CRYPT_ARGUMENTS] = { [CRYPT_in] = of_buffer,
		[CRYPT_out] = of_buffer,
		[CRYPT_n_blocks] = of_ulong,
		[CRYPT_first_block] = of_ulong,
		[CRYPT_high] = of_ulong,
		[CRYPT_low] = of_ulong,
		[CRYPT_step] = of_uint,
		[CRYPT_unit_log2] = of_uint,
		[CRYPT_tail_bytes] = of_uint,
		[CRYPT_tweaks] = of_buffer,
		[CRYPT_key_argument] = of_buffer,
		[CRYPT_table_argument] = of_buffer };
	size_t items = shape->kernel.work_items;

	if (error == CL_SUCCESS)
		error = kernel_set_arguments(kernel, arguments, N_CRYPT_ARGUMENTS);
	if (error == CL_SUCCESS)
		error = clEnqueueNDRangeKernel(bench->queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
	if (error == CL_SUCCESS)
		error = clFinish(bench->queue);
	if (kernel != NULL)
		clReleaseKernel(kernel);
	return error;
}

static int build_once(struct bench *bench, const struct suite *suite, const struct gpucrypt_plan *plan, cl_mem buffer,
        double *seconds)
{
	struct program_shape shape;
	cl_program program = NULL;
	cl_int error = CL_SUCCESS;
	double begin = host_seconds();
	int status = program_shape(&shape, suite, plan, bench->device);

	if (status == GPUCRYPT_OK)
		status = program_build(&program, bench->context, bench->device, suite, &shape, KERNEL_CRYPT);
	if (status == GPUCRYPT_OK)
		error = first_launch(bench, program, &shape, buffer);
	*seconds = host_seconds() - begin;
	if (program != NULL)
		clReleaseProgram(program);
	return error == CL_SUCCESS ? status : bench_failed(bench, "a cipher program", error);
}

/* Build AES-256-CTR with surplus round-key words.  Their number comes from the clock, so that drivers find no such
 * program in their caches. */
int measure_build(struct bench *bench, struct device_record *record)
{
	const struct gpucrypt_plan tables = { 0 },
	                           sliced = { .kernel = { .table = TABLE_BITSLICED, .key_space = MEMORY_CONSTANT } };
	struct cipher cipher = cipher_aes;
	struct suite suite = { &cipher, &modes[MODE_CTR], 32, ENCRYPT };
	struct timespec now;
	cl_mem buffer = NULL;
	int status;

	clock_gettime(CLOCK_REALTIME, &now);
	cipher.round_key_words[2] += 1 + (unsigned)(now.tv_nsec / 1000 + now.tv_sec) % 2000;
	status = bench_buffer(bench, &buffer, 1 << 20, NULL);
	if (status == GPUCRYPT_OK)
		status = build_once(bench, &suite, &tables, buffer, &record->build_s);
	if (status == GPUCRYPT_OK)
		status = build_once(bench, &suite, &sliced, buffer, &record->build_sliced_s);
	bench_release(buffer);
	return status;
}
