/* A plan's kernel configuration completed for a cipher, and for a device. */
#ifndef SHAPE_H
#define SHAPE_H

#include "gpucrypt/device/device.h"
#include "gpucrypt/engine/engine.h"

/* The complete parameters of a program, apart from its suite. */
struct program_shape {
	struct kernel_config kernel;
	const struct table_form *form; /* kernel.table of the cipher */
	unsigned slice_words;          /* words per slice of a bitsliced form, else 0; set by program_shape() */
	uint64_t local_bytes;          /* local memory per work-group; set by program_shape() */
	bool ptx;                      /* use NVIDIA's assembly */
};

/* Check a plan without a device.  Errors: GPUCRYPT_USAGE for values that the cipher or every device lacks. */
int program_shape_of_plan(struct program_shape *shape, const struct cipher *cipher, const struct gpucrypt_plan *plan);

/* Blocks that a work-item processes at the same time. */
static inline unsigned shape_item_blocks(const struct program_shape *shape)
{
	return shape->slice_words == 0 ? shape->kernel.blocks_per_item : 32 * shape->slice_words;
}

/* Words of a slice: a CPU's register; on GPUs the work-items side by side are the vector: 1. */
#define MAX_SLICE_WORDS 16
unsigned device_slice_words(const struct device *device);

/* Complete the shape for a device: what the plan leaves open is chosen so that it fits.  Errors: GPUCRYPT_DEVICE if the
 * device has too little memory. */
int program_shape(struct program_shape *shape, const struct suite *suite, const struct gpucrypt_plan *plan,
        const struct device *device);

#endif
