#include <stdlib.h>
#include <string.h>

#include "gpucrypt/ascending.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/bytes.h"
#include "gpucrypt/crypto/host_core.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/status.h"

#define PIECES      8
#define PIECE_BYTES ((size_t)1 << UNIT_LOG2)
#define UNIT_LOG2   12 /* XTS: the largest units */
#define FILL_BYTES  ((size_t)1 << 20)

/* Launches over one lane's buffer. */
struct launches {
	struct engine_of_opencl *ocl;
	struct opencl_lane *lane;
	struct work work;
	struct span span;
};

/* Pieces of the buffer before and after a launch. */
struct sample {
	size_t offsets[PIECES];
	uint8_t before[PIECES][PIECE_BYTES], after[PIECES][PIECE_BYTES];
};

static cl_int time_once(const struct launches *launches, double *seconds)
{
	struct engine_of_opencl *ocl = launches->ocl;
	struct opencl_lane *lane = launches->lane;
	cl_event events[N_KERNELS];
	cl_int error = opencl_launch(ocl, lane, &launches->work, &launches->span, events);

	*seconds = 0;
	if (error != CL_SUCCESS)
		return error;
	error = clFinish(lane->queue);
	for (unsigned i = 0; i < ocl->engine.suite.mode->n_keys; i++) {
		double one = 0;
		if (error == CL_SUCCESS)
			error = event_seconds(events[i], &one);
		*seconds += one;
		clReleaseEvent(events[i]);
	}
	return error;
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

static int choose_pieces(struct sample *sample, size_t n_bytes)
{
	uint64_t numbers[PIECES];
	int status = random_bytes((uint8_t *)numbers, sizeof(numbers));

	for (unsigned i = 0; i < PIECES; i++)
		sample->offsets[i] = numbers[i] % (n_bytes / PIECE_BYTES) * PIECE_BYTES;
	sample->offsets[0] = 0;
	sample->offsets[1] = n_bytes - PIECE_BYTES;
	return status;
}

static int read_pieces(const struct launches *launches, const struct sample *sample, uint8_t (*pieces)[PIECE_BYTES])
{
	cl_int error = CL_SUCCESS;

	for (unsigned i = 0; i < PIECES && error == CL_SUCCESS; i++)
		error = clEnqueueReadBuffer(launches->lane->queue, launches->lane->blocks, CL_TRUE, sample->offsets[i],
		        PIECE_BYTES, pieces[i], 0, NULL, NULL);
	return error == CL_SUCCESS ? GPUCRYPT_OK : device_failure(launches->ocl->device, "reading results", error);
}

/* By the reference implementation in the cipher's first form. */
static int compare_pieces(const struct launches *launches, const struct sample *sample, bool *wrong)
{
	const struct suite *suite = &launches->ocl->engine.suite;
	const struct table_form *form = &suite->cipher->forms[0];
	uint8_t wanted[PIECE_BYTES];
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < PIECES && status == GPUCRYPT_OK; i++) {
		struct work work = launches->work;
		work.in = sample->before[i];
		work.out = wanted;
		work.n_bytes = PIECE_BYTES;
		work.first_block = sample->offsets[i] / BLOCK_BYTES;
		status = core_crypt(suite, form->host_core, form->table, &work);
		*wrong = status == GPUCRYPT_OK && memcmp(wanted, sample->after[i], PIECE_BYTES) != 0;
		if (*wrong)
			status =
			        fail(GPUCRYPT_DEVICE, "%s: wrong result of %s-%u-%s in the 4 KiB at %zu of a timed run",
			                launches->ocl->engine.description, suite->cipher->name, 8 * suite->key_bytes,
			                suite->mode->name, sample->offsets[i]);
	}
	return status;
}

/* One run; sample NULL: no comparison. */
static int time_run(const struct launches *launches, struct sample *sample, double *seconds, bool *wrong)
{
	int status = GPUCRYPT_OK;
	cl_int error;

	if (sample != NULL)
		status = choose_pieces(sample, launches->work.n_bytes) ?: read_pieces(launches, sample, sample->before);
	if (status != GPUCRYPT_OK)
		return status;
	error = time_once(launches, seconds);
	if (error != CL_SUCCESS)
		return device_failure(launches->ocl->device, "timing a kernel", error);
	return sample == NULL ? GPUCRYPT_OK
	                      : read_pieces(launches, sample, sample->after) ?: compare_pieces(launches, sample, wrong);
}

/* Runs. */

/* A display's watchdog resets a device after two seconds or so.  Half of what is allowed: the first launch is short. */
#define MOST_LAUNCH_S  0.25
#define SHORT_FRACTION 64

static int time_bytes(struct launches *launches, size_t n_bytes, double *seconds)
{
	bool wrong;

	launches->work.n_bytes = n_bytes;
	span_of_work(&launches->span, &launches->ocl->engine.suite, &launches->work);
	return time_run(launches, NULL, seconds, &wrong);
}

/* The first launch warms the device up.  It is short, and shows how many bytes the others may have. */
static int warm_up(struct launches *launches)
{
	size_t n_bytes = launches->work.n_bytes, part = n_bytes / SHORT_FRACTION / PIECE_BYTES * PIECE_BYTES;
	double seconds = 0, most;
	int status = GPUCRYPT_OK;

	if (part > 0)
		status = time_bytes(launches, part, &seconds);
	most = seconds > 0 ? MOST_LAUNCH_S / seconds : SHORT_FRACTION;
	if (part > 0 && most < SHORT_FRACTION)
		n_bytes = most > 1 ? (size_t)most * part : part;
	return status == GPUCRYPT_OK ? time_bytes(launches, n_bytes, &seconds) : status;
}

/* As seconds of all bytes. */
static int time_runs(struct launches *launches, struct sample *sample, struct kernel_timing *timing)
{
	size_t n_bytes = launches->work.n_bytes;
	int status = warm_up(launches);

	for (unsigned i = 0; i < timing->runs && status == GPUCRYPT_OK; i++) {
		status = time_run(launches, sample, &timing->seconds[i], &timing->wrong);
		timing->seconds[i] *= (double)n_bytes / (double)launches->work.n_bytes;
		if (sample != NULL)
			timing->compared_bytes += sizeof(sample->after);
	}
	sort_ascending(timing->seconds, timing->runs);
	return status;
}

int kernel_times(struct engine *engine, size_t n_bytes, unsigned runs, bool compare, struct kernel_timing *timing)
{
	static const uint8_t key[64] = { 1 };
	struct engine_of_opencl *ocl = (struct engine_of_opencl *)engine->bare;
	bool units = engine->suite.mode->has_tweaks;
	struct launches launches = { .ocl = ocl,
		.lane = &ocl->lanes[0],
		.work = { .n_bytes = n_bytes, .key = key, .unit_log2 = units ? UNIT_LOG2 : 0, .tweak_step = units } };
	struct sample *sample = compare ? malloc(sizeof(*sample)) : NULL;
	cl_command_queue untimed = launches.lane->queue;
	int status = GPUCRYPT_OK;
	cl_int error;

	launches.lane->queue = clCreateCommandQueue(ocl->context, ocl->device->id, CL_QUEUE_PROFILING_ENABLE, &error);
	if (error == CL_SUCCESS)
		error = opencl_prepare(ocl, launches.lane, &launches.work, n_bytes, &launches.span);

	*timing = (struct kernel_timing){ .runs = runs < 1 ? 1 : runs > MAX_KERNEL_RUNS ? MAX_KERNEL_RUNS : runs };
	if (compare && sample == NULL)
		status = fail(GPUCRYPT_OTHER, "out of memory");
	if (error == CL_SUCCESS)
		error = fill_blocks(launches.lane, n_bytes);
	if (error != CL_SUCCESS)
		status = device_failure(launches.ocl->device, "no memory for timing a kernel", error);
	status = status ?: time_runs(&launches, sample, timing);
	if (launches.lane->queue != NULL) {
		clFinish(launches.lane->queue);
		clReleaseCommandQueue(launches.lane->queue);
	}
	launches.lane->queue = untimed;
	opencl_forget_keys(ocl, launches.lane);
	free(sample);
	return status;
}

int kernel_time(struct engine *engine, size_t n_bytes, unsigned runs, double *seconds)
{
	struct kernel_timing timing;
	int status = kernel_times(engine, n_bytes, runs, false, &timing);

	if (status == GPUCRYPT_OK)
		*seconds = timing.seconds[timing.runs / 2];
	return status;
}
