/* A plan's kernel configuration completed for a cipher, and for a device. */
#ifndef GPUCRYPT_ENGINE_KERNEL_CONFIG_H
#define GPUCRYPT_ENGINE_KERNEL_CONFIG_H

#include "gpucrypt/device/device.h"
#include "gpucrypt/engine/engine.h"

/* Check a plan without a device, and set its defaults; kernel is not the plan's own.  Errors: GPUCRYPT_USAGE for values
 * that the cipher or every device lacks. */
int kernel_config_check(struct kernel_config *kernel, const struct cipher *cipher, const struct gpucrypt_plan *plan);

/* Complete the configuration for a device: what the plan leaves open is chosen so that it fits; kernel is not the
 * plan's own.  Errors: GPUCRYPT_DEVICE if the device has too little memory. */
int kernel_config_complete(struct kernel_config *kernel, const struct suite *suite, const struct gpucrypt_plan *plan,
        const struct device *device);

/* The functions below take a configuration that has been checked. */

static inline const struct table_form *kernel_form(const struct kernel_config *kernel, const struct cipher *cipher)
{
	return cipher_form(cipher, kernel->table);
}

static inline bool kernel_is_sliced(const struct kernel_config *kernel)
{
	return kernel->table == TABLE_BITSLICED;
}

/* Blocks that a work-item processes at the same time. */
static inline unsigned kernel_item_blocks(const struct kernel_config *kernel)
{
	return kernel->slice_words == 0 ? kernel->blocks_per_item : 32 * kernel->slice_words;
}

/* The tables and keys in a local or constant memory space; a work-group has its own local memory. */
uint64_t kernel_space_bytes(const struct kernel_config *kernel, const struct suite *suite, enum memory_space space);

/* Words of a slice: a CPU's register; on GPUs the work-items side by side are the vector: 1. */
#define MAX_SLICE_WORDS 16
unsigned device_slice_words(const struct device *device);

#endif
