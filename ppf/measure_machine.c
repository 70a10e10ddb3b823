/* This machine: libcrypto by suite, chunk tags, storage. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "gpucrypt/engine.h"
#include "gpucrypt/memory_run.h"
#include "gpucrypt/status.h"
#include "measure.h"
#include "threads_speed.h"

#define RUN_S         0.006
#define ROUNDS        3
#define RUNS_OF_NOTHING 5
#define COPY_BYTES    ((size_t)128 << 20) /* more than caches hold */
#define STORAGE_BYTES (32u << 20)
#define STORAGE_PIECE (1u << 20)
#define MAX_THREADS   1024

static int measure_suite(struct record *record, const struct suite *suite, bool bitsliced)
{
	const struct gpucrypt_plan plan = { .threads = record->cpu_threads,
		.constant_time = bitsliced };
	struct cpu_speed *speed = &record->cpu[record->n_cpu];
	struct engine *engine = NULL;
	int status = engine_cpu.open(&engine, suite, &plan);

	if (status != GPUCRYPT_OK)
		return status;
	cpu_speed_name(speed->suite, suite->cipher->name, 8 * suite->key_bytes, suite->mode->name,
	        bitsliced);
	status = threads_speed(engine, 1, RUN_S, &speed->one_thread);
	if (status == GPUCRYPT_OK)
		status = threads_speed(engine, record->cpu_threads, RUN_S, &speed->all_threads);
	record->n_cpu++;
	engine->class->close(engine);
	return status;
}

/* Every cipher in CTR and XTS, with the shortest and the longest key; and what constant-time work
 * takes where that is the host core's. */
static int measure_suites(struct record *record)
{
	static const char *const mode_names[] = { "ctr", "xts" };
	int status = GPUCRYPT_OK;

	record->n_cpu = 0;
	for (const struct cipher *const *cipher = ciphers; *cipher != NULL; cipher++)
		for (unsigned i = 0; i < 4 && status == GPUCRYPT_OK; i++) {
			const struct suite suite = { *cipher, mode_by_name(mode_names[i / 2]),
				i % 2 ? 32 : 16, ENCRYPT };
			if (record->n_cpu < MAX_CPU_SPEEDS)
				status = measure_suite(record, &suite, false);
			if (status == GPUCRYPT_OK && record->n_cpu < MAX_CPU_SPEEDS &&
			        !cpu_takes_libcrypto(&suite, true))
				status = measure_suite(record, &suite, true);
		}
	return status;
}

/* Write all pieces, or read them. */
static int storage_pass(int fd, uint8_t *piece, bool writes, double *bytes_per_s)
{
	double begin = host_seconds();

	for (off_t done = 0; done < STORAGE_BYTES; done += STORAGE_PIECE) {
		ssize_t n = writes ? pwrite(fd, piece, STORAGE_PIECE, done)
		                   : pread(fd, piece, STORAGE_PIECE, done);
		if (n != STORAGE_PIECE)
			return fail(GPUCRYPT_IO, "the temporary file: cannot %s: %s",
			        writes ? "write" : "read", n < 0 ? strerror(errno) : "full");
	}
	*bytes_per_s = STORAGE_BYTES / (host_seconds() - begin);
	return GPUCRYPT_OK;
}

static int measure_storage(struct record *record, const char *folder)
{
	char path[4096];
	uint8_t *piece = malloc(STORAGE_PIECE);
	int fd, status;

	if (piece == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	memset(piece, 1, STORAGE_PIECE);
	snprintf(path, sizeof(path), "%.4000s/.ppf-XXXXXX", folder);
	fd = mkstemp(path);
	if (fd < 0) {
		free(piece);
		return fail(GPUCRYPT_IO, "%s: cannot create a file: %s", folder, strerror(errno));
	}
	unlink(path);
	status = storage_pass(fd, piece, true, &record->write_bytes_per_s);
	if (status == GPUCRYPT_OK)
		status = storage_pass(fd, piece, false, &record->read_bytes_per_s);
	close(fd);
	free(piece);
	return status;
}

/* One thread copies memory that was used before. */
static int measure_copy(struct record *record)
{
	uint8_t *from = malloc(COPY_BYTES), *to = malloc(COPY_BYTES);
	int status = GPUCRYPT_OK;

	if (from == NULL || to == NULL)
		status = fail(GPUCRYPT_OTHER, "out of memory");
	for (unsigned i = 0; i <= ROUNDS && status == GPUCRYPT_OK; i++) {
		double begin = host_seconds(), speed;
		memset(from, (int)i, i == 0 ? COPY_BYTES : 1);
		memcpy(to, from, COPY_BYTES);
		speed = (double)COPY_BYTES / (host_seconds() - begin);
		if (i > 0 && to[0] == i && speed > record->copy_bytes_per_s)
			record->copy_bytes_per_s = speed;
	}
	free(from);
	free(to);
	return status;
}

/* What every run does once: threads, buffers, known answers, header. */
static int measure_run(struct record *record)
{
	const struct gpucrypt_plan plan = { .engine = "cpu", .threads = record->cpu_threads };
	struct memory_run run = { 0 };
	double runs[RUNS_OF_NOTHING];
	int status = memory_run_open(&run, 0);

	for (unsigned i = 0; i < RUNS_OF_NOTHING && status == GPUCRYPT_OK; i++)
		status = memory_run(&run, &plan, 0, &runs[i]);
	memory_run_close(&run);
	if (status == GPUCRYPT_OK)
		record->run_s = median(runs, RUNS_OF_NOTHING);
	return status;
}

int measure_machine(struct record *record, const char *folder)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int status;

	record->cpu_threads = cpus < 1 ? 1 : cpus > MAX_THREADS ? MAX_THREADS : (unsigned)cpus;
	status = measure_suites(record);
	if (status == GPUCRYPT_OK)
		status = threads_speed(NULL, 1, RUN_S, &record->tag_one_thread);
	if (status == GPUCRYPT_OK)
		status = threads_speed(NULL, record->cpu_threads, RUN_S, &record->tag_all_threads);
	if (status == GPUCRYPT_OK)
		status = measure_copy(record);
	if (status == GPUCRYPT_OK)
		status = measure_run(record);
	if (status != GPUCRYPT_OK)
		return status;
	/* The record is kept: where this folder cannot be written, another one has to do.  Without
	 * any, storage stays unmeasured, and the rest as it is. */
	if (measure_storage(record, folder) != GPUCRYPT_OK &&
	        measure_storage(record, "/tmp") != GPUCRYPT_OK)
		record->read_bytes_per_s = record->write_bytes_per_s = 0;
	fail_clear();
	return GPUCRYPT_OK;
}
