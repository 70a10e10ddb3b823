/* The inside of the OpenCL engine, for what measures kernels. */
#ifndef ENGINE_OPENCL_H
#define ENGINE_OPENCL_H

#include "gpucrypt/device/device.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/engine/opencl/opencl_tags.h"
#include "gpucrypt/engine/opencl/program.h"

/* Groups on their way through the device: one each going in, being worked on and coming back.  A fourth adds
 * nothing, and a driver keeps a core busy for each (docs/performance.md).  CPU devices work on one at a
 * time. */
#define OPENCL_LANES     3
#define OPENCL_CPU_LANES 2

struct opencl_lane {
	cl_command_queue queue;
	cl_kernel kernels[N_KERNELS];
	cl_mem blocks, tweaks; /* grown as needed */
	size_t blocks_bytes, tweaks_bytes;
	cl_mem keys[N_KERNELS]; /* round keys */
	struct opencl_tagger tagger;
	struct round_keys round_keys[N_KERNELS]; /* must live until the queue is finished; wiped then */
};

struct engine_of_opencl {
	struct engine engine;
	struct inventory inventory;
	const struct device *device; /* in the inventory */
	struct program_shape shape;
	cl_context context;
	/* by kernel: the cipher in its direction, and the encryption of tweaks */
	cl_program programs[N_KERNELS];
	cl_program tag_program; /* NULL: no tags on this device */
	cl_mem table[N_KERNELS];
	struct opencl_lane lanes[OPENCL_LANES];
};

/* The engine's description before it is opened. */
void opencl_describe(char *text, size_t n, const struct device *device, const struct program_shape *shape);

/* Buffers and round keys for a piece of work, on the lane's queue; the keys must stay until the
 * queue is finished. */
cl_int opencl_prepare(
        struct engine_of_opencl *ocl, struct opencl_lane *lane, const struct work *work, struct span *span);

/* Once the queue is finished: nothing on the host holds the round keys any more. */
void opencl_forget_keys(const struct engine_of_opencl *ocl, struct opencl_lane *lane);

/* The kernels over what lies in lane->blocks.  events may be NULL, else the caller releases them.
 */
cl_int opencl_launch(struct engine_of_opencl *ocl, struct opencl_lane *lane, const struct work *work,
        const struct span *span, cl_event events[N_KERNELS]);

/* Page-locked memory (opencl_memory.c). */
int opencl_lock(struct engine *engine, struct host_buffer *buffer, size_t n_bytes);
void opencl_unlock(struct engine *engine, struct host_buffer *buffer);

/* Times of the kernels alone. */
#define MAX_KERNEL_RUNS 32

struct kernel_timing {
	unsigned runs;
	double seconds[MAX_KERNEL_RUNS]; /* ascending */
	size_t compared_bytes;           /* of all runs together; all were right, */
	bool wrong;                      /* or else the device did not compute what it should */
};

/*
 * Kernel time alone, on the device: the suite's kernels over a buffer of n_bytes that stays there
 * (random at first, in place), `runs` times after one that is not counted, by profiling events.
 * The pre-pass of XTS counts.
 *
 * compare (n_bytes is a multiple of 4096): the first, the last and some random 4 KiB of each counted
 * run are computed again by the host core; GPUCRYPT_DEVICE and timing->wrong if one differs.
 */
int kernel_times(struct engine *engine, size_t n_bytes, unsigned runs, bool compare, struct kernel_timing *timing);

/* The same without a comparison; *seconds is the median. */
int kernel_time(struct engine *engine, size_t n_bytes, unsigned runs, double *seconds);

#endif
