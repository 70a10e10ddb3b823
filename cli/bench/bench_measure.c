/* Measurement of the rows. */
#include <math.h>

#include "cli/bench/bench.h"
#include "cli/terminal/progress.h"
#include "command/json.h"
#include "command/message.h"
#include "gpucrypt/ascending.h"
#include "gpucrypt/clock.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/crypto/host_core.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/pipeline/pipeline.h"
#include "gpucrypt/status.h"
#include "ppf/measure/threads_speed.h"

#define CPU_RUN_S 0.03

const char *bench_suite(char text[32], const struct suite *suite)
{
	snprintf(text, 32, "%s-%u-%s%s", suite->cipher->name, 8 * suite->key_bytes, suite->mode->name,
	        suite->mode->encrypts_only    ? ""
	        : suite->direction == ENCRYPT ? " enc"
	                                      : " dec");
	return text;
}

/* Report a failure, and store its text in the row. */
static void keep_failure(const struct bench_row *row)
{
	char text[32];

	json_set(row->json, "failure", json_text(gpucrypt_error()));
	progress_clear();
	message_warning(NULL, "%s: not measured: %s", bench_suite(text, &row->suite), gpucrypt_error());
	fail_clear();
}

static double number(const json_t *row, const char *name)
{
	return json_number_value(json_object_get(row, name));
}

/* The times of all runs, the best first, and the speed of the best. */
static void keep_seconds(const struct bench_row *row, const double *seconds, int n)
{
	json_t *array = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(array, json_real(seconds[i]));
	json_set(row->json, "seconds", array);
	json_set(row->json, "bytes_per_s", json_real((double)row->n_bytes / seconds[0]));
}

/* Measurement of kernels. */

static int run_kernel(const struct bench_row *kernel, struct engine *engine)
{
	struct kernel_timing timing;
	double bound = number(kernel->json, "bound_bytes_per_s");
	int status = kernel_times(engine, kernel->n_bytes, BENCH_RUNS, &timing);

	if (status != GPUCRYPT_OK && !timing.wrong) {
		keep_failure(kernel);
		return GPUCRYPT_OK;
	}
	if (status != GPUCRYPT_OK)
		return status;
	keep_seconds(kernel, timing.seconds, BENCH_RUNS);
	json_set(kernel->json, "compared_bytes", json_count(timing.compared_bytes));
	json_set(kernel->json, "of_bound", json_figure(bound > 0 ? number(kernel->json, "bytes_per_s") / bound : 0));
	return GPUCRYPT_OK;
}

/* Known answers, then the runs; a device that gives a wrong one is not worth any more. */
static int time_kernel(const struct bench_row *kernel)
{
	struct engine *engine = NULL;
	int status = engine_opencl.open(&engine, &kernel->suite, &kernel->plan, NULL);

	if (status != GPUCRYPT_OK) {
		keep_failure(kernel);
		return GPUCRYPT_OK;
	}
	status = selftest_engine(engine) ?: run_kernel(kernel, engine);
	engine_close(engine);
	return status;
}

static bool is_measured(const struct bench_row *row)
{
	return number(row->json, "bytes_per_s") > 0 || !json_is_null(json_object_get(row->json, "failure"));
}

/* Measure the policy's kernel first: the row has its speed as a multiple of that kernel's speed. */
static int measure_kernel(struct bench *bench, const struct bench_row *row)
{
	const struct bench_row *policy = bench_policy_of(bench, row);
	double policy_speed;
	int status = policy && !is_measured(policy) ? time_kernel(policy) : GPUCRYPT_OK;

	if (status == GPUCRYPT_OK && !is_measured(row))
		status = time_kernel(row);
	policy_speed = policy ? number(policy->json, "bytes_per_s") : 0;
	json_set(row->json, "times_policy",
	        json_figure(policy_speed > 0 ? number(row->json, "bytes_per_s") / policy_speed : 0));
	return status;
}

/* Measurement of the CPU. */

#define BOUND_RUNS    5 /* the fastest counts, because other programs only reduce the speed */
#define ISSUED        (12u << 18)
#define BATCH_VECTORS 16

/*
 * The bound of an instruction form, by the throughput of instructions.  The counts are in the ciphers' descriptors; the
 * issue rate is measured here instead of taken from tables of processors: of AES instructions for AES, else of XOR,
 * which no instruction of a byte-sliced form exceeds in throughput.  Assumed: the core could overlap loads, stores,
 * counters, tweaks and transpositions completely.
 */
static double instructions_per_s(const struct instruction_form *form)
{
	double best = 0;

	for (int run = 0; run < BOUND_RUNS; run++) {
		double start = clock_seconds(CLOCK_MONOTONIC), seconds;

		form->core->issue(ISSUED);
		seconds = clock_seconds(CLOCK_MONOTONIC) - start;
		best = fmax(best, ISSUED / seconds);
	}
	return best;
}

double form_bound_bytes_per_s(const struct suite *suite, const struct instruction_form *form)
{
	const unsigned n = suite->cipher->vector_instructions[suite->key_bytes / 8 - 2];

	return instructions_per_s(form) * BATCH_VECTORS * form->vector_bits / (8.0 * n);
}

/* The rows of BENCH_CPU measure these.  Opening their engines runs known-answer tests. */
static const struct cpu_library {
	const char *name;
	const struct engine_class *class;
	bool (*has)(const struct suite *suite); /* NULL: every suite */
	enum table_id table;
	bool all_threads;       /* false: one thread */
	unsigned vector_bits;   /* of the instruction form; 0: none */
	const char *bound_name; /* of the form's bound */
} libraries[] = {
	{ "host_core", &engine_host, NULL, TABLE_OPEN, false, 0, NULL },
	{ "bitsliced", &engine_host, NULL, TABLE_BITSLICED, false, 0, NULL },
	{ "libcrypto", &engine_libcrypto, libcrypto_has, TABLE_OPEN, false, 0, NULL },
	{ "libcrypto_all", &engine_libcrypto, libcrypto_has, TABLE_OPEN, true, 0, NULL },
	{ "libgcrypt", &engine_libgcrypt, libgcrypt_has, TABLE_OPEN, false, 0, NULL },
	{ "vectors_512", &engine_cpu, NULL, TABLE_OPEN, false, 512, "vectors_512_bound" },
	{ "vectors_256", &engine_cpu, NULL, TABLE_OPEN, false, 256, "vectors_256_bound" },
	{ "vectors_128", &engine_cpu, NULL, TABLE_OPEN, false, 128, "vectors_128_bound" },
};

#define N_LIBRARIES (sizeof libraries / sizeof *libraries)

json_t *bench_cpu_members(void)
{
	json_t *members = json_object();

	for (size_t i = 0; i < N_LIBRARIES; i++)
		json_set(members, libraries[i].name, json_null());
	for (size_t i = 0; i < N_LIBRARIES; i++)
		if (libraries[i].bound_name)
			json_set(members, libraries[i].bound_name, json_null());
	return members;
}

/* Returns NULL if the cipher or the processor has no instruction form of this width. */
static const struct instruction_form *form_of_width(const struct cipher *cipher, unsigned vector_bits)
{
	for (unsigned i = 0; i < cipher->n_instructions; i++) {
		const struct instruction_form *form = &cipher->instructions[i];

		if (form->vector_bits == vector_bits && instruction_form_is_available(form))
			return form;
	}
	return NULL;
}

static int measure_library(const struct bench_row *row, const struct cpu_library *library, unsigned threads)
{
	const struct suite *suite = &row->suite;
	const struct instruction_form *form = form_of_width(suite->cipher, library->vector_bits);
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU,
		.threads = library->all_threads ? threads : 1,
		.kernel.table = form != NULL ? form->id : library->table };
	struct engine *engine = NULL;
	double bytes_per_s = 0;
	int status;

	if ((library->has && !library->has(suite)) || (library->vector_bits > 0 && form == NULL))
		return GPUCRYPT_OK;
	status = engine_open_tested(&engine, library->class, suite, &plan, NULL);
	if (status == GPUCRYPT_OK)
		status = threads_speed(&(struct chore){ .run = engine_chore, .engine = engine }, plan.threads,
		        CPU_RUN_S, &bytes_per_s);
	json_set(row->json, library->name, json_figure(bytes_per_s));
	if (form != NULL)
		json_set(row->json, library->bound_name, json_figure(form_bound_bytes_per_s(suite, form)));
	engine_close(engine);
	return status;
}

static int measure_cpu(struct bench *bench, const struct bench_row *row)
{
	unsigned threads = (unsigned)number(bench->json, "cpu_threads");
	int status = GPUCRYPT_OK;

	for (size_t i = 0; i < N_LIBRARIES && status == GPUCRYPT_OK; i++)
		status = measure_library(row, &libraries[i], threads);
	return status;
}

/* Measurement of the pipeline. */

/* More than the slots of any pipeline hold, so that a quarter of the input has all of the start. */
#define START_GROUPS 32

double bench_start_s(double quarter_s, double whole_s, uint64_t n_bytes, unsigned group_log2)
{
	double start_s = (4 * quarter_s - whole_s) / 3;

	return n_bytes / 4 >> group_log2 >= START_GROUPS && quarter_s < whole_s / 2 && start_s > 0 ? start_s : 0;
}

static int run_memory(struct memory_run *run, const struct bench_row *row, uint64_t n_bytes, double *seconds)
{
	return row->suite.direction == ENCRYPT ? memory_run(run, &row->plan, n_bytes, seconds)
	                                       : memory_run_decrypt(run, &row->plan, n_bytes, seconds);
}

static int time_often(
        struct memory_run *run, const struct bench_row *row, uint64_t n_bytes, double seconds[BENCH_PIPELINE_RUNS])
{
	int status = GPUCRYPT_OK;

	for (int i = 0; i < BENCH_PIPELINE_RUNS && status == GPUCRYPT_OK; i++)
		status = run_memory(run, row, n_bytes, &seconds[i]);
	sort_ascending(seconds, BENCH_PIPELINE_RUNS);
	return status;
}

/* Time runs over a quarter of the row's bytes and over all of them, after one run that builds the kernels.  The stage
 * that waited least is that of the last run. */
static int measure_memory(struct bench *bench, const struct bench_row *row)
{
	double first, quarter[BENCH_PIPELINE_RUNS] = { 0 }, seconds[BENCH_PIPELINE_RUNS] = { 0 };
	unsigned group_log2 = row->plan.group_log2 ? row->plan.group_log2 : GROUP_LOG2_DEFAULT;
	struct report report = { 0 };
	int status;

	bench->run.report = &report;
	status = run_memory(&bench->run, row, row->n_bytes / 4, &first)
	                 ?: time_often(&bench->run, row, row->n_bytes / 4, quarter)
	                 ?: time_often(&bench->run, row, row->n_bytes, seconds);
	bench->run.report = NULL;
	if (status != GPUCRYPT_OK) {
		keep_failure(row);
		return GPUCRYPT_OK;
	}
	keep_seconds(row, seconds, BENCH_PIPELINE_RUNS);
	json_set(row->json, "start_s", json_figure(bench_start_s(quarter[0], seconds[0], row->n_bytes, group_log2)));
	json_set(row->json, "busiest", json_text_or_null(report.busiest));
	json_set(row->json, "busy", json_figure(report.busy));
	return GPUCRYPT_OK;
}

/* Measure and print the rows of a table; each row is for one suite. */
static int measure_rows(struct bench *bench, FILE *stream, enum bench_table table)
{
	static const struct {
		const char *what;
		int (*measure)(struct bench *bench, const struct bench_row *row);
	} tables[N_BENCH_TABLES] = {
		[BENCH_CPU] = { "on the CPU", measure_cpu },
		[BENCH_KERNELS] = { "kernels", measure_kernel },
		[BENCH_MEMORY] = { "from memory to memory", measure_memory },
	};
	unsigned n = bench->n_rows[table];
	int status = GPUCRYPT_OK;
	char text[32];

	for (unsigned i = 0; i < n && status == GPUCRYPT_OK; i++) {
		const struct bench_row *row = &bench->rows[table][i];

		if (!bench->quiet)
			progress_line("%u of %u %s: %s", i + 1, n, tables[table].what, bench_suite(text, &row->suite));
		status = tables[table].measure(bench, row);
		progress_clear();
		if (stream && status == GPUCRYPT_OK)
			bench_print_row(stream, bench->json, table, i);
	}
	return status;
}

/* The CPU first: its first row is there at once, whereas a device has to build its kernels. */
int bench_measure(struct bench *bench, FILE *stream)
{
	int status;

	if (bench->n_rows[BENCH_CPU] > 0)
		json_set(bench->json, "core_clock_hz", json_figure(core_clock_hz()));
	status = measure_rows(bench, stream, BENCH_CPU) ?: measure_rows(bench, stream, BENCH_KERNELS);
	if (status != GPUCRYPT_OK || bench->n_rows[BENCH_MEMORY] == 0)
		return status;
	status = memory_run_open(&bench->run, bench->rows[BENCH_MEMORY][0].n_bytes)
	                 ?: measure_rows(bench, stream, BENCH_MEMORY);
	memory_run_close(&bench->run);
	return status;
}
