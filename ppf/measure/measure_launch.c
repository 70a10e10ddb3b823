/* The overhead of a launch, and the bandwidth of device memory. */
#include <stdbool.h>
#include <string.h>

#include "gpucrypt/engine/opencl/program.h"
#include "gpucrypt/status.h"
#include "ppf/measure/measure_parts.h"

#define RUNS             15
#define STREAM_RUNS      5
#define GPU_STREAM_BYTES (512u << 20)
#define CPU_STREAM_BYTES (32u << 20)
#define FEW_GROUPS       8 /* groups in each compute unit */
#define MANY_GROUPS      136
#define CLOCK_TURNS      4096

static int make_kernel(struct bench *bench, const char *name, const cl_mem *in, cl_ulong n, cl_kernel *kernel)
{
	cl_uint next = 0;
	cl_int error;

	*kernel = clCreateKernel(bench->program, name, &error);
	if (error == CL_SUCCESS && in != NULL)
		error = clSetKernelArg(*kernel, next++, sizeof(*in), in);
	if (error == CL_SUCCESS)
		error = clSetKernelArg(*kernel, next++, sizeof(bench->out), &bench->out);
	if (error == CL_SUCCESS)
		error = clSetKernelArg(*kernel, next, sizeof(n), &n);
	return error == CL_SUCCESS ? GPUCRYPT_OK : bench_failed(bench, name, error);
}

static void release_kernel(cl_kernel kernel)
{
	if (kernel != NULL)
		clReleaseKernel(kernel);
}

/* Discard the first of several runs, and use the faster half, because other programs only lengthen a run. */
static int time_stable(struct bench *bench, cl_kernel kernel, size_t all, size_t items, double *seconds)
{
	double runs[RUNS] = { 0 };
	int status = bench_run(bench, kernel, all, items, &runs[0]);

	for (unsigned i = 0; i < RUNS && status == GPUCRYPT_OK; i++)
		status = bench_run(bench, kernel, all, items, &runs[i]);
	median(runs, RUNS); /* sorts the runs */
	*seconds = status == GPUCRYPT_OK ? robust_seconds(runs, RUNS / 2, bench->device->cpu) : 0;
	return status;
}

/* Time an empty kernel by both clocks, and over the number of groups. */
static int measure_empty(struct bench *bench, struct device_record *record, cl_kernel kernel, size_t items)
{
	size_t units = bench->device->compute_units * items;
	bool device_time = bench->device_time;
	double few = 0, many = 0;
	int status = time_stable(bench, kernel, units, items, &record->launch_s);

	if (status == GPUCRYPT_OK)
		status = time_stable(bench, kernel, FEW_GROUPS * units, items, &few);
	if (status == GPUCRYPT_OK)
		status = time_stable(bench, kernel, MANY_GROUPS * units, items, &many);
	record->group_cycles = many > few ? (many - few) * bench->clock_hz / (MANY_GROUPS - FEW_GROUPS) : 0;
	bench->device_time = false;
	if (status == GPUCRYPT_OK)
		status = time_stable(bench, kernel, units, items, &record->enqueue_s);
	bench->device_time = device_time;
	return status;
}

/* Time a launch in which one group of each compute unit fills local memory with a number of words. */
static int load_cycles(struct bench *bench, const struct device_record *record, cl_kernel kernel, size_t items,
        unsigned words, double *cycles)
{
	cl_ulong n = words;
	double seconds = 0;
	cl_int error = clSetKernelArg(kernel, 2, sizeof(n), &n);
	int status;

	if (error == CL_SUCCESS)
		error = clSetKernelArg(kernel, 3, 4 * (size_t)words, NULL);
	if (error != CL_SUCCESS)
		return bench_failed(bench, "load_table", error);
	status = time_stable(bench, kernel, items * bench->device->compute_units, items, &seconds);
	*cycles = seconds > record->launch_s ? (seconds - record->launch_s) * bench->clock_hz : 0;
	return status;
}

static int measure_table_load(struct bench *bench, struct device_record *record, cl_kernel kernel, size_t items)
{
	struct curve *curve = &record->table_load;
	int status = GPUCRYPT_OK;

	for (unsigned words = 256; words <= 131072 && status == GPUCRYPT_OK; words *= 2) {
		if (4 * (uint64_t)words > bench->device->local_bytes || curve->n == MAX_CURVE_POINTS)
			break;
		curve->x[curve->n] = words;
		status = load_cycles(bench, record, kernel, items, words, &curve->cycles[curve->n]);
		/* More words cannot take less time; a lower figure comes from the resolution of the clock. */
		if (curve->n > 0 && curve->cycles[curve->n] < curve->cycles[curve->n - 1])
			curve->cycles[curve->n] = curve->cycles[curve->n - 1];
		curve->n++;
	}
	return status;
}

int measure_launches(struct bench *bench, struct device_record *record)
{
	cl_kernel nothing = NULL, load = NULL;
	cl_mem table = NULL;
	size_t items, all;
	int status = bench_buffer(bench, &table, 4 * 131072, NULL);

	bench_launch(bench, bench->group_batches, &items, &all);
	if (status == GPUCRYPT_OK)
		status = make_kernel(bench, "nothing", NULL, 0, &nothing);
	if (status == GPUCRYPT_OK)
		status = make_kernel(bench, "load_table", &table, 0, &load);
	if (status == GPUCRYPT_OK)
		status = measure_empty(bench, record, nothing, items);
	if (status == GPUCRYPT_OK)
		status = measure_table_load(bench, record, load, items);
	release_kernel(nothing);
	release_kernel(load);
	bench_release(table);
	return status;
}

/* Time a pass over a number of blocks, with a number of warps (batches) in each compute unit. */
static int stream_pass(struct bench *bench, cl_kernel kernel, unsigned batches, cl_ulong blocks, double *seconds)
{
	double runs[STREAM_RUNS] = { 0 };
	size_t items, all;
	cl_int error = clSetKernelArg(kernel, 2, sizeof(blocks), &blocks);
	int status = error == CL_SUCCESS ? GPUCRYPT_OK : bench_failed(bench, "stream", error);

	bench_launch(bench, batches, &items, &all);
	if (bench->device->cpu)
		all *= 4 * (size_t)bench->device->compute_units;
	if (status == GPUCRYPT_OK)
		status = bench_run(bench, kernel, all, items, &runs[0]);
	for (unsigned i = 0; i < STREAM_RUNS && status == GPUCRYPT_OK; i++)
		status = bench_run(bench, kernel, all, items, &runs[i]);
	*seconds = robust_seconds(runs, STREAM_RUNS, bench->device->cpu);
	return status;
}

/* Seconds for half of the buffers: the time for all buffers minus the time for one half. */
static int stream_half(struct bench *bench, cl_kernel kernel, unsigned batches, cl_ulong blocks, double *seconds)
{
	double whole = 0, half = 0;
	int status = stream_pass(bench, kernel, batches, blocks, &whole);

	if (status == GPUCRYPT_OK)
		status = stream_pass(bench, kernel, batches, blocks / 2, &half);
	*seconds = whole - half;
	return status;
}

/* Measure from one warp in a compute unit, which waits for its loads, up to the maximum number of resident warps. */
static int stream_curve(struct bench *bench, struct device_record *record, cl_kernel kernel, cl_ulong blocks)
{
	struct curve *curve = &record->curves[RESOURCE_STREAM];
	unsigned units = bench->device->compute_units;
	double seconds = 0, batches_of_unit = (double)blocks / 2 / bench->batch_items / units;
	int status = GPUCRYPT_OK;

	curve->n = 0;
	for (unsigned batches = 1; status == GPUCRYPT_OK && curve->n < MAX_CURVE_POINTS; batches *= 2) {
		if (batches > bench->max_batches)
			batches = bench->max_batches;
		status = stream_half(bench, kernel, batches, blocks, &seconds);
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

static int stream_blocks(struct bench *bench, struct device_record *record, const cl_mem buffers[2], cl_ulong blocks)
{
	cl_kernel kernel = NULL;
	int status = make_kernel(bench, "stream", &buffers[0], blocks, &kernel);

	if (status == GPUCRYPT_OK && clSetKernelArg(kernel, 1, sizeof(buffers[1]), &buffers[1]) != CL_SUCCESS)
		status = fail(GPUCRYPT_DEVICE, "%s: cannot run the benchmark kernel \"stream\"", bench->device->name);
	if (status == GPUCRYPT_OK)
		status = stream_curve(bench, record, kernel, blocks);
	release_kernel(kernel);
	return status;
}

int measure_stream(struct bench *bench, struct device_record *record)
{
	const struct device *device = bench->device;
	size_t n_bytes = device->cpu ? CPU_STREAM_BYTES : GPU_STREAM_BYTES;
	cl_mem buffers[2] = { NULL, NULL };
	int status;

	while (n_bytes > device->max_buffer_bytes || 8 * (uint64_t)n_bytes > device->global_bytes)
		n_bytes /= 2;
	status = bench_buffer(bench, &buffers[0], n_bytes, NULL);
	if (status == GPUCRYPT_OK)
		status = bench_buffer(bench, &buffers[1], n_bytes, NULL);
	if (status == GPUCRYPT_OK)
		status = stream_blocks(bench, record, buffers, n_bytes / 16);
	for (unsigned i = 0; i < 2; i++)
		bench_release(buffers[i]);
	return status;
}

/* Compare NVIDIA's cycle counter with the time of the same launch. */
static int count_cycles(struct bench *bench, struct device_record *record, cl_mem counter)
{
	size_t items, all;
	cl_ulong cycles = 0;
	double seconds = 0;
	cl_kernel kernel = NULL;
	int status;

	bench_launch(bench, bench->group_batches, &items, &all);
	status = make_kernel(bench, "count_cycles", &bench->words, all * CLOCK_TURNS, &kernel);
	if (status == GPUCRYPT_OK && clSetKernelArg(kernel, 3, sizeof(counter), &counter) != CL_SUCCESS)
		status = fail(
		        GPUCRYPT_DEVICE, "%s: cannot run the benchmark kernel \"count_cycles\"", bench->device->name);
	if (status == GPUCRYPT_OK)
		status = time_stable(bench, kernel, all, items, &seconds);
	release_kernel(kernel);
	if (status == GPUCRYPT_OK &&
	        clEnqueueReadBuffer(bench->queue, counter, CL_TRUE, 0, sizeof(cycles), &cycles, 0, NULL, NULL) ==
	                CL_SUCCESS &&
	        seconds > record->launch_s)
		record->clock_measured_hz = (double)cycles / (seconds - record->launch_s);
	return status;
}

int measure_clock(struct bench *bench, struct device_record *record)
{
	cl_mem counter = NULL;
	int status;

	if (strstr(bench->device->vendor, "NVIDIA") == NULL)
		return GPUCRYPT_OK;
	status = bench_build(bench, "word.cl bench.cl", NULL, "-DCYCLE_COUNTER");
	if (status == GPUCRYPT_OK)
		status = bench_buffer(bench, &counter, sizeof(cl_ulong), NULL);
	if (status == GPUCRYPT_OK)
		status = count_cycles(bench, record, counter);
	bench_release(counter);
	return status;
}
