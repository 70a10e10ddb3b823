/* Chunk tags on an OpenCL device (kernels/tags/poly1305.cl). */
#include <string.h>

#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/crypto/tag.h"
#include "gpucrypt/engine/opencl/arguments.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"

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

void opencl_take_tags(const struct opencl_lane *lane, const struct work *work, const struct work *before, uint8_t *out)
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
