#include "gpucrypt/engine/opencl/driver_thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/status.h"

/* After SIGCONT, or when a virtual machine is resumed, all deadlines have passed: so the time is waited for in parts,
 * and of a stop only one part counts. */
#define PARTS 16

/* Not freed if a call is late: its thread uses it then. */
struct driver_thread {
	pthread_t thread;
	pthread_mutex_t mutex; /* protects the members below */
	pthread_cond_t changed;
	int (*run)(void *argument); /* NULL: there is no call */
	void *argument;
	bool ends; /* after the call, if there is one */
	int status;
	char text[1024];
};

/* With the mutex, which is released meanwhile. */
static void run_call(struct driver_thread *thread)
{
	int status;

	pthread_mutex_unlock(&thread->mutex);
	fail_clear();
	status = thread->run(thread->argument);
	pthread_mutex_lock(&thread->mutex);
	thread->status = status;
	snprintf(thread->text, sizeof thread->text, "%s", gpucrypt_error());
	thread->run = NULL;
	pthread_cond_signal(&thread->changed);
}

static void *serve(void *argument)
{
	struct driver_thread *thread = argument;
	void *locked = locked_stack();

	pthread_mutex_lock(&thread->mutex);
	while (thread->run != NULL || !thread->ends) {
		if (thread->run != NULL)
			run_call(thread);
		else
			pthread_cond_wait(&thread->changed, &thread->mutex);
	}
	pthread_mutex_unlock(&thread->mutex);
	locked_stack_release(locked);
	return NULL;
}

static struct driver_thread *start(void)
{
	struct driver_thread *thread = calloc(1, sizeof *thread);
	pthread_condattr_t monotonic;

	if (thread == NULL)
		return NULL;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&thread->changed, &monotonic);
	pthread_mutex_init(&thread->mutex, NULL);
	if (pthread_create(&thread->thread, NULL, serve, thread) == 0)
		return thread;
	free(thread);
	return NULL;
}

/* With the mutex.  Whether a part of the time has passed without a change. */
static bool part_passes(struct driver_thread *thread, double seconds)
{
	struct timespec end;
	int64_t nanoseconds;

	clock_gettime(CLOCK_MONOTONIC, &end);
	nanoseconds = end.tv_nsec + (int64_t)(seconds / PARTS * 1e9);
	end.tv_sec += nanoseconds / 1000000000;
	end.tv_nsec = nanoseconds % 1000000000;
	return pthread_cond_timedwait(&thread->changed, &thread->mutex, &end) == ETIMEDOUT;
}

int driver_thread_call(
        struct driver_thread **caller, int (*run)(void *argument), void *argument, double seconds, const char *name)
{
	struct driver_thread *thread = *caller != NULL ? *caller : start();
	int status;

	if (thread == NULL)
		return fail(GPUCRYPT_DEVICE, "%s: a thread cannot be started", name);
	pthread_mutex_lock(&thread->mutex);
	thread->run = run;
	thread->argument = argument;
	pthread_cond_signal(&thread->changed);
	for (int i = 0; i < PARTS && thread->run != NULL;)
		i += part_passes(thread, seconds);
	thread->ends = thread->run != NULL;
	*caller = thread->ends ? NULL : thread;
	if (thread->ends)
		pthread_detach(thread->thread);
	status = thread->ends     ? fail(GPUCRYPT_DEVICE, "%s: no answer within %.3g s", name, seconds)
	         : thread->status ? fail((enum gpucrypt_status)thread->status, "%s", thread->text)
	                          : GPUCRYPT_OK;
	pthread_mutex_unlock(&thread->mutex);
	return status;
}

void driver_thread_end(struct driver_thread *thread)
{
	if (thread == NULL)
		return;
	pthread_mutex_lock(&thread->mutex);
	thread->ends = true;
	pthread_cond_signal(&thread->changed);
	pthread_mutex_unlock(&thread->mutex);
	pthread_join(thread->thread, NULL);
	free(thread);
}
