/*
 * The commands of a group.  An OpenCL engine after another one shares the device, the context and, lane by lane, the
 * queue: the group is sent to the device, tagged and decrypted with the first engine's kernels, encrypted and tagged
 * with the second one's, all in one buffer, and received.  An engine alone does only the second half, in its direction.
 */
#include <string.h>

#include "gpucrypt/crypto/tag.h"
#include "gpucrypt/engine/opencl/arguments.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"

/* Chunk tags (kernels/tags/poly1305.cl). */

_Static_assert(TAG_BYTES == BLOCK_BYTES, "tags are numbered as blocks");

static size_t chunks_of_work(const struct work *work)
{
	return work == NULL || work->tag_r == NULL ? 0 : ((work->n_bytes - 1) >> work->chunk_log2) + 1;
}

/* The position of the first tag, in blocks from the start of the work. */
static size_t tags_at(const struct work *work, const struct work *before)
{
	return (work->n_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES + chunks_of_work(before);
}

size_t opencl_bytes_back(const struct work *work, const struct work *other)
{
	size_t n_tags = chunks_of_work(work) + chunks_of_work(other);

	return n_tags == 0 ? work->n_bytes : (tags_at(work, NULL) + n_tags) * BLOCK_BYTES;
}

cl_int opencl_tag(const struct opencl_lane *lane, const struct work *work, const struct work *before)
{
	size_t n = chunks_of_work(work), items = (size_t)1 << TAG_LOG2, all = n * items;
	cl_ulong n_bytes = work->n_bytes, first = tags_at(work, before);
	cl_uint chunk_log2 = work->chunk_log2;
	const struct kernel_argument arguments[N_TAG_ARGUMENTS] = { [TAG_blocks] = ARGUMENT(lane->blocks),
		[TAG_tags] = ARGUMENT(lane->blocks),
		[TAG_first] = ARGUMENT(first),
		[TAG_n_bytes] = ARGUMENT(n_bytes),
		[TAG_chunk_log2] = ARGUMENT(chunk_log2),
		[TAG_key] = { TAG_BYTES, work->tag_r } };

	if (n == 0 || n > MAX_CHUNKS)
		return n == 0 ? CL_SUCCESS : CL_INVALID_VALUE;
	return kernel_set_arguments(lane->tag_kernel, arguments, N_TAG_ARGUMENTS)
	               ?: clEnqueueNDRangeKernel(lane->queue, lane->tag_kernel, 1, NULL, &all, &items, 0, NULL, NULL);
}

/* Call this once the queue is finished.  Move the tags from the result to work->tags, because tags without masks reveal
 * r, and set the kernel argument r to zeros, because the driver keeps a copy of the argument. */
static void take_tags(const struct opencl_lane *lane, const struct work *work, const struct work *before, uint8_t *out)
{
	static const uint8_t zeros[TAG_BYTES];
	uint8_t *tags = out + tags_at(work, before) * BLOCK_BYTES;
	size_t n = chunks_of_work(work);

	if (n == 0 || n > MAX_CHUNKS)
		return; /* the launch was refused */
	clSetKernelArg(lane->tag_kernel, TAG_key, sizeof(zeros), zeros);
	memcpy(work->tags, tags, n * TAG_BYTES);
	wipe(tags, n * TAG_BYTES);
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

/* first: the lane of the engine that decrypts first, which works in the buffer of the other lane; NULL: there is none.
 * Tags are of the ciphertext.  Nothing here waits: during a blocking read NVIDIA's driver holds back the queues of
 * other threads. */
static cl_int enqueue_group(struct engine_of_opencl *ocl, struct opencl_lane *lane, struct opencl_lane *first,
        struct recryption *job, cl_event *done)
{
	struct engine_of_opencl *before = (struct engine_of_opencl *)ocl->engine.before;
	const struct work *encrypt = &job->encrypt, *decrypt = first != NULL ? &job->decrypt : NULL,
	                  *sent = first != NULL ? decrypt : encrypt;
	bool encrypts = ocl->engine.suite.direction == ENCRYPT;
	size_t n_back = opencl_bytes_back(encrypt, decrypt);
	struct span span, span_before;
	cl_int error = opencl_prepare(ocl, lane, encrypt, n_back, &span);

	if (error == CL_SUCCESS && first != NULL) {
		first->blocks = lane->blocks;
		first->blocks_bytes = lane->blocks_bytes;
		error = opencl_prepare(before, first, decrypt, n_back, &span_before);
	}
	error = error
	                ?: clEnqueueWriteBuffer(
	                           lane->queue, lane->blocks, CL_FALSE, 0, sent->n_bytes, sent->in, 0, NULL, NULL);
	if (first != NULL)
		error = error ?: opencl_tag(first, decrypt, encrypt)
		                         ?: opencl_launch(before, first, decrypt, &span_before, NULL)
		                         ?: exchange_padding(lane, job);
	return error ?: (encrypts ? CL_SUCCESS : opencl_tag(lane, encrypt, NULL))
	        ?: opencl_launch(ocl, lane, encrypt, &span, NULL)
	        ?: (encrypts ? opencl_tag(lane, encrypt, NULL) : CL_SUCCESS)
	        ?: clEnqueueReadBuffer(
	                   lane->queue, lane->blocks, CL_FALSE, 0, n_back, encrypt->out, 0, NULL, done);
}

/* A command that fails while it runs shows in the event, not in what clFinish() returns. */
static cl_int wait_for(const struct opencl_lane *lane, cl_int error, cl_event done)
{
	if (error == CL_SUCCESS)
		error = clWaitForEvents(1, &done);
	if (error != CL_SUCCESS)
		clFinish(lane->queue);
	if (done != NULL)
		clReleaseEvent(done);
	return error;
}

int opencl_recrypt(struct engine *engine, unsigned lane_number, struct recryption *job)
{
	struct engine_of_opencl *ocl = (struct engine_of_opencl *)engine,
	                        *before = (struct engine_of_opencl *)engine->before;
	struct opencl_lane *lane = &ocl->lanes[lane_number], *first = job->alone ? NULL : &before->lanes[lane_number];
	cl_mem own = first != NULL ? first->blocks : NULL;
	size_t own_bytes = first != NULL ? first->blocks_bytes : 0;
	cl_event done = NULL;
	cl_int error = enqueue_group(ocl, lane, first, job, &done);

	error = wait_for(lane, error, done);
	if (first != NULL) {
		first->blocks = own;
		first->blocks_bytes = own_bytes;
		opencl_forget_keys(before, first);
		take_tags(first, &job->decrypt, &job->encrypt, job->encrypt.out);
	}
	opencl_forget_keys(ocl, lane);
	take_tags(lane, &job->encrypt, NULL, job->encrypt.out);
	return error == CL_SUCCESS ? GPUCRYPT_OK : device_failure(ocl->device, "the device failed", error);
}
