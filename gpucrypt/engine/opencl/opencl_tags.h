/* Chunk tags on an OpenCL device (kernels/tags/poly1305.cl). */
#ifndef GPUCRYPT_ENGINE_OPENCL_OPENCL_TAGS_H
#define GPUCRYPT_ENGINE_OPENCL_OPENCL_TAGS_H

#include "gpucrypt/device/device.h"
#include "gpucrypt/engine/engine.h"

/* A lane's objects for tags; zeroed: the lane computes none. */
struct opencl_tagger {
	cl_kernel kernel;
	cl_mem tags;      /* of MAX_CHUNKS chunks */
	cl_mem host;      /* page-locked memory for as many */
	uint8_t *on_host; /* host, mapped */
};

cl_int opencl_tagger_open(struct opencl_tagger *tagger, cl_context context, cl_command_queue queue, cl_program program);
void opencl_tagger_close(struct opencl_tagger *tagger, cl_command_queue queue); /* may be zeroed */

/* Enqueue the computation of the tags of blocks. */
cl_int opencl_tag(const struct opencl_tagger *tagger, cl_command_queue queue, cl_mem blocks, const struct work *work);

/* Once the queue is finished: copy the tags to work->tags.  r was a kernel argument; the driver's copy of it for the
 * next launch is replaced by zeros. */
void opencl_tagger_finish(const struct opencl_tagger *tagger, const struct work *work);

/* The same for work->tag_room: the tags are written behind the blocks of the work, in the same buffer, of which the
 * caller reads work_with_tags() bytes to work->out.  A separate transfer would cost as much as 100 KiB of data. */
cl_int opencl_tag_behind(
        const struct opencl_tagger *tagger, cl_command_queue queue, cl_mem blocks, const struct work *work);
void opencl_tagger_finish_behind(const struct opencl_tagger *tagger, const struct work *work);
size_t work_with_tags(const struct work *work);

#endif
