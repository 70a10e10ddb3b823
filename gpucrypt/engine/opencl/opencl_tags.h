/* Chunk tags on an OpenCL device (kernels/tags/poly1305.cl). */
#ifndef OPENCL_TAGS_H
#define OPENCL_TAGS_H

#include "gpucrypt/device/device.h"
#include "gpucrypt/engine/engine.h"

/* What a lane needs for them; zeroed: it does none. */
struct opencl_tagger {
	cl_kernel kernel;
	cl_mem tags;      /* of MAX_CHUNKS chunks */
	cl_mem host;      /* the same, page-locked */
	uint8_t *on_host; /* where that is mapped */
};

cl_int opencl_tagger_open(struct opencl_tagger *tagger, cl_context context, cl_command_queue queue, cl_program program);
void opencl_tagger_close(struct opencl_tagger *tagger, cl_command_queue queue); /* zeroed is fine */

/* Enqueue the tags of what lies in blocks. */
cl_int opencl_tag(const struct opencl_tagger *tagger, cl_command_queue queue, cl_mem blocks, const struct work *work);

/* Once the queue is finished: the tags go into work->tags.  r was a kernel argument; the driver's
 * copy of it for the next launch becomes zeros. */
void opencl_tagger_finish(const struct opencl_tagger *tagger, const struct work *work);

/* The same for work->tag_room: the tags are written behind the blocks of the work, in the same buffer, for
 * whoever reads work_with_tags() bytes from it, to work->out.  A transfer of their own would cost the bus as
 * much as 100 KiB do. */
cl_int opencl_tag_behind(
        const struct opencl_tagger *tagger, cl_command_queue queue, cl_mem blocks, const struct work *work);
void opencl_tagger_finish_behind(const struct opencl_tagger *tagger, const struct work *work);
size_t work_with_tags(const struct work *work);

#endif
