#include "gpucrypt/pipeline/source.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "gpucrypt/clock.h"

/* A token bucket of a tenth of a second: each call takes its time from the clock that all threads share. */
#define BUCKET_SECONDS 0.1

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t limit; /* bytes a second; 0: none */
static double next;    /* when all bytes that were read are within the limit */
static double used_s;  /* total of all bytes that were read */

void rate_limit(uint64_t bytes_per_second)
{
	limit = bytes_per_second;
	next = clock_seconds(CLOCK_MONOTONIC);
}

size_t rate_piece(size_t n_bytes)
{
	uint64_t most = (uint64_t)((double)limit * BUCKET_SECONDS) + 1;

	return limit == 0 || n_bytes <= most ? n_bytes : (size_t)most;
}

/* The time from which n_bytes more are within the limit. */
static double reserve(size_t n_bytes)
{
	double now = clock_seconds(CLOCK_MONOTONIC), start;

	pthread_mutex_lock(&mutex);
	if (next < now - BUCKET_SECONDS)
		next = now - BUCKET_SECONDS;
	next += (double)n_bytes / (double)limit;
	used_s += (double)n_bytes / (double)limit;
	start = next;
	pthread_mutex_unlock(&mutex);
	return start;
}

void rate_wait(size_t n_bytes)
{
	struct timespec until;
	double start;

	if (limit == 0)
		return;
	start = reserve(n_bytes);
	until.tv_sec = (time_t)start;
	until.tv_nsec = (long)((start - (double)until.tv_sec) * 1e9);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		continue;
}

double rate_used_s(void)
{
	double seconds;

	pthread_mutex_lock(&mutex);
	seconds = used_s;
	pthread_mutex_unlock(&mutex);
	return seconds;
}
