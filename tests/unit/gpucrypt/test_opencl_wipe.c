/* Device buffers that held keys, plaintext or tags are overwritten before their release: each buffer is read back just
 * before. */
#include "tests/unit/containers.h"

#include <pthread.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/device/device.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/crypto/keys.h"

#define MAX_BUFFERS 256

/* Every buffer that was made, but for tables, which are no secret. */
static struct tracked {
	cl_mem memory; /* NULL: released */
	cl_context context;
	size_t n_bytes;
	const uint8_t *mapped;
	bool held;        /* something not zero, right before it was overwritten */
	bool overwritten; /* when released: all is zero */
} buffers[MAX_BUFFERS];
static unsigned n_buffers;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct tracked *tracked_of(cl_mem memory)
{
	for (unsigned i = 0; i < n_buffers; i++)
		if (memory != NULL && buffers[i].memory == memory)
			return &buffers[i];
	return NULL;
}

static bool zero_on_device(const struct tracked *tracked)
{
	uint8_t *bytes = malloc(tracked->n_bytes);
	cl_device_id device;
	cl_command_queue queue;
	cl_int error;
	bool zero;

	assert_non_null(bytes);
	assert_int_equal(
	        clGetContextInfo(tracked->context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL), CL_SUCCESS);
	queue = clCreateCommandQueue(tracked->context, device, 0, &error);
	assert_int_equal(error, CL_SUCCESS);
	assert_int_equal(
	        clEnqueueReadBuffer(queue, tracked->memory, CL_TRUE, 0, tracked->n_bytes, bytes, 0, NULL, NULL),
	        CL_SUCCESS);
	clReleaseCommandQueue(queue);
	zero = all_zero(bytes, tracked->n_bytes);
	free(bytes);
	return zero;
}

/* Around the driver's functions, by the linker. */
WRAPPED(clCreateBuffer);
WRAPPED(clReleaseMemObject);
WRAPPED(clEnqueueFillBuffer);
WRAPPED(clEnqueueMapBuffer);
WRAPPED(clEnqueueUnmapMemObject);
WRAPPED(wipe);

cl_mem __wrap_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t n_bytes, void *from, cl_int *error)
{
	cl_mem memory = __real_clCreateBuffer(context, flags, n_bytes, from, error);

	if (memory == NULL || (flags & CL_MEM_COPY_HOST_PTR) != 0)
		return memory;
	pthread_mutex_lock(&mutex);
	assert_true(n_buffers < MAX_BUFFERS);
	buffers[n_buffers++] = (struct tracked){ .memory = memory, .context = context, .n_bytes = n_bytes };
	pthread_mutex_unlock(&mutex);
	return memory;
}

cl_int __wrap_clReleaseMemObject(cl_mem memory)
{
	struct tracked *tracked;

	pthread_mutex_lock(&mutex);
	tracked = tracked_of(memory);
	if (tracked != NULL) {
		tracked->overwritten = zero_on_device(tracked);
		tracked->memory = NULL;
	}
	pthread_mutex_unlock(&mutex);
	return __real_clReleaseMemObject(memory);
}

cl_int __wrap_clEnqueueFillBuffer(cl_command_queue queue, cl_mem memory, const void *pattern, size_t pattern_bytes,
        size_t offset, size_t n_bytes, cl_uint n, const cl_event *wait, cl_event *event)
{
	struct tracked *tracked;

	pthread_mutex_lock(&mutex);
	tracked = tracked_of(memory);
	if (tracked != NULL)
		tracked->held |= !zero_on_device(tracked);
	pthread_mutex_unlock(&mutex);
	return __real_clEnqueueFillBuffer(queue, memory, pattern, pattern_bytes, offset, n_bytes, n, wait, event);
}

void *__wrap_clEnqueueMapBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, cl_map_flags flags,
        size_t offset, size_t n_bytes, cl_uint n, const cl_event *wait, cl_event *event, cl_int *error)
{
	void *mapped =
	        __real_clEnqueueMapBuffer(queue, memory, blocking, flags, offset, n_bytes, n, wait, event, error);
	struct tracked *tracked;

	pthread_mutex_lock(&mutex);
	tracked = tracked_of(memory);
	if (tracked != NULL && mapped != NULL) {
		memset(mapped, 0, n_bytes); /* what the heap's earlier users left is not looked for */
		tracked->mapped = mapped;
	}
	pthread_mutex_unlock(&mutex);
	return mapped;
}

cl_int __wrap_clEnqueueUnmapMemObject(
        cl_command_queue queue, cl_mem memory, void *mapped, cl_uint n, const cl_event *wait, cl_event *event)
{
	cl_int error = __real_clEnqueueUnmapMemObject(queue, memory, mapped, n, wait, event);

	clFinish(queue);
	return error;
}

void __wrap_wipe(void *bytes, size_t n_bytes)
{
	pthread_mutex_lock(&mutex);
	for (unsigned i = 0; i < n_buffers && bytes != NULL; i++)
		if (buffers[i].memory != NULL && buffers[i].mapped == bytes)
			buffers[i].held |= !all_zero(bytes, n_bytes);
	pthread_mutex_unlock(&mutex);
	__real_wipe(bytes, n_bytes);
}

/* Of buffers of such a size that held something: how many; all are overwritten. */
static unsigned n_held(size_t least, size_t most)
{
	unsigned n = 0;

	for (unsigned i = 0; i < n_buffers; i++)
		n += buffers[i].held && buffers[i].n_bytes >= least && buffers[i].n_bytes <= most;
	return n;
}

static void assert_all_overwritten(void)
{
	for (unsigned i = 0; i < n_buffers; i++) {
		assert_null(buffers[i].memory); /* released */
		if (!buffers[i].overwritten)
			print_error("a buffer of %zu bytes is not zero\n", buffers[i].n_bytes);
		assert_true(buffers[i].overwritten);
	}
}

/* Round trip on the first device; false: there is none. */
static bool round_trip(const struct gpucrypt_plan *plan, size_t n_bytes)
{
	struct buffer plain = bytes_of(plaintext_make(n_bytes), n_bytes), container, back;
	int status;

	n_buffers = 0;
	status = run_command(ENC, plan, &plain, &container);
	if (status == GPUCRYPT_OK) {
		assert_ok(run_command(DEC, plan, &container, &back));
		assert_bytes(&back, plain.bytes, n_bytes);
	}
	return status == GPUCRYPT_OK;
}

#define GROUP      ((size_t)1 << 15)
#define KEYS_BYTES sizeof(((struct round_keys *)0)->word)

static struct gpucrypt_plan plan_with(
        enum gpucrypt_cipher cipher, enum gpucrypt_mode mode, enum tag_place tags, enum memory_space key_space)
{
	return (struct gpucrypt_plan){ .cipher = cipher,
		.mode = mode,
		.engine = GPUCRYPT_OPENCL,
		.tags = tags,
		.kernel.key_space = key_space,
		.chunk_log2 = 12,
		.group_log2 = 15 };
}

/* Payloads with tags behind them, on the device and in mapped memory, and keys. */
TEST(counter_mode)
{
	const struct gpucrypt_plan plan = plan_with(GPUCRYPT_AES, GPUCRYPT_CTR, TAGS_ON_DEVICE, MEMORY_LOCAL);
	const size_t with_tags = GROUP + (GROUP >> plan.chunk_log2) * TAG_BYTES;

	if (!round_trip(&plan, 5 * GROUP + 77))
		skip();
	assert_all_overwritten();
	assert_true(n_held(KEYS_BYTES, KEYS_BYTES) >= 2);
	assert_true(n_held(with_tags, with_tags) >= 2); /* on the device, both ways */
	assert_true(n_held(GROUP, SIZE_MAX) >= 4);
}

/* The tweaks and their key too.  The keys of the first pass, and tags, are on the host. */
TEST(tweaked_mode)
{
	const struct gpucrypt_plan plan = plan_with(GPUCRYPT_CAMELLIA, GPUCRYPT_XTS, TAGS_ON_HOST, MEMORY_CONSTANT);

	if (!round_trip(&plan, 3 * GROUP + 5))
		skip();
	assert_all_overwritten();
	assert_true(n_held(KEYS_BYTES, KEYS_BYTES) >= 4);
	assert_true(n_held(16, KEYS_BYTES - 1) + n_held(KEYS_BYTES + 1, GROUP - 1) >= 2); /* tweaks */
	assert_true(n_held(GROUP, SIZE_MAX) >= 4);
}

/* Two engines on one device: the second one's buffers hold both ciphertexts and the plaintext between. */
TEST(rekeyed)
{
	struct gpucrypt_plan plan = plan_with(GPUCRYPT_AES, GPUCRYPT_XTS, TAGS_ON_DEVICE, MEMORY_LOCAL), from = plan;
	const size_t with_tags = GROUP + 2 * (GROUP >> plan.chunk_log2) * TAG_BYTES;
	struct buffer in, out;

	from.cipher = GPUCRYPT_CAMELLIA;
	from.engine = GPUCRYPT_CPU;
	in = encrypt_bytes(&from, plaintext_make(5 * GROUP), 5 * GROUP);
	n_buffers = 0;
	if (run_command(REKEY, &plan, &in, &out) != GPUCRYPT_OK)
		skip();
	assert_all_overwritten();
	assert_true(n_held(KEYS_BYTES, KEYS_BYTES) >= 4);
	assert_true(n_held(with_tags, with_tags) >= 1); /* the tags of both */
	assert_true(n_held(GROUP, SIZE_MAX) >= 4);
}

/* A buffer that is too small is overwritten before a larger one takes its place. */
TEST(growing)
{
	const struct gpucrypt_plan plan = { .cipher = GPUCRYPT_AES, .mode = GPUCRYPT_CTR, .engine = GPUCRYPT_OPENCL };
	struct gpucrypt_plan named = plan;
	struct engine *engine;
	struct suite suite;
	uint8_t *bytes = plaintext_make(GROUP);
	struct work work = { .in = bytes, .out = bytes, .key = a_key };

	n_buffers = 0;
	named.device = 1;
	assert_ok(suite_of_plan(&suite, &plan, ENCRYPT));
	if (engine_open(&engine, &suite, &named) != GPUCRYPT_OK) {
		skip();
	}
	for (work.n_bytes = GROUP / 4; work.n_bytes <= GROUP; work.n_bytes *= 2)
		assert_ok(engine_crypt(engine, 0, &work));
	engine_close(engine);
	assert_all_overwritten();
	assert_true(n_held(GROUP / 4, GROUP) >= 3);
}
