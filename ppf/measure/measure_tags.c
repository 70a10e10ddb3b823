/* Measurement of chunk tags on the device: kernels/tags/poly1305.cl over groups of the size that containers have. */
#include "gpucrypt/container/container.h"
#include "gpucrypt/crypto/tag.h"
#include "gpucrypt/engine/opencl/opencl_tags.h"
#include "gpucrypt/engine/opencl/program.h"
#include "gpucrypt/status.h"
#include "ppf/measure/measure_parts.h"

#define GROUP_BYTES ((size_t)1 << GROUP_LOG2_DEFAULT)

struct tag_run {
	struct opencl_tagger tagger;
	cl_command_queue queue;
	cl_mem blocks;
};

/* From enqueue to completion, which is the time that a lane waits. */
static cl_int run_tags(void *self)
{
	static const uint8_t r[16] = { 1 };
	uint8_t tags[MAX_CHUNKS][TAG_BYTES];
	const struct work work = { .n_bytes = GROUP_BYTES, .tag_r = r, .tags = tags, .chunk_log2 = CHUNK_LOG2_DEFAULT };
	const struct tag_run *run = self;
	cl_int error = opencl_tag(&run->tagger, run->queue, run->blocks, &work);

	return error == CL_SUCCESS ? clFinish(run->queue) : error;
}

/* CPU devices compute no tags, because libcrypto is faster on a CPU. */
int measure_tags(struct bench *bench, struct device_record *record)
{
	struct tag_run run = { .queue = bench->queue };
	cl_program program = NULL;
	double seconds = 0;
	cl_int error = CL_SUCCESS;
	int status;

	if (bench->device->cpu)
		return GPUCRYPT_OK;
	status = program_build_tags(&program, bench->context, bench->device)
	                 ?: bench_buffer(bench, &run.blocks, GROUP_BYTES, NULL);
	if (status == GPUCRYPT_OK)
		error = opencl_tagger_open(&run.tagger, bench->context, bench->queue, program);
	if (status == GPUCRYPT_OK && error == CL_SUCCESS)
		error = bench_repeat(bench, run_tags, &run, &seconds);
	if (error != CL_SUCCESS)
		status = bench_failed(bench, "chunk tags", error);
	else if (status == GPUCRYPT_OK)
		record->transfer.tags = (double)GROUP_BYTES / seconds;
	opencl_tagger_close(&run.tagger, bench->queue);
	bench_release(run.blocks);
	if (program != NULL)
		clReleaseProgram(program);
	return status;
}
