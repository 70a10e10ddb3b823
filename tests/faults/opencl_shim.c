/*
 * Loaded before OpenCL's loader: a driver that fails at the n-th time, or lies.
 *
 *   CLFAULT=FUNCTION:N:HOW   FUNCTION without its cl; N from 1; 0: every time; -N: from the N-th time on
 *   CLFAULT=count            counts them only; at the end CLFAULT_LOG gets lines "FUNCTION N"
 *   CLFAULT_GPU=1            each device says that it is a GPU
 *   CLFAULT_WORK_ITEMS=N     … that it allows no more in a work-group
 *   CLFAULT_LOCAL_BYTES=N    … that it has no more local memory
 *   CLFAULT_TELL=1           a line "clfault" on standard error says that the call was made
 *   CLFAULT_FORM=N           programs of table form number N (TABLE_FORM) compute something else
 *
 * HOW: an error's number, or one of these:
 *   flip    a bit of what is read back, of a table that is sent, or, for CreateProgramWithSource, another
 *           constant in the program's text
 *   hang    the call never returns
 *   slow    it returns after 1 s
 *   late    it returns after 4.5 s
 *   lost    it fails, and all calls after it, until a context is made again
 *   gone    the same, and no context can be made
 */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FLIP 1 /* no error of OpenCL is positive */

/* The functions that may fail. */
static const char *const names[] = { "CreateContext", "CreateCommandQueue", "CreateBuffer", "CreateProgramWithSource",
	"BuildProgram", "CreateKernel", "SetKernelArg", "EnqueueWriteBuffer", "EnqueueReadBuffer",
	"EnqueueNDRangeKernel", "EnqueueFillBuffer", "Finish", "EnqueueMapBuffer", "EnqueueUnmapMemObject",
	"GetPlatformIDs", "GetDeviceIDs", "GetDeviceInfo", "WaitForEvents", "ReleaseMemObject", "ReleaseCommandQueue" };

#define N_FUNCTIONS (sizeof names / sizeof *names)

static atomic_int counts[N_FUNCTIONS];
static atomic_bool lost, gone;

static cl_int happens(const char *how)
{
	if (getenv("CLFAULT_TELL") != NULL)
		fputs("clfault\n", stderr);
	while (strcmp(how, "hang") == 0)
		pause();
	if (strcmp(how, "slow") == 0)
		sleep(1);
	if (strcmp(how, "late") == 0)
		usleep(4500000);
	gone = strcmp(how, "gone") == 0;
	lost = strcmp(how, "lost") == 0;
	if (lost || gone)
		return CL_OUT_OF_RESOURCES;
	return strcmp(how, "flip") == 0 ? FLIP : atoi(how);
}

/* CL_SUCCESS, an error, or FLIP, for this call of a function. */
static cl_int fate(const char *function)
{
	const char *text = getenv("CLFAULT");
	char name[32], how[16];
	unsigned i = 0;
	int n, when;

	while (strcmp(names[i], function + strlen("cl")) != 0)
		i++;
	n = ++counts[i];
	if (gone)
		return CL_INVALID_CONTEXT;
	if (lost && strcmp(names[i], "CreateContext") != 0)
		return CL_INVALID_CONTEXT;
	lost = false;

	if (text == NULL || sscanf(text, "%31[A-Za-z]:%d:%15s", name, &when, how) != 3 || strcmp(name, names[i]) != 0 ||
	        (when > 0 ? when != n : n < -when))
		return CL_SUCCESS;
	return happens(how);
}

__attribute__((destructor)) static void report(void)
{
	const char *text = getenv("CLFAULT");
	FILE *log = text != NULL && strcmp(text, "count") == 0 ? fopen(getenv("CLFAULT_LOG"), "w") : NULL;

	for (unsigned i = 0; log != NULL && i < N_FUNCTIONS; i++)
		fprintf(log, "%s %d\n", names[i], counts[i]);
	if (log != NULL)
		fclose(log);
}

#define NEXT(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

/* Functions that return an error code. */
#define FAILING(function, parameters, arguments)                     \
	cl_int function parameters                                   \
	{                                                            \
		cl_int error = fate(#function);                      \
		return error < 0 ? error : NEXT(function) arguments; \
	}

FAILING(clGetPlatformIDs, (cl_uint n, cl_platform_id *ids, cl_uint *found), (n, ids, found))
FAILING(clGetDeviceIDs, (cl_platform_id platform, cl_device_type type, cl_uint n, cl_device_id *ids, cl_uint *found),
        (platform, type, n, ids, found))
/* One round more. */
static void change_rounds(char *options)
{
	char form[32];
	char *rounds = strstr(options, "-DROUNDS=");

	snprintf(form, sizeof form, "-DTABLE_FORM=%s ", getenv("CLFAULT_FORM") ? getenv("CLFAULT_FORM") : "none");
	if (rounds != NULL && strstr(options, form) != NULL)
		rounds[strcspn(rounds, " ") - 1] ^= 1;
}

cl_int clBuildProgram(cl_program program, cl_uint n, const cl_device_id *ids, const char *options,
        void (*notify)(cl_program, void *), void *user)
{
	cl_int error = fate("clBuildProgram");
	char *changed = strdup(options);

	change_rounds(changed);
	error = error < 0 ? error : NEXT(clBuildProgram)(program, n, ids, changed, notify, user);
	free(changed);
	return error;
}

FAILING(clSetKernelArg, (cl_kernel kernel, cl_uint i, size_t size, const void *value), (kernel, i, size, value))
FAILING(clEnqueueWriteBuffer,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t n, const void *from,
                cl_uint n_events, const cl_event *events, cl_event *event),
        (queue, buffer, blocking, offset, n, from, n_events, events, event))
FAILING(clEnqueueNDRangeKernel,
        (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
                const size_t *local, cl_uint n_events, const cl_event *events, cl_event *event),
        (queue, kernel, dimensions, offset, global, local, n_events, events, event))
FAILING(clEnqueueFillBuffer,
        (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t size, size_t offset, size_t n,
                cl_uint n_events, const cl_event *events, cl_event *event),
        (queue, buffer, pattern, size, offset, n, n_events, events, event))
/* A queue that fails is one that nothing is done by any more. */
cl_int clFinish(cl_command_queue queue)
{
	cl_int error = fate("clFinish"), finished = NEXT(clFinish)(queue);

	return error < 0 ? error : finished;
}

cl_int clWaitForEvents(cl_uint n, const cl_event *events)
{
	cl_int error = fate("clWaitForEvents"), finished = NEXT(clWaitForEvents)(n, events);

	return error < 0 ? error : finished;
}

FAILING(clReleaseMemObject, (cl_mem memory), (memory))
FAILING(clReleaseCommandQueue, (cl_command_queue queue), (queue))
FAILING(clEnqueueUnmapMemObject,
        (cl_command_queue queue, cl_mem buffer, void *mapped, cl_uint n_events, const cl_event *events,
                cl_event *event),
        (queue, buffer, mapped, n_events, events, event))

/* Functions that return a handle. */
#define MAKING(type, function, parameters, arguments)    \
	type function parameters                         \
	{                                                \
		cl_int failed = fate(#function);         \
		if (failed >= 0)                         \
			return NEXT(function) arguments; \
		if (error != NULL)                       \
			*error = failed;                 \
		return NULL;                             \
	}

MAKING(cl_context, clCreateContext,
        (const cl_context_properties *properties, cl_uint n, const cl_device_id *ids,
                void (*notify)(const char *, const void *, size_t, void *), void *user, cl_int *error),
        (properties, n, ids, notify, user, error))
MAKING(cl_command_queue, clCreateCommandQueue,
        (cl_context context, cl_device_id id, cl_command_queue_properties properties, cl_int *error),
        (context, id, properties, error))
MAKING(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *error), (program, name, error))
MAKING(void *, clEnqueueMapBuffer,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset, size_t n,
                cl_uint n_events, const cl_event *events, cl_event *event, cl_int *error),
        (queue, buffer, blocking, flags, offset, n, n_events, events, event, error))

/* Functions that can return wrong results. */

cl_int clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size, void *value, size_t *needed)
{
	cl_int error = fate("clGetDeviceInfo");

	if (error < 0)
		return error;
	error = NEXT(clGetDeviceInfo)(id, what, size, value, needed);
	if (error != CL_SUCCESS || value == NULL)
		return error;
	if (what == CL_DEVICE_TYPE && getenv("CLFAULT_GPU") != NULL)
		*(cl_device_type *)value = CL_DEVICE_TYPE_GPU;
	if (what == CL_DEVICE_MAX_WORK_GROUP_SIZE && getenv("CLFAULT_WORK_ITEMS") != NULL)
		*(size_t *)value = (size_t)atol(getenv("CLFAULT_WORK_ITEMS"));
	if (what == CL_DEVICE_LOCAL_MEM_SIZE && getenv("CLFAULT_LOCAL_BYTES") != NULL)
		*(cl_ulong *)value = (cl_ulong)atol(getenv("CLFAULT_LOCAL_BYTES"));
	return error;
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t n, void *to,
        cl_uint n_events, const cl_event *events, cl_event *event)
{
	cl_int how = fate("clEnqueueReadBuffer"), error = how;

	if (how >= 0)
		error = NEXT(clEnqueueReadBuffer)(queue, buffer, blocking, offset, n, to, n_events, events, event);
	if (how == FLIP && error == CL_SUCCESS) {
		NEXT(clFinish)(queue);
		((unsigned char *)to)[n - 1] ^= 16; /* self-tests compare the ends of a large buffer */
	}
	return error;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t n, void *from, cl_int *error)
{
	cl_int how = from != NULL || getenv("CLFAULT") == NULL || strstr(getenv("CLFAULT"), "flip") == NULL
	                     ? fate("clCreateBuffer")
	                     : CL_SUCCESS;
	unsigned char *other = how == FLIP ? malloc(n) : NULL;
	cl_mem buffer = NULL;

	if (how >= 0) {
		if (other != NULL)
			((unsigned char *)memcpy(other, from, n))[n / 2] ^= 4;
		buffer = NEXT(clCreateBuffer)(context, flags, n, other != NULL ? other : from, error);
	} else if (error != NULL) {
		*error = how;
	}
	free(other);
	return buffer;
}

/* A mask of one byte of AES (kernels/ciphers/aes/aes.cl) loses a bit. */
static char *with_another_constant(const char *text)
{
	char *other = strdup(text), *mask = strstr(other, "0x0000ff00u");

	if (mask != NULL)
		memcpy(mask, "0x0000fe00u", 11);
	return other;
}

cl_program clCreateProgramWithSource(
        cl_context context, cl_uint n, const char **texts, const size_t *lengths, cl_int *error)
{
	cl_int how = fate("clCreateProgramWithSource");
	cl_program program = NULL;

	if (how == FLIP) {
		char *other = with_another_constant(texts[0]);
		const char *const changed[1] = { other };

		program = NEXT(clCreateProgramWithSource)(context, 1, (const char **)changed, NULL, error);
		free(other);
	} else if (how == CL_SUCCESS) {
		program = NEXT(clCreateProgramWithSource)(context, n, texts, lengths, error);
	} else if (error != NULL) {
		*error = how;
	}
	return program;
}
