/* Measurement of chunk tags on the device: kernels/tags/poly1305.cl over groups of the size that containers have. */
#include "gpucrypt/container/container.h"
#include "gpucrypt/engine/opencl/opencl_tags.h"
#include "gpucrypt/engine/opencl/program.h"
#include "gpucrypt/status.h"
#include "gpucrypt/crypto/tag.h"
#include "ppf/measure/measure_parts.h"

#define RUNS        5
#define GROUP_BYTES ((size_t)1 << GROUP_LOG2_DEFAULT)

/* Time from enqueue to completion, which is the time that a lane waits. */
static cl_int time_tags(struct bench *bench, const struct opencl_tagger *tagger, cl_mem blocks, double *bytes_per_s)
{
	static const uint8_t r[16] = { 1 };
	uint8_t tags[MAX_CHUNKS][TAG_BYTES];
	const struct work work = { .n_bytes = GROUP_BYTES, .tag_r = r, .tags = tags, .chunk_log2 = CHUNK_LOG2_DEFAULT };
	double runs[RUNS + 1];
	cl_int error = CL_SUCCESS;

	for (unsigned i = 0; i <= RUNS && error == CL_SUCCESS; i++) {
		double begin = host_seconds();
		error = opencl_tag(tagger, bench->queue, blocks, &work);
		if (error == CL_SUCCESS)
			error = clFinish(bench->queue);
		runs[i] = host_seconds() - begin;
	}
	if (error == CL_SUCCESS)
		*bytes_per_s = (double)GROUP_BYTES / median(runs + 1, RUNS);
	return error;
}

/* CPU devices compute no tags, because libcrypto is faster on a CPU. */
int measure_tags(struct bench *bench, struct device_record *record)
{
	struct opencl_tagger tagger = { 0 };
	cl_program program = NULL;
	cl_mem blocks = NULL;
	cl_int error;
	int status;

	if (bench->device->cpu)
		return GPUCRYPT_OK;
	status = program_build_tags(&program, bench->context, bench->device);
	if (status == GPUCRYPT_OK)
		status = bench_buffer(bench, &blocks, GROUP_BYTES, NULL);
	if (status == GPUCRYPT_OK) {
		error = opencl_tagger_open(&tagger, bench->context, bench->queue, program);
		if (error == CL_SUCCESS)
			error = time_tags(bench, &tagger, blocks, &record->transfer.tags);
		if (error != CL_SUCCESS)
			status = bench_failed(bench, "chunk tags", error);
	}
	opencl_tagger_close(&tagger, bench->queue);
	bench_release(blocks);
	if (program != NULL)
		clReleaseProgram(program);
	return status;
}
