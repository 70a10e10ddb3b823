#include <stdlib.h>
#include <string.h>

#include "gpucrypt/engine/opencl/takeover.h"
#include "gpucrypt/status.h"

/* A driver's compiler may take half a minute for a bitsliced program. */
#define CALL_S 60

/* A call on the takeover's thread, unless the device was left.  *late: it did not return, and the device was left. */
static int call(struct takeover *takeover, int (*run)(void *argument), void *argument, bool *late)
{
	unsigned wanted = takeover->plan.device_deadline;
	int status;

	*late = false;
	pthread_mutex_lock(&takeover->calls_mutex);
	if (takeover->left) {
		status = fail(GPUCRYPT_DEVICE, FAILED_BEFORE);
	} else {
		status = driver_thread_call(
		        &takeover->calls, run, argument, wanted != 0 ? wanted : CALL_S, takeover->name);
		*late = takeover->calls == NULL && status == GPUCRYPT_DEVICE;
	}
	if (*late)
		takeover_leave(takeover);
	pthread_mutex_unlock(&takeover->calls_mutex);
	return status;
}

/* The same when the work is done: a failure changes nothing for the caller. */
static void call_at_end(struct takeover *takeover, int (*run)(void *argument), void *argument, bool *late)
{
	bool has_text = *gpucrypt_error() != '\0';

	call(takeover, run, argument, late);
	if (!has_text)
		fail_clear();
}

/* Opening and closing. */

/* In place of a lost session, the engine that decrypts first is opened again as well. */
static int open_device(void *argument)
{
	struct takeover *takeover = argument, *first = (struct takeover *)takeover->engine.before;
	struct device_session *session = &takeover->sessions[takeover->n_sessions];
	struct engine *before = NULL;
	bool again = takeover->n_sessions > 0;
	int status = GPUCRYPT_OK;

	if (again && first == NULL)
		device_context_forget(((struct engine_of_opencl *)takeover->engine.bare)->device);
	else if (again)
		status = open_device(first);
	if (status != GPUCRYPT_OK)
		return status;
	if (first != NULL)
		before = first->sessions[takeover->n_sessions].device;
	status = engine_opencl_bare.open(&session->device, &takeover->engine.suite, &takeover->plan, before);
	if (status != GPUCRYPT_OK)
		return status;
	session->device->before = before;
	for (unsigned i = 0; i < OPENCL_LANES; i++)
		session->lanes[i] = (struct lane){ .device = session->device, .number = i };
	return again ? selftest_engine(session->device) : GPUCRYPT_OK;
}

int device_session_open(struct takeover *takeover)
{
	struct takeover *first = (struct takeover *)takeover->engine.before;
	bool late;
	int status = call(takeover, open_device, takeover, &late);

	if (status == GPUCRYPT_OK)
		takeover->n_sessions++;
	if (status == GPUCRYPT_OK && first != NULL)
		first->n_sessions = (unsigned)takeover->n_sessions;
	return status;
}

static int close_device(void *argument)
{
	engine_close(argument);
	return GPUCRYPT_OK;
}

struct device_session *current_session(struct takeover *takeover)
{
	return &takeover->sessions[takeover->n_sessions - 1];
}

void sessions_close(struct takeover *takeover)
{
	bool late;

	for (unsigned n = takeover->n_sessions; n > 0; n--) {
		struct device_session *session = &takeover->sessions[n - 1];

		for (unsigned i = 0; i < OPENCL_LANES; i++) {
			driver_thread_end(session->lanes[i].thread);
			engine_release(&takeover->engine, &session->lanes[i].result);
		}
		if (n == takeover->n_sessions && !takeover->left)
			call_at_end(takeover, close_device, session->device, &late);
	}
	driver_thread_end(takeover->calls);
}

/* Working. */

static enum half first_half(const struct recryption *job)
{
	return job->alone ? HALF_ENCRYPT : HALF_DECRYPT;
}

static struct work *half_of(struct recryption *job, enum half half)
{
	return half == HALF_DECRYPT ? &job->decrypt : &job->encrypt;
}

static int run_lane(void *argument)
{
	struct lane *lane = argument;

	return engine_recrypt(lane->device, lane->number, &lane->work);
}

/* May the device overwrite the input?  Only in the known-answer test: the test's buffer outlives the call, and the CPU
 * never computes the answer instead of the device. */
static bool in_place(const struct takeover *takeover, const struct work *work)
{
	return !takeover->engine.tested && work->slot == NULL;
}

/* Allocate lane->result: as large as the work's slot, or without a slot as large as the work and the tags of both
 * halves of a recryption. */
static int provide_result(struct takeover *takeover, struct lane *lane, const struct work *work)
{
	size_t has = lane->result.n_bytes,
	       needed = work->slot != NULL ? work->slot->n_bytes : work->n_bytes + BLOCK_BYTES + sizeof lane->tags;

	if (in_place(takeover, work) || has == needed || (work->slot == NULL && has > needed))
		return GPUCRYPT_OK;
	engine_release(&takeover->engine, &lane->result);
	return engine_allocate(&takeover->engine, &lane->result, needed);
}

static void fill_lane(const struct takeover *takeover, struct lane *lane, const struct recryption *job)
{
	lane->result.used_bytes = lane->result.n_bytes;
	lane->work = *job;
	if (!in_place(takeover, &job->encrypt))
		lane->work.encrypt.out = lane->result.bytes + work_offset(&job->encrypt);
	for (enum half half = first_half(job); half < N_HALVES; half++) {
		struct work *work = half_of(&lane->work, half);
		const struct suite *suite = &(half == HALF_ENCRYPT ? lane->device : lane->device->before)->suite;

		memcpy(lane->keys[half], work->key, (size_t)suite->mode->n_keys * suite->key_bytes);
		work->key = lane->keys[half];
		if (work->tag_r == NULL)
			continue;
		memcpy(lane->r[half], work->tag_r, TAG_BYTES);
		work->tag_r = lane->r[half];
		work->tags = lane->tags[half];
	}
}

static void take_result(struct lane *lane, struct recryption *job)
{
	struct host_buffer *slot = job->encrypt.slot, result = lane->result;

	if (slot != NULL) {
		memcpy(result.bytes, slot->bytes, work_offset(&job->encrypt));
		lane->result = *slot;
		*slot = result;
	} else if (lane->work.encrypt.out != job->encrypt.out) {
		memcpy(job->encrypt.out, result.bytes, job->encrypt.n_bytes);
	}
	for (enum half half = first_half(job); half < N_HALVES; half++) {
		const struct work *work = half_of(job, half);

		if (work->tag_r != NULL)
			memcpy(work->tags, lane->tags[half],
			        TAG_BYTES * (((work->n_bytes - 1) >> work->chunk_log2) + 1));
	}
	memcpy(job->filler, lane->work.filler, sizeof job->filler);
}

/* The thread of a late call finds zeros. */
static void wipe_lane(struct lane *lane, bool late)
{
	wipe(lane->keys, sizeof lane->keys);
	wipe(lane->r, sizeof lane->r);
	wipe(lane->tags, sizeof lane->tags);
	for (struct engine *engine = late ? lane->device : NULL; engine != NULL; engine = engine->before) {
		struct opencl_lane *of_device = &((struct engine_of_opencl *)engine)->lanes[lane->number];

		wipe(of_device->round_keys, sizeof of_device->round_keys);
	}
}

int device_session_work(
        struct takeover *takeover, struct lane *lane, struct recryption *job, double seconds, bool *late)
{
	int status = provide_result(takeover, lane, &job->encrypt);

	*late = false;
	if (status != GPUCRYPT_OK)
		return status;
	fill_lane(takeover, lane, job);
	status = driver_thread_call(&lane->thread, run_lane, lane, seconds, takeover->name);
	*late = lane->thread == NULL && status == GPUCRYPT_DEVICE;
	if (status == GPUCRYPT_OK)
		take_result(lane, job);
	wipe_lane(lane, *late);
	return status;
}

/* Memory. */

/* Page-locked host memory: buffers that stay mapped by an OpenCL device.  Transfers from and to such buffers need no
 * copy by the driver, and overlap other work.  Memory that the driver allocates (CL_MEM_ALLOC_HOST_PTR) is as fast, but
 * NVIDIA's driver takes five times as long to allocate it, in small pages (docs/performance.md). */
cl_int opencl_lock_memory(cl_mem *memory, cl_context context, cl_command_queue queue, uint8_t *bytes, size_t n_bytes)
{
	cl_int error;

	for (size_t i = 0; i < n_bytes; i += 4096) /* by this thread, not in the driver */
		bytes[i] = 0;
	*memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, n_bytes, bytes, &error);
	if (error == CL_SUCCESS)
		clEnqueueMapBuffer(
		        queue, *memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, n_bytes, 0, NULL, NULL, &error);
	if (error != CL_SUCCESS && *memory != NULL)
		clReleaseMemObject(*memory);
	return error;
}

void opencl_unlock_memory(cl_mem memory, cl_command_queue queue, uint8_t *bytes)
{
	clEnqueueUnmapMemObject(queue, memory, bytes, 0, NULL, NULL);
	clFinish(queue);
	clReleaseMemObject(memory);
}

/* The handle of a page-locked buffer.  With its own queue, because buffers outlive the engine that has locked them:
 * lanes and slots of several engines exchange them. */
struct locking {
	const struct engine_of_opencl *ocl; /* when it is locked */
	cl_command_queue queue;
	cl_mem memory;
	uint8_t *bytes;
	size_t n_bytes;
};

static int lock_memory(void *argument)
{
	struct locking *locking = argument;
	const struct engine_of_opencl *ocl = locking->ocl;
	cl_int error =
	        opencl_lock_memory(&locking->memory, ocl->context, locking->queue, locking->bytes, locking->n_bytes);

	if (error != CL_SUCCESS)
		return device_failure(ocl->device, "cannot page-lock host memory", error);
	clRetainCommandQueue(locking->queue);
	return GPUCRYPT_OK;
}

static int unlock_memory(void *argument)
{
	struct locking *locking = argument;

	opencl_unlock_memory(locking->memory, locking->queue, locking->bytes);
	clReleaseCommandQueue(locking->queue);
	return GPUCRYPT_OK;
}

int device_session_lock(struct engine *engine, struct host_buffer *buffer, size_t n_bytes)
{
	struct takeover *takeover = (struct takeover *)engine;
	const struct engine_of_opencl *ocl = (struct engine_of_opencl *)current_session(takeover)->device;
	struct locking *locking = takeover->left ? NULL : malloc(sizeof *locking);
	bool late;
	int status;

	if (locking == NULL)
		return GPUCRYPT_OK;
	*locking = (struct locking){
		.ocl = ocl, .queue = ocl->lanes[0].queue, .bytes = buffer->bytes, .n_bytes = n_bytes
	};
	status = call(takeover, lock_memory, locking, &late);
	if (status == GPUCRYPT_OK)
		buffer->handle = locking;
	else if (!late)
		free(locking);
	return status;
}

/* A lost context has no buffers any more. */
void device_session_unlock(struct engine *engine, struct host_buffer *buffer)
{
	bool late = devices_failed();

	if (!late)
		call_at_end((struct takeover *)engine, unlock_memory, buffer->handle, &late);
	if (!late)
		free(buffer->handle);
}
