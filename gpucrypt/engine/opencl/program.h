/* Device programs: sources composed, shaped by macros, built. */
#ifndef GPUCRYPT_ENGINE_OPENCL_PROGRAM_H
#define GPUCRYPT_ENGINE_OPENCL_PROGRAM_H

#include "gpucrypt/engine/kernel_config.h"

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

#endif
