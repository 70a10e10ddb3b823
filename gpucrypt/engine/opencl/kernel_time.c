#include <stdlib.h>
#include <string.h>

#include "gpucrypt/ascending.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/bytes.h"
#include "gpucrypt/crypto/host_core.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/status.h"

#define PIECES      8
#define PIECE_BYTES ((size_t)1 << UNIT_LOG2)
#define UNIT_LOG2   12 /* XTS: the largest units */
#define FILL_BYTES  ((size_t)1 << 20)

/* Launches over one lane's buffer, and pieces of it before and after a launch. */
struct launches {
	struct engine_of_opencl *ocl;
	struct opencl_lane *lane;
	struct work work;
	size_t offsets[PIECES];
	uint8_t before[PIECES][PIECE_BYTES], after[PIECES][PIECE_BYTES];
};

static int time_once(const struct launches *launches, size_t n_bytes, double *seconds)
{
	struct engine_of_opencl *ocl = launches->ocl;
	struct work work = launches->work;
	cl_event events[N_KERNELS];
	struct span span;
	cl_int error;

	*seconds = 0;
	work.n_bytes = n_bytes;
	span_of_work(&span, &ocl->engine.suite, &work);
	error = opencl_launch(ocl, launches->lane, &work, &span, events);
	if (error != CL_SUCCESS)
		return device_failure(ocl->device, "timing a kernel", error);
	error = clFinish(launches->lane->queue);
	for (unsigned i = 0; i < ocl->engine.suite.mode->n_keys; i++) {
		double one = 0;
		if (error == CL_SUCCESS)
			error = event_seconds(events[i], &one);
		*seconds += one;
		clReleaseEvent(events[i]);
	}
	return error == CL_SUCCESS ? GPUCRYPT_OK : device_failure(ocl->device, "timing a kernel", error);
}

/* Make the blocks differ from those of other pieces, by the piece's number. */
static void number_blocks(uint8_t *bytes, uint64_t piece)
{
	for (size_t i = 0; i < FILL_BYTES; i += BLOCK_BYTES)
		store_le64(bytes + i, load_le64(bytes + i) ^ piece ^ (piece - 1));
}

/* A pattern without repeats, written piece by piece: kernels might be faster with zeros, and equal blocks would
 * hide a block in the wrong place. */
static cl_int fill_blocks(const struct opencl_lane *lane, size_t n_bytes)
{
	uint8_t *bytes = malloc(FILL_BYTES);
	cl_int error =
	        bytes == NULL || random_bytes(bytes, FILL_BYTES) != GPUCRYPT_OK ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;

	for (size_t done = 0; done < n_bytes && error == CL_SUCCESS; done += FILL_BYTES) {
		if (done > 0)
			number_blocks(bytes, done / FILL_BYTES);
		error = clEnqueueWriteBuffer(lane->queue, lane->blocks, CL_TRUE, done,
		        n_bytes - done < FILL_BYTES ? n_bytes - done : FILL_BYTES, bytes, 0, NULL, NULL);
	}
	free(bytes);
	return error;
}

/* Comparing. */

static int choose_pieces(struct launches *launches)
{
	size_t n_bytes = launches->work.n_bytes;
	uint64_t numbers[PIECES];
	int status = random_bytes((uint8_t *)numbers, sizeof(numbers));

	for (unsigned i = 0; i < PIECES; i++)
		launches->offsets[i] = numbers[i] % (n_bytes / PIECE_BYTES) * PIECE_BYTES;
	launches->offsets[0] = 0;
	launches->offsets[1] = n_bytes - PIECE_BYTES;
	return status;
}

static int read_pieces(const struct launches *launches, uint8_t (*pieces)[PIECE_BYTES])
{
	cl_int error = CL_SUCCESS;

	for (unsigned i = 0; i < PIECES && error == CL_SUCCESS; i++)
		error = clEnqueueReadBuffer(launches->lane->queue, launches->lane->blocks, CL_TRUE,
		        launches->offsets[i], PIECE_BYTES, pieces[i], 0, NULL, NULL);
	return error == CL_SUCCESS ? GPUCRYPT_OK : device_failure(launches->ocl->device, "reading results", error);
}

/* By the reference implementation in the cipher's first form. */
static int compare_pieces(const struct launches *launches, bool *wrong)
{
	const struct suite *suite = &launches->ocl->engine.suite;
	const struct table_form *form = &suite->cipher->forms[0];
	uint8_t wanted[PIECE_BYTES];
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < PIECES && status == GPUCRYPT_OK; i++) {
		struct work work = launches->work;
		work.in = launches->before[i];
		work.out = wanted;
		work.n_bytes = PIECE_BYTES;
		work.first_block = launches->offsets[i] / BLOCK_BYTES;
		status = core_crypt(suite, form->host_core, form->table, &work);
		*wrong = status == GPUCRYPT_OK && memcmp(wanted, launches->after[i], PIECE_BYTES) != 0;
		if (*wrong)
			status =
			        fail(GPUCRYPT_DEVICE, "%s: wrong result of %s-%u-%s in the 4 KiB at %zu of a timed run",
			                launches->ocl->engine.description, suite->cipher->name, 8 * suite->key_bytes,
			                suite->mode->name, launches->offsets[i]);
	}
	return status;
}

/* Runs. */

/* A display's watchdog resets a device after two seconds or so.  Half of what is allowed: the first launch is short. */
#define MOST_LAUNCH_S  0.25
#define SHORT_FRACTION 64

/* The first launch warms the device up.  It is short, and shows how many bytes the others may have. */
static int warm_up(struct launches *launches)
{
	size_t n_bytes = launches->work.n_bytes, part = n_bytes / SHORT_FRACTION / PIECE_BYTES * PIECE_BYTES;
	double seconds = 0, most;
	int status = part > 0 ? time_once(launches, part, &seconds) : GPUCRYPT_OK;

	most = seconds > 0 ? MOST_LAUNCH_S / seconds : SHORT_FRACTION;
	if (part > 0 && most < SHORT_FRACTION)
		launches->work.n_bytes = most > 1 ? (size_t)most * part : part;
	return status ?: time_once(launches, launches->work.n_bytes, &seconds);
}

/* As seconds of all bytes. */
static int time_runs(struct launches *launches, struct kernel_timing *timing)
{
	size_t n_bytes = launches->work.n_bytes;
	int status = warm_up(launches);

	for (unsigned i = 0; i < timing->runs && status == GPUCRYPT_OK; i++) {
		status = choose_pieces(launches) ?: read_pieces(launches, launches->before)
		                ?: time_once(launches, launches->work.n_bytes, &timing->seconds[i])
		                ?: read_pieces(launches, launches->after)
		                ?: compare_pieces(launches, &timing->wrong);
		timing->seconds[i] *= (double)n_bytes / (double)launches->work.n_bytes;
		timing->compared_bytes += sizeof(launches->after);
	}
	sort_ascending(timing->seconds, timing->runs);
	return status;
}

int kernel_times(struct engine *engine, size_t n_bytes, unsigned runs, struct kernel_timing *timing)
{
	static const uint8_t key[64] = { 1 };
	struct engine_of_opencl *ocl = (struct engine_of_opencl *)engine->bare;
	bool units = engine->suite.mode->has_tweaks;
	struct launches launches = { .ocl = ocl,
		.lane = &ocl->lanes[0],
		.work = { .n_bytes = n_bytes, .key = key, .unit_log2 = units ? UNIT_LOG2 : 0, .tweak_step = units } };
	cl_command_queue untimed = launches.lane->queue;
	struct span span;
	cl_int error;
	int status;

	*timing = (struct kernel_timing){ .runs = runs < 1 ? 1 : runs > MAX_KERNEL_RUNS ? MAX_KERNEL_RUNS : runs };
	launches.lane->queue = clCreateCommandQueue(ocl->context, ocl->device->id, CL_QUEUE_PROFILING_ENABLE, &error);
	error = error ?: opencl_prepare(ocl, launches.lane, &launches.work, n_bytes, &span)
	                ?: fill_blocks(launches.lane, n_bytes);
	status = error == CL_SUCCESS ? time_runs(&launches, timing)
	                             : device_failure(ocl->device, "no memory for timing a kernel", error);
	if (launches.lane->queue != NULL) {
		clFinish(launches.lane->queue);
		clReleaseCommandQueue(launches.lane->queue);
	}
	launches.lane->queue = untimed;
	opencl_forget_keys(ocl, launches.lane);
	return status;
}
