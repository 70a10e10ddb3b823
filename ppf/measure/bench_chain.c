/* The difference method for the timing of chains. */
#include <math.h>

#include "ppf/measure/bench.h"
#include "ppf/measure/threads_speed.h"
#include "gpucrypt/ascending.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/status.h"

#define RUNS        5
#define MAX_ROUNDS  10
#define CPU_ROUNDS  3 /* few, since later passes may meet a less busy machine */
#define CPU_PASSES  3
#define GOOD_SPREAD 0.1
#define ATTEMPTS    3
#define LONGER      1.2 /* least factor of time for four times the iterations */
#define GPU_RUN_S   0.001
#define CPU_RUN_S   0.0005
#define WARM_S      0.25
#define LEAST_TURN  4.0 /* least cycles of a loop iteration */
#define MAX_TURNS   (1u << 24)

/*
 * The least plausible number of cycles.  On a CPU, a loop whose body was removed takes about one cycle per iteration,
 * and every real chain takes at least four; the factor of a quarter allows for disturbed launches.
 */
static double least_cycles(struct bench *bench, const struct chain *chain)
{
	double least = (double)bench->batch_items / bench->elements, hz;

	/* The clock under load may be a little higher than the reported clock. */
	if (!bench->device->cpu)
		return 0.95 * least;
	if (least < LEAST_TURN / chain->operations)
		least = LEAST_TURN / chain->operations;
	/* The reported clock may be the base clock.  A lower measured clock is ignored, because other programs may have
	 * run at the same time. */
	hz = core_clock_hz();
	if (hz > bench->seen_hz && isfinite(hz))
		bench->seen_hz = hz;
	return 0.75 * least * bench->units_factor / fmax(bench->seen_hz / bench->clock_hz, 1);
}

double median(double *values, unsigned n)
{
	sort_ascending(values, n);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double robust_seconds(double *seconds, unsigned n, bool is_cpu)
{
	double middle = median(seconds, n);

	return is_cpu ? seconds[0] : middle;
}

cl_int bench_repeat(const struct bench *bench, cl_int (*run)(void *self), void *self, double *seconds)
{
	double runs[RUNS + 1] = { 0 };
	cl_int error = CL_SUCCESS;

	for (unsigned i = 0; i <= RUNS && error == CL_SUCCESS; i++) {
		double begin = host_seconds();
		error = run(self);
		runs[i] = host_seconds() - begin;
	}
	*seconds = robust_seconds(runs + 1, RUNS, bench->device->cpu);
	return error;
}

void bench_launch(const struct bench *bench, unsigned batches, size_t *items, size_t *all)
{
	unsigned groups = 1;

	*items = CPU_ITEMS;
	if (!bench->device->cpu) {
		groups = (batches + bench->group_batches - 1) / bench->group_batches;
		*items = (size_t)bench->batch_items * batches / groups;
	} else if (*items > bench->device->max_work_items) {
		*items = bench->device->max_work_items;
	}
	*all = *items * groups * bench->units;
}

/* Time one launch by the device's clock and by the host's clock. */
static cl_int run_twice_timed(
        struct bench *bench, cl_kernel kernel, size_t all, size_t items, double *device, double *host)
{
	double start = host_seconds();
	cl_event event = NULL;
	cl_int error = clEnqueueNDRangeKernel(bench->queue, kernel, 1, NULL, &all, &items, 0, NULL, &event);

	if (error != CL_SUCCESS)
		return error;
	error = clWaitForEvents(1, &event);
	*host = host_seconds() - start;
	if (error == CL_SUCCESS && event_seconds(event, device) != CL_SUCCESS)
		*device = 0;
	clReleaseEvent(event);
	return error;
}

int bench_run(struct bench *bench, cl_kernel kernel, size_t all, size_t items, double *seconds)
{
	double device = 0, host = 0;
	cl_int error = run_twice_timed(bench, kernel, all, items, &device, &host);

	*seconds = bench->device_time ? device : host;
	return error == CL_SUCCESS ? GPUCRYPT_OK : bench_failed(bench, "a benchmark failed", error);
}

int bench_kernel(struct bench *bench, const struct chain *chain, cl_ulong n, cl_kernel *kernel)
{
	const cl_mem *in = chain->in == NULL ? &bench->words : &chain->in;
	const cl_mem *out = chain->out == NULL ? &bench->out : &chain->out;
	const cl_uint numbers[] = { chain->table_words, chain->copies, chain->stride };
	cl_uint next = 3;
	cl_int error;

	*kernel = clCreateKernel(bench->program, chain->kernel, &error);
	error = error ?: clSetKernelArg(*kernel, 0, sizeof(*in), in)
	              ?: clSetKernelArg(*kernel, 1, sizeof(*out), out)
	              ?: clSetKernelArg(*kernel, 2, sizeof(n), &n);
	if (error == CL_SUCCESS && chain->local_bytes != 0)
		error = clSetKernelArg(*kernel, next++, chain->local_bytes, NULL);
	for (unsigned i = 0; i < 3 && chain->table_words != 0 && error == CL_SUCCESS; i++)
		error = clSetKernelArg(*kernel, next++, sizeof(numbers[i]), &numbers[i]);
	return error == CL_SUCCESS ? GPUCRYPT_OK : bench_failed(bench, chain->kernel, error);
}

static int time_launch(struct bench *bench, cl_kernel kernel, unsigned batches, unsigned turns, double *seconds)
{
	size_t items, all;
	cl_ulong n;
	cl_int error;

	bench_launch(bench, batches, &items, &all);
	n = (cl_ulong)all * turns;
	error = clSetKernelArg(kernel, 2, sizeof(n), &n);
	if (error != CL_SUCCESS)
		return bench_failed(bench, "a benchmark's argument", error);
	return bench_run(bench, kernel, all, items, seconds);
}

/* Take the shorter of two runs, so that a disturbance does not make a removed chain look long. */
static int time_launch_twice(struct bench *bench, cl_kernel kernel, unsigned batches, unsigned turns, double *seconds)
{
	double again = 0;
	int status = time_launch(bench, kernel, batches, turns, seconds)
	                     ?: time_launch(bench, kernel, batches, turns, &again);

	if (again < *seconds)
		*seconds = again;
	return status;
}

/* Find the number of iterations that gives the intended length of a run.  These launches replace the first run, which
 * would be discarded. */
static int find_turns(struct bench *bench, cl_kernel kernel, unsigned batches, unsigned *turns)
{
	double wanted = bench->device->cpu ? CPU_RUN_S : GPU_RUN_S, seconds = 0;
	int status = time_launch(bench, kernel, batches, 1, &seconds);

	for (*turns = 8; status == GPUCRYPT_OK && *turns < MAX_TURNS;) {
		double factor;
		status = time_launch_twice(bench, kernel, batches, *turns, &seconds);
		if (seconds >= wanted)
			break;
		factor = seconds > 0 ? 1.2 * wanted / seconds : 64;
		*turns *= (unsigned)(factor < 2 ? 2 : factor > 64 ? 64 : factor);
	}
	if (*turns > MAX_TURNS)
		*turns = MAX_TURNS;
	return status;
}

/* The time of one loop iteration in the round with the smallest spread: the median of its runs, and their spread. */
struct timing {
	double seconds, spread;
	double few, many; /* seconds of the shortest run over a quarter of the iterations, and over all iterations */
};

/* The shorter time; seconds is 0 if there is no time yet. */
static double shorter_seconds(double seconds, double again)
{
	return seconds == 0 || again < seconds ? again : seconds;
}

static int time_round(struct bench *bench, cl_kernel kernel, unsigned batches, unsigned turns, struct timing *timing)
{
	double runs[RUNS], few = 0, many = 0, middle, spread;
	unsigned more = turns - turns / 4;

	for (unsigned i = 0; i < RUNS; i++) {
		int status = time_launch(bench, kernel, batches, turns - more, &few)
		                     ?: time_launch(bench, kernel, batches, turns, &many);

		if (status != GPUCRYPT_OK)
			return status;
		runs[i] = (many - few) / more;
		timing->few = shorter_seconds(timing->few, few);
		timing->many = shorter_seconds(timing->many, many);
	}
	middle = median(runs, RUNS);
	spread = middle > 0 ? (runs[RUNS - 1] - runs[0]) / middle : 1;
	if (spread < timing->spread) {
		timing->seconds = middle;
		timing->spread = spread;
	}
	return GPUCRYPT_OK;
}

/* Rounds are repeated until one has a small spread.  On a CPU a large spread is common: the spread is reported, and the
 * shortest launches of all rounds count, because other programs only lengthen a launch. */
static int time_turn(struct bench *bench, cl_kernel kernel, unsigned batches, double *seconds)
{
	struct timing timing = { .spread = HUGE_VAL };
	unsigned turns = 0, rounds = bench->device->cpu ? CPU_ROUNDS : MAX_ROUNDS;
	int status = find_turns(bench, kernel, batches, &turns);

	for (unsigned i = 0; i < rounds && timing.spread > GOOD_SPREAD && status == GPUCRYPT_OK; i++)
		status = time_round(bench, kernel, batches, turns, &timing);
	if (bench->device->cpu) {
		unsigned more = turns - turns / 4;

		timing.seconds = (timing.many - timing.few) / more;
	}
	/* If the shortest run with more iterations took no longer, the loop is empty and the difference is noise. */
	*seconds = timing.many > LONGER * timing.few ? timing.seconds : 0;
	if (timing.spread > bench->spread && status == GPUCRYPT_OK)
		bench->spread = timing.spread;
	return status;
}

/* A figure below the physical minimum may come from a disturbance, so the measurement is repeated.  A removed chain
 * gives such a figure every time. */
int bench_cycles(struct bench *bench, const struct chain *chain, unsigned batches, double *cycles)
{
	double seconds = 0, measured = 0, least = 0, factor;
	size_t items, all;
	cl_kernel kernel = NULL;
	int status = bench_kernel(bench, chain, 0, &kernel);

	bench_launch(bench, batches, &items, &all);
	factor = bench->units_factor * bench->clock_hz * bench->units * bench->batch_items /
	         ((double)all * chain->operations);
	for (unsigned i = 0; i < ATTEMPTS && status == GPUCRYPT_OK && (i == 0 || !(measured >= least)); i++) {
		status = time_turn(bench, kernel, batches, &seconds);
		measured = seconds * factor;
		least = least_cycles(bench, chain); /* computed after the clock has risen */
	}
	if (kernel != NULL)
		clReleaseKernel(kernel);
	if (status == GPUCRYPT_OK && !(measured >= least))
		return fail(GPUCRYPT_DEVICE,
		        "%s: benchmark \"%s\": %.4f cycles a batch is below what hardware can do "
		        "(%.4f): the compiler has removed its chain",
		        bench->device->name, chain->kernel, measured, least);
	*cycles = shorter_seconds(*cycles, measured);
	return status;
}

unsigned bench_passes(const struct bench *bench)
{
	return bench->device->cpu ? CPU_PASSES : 1;
}

/*
 * Alternate launches on one compute unit and on all units for a fixed time, with the same work for each unit.  The
 * clock rises, and the ratio of the shortest launches is the factor by which units slow each other down.
 */
static int raise_clock(struct bench *bench, cl_kernel kernel, size_t one, size_t items)
{
	double start = host_seconds(), device = 0, host = 0, shortest[2] = { 1e9, 1e9 };
	cl_int error = CL_SUCCESS;

	for (unsigned i = 0; host_seconds() - start < WARM_S && error == CL_SUCCESS; i++) {
		size_t all = i % 2 ? one * (bench->device->compute_units / bench->units) : one;
		error = run_twice_timed(bench, kernel, all, items, &device, &host);
		if (host >= shortest[i % 2])
			continue;
		shortest[i % 2] = host;
		/* Event times are correct if they cover most of a long launch, and are not longer than the launch. */
		bench->device_time = device > 0.5 * host && device <= 1.05 * host;
	}
	if (shortest[1] > shortest[0] && bench->device->cpu)
		bench->units_factor = shortest[1] / shortest[0];
	return error == CL_SUCCESS ? GPUCRYPT_OK : bench_failed(bench, "a benchmark failed", error);
}

int bench_warm(struct bench *bench, const struct chain *chain)
{
	unsigned turns = 0;
	size_t items, all;
	cl_kernel kernel = NULL;
	int status = bench_kernel(bench, chain, 0, &kernel);

	bench_launch(bench, bench->max_batches, &items, &all);
	status = status ?: find_turns(bench, kernel, bench->max_batches, &turns)
	                ?: raise_clock(bench, kernel, all, items);
	if (kernel != NULL)
		clReleaseKernel(kernel);
	return status;
}
