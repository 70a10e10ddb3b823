#include "ppf/measure/threads_speed.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ppf/measure/bench.h"
#include "gpucrypt/status.h"
#include "gpucrypt/crypto/tag.h"

#define PIECE_BYTES (256u << 10)
/* Size of the memory that a thread works through, in the way that it works through groups of a container. */
#define BUFFER_BYTES ((size_t)16 << 20)
#define CHUNK_LOG2   17
#define ROUNDS       3
#define CLOCK_STEPS  100000
#define CLOCK_RUNS   5

/* One thread of the measurement. */
struct job {
	const struct chore *chore;
	struct start *start;
	unsigned thread;
	uint64_t n_bytes;
	double seconds;
	int status;
};

/* The threads wait until all of them are ready. */
struct start {
	atomic_uint ready;
	atomic_bool go;
	double run_s;
};

static size_t buffer_of(const struct chore *chore)
{
	return chore->buffer_bytes != 0 ? chore->buffer_bytes : BUFFER_BYTES;
}

int engine_chore(const struct chore *self, unsigned thread, uint64_t done, uint8_t *piece, size_t n_bytes)
{
	static const uint8_t key[64] = { 1 };
	struct work work = { .in = piece, .out = piece, .n_bytes = n_bytes, .key = key, .tweak_step = 1 };

	(void)done;
	work.unit_log2 = self->engine->suite.mode->has_tweaks ? 12 : 0;
	return engine_crypt(self->engine, thread, &work);
}

/* The piece is in the cache, because in a run an engine has just written it or will read it next. */
int tag_chore(const struct chore *self, unsigned thread, uint64_t done, uint8_t *piece, size_t n_bytes)
{
	static const struct group_keys keys = { .r = { 1 } };
	uint8_t tags[PIECE_BYTES >> CHUNK_LOG2][TAG_BYTES];

	(void)thread;
	return tags_compute(tags, &keys, piece - done % buffer_of(self), n_bytes, CHUNK_LOG2);
}

int copy_chore(const struct chore *self, unsigned thread, uint64_t done, uint8_t *piece, size_t n_bytes)
{
	memcpy(piece, self->memory + (thread * buffer_of(self) + done) % self->memory_bytes, n_bytes);
	return GPUCRYPT_OK;
}

int read_chore(const struct chore *self, unsigned thread, uint64_t done, uint8_t *piece, size_t n_bytes)
{
	uint64_t from = (thread * (uint64_t)buffer_of(self) + done) % self->file_bytes;

	return pread(self->fd, piece, n_bytes, (off_t)from) == (ssize_t)n_bytes ? GPUCRYPT_OK : GPUCRYPT_IO;
}

static int do_piece(const struct job *job, uint8_t *buffer)
{
	return job->chore->run(
	        job->chore, job->thread, job->n_bytes, buffer + job->n_bytes % buffer_of(job->chore), PIECE_BYTES);
}

/* Process one piece to warm up, then further pieces until the time is over. */
static void *run_job(void *argument)
{
	struct job *job = argument;
	uint8_t *buffer = malloc(buffer_of(job->chore));
	double begin;

	if (buffer != NULL)
		memset(buffer, 1, buffer_of(job->chore));
	job->status = buffer == NULL ? GPUCRYPT_OTHER : do_piece(job, buffer);
	atomic_fetch_add(&job->start->ready, 1);
	while (!atomic_load(&job->start->go))
		sched_yield();
	begin = host_seconds();
	do {
		if (job->status == GPUCRYPT_OK)
			job->status = do_piece(job, buffer);
		job->n_bytes += PIECE_BYTES;
		job->seconds = host_seconds() - begin;
	} while (job->seconds < job->start->run_s && job->status == GPUCRYPT_OK);
	free(buffer);
	return NULL;
}

/* Start all threads and wait for their end.  Returns the number of threads that were created. */
static unsigned run_jobs(struct job *jobs, pthread_t *ids, unsigned threads, struct start *start)
{
	unsigned started = 0;

	while (started < threads && pthread_create(&ids[started], NULL, run_job, &jobs[started]) == 0)
		started++;
	while (atomic_load(&start->ready) < started)
		sched_yield();
	atomic_store(&start->go, true);
	for (unsigned i = 0; i < started; i++)
		pthread_join(ids[i], NULL);
	return started;
}

/* Measure the bytes per second of all threads in one run. */
static int threads_speed_once(const struct chore *chore, unsigned threads, double run_s, double *bytes_per_s)
{
	struct job *jobs = calloc(threads, sizeof(*jobs));
	pthread_t *ids = calloc(threads, sizeof(*ids));
	struct start start = { .run_s = run_s };
	int status = GPUCRYPT_OTHER;

	*bytes_per_s = 0;
	for (unsigned i = 0; i < threads && jobs != NULL; i++)
		jobs[i] = (struct job){ .chore = chore, .start = &start, .thread = i };
	if (jobs != NULL && ids != NULL && run_jobs(jobs, ids, threads, &start) == threads)
		status = GPUCRYPT_OK;
	for (unsigned i = 0; i < threads && status == GPUCRYPT_OK; i++) {
		status = jobs[i].status;
		*bytes_per_s += (double)jobs[i].n_bytes / jobs[i].seconds;
	}
	free(jobs);
	free(ids);
	return status == GPUCRYPT_OK ? GPUCRYPT_OK
	                             : fail((enum gpucrypt_status)status, "cannot measure the speed of the CPU");
}

/* Measure another run; *bytes_per_s is replaced by a higher speed only. */
static int run_faster(const struct chore *chore, unsigned threads, double run_s, double *bytes_per_s)
{
	double again = 0;
	int status = threads_speed_once(chore, threads, run_s, &again);

	if (again > *bytes_per_s)
		*bytes_per_s = again;
	return status;
}

int threads_speed(const struct chore *chore, unsigned threads, double run_s, double *bytes_per_s)
{
	int status = GPUCRYPT_OK;

	*bytes_per_s = 0;
	for (unsigned i = 0; i < ROUNDS && status == GPUCRYPT_OK; i++)
		status = run_faster(chore, threads, run_s, bytes_per_s);
	return status;
}

int threads_pace(const struct chore *chore, unsigned threads, double run_s, struct pace *pace)
{
	return run_faster(chore, 1, run_s, &pace->one_thread) ?: run_faster(chore, threads, run_s, &pace->all_threads);
}

#define TEN_TIMES(step) step step step step step step step step step step

double core_clock_hz(void)
{
	double seconds[CLOCK_RUNS];
	uint64_t x = 1, y = 2;

	for (unsigned i = 0; i < CLOCK_RUNS; i++) {
		double start = host_seconds();
		for (unsigned turn = 0; turn < CLOCK_STEPS / 10; turn++) {
			TEN_TIMES(x ^= y; __asm__ volatile("" : "+r"(x), "+r"(y));)
		}
		seconds[i] = host_seconds() - start;
	}
	return CLOCK_STEPS / robust_seconds(seconds, CLOCK_RUNS, true);
}
