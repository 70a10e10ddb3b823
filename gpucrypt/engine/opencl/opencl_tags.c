#include "gpucrypt/engine/opencl/arguments.h"
#include "gpucrypt/engine/opencl/opencl_tags.h"

#include <string.h>

#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/engine/opencl/opencl_memory.h"
#include "gpucrypt/engine/opencl/program.h"
#include "gpucrypt/crypto/tag.h"

cl_int opencl_tagger_open(struct opencl_tagger *tagger, cl_context context, cl_command_queue queue, cl_program program)
{
	const size_t n_bytes = MAX_CHUNKS * TAG_BYTES;
	cl_int error;

	tagger->kernel = clCreateKernel(program, "tag_chunks", &error);
	if (error == CL_SUCCESS)
		tagger->tags = clCreateBuffer(context, CL_MEM_READ_WRITE, n_bytes, NULL, &error);
	if (error == CL_SUCCESS)
		tagger->host =
		        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, n_bytes, NULL, &error);
	if (error == CL_SUCCESS)
		tagger->on_host = clEnqueueMapBuffer(
		        queue, tagger->host, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, n_bytes, 0, NULL, NULL, &error);
	return error;
}

/* Tags without masks and the ciphertext reveal r: the tags are overwritten. */
void opencl_tagger_close(struct opencl_tagger *tagger, cl_command_queue queue)
{
	const size_t n_bytes = MAX_CHUNKS * TAG_BYTES;

	opencl_release_wiped(queue, tagger->tags, n_bytes);
	if (tagger->on_host != NULL)
		wipe(tagger->on_host, n_bytes);
	if (tagger->on_host != NULL)
		clEnqueueUnmapMemObject(queue, tagger->host, tagger->on_host, 0, NULL, NULL);
	if (tagger->host != NULL)
		clReleaseMemObject(tagger->host);
	if (tagger->kernel != NULL)
		clReleaseKernel(tagger->kernel);
	*tagger = (struct opencl_tagger){ 0 };
}

static size_t chunks_of_work(const struct work *work)
{
	return (work->n_bytes + ((size_t)1 << work->chunk_log2) - 1) >> work->chunk_log2;
}

/* Tags into a buffer, from tag number `first` on. */
static cl_int enqueue_tags(const struct opencl_tagger *tagger, cl_command_queue queue, cl_mem blocks, cl_mem tags,
        cl_ulong first, const struct work *work)
{
	size_t n = chunks_of_work(work), items = (size_t)1 << TAG_LOG2, all = n * items;
	cl_ulong n_bytes = work->n_bytes;
	cl_uint chunk_log2 = work->chunk_log2;
	const struct kernel_argument arguments[N_TAG_ARGUMENTS] = { [TAG_blocks] = ARGUMENT(blocks),
		[TAG_tags] = ARGUMENT(tags),
		[TAG_first] = ARGUMENT(first),
		[TAG_n_bytes] = ARGUMENT(n_bytes),
		[TAG_chunk_log2] = ARGUMENT(chunk_log2),
		[TAG_key] = { TAG_BYTES, work->tag_r } };

	if (n > MAX_CHUNKS)
		return CL_INVALID_VALUE;
	return kernel_set_arguments(tagger->kernel, arguments, N_TAG_ARGUMENTS)
	               ?: clEnqueueNDRangeKernel(queue, tagger->kernel, 1, NULL, &all, &items, 0, NULL, NULL);
}

static void forget_r(const struct opencl_tagger *tagger)
{
	static const uint8_t zeros[TAG_BYTES];

	clSetKernelArg(tagger->kernel, TAG_key, sizeof(zeros), zeros);
}

cl_int opencl_tag(const struct opencl_tagger *tagger, cl_command_queue queue, cl_mem blocks, const struct work *work)
{
	return enqueue_tags(tagger, queue, blocks, tagger->tags, 0, work)
	               ?: clEnqueueReadBuffer(queue, tagger->tags, CL_FALSE, 0, chunks_of_work(work) * TAG_BYTES,
	                          tagger->on_host, 0, NULL, NULL);
}

void opencl_tagger_finish(const struct opencl_tagger *tagger, const struct work *work)
{
	if (work->tag_r == NULL)
		return;
	forget_r(tagger);
	memcpy(work->tags, tagger->on_host, chunks_of_work(work) * TAG_BYTES);
}

static size_t blocks_of_work(const struct work *work)
{
	return (work->n_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
}

size_t work_with_tags(const struct work *work)
{
	return blocks_of_work(work) * BLOCK_BYTES + chunks_of_work(work) * TAG_BYTES;
}

cl_int opencl_tag_behind(
        const struct opencl_tagger *tagger, cl_command_queue queue, cl_mem blocks, const struct work *work)
{
	return enqueue_tags(tagger, queue, blocks, blocks, blocks_of_work(work), work);
}

void opencl_tagger_finish_behind(const struct opencl_tagger *tagger, const struct work *work)
{
	uint8_t *tags = work->out + blocks_of_work(work) * BLOCK_BYTES;
	size_t n_bytes = chunks_of_work(work) * TAG_BYTES;

	forget_r(tagger);
	if (n_bytes > MAX_CHUNKS * TAG_BYTES)
		return; /* the launch was refused */
	memcpy(work->tags, tags, n_bytes);
	wipe(tags, n_bytes);
}
