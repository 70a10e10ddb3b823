#include <stdlib.h>
#include <string.h>

#include "engine_opencl.h"
#include "host_core.h"
#include "keys.h"
#include "status.h"

/* Seconds from a kernel's start to its end; the event is released. */
static double event_seconds(cl_event event)
{
	cl_ulong start = 0, end = 0;

	clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL);
	clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL);
	clReleaseEvent(event);
	return 1e-9 * (double)(end - start);
}

static cl_int time_once(struct engine_of_opencl *ocl, struct opencl_lane *lane,
        const struct work *work, const struct span *span, double *seconds)
{
	cl_event events[N_KERNELS];
	cl_int error = opencl_launch(ocl, lane, work, span, events);

	if (error == CL_SUCCESS)
		error = clFinish(lane->queue);
	*seconds = 0;
	for (unsigned i = 0; i < ocl->engine.suite.mode->n_keys && error == CL_SUCCESS; i++)
		*seconds += event_seconds(events[i]);
	return error;
}

/* A pattern without long repeats, written piece by piece: zeros could run faster. */
static cl_int fill_blocks(struct opencl_lane *lane, size_t n_bytes)
{
	static const size_t piece = (size_t)1 << 20;
	uint8_t *bytes = malloc(piece);
	cl_int error = bytes == NULL || random_bytes(bytes, piece) != GPUCRYPT_OK
	                       ? CL_OUT_OF_HOST_MEMORY
	                       : CL_SUCCESS;

	for (size_t done = 0; done < n_bytes && error == CL_SUCCESS; done += piece)
		error = clEnqueueWriteBuffer(lane->queue, lane->blocks, CL_TRUE, done,
		        n_bytes - done < piece ? n_bytes - done : piece, bytes, 0, NULL, NULL);
	free(bytes);
	return error;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int kernel_time(struct engine *engine, size_t n_bytes, unsigned runs, double *seconds)
{
	struct engine_of_opencl *ocl = (struct engine_of_opencl *)engine;
	struct opencl_lane *lane = &ocl->lanes[0];
	bool units = engine->suite.mode->has_tweaks;
	uint8_t key[64] = { 1 };
	struct work work = {
		.n_bytes = n_bytes, .key = key, .unit_log2 = units ? 12 : 0, .tweak_step = units
	};
	double times[32], warm;
	struct span span;
	cl_int error = opencl_prepare(ocl, lane, &work, &span);

	runs = runs < 1 ? 1 : runs > 32 ? 32 : runs;
	if (error == CL_SUCCESS)
		error = fill_blocks(lane, n_bytes);
	if (error == CL_SUCCESS)
		error = time_once(ocl, lane, &work, &span, &warm);
	for (unsigned i = 0; i < runs && error == CL_SUCCESS; i++)
		error = time_once(ocl, lane, &work, &span, &times[i]);
	clFinish(lane->queue);
	opencl_forget_keys(ocl, lane);
	if (error != CL_SUCCESS)
		return fail(GPUCRYPT_DEVICE, "%s: timing a kernel: %s", ocl->device->name,
		        opencl_error(error));
	qsort(times, runs, sizeof(times[0]), ascending);
	*seconds = times[runs / 2];
	return GPUCRYPT_OK;
}
