/* Measurement of the rows. */
#include <math.h>
#include <stdlib.h>

#include "cli/bench/bench.h"
#include "gpucrypt/ascending.h"
#include "gpucrypt/clock.h"
#include "gpucrypt/crypto/host_core.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/container/memory_run.h"
#include "gpucrypt/pipeline/report.h"
#include "gpucrypt/engine/selftest.h"
#include "gpucrypt/status.h"
#include "command/json.h"
#include "command/message.h"
#include "cli/terminal/progress.h"
#include "ppf/measure/threads_speed.h"

#define CPU_RUN_S    0.03
#define CPU_ROUNDS   3 /* threads_speed() */
#define KERNEL_RUN_S 0.5

const char *const cpu_way_names[N_CPU_WAYS] = { "host_core", "bitsliced", "libcrypto", "libcrypto_all", "libgcrypt",
	"vectors_512", "vectors_256", "vectors_128" };

const char *cpu_bound_name(char name[32], enum cpu_way way)
{
	snprintf(name, 32, "%s_bound", cpu_way_names[way]);
	return name;
}

const char *bench_suite(char text[32], const struct suite *suite)
{
	snprintf(text, 32, "%s-%u-%s%s", suite->cipher->name, 8 * suite->key_bytes, suite->mode->name,
	        suite->mode->encrypts_only    ? ""
	        : suite->direction == ENCRYPT ? " enc"
	                                      : " dec");
	return text;
}

/* Report a failure, and store its text in the row. */
static void keep_failure(char failure[200], const struct suite *suite)
{
	char text[32];

	snprintf(failure, 200, "%s", gpucrypt_error());
	fail_clear();
	progress_clear();
	message_warning(NULL, "%s: not measured: %s", bench_suite(text, suite), failure);
}

/* Measurement of kernels. */

static int run_kernel(struct bench_kernel *kernel, struct engine *engine)
{
	struct kernel_timing timing;
	int status = kernel_times(engine, kernel->n_bytes, BENCH_RUNS, true, &timing);

	if (status != GPUCRYPT_OK && !timing.wrong) {
		keep_failure(kernel->failure, &kernel->suite);
		return GPUCRYPT_OK;
	}
	if (status != GPUCRYPT_OK)
		return status;
	for (int i = 0; i < BENCH_RUNS; i++)
		kernel->seconds[i] = timing.seconds[i];
	kernel->compared_bytes = timing.compared_bytes;
	return GPUCRYPT_OK;
}

/* Known answers, then the runs; a device that gives a wrong one is not worth any more. */
static int time_kernel(struct bench_kernel *kernel)
{
	struct engine *engine = NULL;
	int status = engine_opencl.open(&engine, &kernel->suite, &kernel->plan, NULL);

	if (status != GPUCRYPT_OK) {
		keep_failure(kernel->failure, &kernel->suite);
		return GPUCRYPT_OK;
	}
	status = selftest_engine(engine) ?: run_kernel(kernel, engine);
	engine_close(engine);
	return status;
}

/* Measure the policy's kernel first: the row has its speed as a multiple of that kernel's speed. */
static int measure_kernel(struct bench *bench, unsigned i)
{
	struct bench_kernel *const kernels[] = { bench_policy_of(bench, &bench->kernels[i]), &bench->kernels[i] };
	int status = GPUCRYPT_OK;

	for (int k = 0; k < 2 && status == GPUCRYPT_OK; k++)
		if (kernels[k] && kernels[k]->seconds[0] <= 0 && !kernels[k]->failure[0])
			status = time_kernel(kernels[k]);
	return status;
}

/* Measurement of the CPU. */

#define BOUND_RUNS    5 /* the fastest counts, because other programs only reduce the speed */
#define CHAIN         (1u << 21)
#define ISSUED        (12u << 18)
#define BATCH_VECTORS 16

double core_clock_hz(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	double best = 0;

	for (int run = 0; run < BOUND_RUNS; run++) {
		uint64_t x = 1, y = (uint64_t)run + 1;
		double start = clock_seconds(CLOCK_MONOTONIC), seconds;

		for (unsigned i = 0; i < CHAIN; i += 16)
			_Pragma("GCC unroll 16") for (int step = 0; step < 16; step++)
			{
				x ^= y;
				__asm__ volatile("" : "+r"(x), "+r"(y));
			}
		seconds = clock_seconds(CLOCK_MONOTONIC) - start;
		best = fmax(best, CHAIN / seconds);
	}
	return best;
#else
	return 0;
#endif
}

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

static const struct cpu_library {
	const struct engine_class *class;
	bool (*has)(const struct suite *suite); /* NULL: every suite */
	enum table_id table;
	unsigned vector_bits; /* of the instruction form; 0: none */
	bool all_threads;
} libraries[N_CPU_WAYS] = {
	[CPU_HOST_CORE] = { &engine_host, NULL, TABLE_OPEN, 0, false },
	[CPU_BITSLICED] = { &engine_host, NULL, TABLE_BITSLICED, 0, false },
	[CPU_LIBCRYPTO] = { &engine_libcrypto, libcrypto_has, TABLE_OPEN, 0, false },
	[CPU_LIBCRYPTO_ALL] = { &engine_libcrypto, libcrypto_has, TABLE_OPEN, 0, true },
	[CPU_LIBGCRYPT] = { &engine_libgcrypt, libgcrypt_has, TABLE_OPEN, 0, false },
	[CPU_VECTORS_512] = { &engine_cpu, NULL, TABLE_OPEN, 512, false },
	[CPU_VECTORS_256] = { &engine_cpu, NULL, TABLE_OPEN, 256, false },
	[CPU_VECTORS_128] = { &engine_cpu, NULL, TABLE_OPEN, 128, false },
};

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

static int measure_library(struct bench_cpu *cpu, enum cpu_way way, unsigned all)
{
	const struct suite *suite = &cpu->suite;
	const struct cpu_library *library = &libraries[way];
	const struct instruction_form *form = form_of_width(suite->cipher, library->vector_bits);
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU,
		.threads = library->all_threads ? all : 1,
		.kernel.table = form != NULL ? form->id : library->table };
	struct engine *engine = NULL;
	int status;

	if ((library->has && !library->has(suite)) || (library->vector_bits > 0 && form == NULL))
		return GPUCRYPT_OK;
	status = engine_open_class(&engine, library->class, suite, &plan);
	if (status == GPUCRYPT_OK)
		status = threads_speed(&(struct chore){ .run = engine_chore, .engine = engine }, plan.threads,
		        CPU_RUN_S, &cpu->bytes_per_s[way]);
	if (form != NULL)
		cpu->bound_bytes_per_s[way] = form_bound_bytes_per_s(suite, form);
	engine_close(engine);
	return status;
}

static int measure_cpu(struct bench *bench, unsigned i)
{
	int status = GPUCRYPT_OK;

	for (enum cpu_way way = 0; way < N_CPU_WAYS && status == GPUCRYPT_OK; way++)
		status = measure_library(&bench->cpu[i], way, bench->cpu_threads);
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

static int run_memory(struct memory_run *run, const struct bench_pipeline *row, uint64_t n_bytes, double *seconds)
{
	return row->suite.direction == ENCRYPT ? memory_run(run, &row->plan, n_bytes, seconds)
	                                       : memory_run_decrypt(run, &row->plan, n_bytes, seconds);
}

static int time_often(
        struct memory_run *run, const struct bench_pipeline *row, uint64_t n_bytes, double seconds[BENCH_PIPELINE_RUNS])
{
	int status = GPUCRYPT_OK;

	for (int i = 0; i < BENCH_PIPELINE_RUNS && status == GPUCRYPT_OK; i++)
		status = run_memory(run, row, n_bytes, &seconds[i]);
	sort_ascending(seconds, BENCH_PIPELINE_RUNS);
	return status;
}

/* Time runs over a quarter of the row's bytes and over all of them, after one run that builds the kernels. */
static int time_memory(struct bench_pipeline *row, struct memory_run *run)
{
	double first, quarter[BENCH_PIPELINE_RUNS] = { 0 };
	unsigned group_log2 = row->plan.group_log2 ? row->plan.group_log2 : GROUP_LOG2_DEFAULT;
	struct report report = { 0 };
	int status;

	run->report = &report;
	status = run_memory(run, row, row->n_bytes / 4, &first)
	        ?: time_often(run, row, row->n_bytes / 4, quarter)
	        ?: time_often(run, row, row->n_bytes, row->seconds);
	run->report = NULL;
	if (status != GPUCRYPT_OK) {
		row->seconds[0] = 0;
		return status;
	}
	row->busiest = report.busiest;
	row->busy = report.busy;
	row->start_s = bench_start_s(quarter[0], row->seconds[0], row->n_bytes, group_log2);
	return GPUCRYPT_OK;
}

static int measure_memory(struct bench *bench, unsigned i)
{
	struct bench_pipeline *row = &bench->memory[i];

	if (time_memory(row, &bench->run) != GPUCRYPT_OK)
		keep_failure(row->failure, &row->suite);
	return GPUCRYPT_OK;
}

/* Measurement of all rows. */

bool bench_complete(const struct bench *bench)
{
	bool complete = true;

	for (unsigned i = 0; i < bench->n_kernels; i++)
		complete &= !bench->kernels[i].failure[0];
	for (unsigned i = 0; i < bench->n_memory; i++)
		complete &= !bench->memory[i].failure[0];
	return complete;
}

/* A run of a kernel takes at most KERNEL_RUN_S, and two warm-up runs precede the measured runs (engine_opencl.h). */
double bench_expected_s(const struct bench *bench)
{
	double seconds = bench->n_cpu * N_CPU_WAYS * CPU_ROUNDS * CPU_RUN_S;

	for (const struct bench_kernel *k = bench->kernels; k < bench->kernels + bench->n_kernels; k++) {
		const struct device_record *record = &bench->machine->devices[k->plan.device - 1].record;

		seconds += (BENCH_RUNS + 2) * (k->estimate_s < KERNEL_RUN_S ? k->estimate_s : KERNEL_RUN_S) +
		           (k->plan.kernel.table == TABLE_BITSLICED ? record->build_sliced_s : record->build_s);
	}
	for (unsigned i = 0; i < bench->n_memory; i++)
		seconds += (BENCH_PIPELINE_RUNS + 1) * (1 + 0.25) * bench->memory[i].predicted_s;
	return seconds;
}

/* Measure and print the rows of a table; each row is for one suite. */
static int measure_rows(struct bench *bench, FILE *stream, enum bench_table table, unsigned n)
{
	static const struct {
		const char *what;
		int (*measure)(struct bench *bench, unsigned row);
	} tables[N_BENCH_TABLES] = {
		[BENCH_CPU] = { "on the CPU", measure_cpu },
		[BENCH_KERNELS] = { "kernels", measure_kernel },
		[BENCH_MEMORY] = { "from memory to memory", measure_memory },
	};
	int status = GPUCRYPT_OK;
	char text[32];

	for (unsigned i = 0; i < n && status == GPUCRYPT_OK; i++) {
		const struct suite *suite = table == BENCH_CPU       ? &bench->cpu[i].suite
		                            : table == BENCH_KERNELS ? &bench->kernels[i].suite
		                                                     : &bench->memory[i].suite;
		if (!bench->quiet)
			progress_line("%u of %u %s: %s", i + 1, n, tables[table].what, bench_suite(text, suite));
		status = tables[table].measure(bench, i);
		progress_clear();
		if (stream && status == GPUCRYPT_OK) {
			json_t *json = bench_json(bench);

			bench_print_row(stream, json, table, i);
			json_decref(json);
		}
	}
	return status;
}

/* The CPU first: its first row is there at once, whereas a device has to build its kernels. */
int bench_measure(struct bench *bench, FILE *stream)
{
	int status;

	bench->core_clock_hz = bench->n_cpu > 0 ? core_clock_hz() : 0;
	status = measure_rows(bench, stream, BENCH_CPU, bench->n_cpu)
	                 ?: measure_rows(bench, stream, BENCH_KERNELS, bench->n_kernels);
	if (status != GPUCRYPT_OK || bench->n_memory == 0)
		return status;
	status = memory_run_open(&bench->run, bench->memory[0].n_bytes)
	                 ?: measure_rows(bench, stream, BENCH_MEMORY, bench->n_memory);
	memory_run_close(&bench->run);
	return status;
}

void bench_free(struct bench *bench)
{
	free(bench->kernels);
	free(bench->cpu);
	free(bench->memory);
	*bench = (struct bench){ 0 };
}
