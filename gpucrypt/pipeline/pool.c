#include "gpucrypt/pipeline/pipeline.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct task {
	pool_part *run;
	void *job;
	unsigned next_part, n_parts, pending;
	pthread_cond_t done;
	struct task *next;
};

struct pool {
	pthread_mutex_t mutex; /* of everything below that changes, and of tasks */
	pthread_cond_t not_empty;
	struct task *first, **end; /* tasks with parts that have not been started */
	bool closing;
	unsigned n_threads;
	pthread_t threads[];
};

static void enqueue(struct pool *pool, struct task *task)
{
	task->next = NULL;
	*pool->end = task;
	pool->end = &task->next;
	pthread_cond_broadcast(&pool->not_empty);
}

static void dequeue(struct pool *pool, const struct task *task)
{
	struct task **at = &pool->first;

	while (*at != task)
		at = &(*at)->next;
	*at = task->next;
	if (*at == NULL)
		pool->end = at;
}

/* Run one part; the mutex is released for that time. */
static void run_part(struct pool *pool, struct task *task)
{
	unsigned part = task->next_part++;

	if (task->next_part == task->n_parts)
		dequeue(pool, task);
	pthread_mutex_unlock(&pool->mutex);
	task->run(task->job, part);
	pthread_mutex_lock(&pool->mutex);
	if (--task->pending == 0)
		pthread_cond_signal(&task->done);
}

static void *run_helper(void *argument)
{
	struct pool *pool = argument;

	pthread_mutex_lock(&pool->mutex);
	for (;;) {
		while (pool->first == NULL && !pool->closing)
			pthread_cond_wait(&pool->not_empty, &pool->mutex);
		if (pool->first == NULL)
			break;
		run_part(pool, pool->first);
	}
	pthread_mutex_unlock(&pool->mutex);
	return NULL;
}

void pool_run(struct pool *pool, pool_part *run, void *job, unsigned n_parts)
{
	struct task task = {
		.run = run, .job = job, .n_parts = n_parts, .pending = n_parts, .done = PTHREAD_COND_INITIALIZER
	};

	for (unsigned part = 0; pool == NULL && part < n_parts; part++)
		run(job, part);
	if (pool == NULL || n_parts == 0)
		return;
	pthread_mutex_lock(&pool->mutex);
	enqueue(pool, &task);
	while (task.next_part < task.n_parts)
		run_part(pool, &task);
	while (task.pending > 0)
		pthread_cond_wait(&task.done, &pool->mutex);
	pthread_mutex_unlock(&pool->mutex);
	pthread_cond_destroy(&task.done);
}

struct pool *pool_open(unsigned n_threads)
{
	struct pool *pool = calloc(1, sizeof *pool + n_threads * sizeof *pool->threads);

	if (pool == NULL)
		return NULL;
	pthread_mutex_init(&pool->mutex, NULL);
	pthread_cond_init(&pool->not_empty, NULL);
	pool->end = &pool->first;
	while (pool->n_threads < n_threads &&
	        pthread_create(&pool->threads[pool->n_threads], NULL, run_helper, pool) == 0)
		pool->n_threads++;
	return pool;
}

void pool_close(struct pool *pool)
{
	if (pool == NULL)
		return;
	pthread_mutex_lock(&pool->mutex);
	pool->closing = true;
	pthread_cond_broadcast(&pool->not_empty);
	pthread_mutex_unlock(&pool->mutex);
	for (unsigned i = 0; i < pool->n_threads; i++)
		pthread_join(pool->threads[i], NULL);
	pthread_cond_destroy(&pool->not_empty);
	pthread_mutex_destroy(&pool->mutex);
	free(pool);
}
