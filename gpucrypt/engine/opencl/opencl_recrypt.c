/*
 * An OpenCL engine after another one: both share the device, the context and, lane by lane, the queue.
 * A group is sent to the device, tagged and decrypted with the first engine's kernels, encrypted and tagged with
 * the second one's, all in one buffer, and received.
 */
#include "gpucrypt/crypto/host_core.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"

int opencl_share_queues(struct engine_of_opencl *ocl, const struct engine_of_opencl *before)
{
	cl_int error = CL_SUCCESS;

	for (unsigned i = 0; i < ocl->engine.lanes && error == CL_SUCCESS; i++) {
		cl_command_queue queue = before->lanes[i].queue;

		error = clRetainCommandQueue(queue);
		if (error != CL_SUCCESS)
			return device_failure(ocl->device, "no queue", error);
		clReleaseCommandQueue(ocl->lanes[i].queue);
		ocl->lanes[i].queue = queue;
	}
	return GPUCRYPT_OK;
}

/* Receive the padding behind the plaintext, and replace it by zeros. */
static cl_int exchange_padding(const struct opencl_lane *lane, struct recryption *recryption)
{
	static const cl_uchar zero;
	size_t plain = recryption->plain_bytes, decrypted = recryption->decrypt.n_bytes,
	       wanted = recryption->encrypt.n_bytes;
	cl_int error = CL_SUCCESS;

	if (decrypted > plain)
		error = clEnqueueReadBuffer(lane->queue, lane->blocks, CL_FALSE, plain, decrypted - plain,
		        recryption->filler, 0, NULL, NULL);
	if (error == CL_SUCCESS && wanted > plain)
		error = clEnqueueFillBuffer(
		        lane->queue, lane->blocks, &zero, sizeof(zero), plain, wanted - plain, 0, NULL, NULL);
	return error;
}

/* The first engine's lane works in the buffer of the second one's. */
static cl_int prepare_both(struct engine_of_opencl *ocl, struct opencl_lane *lane, struct opencl_lane *first,
        const struct recryption *recryption, struct span spans[2])
{
	struct engine_of_opencl *before = (struct engine_of_opencl *)ocl->engine.before;
	const struct work *decrypt = &recryption->decrypt, *encrypt = &recryption->encrypt;
	size_t n_bytes = opencl_bytes_back(encrypt, decrypt);
	cl_int error = opencl_prepare(ocl, lane, encrypt, n_bytes, &spans[1]);

	if (error != CL_SUCCESS)
		return error;
	first->blocks = lane->blocks;
	first->blocks_bytes = lane->blocks_bytes;
	return opencl_prepare(before, first, decrypt, n_bytes, &spans[0]);
}

/* All commands of one group, without waiting. */
static cl_int enqueue_recryption(struct engine_of_opencl *ocl, struct opencl_lane *lane, struct opencl_lane *first,
        struct recryption *recryption, cl_event *done)
{
	const struct work *decrypt = &recryption->decrypt, *encrypt = &recryption->encrypt;
	struct engine_of_opencl *before = (struct engine_of_opencl *)ocl->engine.before;
	struct span spans[2];

	return prepare_both(ocl, lane, first, recryption, spans)
	        ?: clEnqueueWriteBuffer(
	                   lane->queue, lane->blocks, CL_FALSE, 0, decrypt->n_bytes, decrypt->in, 0, NULL, NULL)
	        ?: opencl_tag(first, decrypt, encrypt) ?: opencl_launch(before, first, decrypt, &spans[0], NULL)
	        ?: exchange_padding(lane, recryption) ?: opencl_launch(ocl, lane, encrypt, &spans[1], NULL)
	        ?: opencl_tag(lane, encrypt, NULL)
	        ?: clEnqueueReadBuffer(
	                   lane->queue, lane->blocks, CL_FALSE, 0, opencl_bytes_back(encrypt, decrypt), encrypt->out, 0, NULL, done);
}

int opencl_recrypt(struct engine *engine, unsigned lane_number, struct recryption *recryption)
{
	struct engine_of_opencl *ocl = (struct engine_of_opencl *)engine,
	                        *before = (struct engine_of_opencl *)engine->before;
	struct opencl_lane *lane = &ocl->lanes[lane_number], *first = &before->lanes[lane_number];
	const struct opencl_lane own = { .blocks = first->blocks, .blocks_bytes = first->blocks_bytes };
	cl_event done = NULL;
	cl_int error = enqueue_recryption(ocl, lane, first, recryption, &done);

	error = opencl_wait(lane, error, done);
	first->blocks = own.blocks;
	first->blocks_bytes = own.blocks_bytes;
	opencl_forget_keys(before, first);
	opencl_forget_keys(ocl, lane);
	opencl_take_tags(first, &recryption->decrypt, &recryption->encrypt, recryption->encrypt.out);
	opencl_take_tags(lane, &recryption->encrypt, NULL, recryption->encrypt.out);
	return error == CL_SUCCESS ? GPUCRYPT_OK : device_failure(ocl->device, "the device failed", error);
}
