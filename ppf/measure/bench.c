#include "ppf/measure/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpucrypt/clock.h"
#include "gpucrypt/status.h"

/* The most processing elements of any known compute unit. */
#define MOST_GPU_ELEMENTS 256
#define CPU_VECTOR_UNITS  4
#define LEAST_CPU_LANES   8 /* words of a vector; also covers six units of four words */
#define MOST_CPU_LANES    16

/* The least number of words of bench->out for each compute unit. */
#define OUT_WORDS 1024
_Static_assert((CPU_ITEMS)*MAX_SLICE_WORDS <= OUT_WORDS, "PUT_SLICE of kernels/micro/bench.cl writes so much");

double host_seconds(void)
{
	return clock_seconds(CLOCK_MONOTONIC);
}

int bench_failed(const struct bench *bench, const char *what, cl_int error)
{
	return device_failure(bench->device, what, error);
}

/*
 * OpenCL does not report the processing elements of a compute unit and the number of resident warps.  Source: CUDA C++
 * Programming Guide, "Arithmetic Instructions" and "Technical Specifications per Compute Capability".
 */
static void nvidia_unit(struct bench *bench)
{
	static const struct {
		unsigned capability, elements, batches;
	} units[] = { { 90, 128, 64 }, { 89, 128, 48 }, { 86, 128, 48 }, { 80, 64, 64 }, { 75, 64, 32 }, { 70, 64, 64 },
		{ 60, 64, 64 }, { 50, 128, 64 }, { 30, 192, 64 } };
	unsigned capability = nvidia_capability(bench->device);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (capability < units[i].capability)
			continue;
		if (capability < 100) /* the figures of newer devices are unknown */
			bench->elements = units[i].elements;
		bench->max_batches = units[i].batches;
		return;
	}
}

/* The warp size is the compiler's preferred multiple of the work-group size; on a CPU, one work-item. */
static int find_unit(struct bench *bench)
{
	const struct device *device = bench->device;
	unsigned lanes = device->vector_words;
	size_t batch = 1;
	cl_kernel kernel;
	cl_int error;
	int status = bench_build(bench, NULL, "__kernel void batch(void) {}", "");

	if (status != GPUCRYPT_OK)
		return status;
	kernel = clCreateKernel(bench->program, "batch", &error);
	if (error != CL_SUCCESS)
		return bench_failed(bench, "no kernel", error);
	clGetKernelWorkGroupInfo(
	        kernel, device->id, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof(batch), &batch, NULL);
	clReleaseKernel(kernel);
	bench->batch_items = device->cpu || batch < 1 ? 1 : (unsigned)batch;
	bench->group_batches = device->cpu ? 1 : device->max_work_items / bench->batch_items;
	bench->max_batches = bench->group_batches;
	bench->units = device->cpu ? 1 : device->compute_units;
	bench->units_factor = 1;
	/* Drivers that do not know the vector width report 1. */
	if (lanes <= 1 || lanes > MOST_CPU_LANES)
		lanes = MOST_CPU_LANES;
	if (lanes < LEAST_CPU_LANES)
		lanes = LEAST_CPU_LANES;
	bench->elements = device->cpu ? CPU_VECTOR_UNITS * lanes : MOST_GPU_ELEMENTS;
	if (!device->cpu)
		nvidia_unit(bench);
	return GPUCRYPT_OK;
}

int bench_buffer(struct bench *bench, cl_mem *buffer, size_t n_bytes, const void *bytes)
{
	cl_int error;

	/* The cast removes const: with CL_MEM_COPY_HOST_PTR, OpenCL only reads the bytes. */
	*buffer = clCreateBuffer(bench->context, CL_MEM_READ_WRITE | (bytes == NULL ? 0 : CL_MEM_COPY_HOST_PTR),
	        n_bytes, (void *)(uintptr_t)bytes, &error);
	return error == CL_SUCCESS ? GPUCRYPT_OK : bench_failed(bench, "no memory", error);
}

void bench_release(cl_mem buffer)
{
	if (buffer != NULL)
		clReleaseMemObject(buffer);
}

void write_date(char date[16])
{
	time_t now = time(NULL);
	struct tm tm;

	date[0] = '\0';
	if (gmtime_r(&now, &tm) != NULL)
		strftime(date, 16, "%Y-%m-%d", &tm);
}

static int make_buffers(struct bench *bench)
{
	uint32_t words[BENCH_WORDS], x = FIRST_NUMBER;
	size_t items = (size_t)bench->max_batches * bench->batch_items;

	for (unsigned i = 0; i < BENCH_WORDS; i++)
		words[i] = next_number(&x);
	if (items < OUT_WORDS)
		items = OUT_WORDS;
	return bench_buffer(bench, &bench->words, sizeof(words), words)
	               ?: bench_buffer(bench, &bench->out, 4 * items * bench->device->compute_units, NULL);
}

int bench_open(struct bench *bench, const struct device *device)
{
	cl_int error;

	memset(bench, 0, sizeof(*bench));
	bench->device = device;
	bench->clock_hz = 1e6 * (double)device_number(device->id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
	if (bench->clock_hz <= 0)
		return fail(GPUCRYPT_DEVICE, "%s: the device does not report its clock frequency", device->name);
	bench->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &error);
	if (error != CL_SUCCESS)
		return bench_failed(bench, "no context", error);
	bench->queue = clCreateCommandQueue(bench->context, device->id, CL_QUEUE_PROFILING_ENABLE, &error);
	if (error != CL_SUCCESS)
		return bench_failed(bench, "no queue", error);
	return find_unit(bench) ?: make_buffers(bench);
}

void bench_close(struct bench *bench)
{
	bench_release(bench->words);
	bench_release(bench->out);
	if (bench->program != NULL)
		clReleaseProgram(bench->program);
	if (bench->queue != NULL)
		clReleaseCommandQueue(bench->queue);
	if (bench->context != NULL)
		clReleaseContext(bench->context);
	memset(bench, 0, sizeof(*bench));
}

int bench_build(struct bench *bench, const char *files, const char *text, const char *options)
{
	char *composed = files == NULL ? NULL : program_compose(files, bench->more_sources), all_options[640];
	int status;

	snprintf(all_options, sizeof(all_options), PROGRAM_OPTIONS " %s", options);
	if (bench->program != NULL)
		clReleaseProgram(bench->program);
	status = program_build_text(
	        &bench->program, bench->context, bench->device, files == NULL ? text : composed, all_options);
	free(composed);
	return status;
}
