/* Measurement of launches, of the bandwidth of device memory, of transfers between host and device, and of chunk tags
 * on the device. */
#include <stddef.h>
#include <string.h>

#include "gpucrypt/container/container.h"
#include "gpucrypt/crypto/tag.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/status.h"
#include "ppf/measure/bench.h"

/* Launches, and device memory. */

#define RUNS             15
#define HALF_ATTEMPTS    3
#define GPU_STREAM_BYTES (512u << 20)
#define CPU_STREAM_BYTES (32u << 20)
#define LEAST_WORDS      256
#define MOST_WORDS       131072

/* Time launches over n.  The first of several runs is discarded, and the faster half is used, because other programs
 * only lengthen a run. */
static int time_launches(
        struct bench *bench, const struct chain *chain, cl_ulong n, size_t all, size_t items, double *seconds)
{
	double runs[RUNS] = { 0 };
	cl_kernel kernel = NULL;
	int status = bench_kernel(bench, chain, n, &kernel) ?: bench_run(bench, kernel, all, items, &runs[0]);

	for (unsigned i = 0; i < RUNS && status == GPUCRYPT_OK; i++)
		status = bench_run(bench, kernel, all, items, &runs[i]);
	if (kernel != NULL)
		clReleaseKernel(kernel);
	median(runs, RUNS); /* sorts the runs */
	*seconds = status == GPUCRYPT_OK ? robust_seconds(runs, RUNS / 2, bench->device->cpu) : 0;
	return status;
}

/* Time an empty kernel by both clocks. */
static int measure_empty(struct bench *bench, struct device_record *record, size_t items)
{
	static const struct chain nothing = { .kernel = "nothing" };
	size_t units = bench->device->compute_units * items;
	bool device_time = bench->device_time;
	int status = time_launches(bench, &nothing, 0, units, items, &record->launch_s);

	bench->device_time = false;
	status = status ?: time_launches(bench, &nothing, 0, units, items, &record->enqueue_s);
	bench->device_time = device_time;
	return status;
}

/* Time launches in which one group of each compute unit fills local memory with a number of words. */
static int measure_table_load(struct bench *bench, struct device_record *record, cl_mem table, size_t items)
{
	struct curve *curve = &record->table_load;
	double seconds = 0, cycles = 0;
	int status = GPUCRYPT_OK;

	for (unsigned words = LEAST_WORDS; words <= MOST_WORDS && status == GPUCRYPT_OK; words *= 2) {
		const struct chain load = { .kernel = "load_table", .in = table, .local_bytes = 4 * (size_t)words };

		if (load.local_bytes > bench->device->local_bytes || curve->n == MAX_CURVE_POINTS)
			break;
		status = time_launches(bench, &load, words, items * bench->device->compute_units, items, &seconds);
		/* More words cannot take less time; a lower figure comes from the resolution of the clock. */
		if ((seconds - record->launch_s) * bench->clock_hz > cycles)
			cycles = (seconds - record->launch_s) * bench->clock_hz;
		curve->x[curve->n] = words;
		curve->cycles[curve->n++] = cycles;
	}
	return status;
}

int measure_launches(struct bench *bench, struct device_record *record)
{
	cl_mem table = NULL;
	size_t items, all;
	int status = bench_buffer(bench, &table, 4 * MOST_WORDS, NULL);

	bench_launch(bench, bench->group_batches, &items, &all);
	status = status ?: measure_empty(bench, record, items) ?: measure_table_load(bench, record, table, items);
	bench_release(table);
	return status;
}

/* Seconds for half of the blocks: the time for all blocks minus the time for one half.  Other programs may lengthen the
 * launches over one half until no difference is left, so these are repeated.  Then half of the time for all is taken:
 * it also contains half of a launch's overhead. */
static int time_half(
        struct bench *bench, const struct chain *stream, unsigned batches, cl_ulong blocks, double *seconds)
{
	double whole = 0, half = 0;
	size_t items, all;
	int status = GPUCRYPT_OK;

	bench_launch(bench, batches, &items, &all);
	if (bench->device->cpu)
		all *= 4 * (size_t)bench->device->compute_units;
	for (unsigned i = 0; i < HALF_ATTEMPTS && whole - half <= whole / 4 && status == GPUCRYPT_OK; i++) {
		status = time_launches(bench, stream, blocks, all, items, &whole)
		                 ?: time_launches(bench, stream, blocks / 2, all, items, &half);
	}
	*seconds = whole - half <= whole / 4 ? whole / 2 : whole - half;
	return status;
}

/* Measure from one warp in a compute unit, which waits for its loads, up to the maximum number of resident warps. */
static int stream_curve(struct bench *bench, struct device_record *record, const struct chain *stream, cl_ulong blocks)
{
	struct curve *curve = &record->curves[RESOURCE_STREAM];
	unsigned units = bench->device->compute_units;
	double seconds = 0, batches_of_unit = (double)blocks / 2 / bench->batch_items / units;
	int status = GPUCRYPT_OK;

	curve->n = 0;
	for (unsigned batches = 1; status == GPUCRYPT_OK && curve->n < MAX_CURVE_POINTS; batches *= 2) {
		if (batches > bench->max_batches)
			batches = bench->max_batches;
		status = time_half(bench, stream, batches, blocks, &seconds);
		if (seconds <= 0)
			break;
		curve->x[curve->n] = batches;
		curve->cycles[curve->n++] = seconds * bench->clock_hz / batches_of_unit;
		record->global_bytes_per_s = 16.0 * (double)blocks / seconds; /* half of the blocks, read and written */
		if (batches == bench->max_batches)
			break;
	}
	return status;
}

int measure_stream(struct bench *bench, struct device_record *record)
{
	const struct device *device = bench->device;
	size_t n_bytes = device->cpu ? CPU_STREAM_BYTES : GPU_STREAM_BYTES;
	struct chain stream = { .kernel = "stream" };
	int status;

	while (n_bytes > device->max_buffer_bytes || 8 * (uint64_t)n_bytes > device->global_bytes)
		n_bytes /= 2;
	status = bench_buffer(bench, &stream.in, n_bytes, NULL)
	        ?: bench_buffer(bench, &stream.out, n_bytes, NULL)
	        ?: stream_curve(bench, record, &stream, n_bytes / 16);
	bench_release(stream.in);
	bench_release(stream.out);
	return status;
}

/* Transfers. */

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

/* Bytes per second of each direction. */
static int measure_rate(struct transfer *t, cl_int (*run)(void *transfer), unsigned directions, double *bytes_per_s)
{
	double seconds = 0;
	cl_int error;

	t->directions = directions;
	error = bench_repeat(t->bench, run, t, &seconds);
	if (error != CL_SUCCESS)
		return bench_failed(t->bench, "a transfer failed", error);
	*bytes_per_s = (double)t->n_bytes / seconds;
	return GPUCRYPT_OK;
}

int measure_transfers(struct bench *bench, struct device_record *record)
{
	const struct device *device = bench->device;
	struct transfer t = { .bench = bench, .n_bytes = device->cpu ? CPU_TRANSFER_BYTES : GPU_TRANSFER_BYTES };
	struct transfer_speed *speed = &record->transfer;
	int status;

	while (t.n_bytes > device->max_buffer_bytes || 8 * t.n_bytes > device->global_bytes)
		t.n_bytes /= 2;
	status = open_transfer(&t)
	                 ?: measure_rate(&t, run_transfer, TO_DEVICE, &speed->pinned_in)
	                 ?: measure_rate(&t, run_transfer, FROM_DEVICE, &speed->pinned_out)
	                 ?: measure_rate(&t, run_transfer, TO_DEVICE | FROM_DEVICE, &speed->pinned_both)
	                 ?: measure_rate(&t, pin_memory, 0, &speed->pinning);
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
