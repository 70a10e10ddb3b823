/* Numbers and values of kernel arguments. */
#ifndef GPUCRYPT_ENGINE_OPENCL_ARGUMENTS_H
#define GPUCRYPT_ENGINE_OPENCL_ARGUMENTS_H

#include "gpucrypt/crypto/host_core.h"
#include "gpucrypt/device/device.h"

/* The arguments of the kernels (kernels/common/word.cl): CRYPT_in is 0, and so on. */
#define CRYPT_NUMBER(type, name) CRYPT_##name,
#define TAG_NUMBER(type, name)   TAG_##name,
enum crypt_argument { CRYPT_ARGUMENTS(CRYPT_NUMBER, CRYPT_NUMBER) N_CRYPT_ARGUMENTS };
enum tag_argument { TAG_ARGUMENTS(TAG_NUMBER, TAG_NUMBER) N_TAG_ARGUMENTS };

/* The value of a kernel's argument, for kernel_set_arguments(). */
struct kernel_argument {
	size_t size;
	const void *value;
};
#define ARGUMENT(v)             \
	{                       \
		sizeof(v), &(v) \
	}

/* Set the first n arguments of a kernel. */
cl_int kernel_set_arguments(cl_kernel kernel, const struct kernel_argument *arguments, cl_uint n);

#endif
