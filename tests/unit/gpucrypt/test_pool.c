/* Threads that share the parts of a task: every part runs once in any thread, and all parts have ended when the call
 * returns. */
#include "tests/unit/cmocka_all.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "gpucrypt/pipeline/pipeline.h"

#define MAX_PARTS 40
#define CALLERS   4
#define TASKS     200

struct job {
	struct pool *pool;
	unsigned done[MAX_PARTS]; /* plain memory: a part is its thread's until pool_run() is over */
	atomic_uint waiting;
	unsigned wanted; /* parts that wait until a number of parts has started */
	atomic_bool wrong;
};

static void count(void *task, unsigned part)
{
	struct job *job = task;

	job->done[part]++;
	if (part % 7 == 0)
		sched_yield();
}

static void check_parts(struct job *job, unsigned n)
{
	for (unsigned i = 0; i < MAX_PARTS; i++)
		if (job->done[i] != (i < n))
			job->wrong = true; /* cmocka's assertions only work in its own thread */
}

static void *bring_tasks(void *argument)
{
	struct job *job = argument;

	for (unsigned i = 0; i < TASKS; i++) {
		unsigned n = i % (MAX_PARTS + 1);

		memset(job->done, 0, sizeof job->done);
		pool_run(job->pool, count, job, n);
		check_parts(job, n);
	}
	return NULL;
}

TEST(every_part_once)
{
	for (unsigned threads = 0; threads <= 3; threads++) {
		struct job jobs[CALLERS] = { 0 };
		pthread_t callers[CALLERS];
		struct pool *pool = pool_open(threads);

		assert_non_null(pool);
		for (unsigned i = 0; i < CALLERS; i++) {
			jobs[i].pool = pool;
			assert_int_equal(pthread_create(&callers[i], NULL, bring_tasks, &jobs[i]), 0);
		}
		for (unsigned i = 0; i < CALLERS; i++) {
			pthread_join(callers[i], NULL);
			assert_false(jobs[i].wrong);
		}
		pool_close(pool);
	}
}

/* Returns when all parts have arrived. */
static void meet(void *task, unsigned part)
{
	struct job *job = task;

	(void)part;
	job->waiting++;
	while (job->waiting < job->wanted)
		sched_yield();
}

/* Three parts that wait for each other need three threads: two of the pool and the caller's. */
TEST(parts_run_beside_each_other)
{
	struct job job = { .wanted = 3 };
	struct pool *pool = pool_open(2);

	pool_run(pool, meet, &job, 3);
	assert_int_equal(job.waiting, 3);
	pool_close(pool);
}

TEST(none)
{
	pool_close(NULL);
	pool_close(pool_open(0));
}
