#include "threads_speed.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "gpucrypt/status.h"
#include "gpucrypt/tag.h"

#define PIECE_BYTES  (256u << 10)
/* What a thread goes through, as through groups of a container. */
#define BUFFER_BYTES (16u << 20)
#define CHUNK_LOG2   17
#define ROUNDS       3

/* What one thread does again and again: a piece through an engine, or its tags. */
struct job {
	struct engine *engine; /* NULL: tags */
	struct start *start;
	unsigned lane;
	uint64_t n_bytes;
	double seconds;
	int status;
};

/* Threads that are ready wait until all may go. */
struct start {
	atomic_uint ready;
	atomic_bool go;
	double run_s;
};

static int do_piece(const struct job *job, uint8_t *piece)
{
	static const struct group_keys keys = { .r = { 1 } };
	static const uint8_t key[64] = { 1 };
	uint8_t tags[PIECE_BYTES >> CHUNK_LOG2][TAG_BYTES];
	struct work work = {
		.in = piece, .out = piece, .n_bytes = PIECE_BYTES, .key = key, .tweak_step = 1
	};

	if (job->engine == NULL)
		return tags_compute(tags, &keys, piece, PIECE_BYTES, CHUNK_LOG2);
	work.unit_log2 = job->engine->suite.mode->has_tweaks ? 12 : 0;
	return engine_crypt(job->engine, job->lane, &work);
}

/* One piece to warm up, then on until the time is over. */
static void *run_job(void *argument)
{
	struct job *job = argument;
	uint8_t *buffer = malloc(BUFFER_BYTES);
	double begin;

	if (buffer != NULL)
		memset(buffer, 1, BUFFER_BYTES);
	job->status = buffer == NULL ? GPUCRYPT_OTHER : do_piece(job, buffer);
	atomic_fetch_add(&job->start->ready, 1);
	while (!atomic_load(&job->start->go))
		sched_yield();
	begin = host_seconds();
	do {
		if (job->status == GPUCRYPT_OK)
			job->status = do_piece(job, buffer + job->n_bytes % BUFFER_BYTES);
		job->n_bytes += PIECE_BYTES;
		job->seconds = host_seconds() - begin;
	} while (job->seconds < job->start->run_s && job->status == GPUCRYPT_OK);
	free(buffer);
	return NULL;
}

/* Start all, let them go, add up; returns how many there were. */
static unsigned run_jobs(struct job *jobs, pthread_t *ids, unsigned threads, struct start *start)
{
	unsigned started = 0;

	while (started < threads &&
	        pthread_create(&ids[started], NULL, run_job, &jobs[started]) == 0)
		started++;
	while (atomic_load(&start->ready) < started)
		sched_yield();
	atomic_store(&start->go, true);
	for (unsigned i = 0; i < started; i++)
		pthread_join(ids[i], NULL);
	return started;
}

/* Bytes a second of so many threads together, once. */
static int threads_speed_once(
        struct engine *engine, unsigned threads, double run_s, double *bytes_per_s)
{
	struct job *jobs = calloc(threads, sizeof(*jobs));
	pthread_t *ids = calloc(threads, sizeof(*ids));
	struct start start = { .run_s = run_s };
	int status = GPUCRYPT_OTHER;

	*bytes_per_s = 0;
	for (unsigned i = 0; i < threads && jobs != NULL; i++)
		jobs[i] = (struct job){ .engine = engine, .start = &start, .lane = i };
	if (jobs != NULL && ids != NULL && run_jobs(jobs, ids, threads, &start) == threads)
		status = GPUCRYPT_OK;
	for (unsigned i = 0; i < threads && status == GPUCRYPT_OK; i++) {
		status = jobs[i].status;
		*bytes_per_s += (double)jobs[i].n_bytes / jobs[i].seconds;
	}
	free(jobs);
	free(ids);
	return status == GPUCRYPT_OK
	               ? GPUCRYPT_OK
	               : fail((enum gpucrypt_status)status, "the CPU's speed cannot be measured");
}

int threads_speed(struct engine *engine, unsigned threads, double run_s, double *bytes_per_s)
{
	int status = GPUCRYPT_OK;

	*bytes_per_s = 0;
	for (unsigned i = 0; i < ROUNDS && status == GPUCRYPT_OK; i++) {
		double again = 0;
		status = threads_speed_once(engine, threads, run_s, &again);
		if (again > *bytes_per_s)
			*bytes_per_s = again;
	}
	return status;
}
