/* A device that fails, or does not answer, at some group: the CPU does the rest, and the bytes are right.  Each case is
 * a process of its own, because a process that has lost a device opens none again. */
#include "tests/unit/containers.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "gpucrypt/device/device.h"
#include "gpucrypt/engine/opencl/takeover.h"
#include "gpucrypt/engine/engine.h"

#define GROUP      ((size_t)1 << 15)
#define N_BYTES    (9 * GROUP + 77)
#define NO_DEVICE  100 /* a child's status */
#define AS_DEFINED 101

#define IN_ITS_PLACE "the CPU works in its place"

static struct fault {
	enum command command;
	enum { NOTHING, FAILS_ONCE, FAILS, HANGS, STOPS, FLIPS, FAILS_BESIDE } how;
	int from; /* groups, counted from 1 */
	bool strict, fast;
	int status;
	const char *says; /* devices_left(), or the failure */
} fault;

static atomic_bool at_work; /* after the known answers of all engines */
static atomic_int n_tested, n_groups, n_cpu_tested;

WRAPPED(selftest_engine);
WRAPPED(clWaitForEvents);
WRAPPED(clEnqueueReadBuffer);
WRAPPED(clCreateContext);

int __wrap_selftest_engine(struct engine *engine)
{
	int status = __real_selftest_engine(engine);

	n_cpu_tested += at_work && engine->devices == 0;
	if (engine->devices > 0 && ++n_tested == (fault.command == REKEY ? 2 : 1))
		at_work = true;
	return status;
}

cl_int __wrap_clWaitForEvents(cl_uint n, const cl_event *events)
{
	int group = at_work ? ++n_groups : 0;

	while (fault.how == HANGS && group >= fault.from)
		pause();
	/* One lane hangs in the context that another one has lost. */
	while (fault.how == FAILS_BESIDE && group == fault.from)
		pause();
	if (fault.how == FAILS_BESIDE && group == fault.from + 1)
		return CL_OUT_OF_RESOURCES;
	if (fault.how == STOPS && group == fault.from)
		raise(SIGSTOP);
	if ((fault.how == FAILS && group >= fault.from) || (fault.how == FAILS_ONCE && group == fault.from))
		return CL_OUT_OF_RESOURCES;
	return __real_clWaitForEvents(n, events);
}

cl_int __wrap_clEnqueueReadBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset,
        size_t n_bytes, void *to, cl_uint n, const cl_event *wait, cl_event *event)
{
	bool flips = fault.how == FLIPS && n_groups >= fault.from;
	cl_int error = __real_clEnqueueReadBuffer(
	        queue, memory, flips ? CL_TRUE : blocking, offset, n_bytes, to, n, wait, event);

	if (flips)
		((uint8_t *)to)[n_bytes / 2] ^= 1;
	return error;
}

static char deaf, sound; /* the ids of devices */
static atomic_bool creates;

cl_context __wrap_clCreateContext(const cl_context_properties *properties, cl_uint n, const cl_device_id *ids,
        void (*notify)(const char *, const void *, size_t, void *), void *user, cl_int *error)
{
	while (*ids == (cl_device_id)&deaf) {
		creates = true;
		pause();
	}
	return *ids == (cl_device_id)&sound ? (cl_context)&sound
	                                    : __real_clCreateContext(properties, n, ids, notify, user, error);
}

/* In the child. */
static int run_case(void)
{
	/* Where a chunk is checked because of the rate, it is the group. */
	const struct gpucrypt_plan on_cpu = { .engine = GPUCRYPT_CPU, .chunk_log2 = 12, .group_log2 = 15 },
	                           plan = { .engine = GPUCRYPT_OPENCL,
		                           .cipher = GPUCRYPT_AES,
		                           .chunk_log2 = fault.fast ? 15 : 12,
		                           .group_log2 = 15,
		                           .recheck = fault.fast ? 1u << 30 : GPUCRYPT_NO_RECHECK,
		                           .device_deadline = 2,
		                           .strict_device = fault.strict,
		                           .bytes_per_s = fault.fast ? 1 : 0 };
	struct buffer plain = { .bytes = plaintext_make(N_BYTES), .n_bytes = N_BYTES }, in = buffer_make(),
	              out = buffer_make(), back = buffer_make();
	int status;

	if (run_command(ENC, &on_cpu, &plain, &in) != GPUCRYPT_OK)
		return AS_DEFINED + 1;
	status = run_command(fault.command, &plan, fault.command == ENC ? &plain : &in, &out);
	if (!at_work)
		return NO_DEVICE;
	if (strstr(fault.says, IN_ITS_PLACE) != NULL && n_cpu_tested != (fault.command == REKEY ? 2 : 1))
		return AS_DEFINED + 5;
	if (status != fault.status || (*fault.says == '\0' && devices_left() != NULL) ||
	        strstr(status == GPUCRYPT_OK ? (devices_left() ? devices_left() : "") : gpucrypt_error(), fault.says) ==
	                NULL) {
		print_error("%d: %s; %s\n", status, gpucrypt_error(), devices_left() ? devices_left() : "none left");
		return AS_DEFINED + 2;
	}
	if (status != GPUCRYPT_OK)
		return AS_DEFINED;
	if (fault.command != DEC && run_command(DEC, &on_cpu, &out, &back) != GPUCRYPT_OK)
		return AS_DEFINED + 3;
	if (fault.command == DEC)
		back = out;
	return back.n_bytes == N_BYTES && memcmp(back.bytes, plain.bytes, N_BYTES) == 0 ? AS_DEFINED : AS_DEFINED + 4;
}

static void check(struct fault wanted)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	fault = wanted;
	if (child == 0)
		_exit(run_case());
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	if (WIFSTOPPED(status)) {
		usleep(2500000); /* longer than the deadline */
		assert_int_equal(kill(child, SIGCONT), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
	}
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_DEVICE)
		skip();
	assert_int_equal(WEXITSTATUS(status), AS_DEFINED);
}

TEST(a_context_is_lost)
{
	check((struct fault){ ENC, FAILS_ONCE, 3, .says = "its context was made again" });
	check((struct fault){ REKEY, FAILS_ONCE, 3, .says = "its context was made again" });
}

TEST(a_device_fails)
{
	check((struct fault){ ENC, FAILS, 1, .says = IN_ITS_PLACE });
	check((struct fault){ DEC, FAILS, 4, .says = IN_ITS_PLACE });
	check((struct fault){ REKEY, FAILS, 2, .says = IN_ITS_PLACE });
}

TEST(a_device_does_not_answer)
{
	check((struct fault){ ENC, HANGS, 2, .says = "no answer within 2 s, so " IN_ITS_PLACE });
	check((struct fault){ DEC, HANGS, 5, .says = "no answer within 2 s, so " IN_ITS_PLACE });
	check((struct fault){ REKEY, HANGS, 3, .says = "no answer within 2 s, so " IN_ITS_PLACE });
}

TEST(a_lane_hangs_in_a_lost_context)
{
	check((struct fault){ ENC, FAILS_BESIDE, 2, .says = "no answer within 2 s, so " IN_ITS_PLACE });
	check((struct fault){ REKEY, FAILS_BESIDE, 2, .says = "no answer within 2 s, so " IN_ITS_PLACE });
}

/* By SIGSTOP, or with a debugger: the process, not the device. */
TEST(a_process_is_stopped)
{
	check((struct fault){ ENC, STOPS, 3, .says = "" });
}

TEST(strictly)
{
	check((struct fault){
	        ENC, FAILS_ONCE, 3, .strict = true, .status = GPUCRYPT_DEVICE, .says = "the device failed" });
	check((struct fault){
	        DEC, HANGS, 3, .strict = true, .status = GPUCRYPT_DEVICE, .says = "no answer within 2 s" });
}

/* Predicted to take a second a byte. */
TEST(too_fast)
{
	check((struct fault){ ENC, NOTHING, 0, .fast = true, .says = "" });
	check((struct fault){ REKEY, NOTHING, 0, .fast = true, .says = "" });
	check((struct fault){
	        ENC, FLIPS, 2, .fast = true, .status = GPUCRYPT_DEVICE, .says = "the CPU computes another byte" });
}

static bool no_threads;
WRAPPED(pthread_create);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*begin)(void *), void *argument)
{
	return no_threads ? EAGAIN : __real_pthread_create(thread, attributes, begin, argument);
}

/* The CPU can still do the work. */
TEST(a_thread_cannot_be_started)
{
	struct driver_thread *thread = NULL;

	no_threads = true;
	assert_status(driver_thread_call(&thread, NULL, NULL, 1, "GPU"), GPUCRYPT_DEVICE);
	no_threads = false;
	assert_null(thread);
	assert_string_equal(gpucrypt_error(), "GPU: a thread cannot be started");
}

static void *open_deaf(void *unused)
{
	const struct device device = { .id = (cl_device_id)&deaf };
	cl_context context;

	(void)unused;
	device_context(&context, &device);
	return NULL;
}

/* In the other thread: a driver may hang while it creates a context. */
TEST(a_device_does_not_wait_for_another_one)
{
	const struct device device = { .id = (cl_device_id)&sound };
	pid_t child = fork();
	cl_context context;
	pthread_t thread;
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		alarm(10);
		if (pthread_create(&thread, NULL, open_deaf, NULL) != 0)
			_exit(1);
		while (!creates)
			usleep(1000);
		_exit(device_context(&context, &device) != CL_SUCCESS || context != (cl_context)&sound);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
