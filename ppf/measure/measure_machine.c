/* Measurement of this host: every suite on its CPU, chunk tags, copies, and files. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpucrypt/clock.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/status.h"
#include "ppf/measure/measure.h"
#include "ppf/measure/bench.h"
#include "ppf/measure/threads_speed.h"

#define RUN_S           0.006
#define ROUNDS          3 /* rounds in each call */
#define READS           5
#define RUNS_OF_NOTHING 5
#define SLOTS_BYTES     ((size_t)128 << 20) /* size of all slots of a pipeline */
#define COPY_BYTES      ((size_t)128 << 20) /* larger than caches */
#define STORAGE_PIECE   (1u << 20)
#define MAX_THREADS     1024

/* How much of the CPU other programs use during a measurement, from the kernel's counters (proc(5), /proc/stat). */

struct other_work {
	double busy_s, own_s, total_s; /* CPU time at the start: of all programs, of this process, and with idle time */
};

/* Columns of the line "cpu" from 0 on: user, nice, system, idle, iowait, irq, softirq, steal. */
enum { IDLE = 3, IOWAIT = 4, N_COLUMNS = 8 };

/* A column that is missing counts as 0. */
static void other_work_start(struct other_work *start)
{
	FILE *file = fopen("/proc/stat", "re");
	double ticks = 0, tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);

	*start = (struct other_work){ .own_s = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) };
	for (int i = 0; file != NULL && i < N_COLUMNS && fscanf(file, i == 0 ? "cpu %lf" : "%lf", &ticks) == 1; i++) {
		start->total_s += tick_s * ticks;
		start->busy_s += i == IDLE || i == IOWAIT ? 0 : tick_s * ticks;
	}
	if (file != NULL)
		fclose(file);
}

/* The share of all CPU time since the start that other programs or the hypervisor used; 0 if it cannot be read. */
static double other_work_share(const struct other_work *start)
{
	struct other_work now;
	double total_s, others_s;

	other_work_start(&now);
	total_s = now.total_s - start->total_s;
	others_s = now.busy_s - start->busy_s - (now.own_s - start->own_s);
	return total_s > 0 && others_s > 0 ? others_s / total_s : 0;
}

/* Suites. */

static unsigned count_threads(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	return cpus < 1 ? 1 : cpus > MAX_THREADS ? MAX_THREADS : (unsigned)cpus;
}

/* form: NULL, or the name of the implementation that the class and the plan stand for. */
static int measure_suite(struct host_record *record, const struct engine_class *class, const struct suite *suite,
        const struct gpucrypt_plan *plan, const char *form)
{
	struct cpu_speed *speed = &record->cpu.of[record->cpu.n];
	struct chore chore = { .run = engine_chore };
	struct engine *engine = NULL;
	int status = record->cpu.n < MAX_CPU_SPEEDS ? class->open(&engine, suite, plan, NULL) : GPUCRYPT_OK;

	if (status != GPUCRYPT_OK || engine == NULL)
		return status;
	cpu_speed_name(speed->suite, suite, form);
	chore.engine = engine;
	status = threads_pace(&chore, record->cpu_threads, RUN_S, &speed->pace);
	record->cpu.n++;
	engine->class->close(engine);
	return status;
}

/* Measure what the CPU engine chooses; bitsliced, where the choice is not constant-time; the forms that it uses only if
 * it is told to; and what it would use if the processor lacked the instructions of every form. */
static int measure_ways(struct host_record *record, const struct suite *suite)
{
	const struct cipher *cipher = suite->cipher;
	const struct instruction_form *chosen = instruction_form_choose(cipher);
	const struct gpucrypt_plan plan = { .threads = record->cpu_threads },
	                           bitsliced = { .threads = record->cpu_threads, .constant_time = true },
	                           no_form = { .threads = record->cpu_threads, .kernel.table = TABLE_BITSLICED };
	bool library = cipher->has_instructions && libcrypto_has(suite);
	int status = measure_suite(record, &engine_cpu, suite, &plan, NULL);

	if (status == GPUCRYPT_OK && cpu_code(suite, true) == CODE_BITSLICED)
		status = measure_suite(record, &engine_cpu, suite, &bitsliced, BITSLICED_NAME);
	for (unsigned i = 0; i < cipher->n_instructions && status == GPUCRYPT_OK; i++) {
		const struct instruction_form *form = &cipher->instructions[i];
		struct gpucrypt_plan named = plan;

		named.kernel.table = form->id;
		if (instruction_form_is_available(form) && form != chosen)
			status = measure_suite(record, &engine_cpu, suite, &named, form->name);
	}
	if (status == GPUCRYPT_OK && chosen != NULL)
		status = measure_suite(record, library ? &engine_libcrypto : &engine_host, suite, &no_form,
		        library ? LIBCRYPTO_NAME : BITSLICED_NAME);
	return status;
}

static int measure_suites(struct host_record *record)
{
	struct suite suite;
	int status = GPUCRYPT_OK;

	record->cpu.n = 0;
	for (unsigned i = 0; measured_suite(&suite, i) && status == GPUCRYPT_OK; i++)
		status = measure_ways(record, &suite);
	return status;
}

/* Readers use all slots in turn, and the slots may be larger than the caches. */
static size_t share_of_slots(unsigned threads)
{
	size_t share = SLOTS_BYTES / threads >> 20 << 20, least = (size_t)16 << 20;

	return share > least ? share : least;
}

/* Writing and fsync() are timed one after the other, because enc calls fsync() only at its end. */
static int write_file(struct storage_record *record, int fd, const char *folder, const uint8_t *piece)
{
	double begin = host_seconds();

	for (off_t done = 0; done < STORAGE_BYTES; done += STORAGE_PIECE) {
		ssize_t n = pwrite(fd, piece, STORAGE_PIECE, done);
		if (n != STORAGE_PIECE)
			return fail(GPUCRYPT_IO, "%s: cannot write a file of %u MiB: %s", folder,
			        (unsigned)(STORAGE_BYTES >> 20), n < 0 ? strerror(errno) : "full");
	}
	record->write = STORAGE_BYTES / (host_seconds() - begin);
	begin = host_seconds();
	if (fsync(fd) != 0)
		return fail(GPUCRYPT_IO, "%s: cannot sync: %s", folder, strerror(errno));
	record->sync = STORAGE_BYTES / (host_seconds() - begin);
	return GPUCRYPT_OK;
}

static int measure_file(struct storage_record *record, int fd, const char *folder)
{
	const struct chore chore = { .run = read_chore,
		.buffer_bytes = share_of_slots(record->cpu_threads),
		.fd = fd,
		.file_bytes = STORAGE_BYTES };
	uint8_t *piece = malloc(STORAGE_PIECE);
	int status;

	if (piece == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	memset(piece, 1, STORAGE_PIECE);
	status = write_file(record, fd, folder, piece);
	free(piece);
	for (unsigned i = 0; i < READS && status == GPUCRYPT_OK; i++)
		status = threads_pace(&chore, record->cpu_threads, RUN_S, &record->read);
	return status;
}

int measure_folder(struct storage_record *record, const char *folder)
{
	char path[4096];
	int fd, status;

	*record = (struct storage_record){ .cpu_threads = count_threads() };
	snprintf(path, sizeof(path), "%.4000s/.ppf-XXXXXX", folder);
	fd = mkstemp(path);
	if (fd < 0)
		return fail(GPUCRYPT_IO, "%s: cannot create a file: %s", folder, strerror(errno));
	unlink(path);
	status = measure_file(record, fd, folder);
	close(fd);
	return status;
}

void measure_storage(struct storage_record *record, const char *folder)
{
	if (measure_folder(record, folder) != GPUCRYPT_OK && measure_folder(record, "/tmp") != GPUCRYPT_OK)
		*record = (struct storage_record){ .cpu_threads = record->cpu_threads };
	fail_clear();
}

static int measure_tag_round(struct host_record *record, const struct chore *tag, double *bytes_per_s)
{
	struct pace pace = { 0, 0 };
	int status = threads_pace(tag, record->cpu_threads, RUN_S, &pace);

	record->tag.one_thread = fmax(record->tag.one_thread, pace.one_thread);
	record->tag.all_threads = fmax(record->tag.all_threads, pace.all_threads);
	*bytes_per_s = pace.all_threads;
	return status;
}

/* Of several measurements into the same record the least disturbed one counts, as it gives the fastest speeds. */
static void note_spread(struct host_record *record, double rounds[ROUNDS])
{
	double middle = median(rounds, ROUNDS), spread = rounds[ROUNDS - 1] / middle - 1;

	if (record->host_spread == 0 || spread < record->host_spread)
		record->host_spread = spread;
}

/* Each round measures every quantity, so that other programs, which take the processors for a moment, do not decide a
 * figure.  The copies use memory that was touched before. */
static int measure_speeds(struct host_record *record)
{
	double rounds[ROUNDS];
	uint8_t *memory = malloc(COPY_BYTES);
	const struct chore tag = { .run = tag_chore };
	struct chore copy = { .run = copy_chore, .memory = memory, .memory_bytes = COPY_BYTES };
	int status = GPUCRYPT_OK;

	if (memory == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	memset(memory, 1, COPY_BYTES);
	copy.buffer_bytes = share_of_slots(record->cpu_threads);
	for (unsigned i = 0; i < ROUNDS && status == GPUCRYPT_OK; i++) {
		status = measure_suites(record)
		        ?: measure_tag_round(record, &tag, &rounds[i])
		        ?: threads_pace(&copy, record->cpu_threads, RUN_S, &record->copy);
	}
	free(memory);
	if (status == GPUCRYPT_OK)
		note_spread(record, rounds);
	return status;
}

/* Time an encryption of an empty input, which includes all one-time work of a run: threads, buffers, known-answer
 * tests, header.  The first run may build programs and is discarded. */
static int time_nothing(const struct gpucrypt_plan *plan, bool is_cpu, double *seconds)
{
	struct memory_run run = { 0 };
	double runs[RUNS_OF_NOTHING + 1];
	int status = memory_run_open(&run, 0);

	for (unsigned i = 0; i <= RUNS_OF_NOTHING && status == GPUCRYPT_OK; i++)
		status = memory_run(&run, plan, 0, &runs[i]);
	memory_run_close(&run);
	if (status == GPUCRYPT_OK)
		*seconds = robust_seconds(runs + 1, RUNS_OF_NOTHING, is_cpu);
	return status;
}

static int time_nothing_on_cpu(double *seconds)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = count_threads() };

	return time_nothing(&plan, true, seconds);
}

int measure_engine(struct device_record *record, unsigned number)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_OPENCL, .device = number };
	double seconds, cpu_s;
	int status = time_nothing_on_cpu(&cpu_s) ?: time_nothing(&plan, record->is_cpu, &seconds);

	if (status == GPUCRYPT_OK)
		record->engine_s = seconds > cpu_s ? seconds - cpu_s : 0;
	return status;
}

int measure_host(struct host_record *record)
{
	struct other_work work;
	int status;

	other_work_start(&work);
	host_record_set_code(record);
	record->cpu_threads = count_threads();
	status = measure_speeds(record);
	record->other_work = fmax(record->other_work, other_work_share(&work));
	return status ?: time_nothing_on_cpu(&record->run_s);
}
