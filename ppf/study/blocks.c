#include "ppf/study/blocks.h"

#include <stdlib.h>

#include "gpucrypt/status.h"

static cl_int repeat_plaintext(const struct blocks *blocks)
{
	cl_command_queue queue = blocks->study->bench.queue;
	cl_int error =
	        clEnqueueWriteBuffer(queue, blocks->in, CL_TRUE, 0, REPEATED_BYTES, blocks->plain, 0, NULL, NULL);

	for (size_t done = REPEATED_BYTES; done < blocks->n_bytes && error == CL_SUCCESS; done *= 2)
		error = clEnqueueCopyBuffer(queue, blocks->in, blocks->in, 0, done,
		        done < blocks->n_bytes - done ? done : blocks->n_bytes - done, 0, NULL, NULL);
	return error == CL_SUCCESS ? clFinish(queue) : error;
}

int blocks_open(struct blocks *blocks, struct study *study, size_t n_bytes)
{
	struct bench *bench = &study->bench;
	cl_int error;
	int status;

	*blocks = (struct blocks){
		.study = study, .n_bytes = n_bytes, .plain = malloc(REPEATED_BYTES), .expected = malloc(REPEATED_BYTES)
	};
	if (blocks->plain == NULL || blocks->expected == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	study_fill(study, blocks->plain, REPEATED_BYTES);
	status = bench_buffer(bench, &blocks->in, n_bytes, NULL);
	if (status == GPUCRYPT_OK)
		status = bench_buffer(bench, &blocks->out, n_bytes, NULL);
	if (status != GPUCRYPT_OK)
		return status;
	error = repeat_plaintext(blocks);
	return error == CL_SUCCESS ? GPUCRYPT_OK : bench_failed(bench, "filling a buffer", error);
}

void blocks_close(struct blocks *blocks)
{
	bench_release(blocks->in);
	bench_release(blocks->out);
	free(blocks->plain);
	free(blocks->expected);
	*blocks = (struct blocks){ 0 };
}

int blocks_check(
        const struct blocks *blocks, struct variant *variant, const struct variant_launch *launch, size_t n_bytes)
{
	int status = variant_check(variant, launch, blocks->out, 0, blocks->expected, REPEATED_BYTES);

	return status == GPUCRYPT_OK ? variant_check(variant, launch, blocks->out, n_bytes - REPEATED_BYTES,
	                                       blocks->expected, REPEATED_BYTES)
	                             : status;
}
