/* Measure the time of the rows: memory to memory through the whole pipeline, and the kernel alone. */
#include <stdlib.h>

#include "cli/advise/advise.h"
#include "gpucrypt/ascending.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/container/group.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/status.h"
#include "command/json.h"
#include "command/message.h"
#include "cli/terminal/progress.h"

#define ROUNDS       (1 + ADVICE_RUNS + 1)
#define RUN_S        1.5 /* of one run, if the size is so large, beside one over a quarter of it */
#define WHOLE_S      3.0 /* what takes no longer is run as a whole */
#define POINT_S      0.2 /* of a point of the plot at most */
#define KERNEL_S     0.2
#define KERNEL_RUNS  3
#define FIRST_BYTES  (UINT64_C(16) << 20)
#define KERNEL_BYTES (UINT64_C(1) << 30)
#define ROUND_BYTES  (UINT64_C(1) << 20) /* sizes that time decides are multiples of it */
#define UNIT_BYTES   4096                /* of XTS: kernels get whole units */

/*
 * Extrapolate to the whole input from the fastest run over a part and the fastest run over a quarter of that part.
 * Start-up and the first use of memory cost the same for every size; the difference of the two runs is the cost of the
 * bytes.
 */
static double whole_seconds(const struct advice_runs *runs, uint64_t n_bytes)
{
	uint64_t part = runs->n_bytes, quarter = part / 4;
	double part_s = runs->seconds[0], quarter_s = runs->quarter_s[0];
	double byte_s = quarter_s < part_s ? (part_s - quarter_s) / (double)(part - quarter) : part_s / (double)part;

	return part_s + byte_s * (double)(n_bytes - part);
}

struct seconds_range advice_range(struct advice_runs *runs, uint64_t n_bytes)
{
	double least;

	sort_ascending(runs->seconds, ADVICE_RUNS);
	sort_ascending(runs->quarter_s, ADVICE_RUNS);
	least = runs->n_bytes < n_bytes ? whole_seconds(runs, n_bytes) : runs->seconds[0];
	return (struct seconds_range){ least, least * runs->seconds[ADVICE_RUNS / 2] / runs->seconds[0],
		least * runs->seconds[ADVICE_RUNS - 2] / runs->seconds[0] };
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* A process makes a device's context once, and the first run has made it. The record holds the time that a new process
 * needs for its context and for its end (ppf/measure/measure.h). Each run is counted with this time, which is an upper
 * bound where the CPU works meanwhile. */
static double process_s(const struct advice_row *row)
{
	return row->choice.end_to_end.context_s + row->choice.end_to_end.end_s;
}

static int run_counted(const struct advice_row *row, const struct memory_run *run, uint64_t n_bytes, double *seconds)
{
	int status = memory_run(run, &row->choice.plan, n_bytes, seconds);

	*seconds += process_s(row);
	return status;
}

/* Every thread gets several groups, and every buffer is used again: with less, a part of the input
 * does not say what the whole one takes. */
static uint64_t fair_bytes(const struct advice_row *row, const struct machine *machine)
{
	const struct task task = { .n_bytes = UINT64_MAX, .tags = true };
	const struct pipeline_layout layout = task_layout(machine, &row->choice.plan, &task);

	return (8 * layout.lanes > 4 * layout.slots ? 8 * layout.lanes : 4 * layout.slots) * layout.group_bytes;
}

/* The number of bytes that take this time, at most the whole input. */
static uint64_t scale_bytes(uint64_t n_bytes, double seconds, double wanted_s, uint64_t most)
{
	double scaled = (double)n_bytes * wanted_s / seconds;

	if (scaled >= (double)most)
		return most;
	return scaled < ROUND_BYTES ? smaller(most, ROUND_BYTES) : (uint64_t)scaled / ROUND_BYTES * ROUND_BYTES;
}

/* By runs over more and more; the first one builds what has to be built and is not counted.  The
 * work is to take longer than the start, which varies. */
static int find_size(uint64_t *n_bytes, double *start_s, const struct memory_run *run, const struct gpucrypt_plan *plan,
        uint64_t fair, uint64_t most)
{
	uint64_t n = smaller(most, FIRST_BYTES);
	double seconds, more_s = 0;
	int status = memory_run(run, plan, n, &seconds) ?: memory_run(run, plan, 0, start_s);

	for (*n_bytes = n; status == GPUCRYPT_OK; n = smaller(most, 4 * n)) {
		status = memory_run(run, plan, n, &seconds);
		more_s = seconds - *start_s;
		*n_bytes = n;
		if (n == most || more_s > RUN_S / 4)
			break;
	}
	if (status == GPUCRYPT_OK && more_s > 0)
		*n_bytes = scale_bytes(*n_bytes, more_s, RUN_S + *start_s, most);
	if (status == GPUCRYPT_OK && more_s * (double)most < (WHOLE_S - *start_s) * (double)n)
		*n_bytes = most;
	if (*n_bytes < fair)
		*n_bytes = smaller(fair, most);
	return status;
}

/* The first run has built the programs: from now on neither runs nor predictions contain that. */
static int predict_built(struct advice_row *row, const struct advice *advice)
{
	struct choice choice;
	int status;

	choice_ran(&row->choice, advice->machine, true);
	status = advise_predict(&choice, advice, row, advice->n_bytes, true);
	if (status == GPUCRYPT_OK) {
		row->files = choice.end_to_end;
		status = advise_predict(&row->choice, advice, row, advice->n_bytes, false);
	}
	for (size_t i = 0; i < json_array_size(row->points) && status == GPUCRYPT_OK; i++) {
		status = advise_predict(&choice, advice, row, advise_point_bytes(advice, i), false);
		json_set(json_array_get(row->points, i), "predicted_s", json_figure(choice.end_to_end.seconds));
	}
	return status;
}

/* Find how much of the input a run processes. */
static int find_row_size(
        struct advice_runs *runs, struct advice_row *row, const struct advice *advice, const struct memory_run *run)
{
	int status = find_size(&runs->n_bytes, &runs->start_s, run, &row->choice.plan, fair_bytes(row, advice->machine),
	        advice->n_bytes);

	runs->start_s += process_s(row);
	if (status == GPUCRYPT_OK && (row->choice.device || row->choice.plan.n_parts > 0)) /* a device takes part */
		status = predict_built(row, advice);
	return status;
}

static int take_runs(struct advice_row *row, struct advice_runs *runs, const struct advice *advice)
{
	struct choice choice;
	int status = advise_predict(&choice, advice, row, runs->n_bytes, false);

	row->seconds = advice_range(runs, advice->n_bytes);
	row->measured = json_pack("{s:o, s:o, s:f, s:f, s:o, s:n, s:n, s:n}", "bytes", json_count(runs->n_bytes),
	        "seconds", range_json(advice_range(runs, runs->n_bytes)), "predicted_s", choice.end_to_end.seconds,
	        "start_s", runs->start_s, "whole_s", range_json(row->seconds), "kernel_bytes", "kernel_s",
	        "kernel_estimate_s");
	return status;
}

/* Every second point, as long as a run is short. */
static int measure_memory_points(struct advice_row *row, const struct advice *advice, const struct memory_run *run)
{
	double last_s = 0;

	for (size_t i = 0; i < json_array_size(row->points) && last_s < POINT_S; i += 2) {
		int status = run_counted(row, run, advise_point_bytes(advice, i), &last_s);

		if (status != GPUCRYPT_OK)
			return status;
		json_set(json_array_get(row->points, i), "measured_s", json_figure(last_s));
	}
	return GPUCRYPT_OK;
}

static int measure_kernel_points(struct advice_row *row, const struct advice *advice, struct engine *engine)
{
	const struct machine_device *device = row->choice.device;
	struct kernel_timing timing;
	double last_s = 0;

	for (size_t i = 0; i < json_array_size(row->points) && last_s < POINT_S / 4; i += 2) {
		uint64_t n_bytes = advise_point_bytes(advice, i);
		int status;

		if (n_bytes > KERNEL_BYTES || n_bytes % UNIT_BYTES != 0 || n_bytes > device->device.max_buffer_bytes)
			continue;
		status = kernel_times(engine, n_bytes, KERNEL_RUNS, &timing);
		if (status != GPUCRYPT_OK)
			return status;
		last_s = timing.seconds[KERNEL_RUNS / 2];
		json_set(
		        json_array_get(row->points, i), "kernel_cycles", json_figure(last_s * device->record.clock_hz));
	}
	return GPUCRYPT_OK;
}

/* The kernel over as much as its time and the device's memory allow; it is faster than all. */
static int measure_kernel(
        struct advice_row *row, struct advice_runs *runs, const struct advice *advice, struct engine *engine)
{
	double bytes_per_s = (double)runs->n_bytes / runs->seconds[0];
	uint64_t most = smaller(smaller(advice->n_bytes, KERNEL_BYTES), row->choice.device->device.max_buffer_bytes);
	struct kernel_timing timing;
	struct choice choice;
	int status;

	if ((double)most > KERNEL_S * bytes_per_s)
		most = (uint64_t)(KERNEL_S * bytes_per_s);
	most -= most % UNIT_BYTES;
	if (most == 0)
		return GPUCRYPT_OK;
	status = kernel_times(engine, most, KERNEL_RUNS, &timing) ?: advise_predict(&choice, advice, row, most, false);
	if (status == GPUCRYPT_OK) {
		json_set(row->measured, "kernel_bytes", json_count(most));
		json_set(row->measured, "kernel_s", json_real(timing.seconds[KERNEL_RUNS / 2]));
		json_set(row->measured, "kernel_estimate_s", json_figure(choice.overlap.seconds));
	}
	return status;
}

/* Complete a row: the time of its runs, then the kernel alone, and the points of the curves. */
static int finish_row(
        struct advice_row *row, struct advice_runs *runs, const struct advice *advice, const struct memory_run *run)
{
	struct engine *engine = NULL;
	int status = take_runs(row, runs, advice);

	if (status == GPUCRYPT_OK && row->choice.device)
		status = engine_open(&engine, &row->choice.suite, &row->choice.plan);
	if (status == GPUCRYPT_OK && engine)
		status = measure_kernel(row, runs, advice, engine);
	if (status == GPUCRYPT_OK && engine)
		status = measure_kernel_points(row, advice, engine);
	if (status == GPUCRYPT_OK)
		status = measure_memory_points(row, advice, run);
	engine_close(engine);
	return status;
}

/* For a person who waits at a terminal. */
static void show_row(const struct advice *advice, unsigned i, unsigned round)
{
	const struct suite *suite = &advice->rows[i].choice.suite;
	char engine[24];

	if (!advice->quiet)
		progress_line("%u of %u: %s %u on %s", round * advice->n_rows + i + 1, ROUNDS * advice->n_rows,
		        suite->cipher->name, 8 * suite->key_bytes, advise_engine(engine, &advice->rows[i]));
}

/* The first round prepares a row, the last one finishes it, and those between are its runs. */
static int measure_row(struct advice_row *row, struct advice_runs *runs, const struct advice *advice,
        const struct memory_run *run, unsigned round)
{
	int status = GPUCRYPT_OK;

	if (round == 0)
		return find_row_size(runs, row, advice, run);
	if (round > ADVICE_RUNS)
		return finish_row(row, runs, advice, run);
	if (runs->n_bytes < advice->n_bytes)
		status = run_counted(row, run, runs->n_bytes / 4, &runs->quarter_s[round - 1]);
	return status ?: run_counted(row, run, runs->n_bytes, &runs->seconds[round - 1]);
}

/* A row whose run failed is no longer a candidate. */
static void tell_failure(const struct advice_row *row)
{
	char engine[24];

	message_warning(NULL, "%s %u on %s: not measured: %s", row->choice.suite.cipher->name,
	        8 * row->choice.suite.key_bytes, advise_engine(engine, row), gpucrypt_error());
	fail_clear();
}

int advise_measure(struct advice *advice)
{
	struct advice_runs *runs = calloc(advice->n_rows, sizeof *runs);
	struct memory_run run;
	int status = memory_run_open(&run, advice->n_bytes);

	if (status == GPUCRYPT_OK && !runs)
		status = fail(GPUCRYPT_OTHER, "out of memory");
	for (unsigned i = 0; i < ROUNDS * advice->n_rows && status == GPUCRYPT_OK; i++) {
		unsigned n = i % advice->n_rows, round = i / advice->n_rows;
		struct advice_row *row = &advice->rows[n];

		show_row(advice, n, round);
		if (row->failed)
			continue;
		row->failed = measure_row(row, &runs[n], advice, &run, round) != GPUCRYPT_OK;
		if (row->failed)
			tell_failure(row);
	}
	progress_clear();
	advice->measured = status == GPUCRYPT_OK;
	memory_run_close(&run);
	free(runs);
	return status;
}
