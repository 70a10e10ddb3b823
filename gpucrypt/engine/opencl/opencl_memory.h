/* Page-locking memory of the host for an OpenCL device. */
#ifndef GPUCRYPT_ENGINE_OPENCL_OPENCL_MEMORY_H
#define GPUCRYPT_ENGINE_OPENCL_OPENCL_MEMORY_H

#include "gpucrypt/device/device.h"

/* bytes: page-aligned, and the caller's until they are unlocked; overwritten with zeros in places, so that their pages
 * exist. */
cl_int opencl_lock_memory(cl_mem *memory, cl_context context, cl_command_queue queue, uint8_t *bytes, size_t n_bytes);
void opencl_unlock_memory(cl_mem memory, cl_command_queue queue, uint8_t *bytes);

/* Overwrite and release a buffer of the device that held keys or plaintext.  Both may be NULL. */
void opencl_release_wiped(cl_command_queue queue, cl_mem buffer, size_t n_bytes);

#endif
