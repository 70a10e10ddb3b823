/* The overhead of a launch, and the bandwidth of device memory. */
#include <stdbool.h>

#include "gpucrypt/engine/opencl/program.h"
#include "gpucrypt/status.h"
#include "ppf/measure/measure_parts.h"

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
