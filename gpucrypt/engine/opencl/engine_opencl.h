/* The OpenCL engine's objects, for its parts and for measuring kernels. */
#ifndef GPUCRYPT_ENGINE_OPENCL_ENGINE_OPENCL_H
#define GPUCRYPT_ENGINE_OPENCL_ENGINE_OPENCL_H

#include "gpucrypt/engine/kernel_config.h"

/* Device programs: sources composed, shaped by macros, built. */

struct kernel_source {
	const char *name, *text;
};

/* The files of kernels/, built in; ends with a NULL name. */
extern const struct kernel_source kernel_sources[];

/* What the kernel of grid.cl computes, each in a program of its own (PoCL 3.1 crashes on AES-XTS with both in one). */
enum kernel { KERNEL_CRYPT, KERNEL_TWEAKS, N_KERNELS };

/* Build the program of one kernel, in a complete configuration.  Key material never goes in here: drivers cache
 * programs. */
int program_build(cl_program *program, cl_context context, const struct device *device, const struct suite *suite,
        const struct kernel_config *kernel, enum kernel which);

/* The program of poly1305.cl: kernel tag_chunks in groups of 2^TAG_LOG2 work-items. */
#define TAG_LOG2 8
int program_build_tags(cl_program *program, cl_context context, const struct device *device);

/* Concatenate files of kernels/ or of more (NULL, or a table like kernel_sources), which names lists with spaces
 * between.  The caller frees the text.  Returns NULL if memory is exhausted. */
char *program_compose(const char *names, const struct kernel_source *more);

/* Build a text.  A text that is NULL is reported as exhausted memory.  The caller releases the program, which is NULL
 * on errors.  Errors: GPUCRYPT_DEVICE, with the first line of the build log. */
int program_build_text(
        cl_program *program, cl_context context, const struct device *device, const char *text, const char *options);

/* For every program (OpenCL 1.2, §5.6.4). Without -w, PoCL's compiler counts its warnings on
 * standard error, and the first line of a log that build_failure() quotes may be one of them. */
#define PROGRAM_OPTIONS "-cl-std=CL1.2 -w"

/* The engine. */

/* Groups in flight: one each is sent, computed and received.  A fourth one adds nothing, and a driver keeps a core
 * busy for each (docs/performance.md).  A CPU device computes one at a time. */
#define OPENCL_LANES     3
#define OPENCL_CPU_LANES 2

static inline unsigned opencl_lanes(bool device_is_cpu)
{
	return device_is_cpu ? OPENCL_CPU_LANES : OPENCL_LANES;
}

struct opencl_lane {
	cl_command_queue queue;
	cl_kernel kernels[N_KERNELS], tag_kernel; /* tag_kernel NULL: the lane computes no tags */
	cl_mem blocks, tweaks;                    /* grown as needed */
	size_t blocks_bytes, tweaks_bytes;
	cl_mem keys[N_KERNELS];                  /* round keys */
	struct round_keys round_keys[N_KERNELS]; /* must stay until the queue is finished, then wiped */
};

struct engine_of_opencl {
	struct engine engine;
	struct inventory inventory;
	const struct device *device; /* in the inventory */
	struct kernel_config kernel;
	cl_context context;
	/* By kernel: the data's, and the tweaks'. */
	cl_program programs[N_KERNELS];
	cl_program tag_program; /* NULL: no tags on this device */
	cl_mem table[N_KERNELS];
	struct opencl_lane lanes[OPENCL_LANES];
};

/* engine_opencl without deadlines and without the CPU in its place, whose engines are struct engine_of_opencl. */
extern const struct engine_class engine_opencl_bare;

/* The engine's description, without opening the engine. */
void opencl_describe(char *text, size_t n, const struct device *device, const struct kernel_config *kernel);

/* Provide the lane's buffers (lane->blocks: n_bytes at least), and enqueue the transfer of the round keys of a work;
 * lane->round_keys must not change until the queue is finished. */
cl_int opencl_prepare(struct engine_of_opencl *ocl, struct opencl_lane *lane, const struct work *work, size_t n_bytes,
        struct span *span);

/* Wipe the round keys on the host, once the queue is finished. */
void opencl_forget_keys(const struct engine_of_opencl *ocl, struct opencl_lane *lane);

/* Enqueue the kernels over lane->blocks.  events may be NULL; else the caller releases them. */
cl_int opencl_launch(struct engine_of_opencl *ocl, struct opencl_lane *lane, const struct work *work,
        const struct span *span, cl_event events[N_KERNELS]);

/*
 * Enqueue the tags of a work that has tag_r.  They are written to lane->blocks, after the last block and after the tags
 * of the work `before` (NULL: none), which has as many blocks.  The caller transfers opencl_bytes_back() bytes, blocks
 * and tags together: a separate transfer of the tags would cost as much as 100 KiB of data.
 */
cl_int opencl_tag(const struct opencl_lane *lane, const struct work *work, const struct work *before);
size_t opencl_bytes_back(const struct work *work, const struct work *other);

int opencl_recrypt(struct engine *engine, unsigned lane, struct recryption *job);

/* Page-lock memory of the host.  bytes: page-aligned, and owned by the caller, who must unlock them before they are
 * released.  Writes zeros to each page, so that the pages exist. */
cl_int opencl_lock_memory(cl_mem *memory, cl_context context, cl_command_queue queue, uint8_t *bytes, size_t n_bytes);
void opencl_unlock_memory(cl_mem memory, cl_command_queue queue, uint8_t *bytes);

/* Times of kernels without transfers. */
#define MAX_KERNEL_RUNS 32

struct kernel_timing {
	unsigned runs;
	double seconds[MAX_KERNEL_RUNS]; /* ascending */
	size_t compared_bytes;           /* of all runs */
	bool wrong;                      /* the device computed something wrong */
};

/*
 * Time the suite's kernels, the first pass of XTS included, by profiling events: `runs` times after two that are not
 * counted, in place over a buffer of n_bytes (a multiple of 4096) on the device, random at first.  On a slow device a
 * run is over fewer bytes, so that no launch takes over half a second, and its time is scaled.  The reference
 * implementation computes the first, the last and some random 4 KiB of each counted run again; GPUCRYPT_DEVICE and
 * timing->wrong if one differs.
 */
int kernel_times(struct engine *engine, size_t n_bytes, unsigned runs, struct kernel_timing *timing);

#endif
