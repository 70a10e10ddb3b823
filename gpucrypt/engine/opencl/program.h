/* Device programs: sources composed, shaped by macros, built. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "gpucrypt/engine/opencl/device.h"
#include "gpucrypt/engine/engine.h"

struct kernel_source {
	const char *name, *text;
};

/* The files of kernels/, built in; ends with a NULL name. */
extern const struct kernel_source kernel_sources[];

/* What a program is made from besides its suite: complete, nothing left to choose. */
struct program_shape {
	struct kernel_config kernel;
	const struct table_form *form; /* kernel.table of the cipher */
	unsigned slice_words;          /* of a bitsliced form, else 0; set by program_shape() */
	uint64_t local_bytes;          /* of local memory in a work-group; set by program_shape() */
	bool ptx;                      /* with NVIDIA's assembly */
};

/* What a plan says by itself, whatever the device: GPUCRYPT_USAGE for values that the cipher or any device lacks. */
int program_shape_of_plan(struct program_shape *shape, const struct cipher *cipher, const struct gpucrypt_plan *plan);

/* Blocks that a work-item has at once. */
static inline unsigned shape_item_blocks(const struct program_shape *shape)
{
	return shape->slice_words == 0 ? shape->kernel.blocks_per_item : 32 * shape->slice_words;
}

/* Words of a slice: a CPU's register; on GPUs the work-items side by side are the vector: 1. */
#define MAX_SLICE_WORDS 16
unsigned device_slice_words(const struct device *device);

/* The same completed for a device; GPUCRYPT_DEVICE for what it cannot hold. */
int program_shape(struct program_shape *shape, const struct suite *suite, const struct gpucrypt_plan *plan,
        const struct device *device);

/* The kernels of grid.cl; each is a program of its own (PoCL 3.1 crashes on AES-XTS with both). */
enum kernel { KERNEL_CRYPT, KERNEL_TWEAKS, N_KERNELS };
extern const char *const kernel_names[N_KERNELS];

/* Build the program of one kernel.  Key material never goes in here: drivers cache programs. */
int program_build(cl_program *program, cl_context context, const struct device *device, const struct suite *suite,
        const struct program_shape *shape, enum kernel kernel);

/* The program of poly1305.cl: kernel tag_chunks in groups of 2^TAG_LOG2 work-items. */
#define TAG_LOG2 8
int program_build_tags(cl_program *program, cl_context context, const struct device *device);

/* For every program (OpenCL 1.2, §5.6.4). Without -w, PoCL's compiler counts its warnings on
 * standard error, and the first line of a log that build_failure() quotes may be one of them. */
#define PROGRAM_OPTIONS "-cl-std=CL1.2 -w"

#endif
