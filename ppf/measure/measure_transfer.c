/* Measurement of transfers between host and device, and of chunk tags on the device. */
#include <stddef.h>
#include <string.h>

#include "gpucrypt/container/container.h"
#include "gpucrypt/crypto/tag.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/status.h"
#include "ppf/measure/measure_parts.h"

#define GPU_TRANSFER_BYTES (64u << 20)
#define CPU_TRANSFER_BYTES (8u << 20)

/* Two directions, each with a queue, a device buffer and host memory. */
struct transfer {
	struct bench *bench;
	cl_command_queue queues[2];
	cl_mem buffers[2];
	struct host_buffer host[2];
	size_t n_bytes;
	unsigned directions; /* bit set of the directions that run at the same time */
};

enum { TO_DEVICE = 1 << 0, FROM_DEVICE = 1 << 1 };

static cl_int run_transfer(void *self)
{
	const struct transfer *t = self;
	cl_int error = CL_SUCCESS;

	if (t->directions & TO_DEVICE)
		error = clEnqueueWriteBuffer(
		        t->queues[0], t->buffers[0], CL_FALSE, 0, t->n_bytes, t->host[0].bytes, 0, NULL, NULL);
	if (error == CL_SUCCESS)
		error = clFlush(t->queues[0]);
	if (error == CL_SUCCESS && t->directions & FROM_DEVICE)
		error = clEnqueueReadBuffer(
		        t->queues[1], t->buffers[1], CL_FALSE, 0, t->n_bytes, t->host[1].bytes, 0, NULL, NULL);
	for (unsigned d = 0; d < 2 && error == CL_SUCCESS; d++)
		error = clFinish(t->queues[d]);
	return error;
}

/* Page-lock host memory in the same way as an engine's slots. */
static cl_int lock_memory(const struct transfer *t, struct host_buffer *buffer)
{
	cl_mem memory;
	cl_int error = opencl_lock_memory(&memory, t->bench->context, t->queues[0], buffer->bytes, t->n_bytes);

	if (error == CL_SUCCESS)
		buffer->handle = memory;
	return error;
}

static void release_memory(const struct transfer *t, struct host_buffer *buffer)
{
	if (buffer->handle != NULL)
		opencl_unlock_memory(buffer->handle, t->queues[0], buffer->bytes);
	buffer->handle = NULL;
	engine_release(NULL, buffer);
}

/* Allocate, write, page-lock and release memory. */
static cl_int pin_memory(void *self)
{
	const struct transfer *t = self;
	struct host_buffer buffer;
	cl_int error = engine_allocate(NULL, &buffer, t->n_bytes) == GPUCRYPT_OK ? lock_memory(t, &buffer)
	                                                                         : CL_OUT_OF_HOST_MEMORY;

	release_memory(t, &buffer);
	return error;
}

/* The host memory is written before it is locked. */
static int open_transfer(struct transfer *t)
{
	int status = GPUCRYPT_OK;

	for (unsigned d = 0; d < 2 && status == GPUCRYPT_OK; d++) {
		cl_int error;
		t->queues[d] = clCreateCommandQueue(t->bench->context, t->bench->device->id, 0, &error);
		status = (error == CL_SUCCESS ? bench_buffer(t->bench, &t->buffers[d], t->n_bytes, NULL)
		                              : bench_failed(t->bench, "no queue", error))
		                 ?: engine_allocate(NULL, &t->host[d], t->n_bytes);
		if (status != GPUCRYPT_OK)
			break;
		memset(t->host[d].bytes, 1, t->n_bytes);
		error = lock_memory(t, &t->host[d]);
		if (error != CL_SUCCESS)
			status = bench_failed(t->bench, "a transfer failed", error);
	}
	return status;
}

static void close_transfer(struct transfer *t)
{
	for (unsigned d = 0; d < 2; d++)
		release_memory(t, &t->host[d]); /* needs the first queue */
	for (unsigned d = 0; d < 2; d++) {
		bench_release(t->buffers[d]);
		if (t->queues[d] != NULL)
			clReleaseCommandQueue(t->queues[d]);
	}
}

struct transfer_row {
	cl_int (*run)(void *transfer);
	unsigned directions;
	size_t figure; /* bytes per second of each direction */
};

#define ROW(run, directions, name)                                     \
	{                                                              \
		run, directions, offsetof(struct transfer_speed, name) \
	}
static const struct transfer_row transfer_rows[] = {
	ROW(run_transfer, TO_DEVICE, pinned_in),
	ROW(run_transfer, FROM_DEVICE, pinned_out),
	ROW(run_transfer, TO_DEVICE | FROM_DEVICE, pinned_both),
	ROW(pin_memory, 0, pinning),
};

static cl_int measure_row(struct transfer *t, const struct transfer_row *row, struct transfer_speed *speeds)
{
	double seconds = 0;
	cl_int error;

	t->directions = row->directions;
	error = bench_repeat(t->bench, row->run, t, &seconds);
	if (error == CL_SUCCESS) {
		double rate = (double)t->n_bytes / seconds;

		memcpy((char *)speeds + row->figure, &rate, sizeof rate);
	}
	return error;
}

int measure_transfers(struct bench *bench, struct device_record *record)
{
	const struct device *device = bench->device;
	struct transfer t = { .bench = bench, .n_bytes = device->cpu ? CPU_TRANSFER_BYTES : GPU_TRANSFER_BYTES };
	cl_int error = CL_SUCCESS;
	int status;

	while (t.n_bytes > device->max_buffer_bytes || 8 * t.n_bytes > device->global_bytes)
		t.n_bytes /= 2;
	status = open_transfer(&t);
	for (size_t i = 0; i < sizeof(transfer_rows) / sizeof(*transfer_rows) && status == GPUCRYPT_OK; i++) {
		error = measure_row(&t, &transfer_rows[i], &record->transfer);
		if (error != CL_SUCCESS)
			status = bench_failed(bench, "a transfer failed", error);
	}
	close_transfer(&t);
	return status;
}

#define GROUP_BYTES ((size_t)1 << GROUP_LOG2_DEFAULT)

static const uint8_t tag_r[16] = { 1 };
static const struct work tag_work = { .n_bytes = GROUP_BYTES, .tag_r = tag_r, .chunk_log2 = CHUNK_LOG2_DEFAULT };

/* kernels/tags/poly1305.cl over a group of the size that containers have, from enqueue to completion, which is the time
 * that a lane waits. */
static cl_int run_tags(void *self)
{
	const struct opencl_lane *lane = self;

	return opencl_tag(lane, &tag_work, NULL) ?: clFinish(lane->queue);
}

/* CPU devices compute no tags, because libcrypto is faster on a CPU. */
int measure_tags(struct bench *bench, struct device_record *record)
{
	struct opencl_lane lane = { .queue = bench->queue };
	cl_program program = NULL;
	double seconds = 0;
	cl_int error = CL_SUCCESS;
	int status;

	if (bench->device->cpu)
		return GPUCRYPT_OK;
	status = program_build_tags(&program, bench->context, bench->device)
	                 ?: bench_buffer(bench, &lane.blocks, opencl_bytes_back(&tag_work, NULL), NULL);
	if (status == GPUCRYPT_OK)
		lane.tag_kernel = clCreateKernel(program, "tag_chunks", &error);
	if (lane.tag_kernel != NULL)
		error = bench_repeat(bench, run_tags, &lane, &seconds);
	if (error != CL_SUCCESS)
		status = bench_failed(bench, "chunk tags", error);
	else if (status == GPUCRYPT_OK)
		record->transfer.tags = (double)GROUP_BYTES / seconds;
	if (lane.tag_kernel != NULL)
		clReleaseKernel(lane.tag_kernel);
	bench_release(lane.blocks);
	if (program != NULL)
		clReleaseProgram(program);
	return status;
}
