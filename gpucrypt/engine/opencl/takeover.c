/* See takeover.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpucrypt/clock.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/engine/opencl/takeover.h"
#include "gpucrypt/status.h"

/* Threads that call drivers. */

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

static struct driver_thread *start_thread(void)
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
	struct driver_thread *thread = *caller != NULL ? *caller : start_thread();
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

/* Deadlines. */

/* Of a work, at least.  A CPU device shares its processors with other programs. */
#define WORK_S     2
#define WORK_CPU_S 20

/* Known answers, before there is a time of a work: the driver may still compile. */
#define FIRST_S 60

/* A work may take so many times as long as predicted.  A rate so many times as high is not believed. */
#define TIMES_PREDICTION 20

/* Devices that failed in this process. */

static pthread_mutex_t failures_mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(const char *) failures; /* never released; NULL: none */
static atomic_bool failed;

bool devices_failed(void)
{
	return failed;
}

const char *devices_left(void)
{
	return failures;
}

/* Does the CPU do what the device does not? */
static bool takes_over(const struct takeover *takeover)
{
	return takeover->engine.tested && !takeover->plan.strict_device;
}

/* fail() has the reason. */
static void add_failure(const char *then)
{
	char *text;

	pthread_mutex_lock(&failures_mutex);
	if (asprintf(&text, "%s%s%s, so %s", failures != NULL ? failures : "", failures != NULL ? "; " : "",
	            gpucrypt_error(), then) >= 0)
		failures = text;
	pthread_mutex_unlock(&failures_mutex);
}

/* Without takeover, the failure is the caller's.  Both engines of a recryption are on the device. */
void takeover_leave(struct takeover *takeover)
{
	failed = true;
	if (!atomic_exchange(&takeover->left, true) && takes_over(takeover))
		add_failure("the CPU works in its place");
	if (takeover->engine.before != NULL)
		((struct takeover *)takeover->engine.before)->left = true;
}

/* Opening and closing. */

static void takeover_close(struct engine *engine)
{
	struct takeover *takeover = (struct takeover *)engine;

	sessions_close(takeover);
	if (takeover->cpu != NULL)
		engine_close(takeover->cpu->before);
	engine_close(takeover->cpu);
	if (!takeover->left)
		locked_free(takeover, sizeof *takeover);
}

/* As the bare engine. */
static void describe_engine(struct takeover *takeover)
{
	struct engine *bare = takeover->sessions[0].device, *before = takeover->engine.before;
	const struct device *device = ((const struct engine_of_opencl *)bare)->device;

	takeover->engine = *bare;
	takeover->engine.class = &engine_opencl;
	takeover->engine.before = before;
	takeover->engine.bare = bare;
	takeover->engine.results = bare->lanes;
	takeover->engine.most_bytes_per_s = TIMES_PREDICTION * takeover->plan.bytes_per_s;
	takeover->least_s = device->cpu ? WORK_CPU_S : WORK_S;
	snprintf(takeover->name, sizeof takeover->name, "%s", device->name);
}

static int takeover_open(
        struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan, struct engine *before)
{
	struct takeover *takeover = locked_allocate(sizeof *takeover);
	int status;

	if (takeover == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	*takeover = (struct takeover){ .engine = { .class = &engine_opencl, .suite = *suite, .before = before },
		.plan = *plan,
		.name = "OpenCL",
		.calls_mutex = PTHREAD_MUTEX_INITIALIZER,
		.mutex = PTHREAD_MUTEX_INITIALIZER };
	status = failed ? fail(GPUCRYPT_DEVICE, FAILED_BEFORE) : device_session_open(takeover);
	if (status != GPUCRYPT_OK) {
		takeover_close(&takeover->engine);
		return status;
	}
	describe_engine(takeover);
	*engine = &takeover->engine;
	return GPUCRYPT_OK;
}

/* Working. */

/* With the mutex. */
static double deadline_s(const struct takeover *takeover, size_t n_bytes)
{
	double n = (double)n_bytes, most = (double)takeover->most_bytes, rate = takeover->plan.bytes_per_s,
	       predicted_s = rate > 0 ? n * takeover->engine.lanes / rate : 0,
	       known_s = n > most && most > 0 ? takeover->most_s * n / most : takeover->most_s,
	       seconds = TIMES_PREDICTION * (predicted_s > known_s ? predicted_s : known_s);

	if (takeover->plan.device_deadline != 0)
		return takeover->plan.device_deadline;
	if (takeover->most_bytes == 0)
		return FIRST_S;
	return seconds > takeover->least_s ? seconds : takeover->least_s;
}

/* A context may be lost, as when the machine was suspended: it is made again, once.  After another failure, or a call
 * that does not return, in a lost context too, the device is left.  With the mutex. */
static void replace_session(struct takeover *takeover, const struct device_session *session, bool late)
{
	if (takeover->left || (!late && session != current_session(takeover)))
		return;
	if (!late && takeover->n_sessions == 1 && device_session_open(takeover) == GPUCRYPT_OK) {
		failed = true;
		add_failure("its context was made again");
	} else {
		takeover_leave(takeover);
	}
}

/* One try.  *session is the one that failed; NULL: there is none any more. */
static int work_on_device(struct takeover *takeover, unsigned number, struct recryption *job)
{
	size_t n_bytes = job->encrypt.n_bytes;
	struct device_session *session = current_session(takeover);
	double start_s = clock_seconds(CLOCK_MONOTONIC), seconds;
	bool late;
	int status;

	pthread_mutex_lock(&takeover->mutex);
	seconds = deadline_s(takeover, n_bytes);
	pthread_mutex_unlock(&takeover->mutex);
	status = device_session_work(takeover, &session->lanes[number], job, seconds, &late);
	pthread_mutex_lock(&takeover->mutex);
	if (status == GPUCRYPT_OK && n_bytes >= takeover->most_bytes) {
		takeover->most_bytes = n_bytes;
		takeover->most_s = clock_seconds(CLOCK_MONOTONIC) - start_s;
	}
	if (status == GPUCRYPT_DEVICE && takes_over(takeover))
		replace_session(takeover, session, late);
	else if (late)
		takeover_leave(takeover);
	pthread_mutex_unlock(&takeover->mutex);
	return status;
}

/* It must give its known answers too: no recheck compares its results with others.  With the mutex. */
static int open_cpu(struct takeover *takeover)
{
	int status = GPUCRYPT_OK;

	if (takeover->cpu == NULL)
		status = engine_open_cpu_for(&takeover->cpu, &takeover->engine, takeover->plan.constant_time);
	if (status != GPUCRYPT_OK || takeover->cpu == NULL || takeover->cpu->tested)
		return status;
	if (takeover->cpu->before != NULL)
		status = selftest_engine(takeover->cpu->before);
	return status == GPUCRYPT_OK ? selftest_engine(takeover->cpu) : status;
}

static int work_on_cpu(struct takeover *takeover, unsigned number, struct recryption *job)
{
	int status;

	fail_clear();
	pthread_mutex_lock(&takeover->mutex);
	status = open_cpu(takeover);
	pthread_mutex_unlock(&takeover->mutex);
	return status ?: engine_recrypt(takeover->cpu, number, job);
}

static int work_on_any(struct takeover *takeover, unsigned lane, struct recryption *job)
{
	while (!takeover->left) {
		int status = work_on_device(takeover, lane, job);

		if (status != GPUCRYPT_DEVICE || !takes_over(takeover))
			return status;
		fail_clear();
	}
	return takes_over(takeover) ? work_on_cpu(takeover, lane, job)
	                            : fail(GPUCRYPT_DEVICE, "%s: the device has failed", takeover->name);
}

/* Kernels have no ciphertext stealing.  If XTS needs it, the CPU computes what follows the last multiple of UNIT_BYTES,
 * the largest data unit. */
#define UNIT_BYTES ((size_t)1 << 12)

static bool steals(const struct engine *engine, const struct work *work)
{
	return engine->suite.mode->has_tweaks && work->n_bytes % BLOCK_BYTES != 0;
}

static int takeover_recrypt(struct engine *engine, unsigned lane, struct recryption *job)
{
	struct takeover *takeover = (struct takeover *)engine;
	size_t start = (job->plain_bytes - 1) & ~(UNIT_BYTES - 1), offset = work_offset(&job->encrypt);
	struct recryption whole_units, last;
	int status = GPUCRYPT_OK;

	if (!steals(engine, &job->encrypt) && (job->alone || !steals(engine->before, &job->decrypt)))
		return work_on_any(takeover, lane, job);
	whole_units = recryption_piece(job, 0, start);
	last = recryption_piece(job, start, UNIT_BYTES);
	if (start > 0)
		status = work_on_any(takeover, lane, &whole_units);
	last.encrypt.out = work_result(&job->encrypt, offset) + start;
	if (!job->alone)
		last.decrypt.out = last.encrypt.out, last.encrypt.in = last.encrypt.out;
	status = status ?: work_on_cpu(takeover, lane, &last);
	memcpy(job->filler, last.filler, sizeof job->filler);
	return status;
}

const struct engine_class engine_opencl = { .name = "opencl",
	.id = GPUCRYPT_OPENCL,
	.open = takeover_open,
	.close = takeover_close,
	.lock = device_session_lock,
	.unlock = device_session_unlock,
	.recrypt = takeover_recrypt };
