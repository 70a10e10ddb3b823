#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/engine/opencl/arguments.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/status.h"

cl_int kernel_set_arguments(cl_kernel kernel, const struct kernel_argument *arguments, cl_uint n)
{
	cl_int error = CL_SUCCESS;

	for (cl_uint i = 0; i < n && error == CL_SUCCESS; i++)
		error = clSetKernelArg(kernel, i, arguments[i].size, arguments[i].value);
	return error;
}

/* Composition. */

static const char *source_text(const struct kernel_source *sources, const char *name, size_t n_bytes)
{
	for (; sources != NULL && sources->name != NULL; sources++)
		if (strlen(sources->name) == n_bytes && memcmp(sources->name, name, n_bytes) == 0)
			return sources->text;
	return NULL;
}

char *program_compose(const char *names, const struct kernel_source *more)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (out == NULL)
		return NULL;
	for (const char *name = names; *name != '\0';) {
		size_t n = strcspn(name, " ");
		const char *source = source_text(kernel_sources, name, n);
		if (source == NULL)
			source = source_text(more, name, n);
		fprintf(out, "#line 1 \"%.*s\"\n%s", (int)n, name,
		        source != NULL ? source : "#error this file is not built in\n");
		name += n + strspn(name + n, " ");
	}
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static void options_text(char *text, size_t n, const struct device *device, const struct suite *suite,
        const struct kernel_config *kernel, enum kernel which)
{
	static const char *const spaces[N_MEMORY_SPACES] = { [MEMORY_LOCAL] = "LOCAL",
		[MEMORY_CONSTANT] = "CONSTANT",
		[MEMORY_GLOBAL] = "GLOBAL",
		[MEMORY_ARGUMENT] = "ARGUMENT" };
	const struct table_form *form = kernel_form(kernel, suite->cipher);
	unsigned size = suite->key_bytes / 8 - 2;

	snprintf(text, n,
	        PROGRAM_OPTIONS
	        " -DDECRYPT=%d -DROUNDS=%u -DROUND_KEY_WORDS=%u -DTABLE_FORM=%d "
	        "-DTABLE_WORDS=%u -DCOPIES=%u -DTABLE_IN_%s -DKEYS_IN_%s -DWORK_ITEMS=%u -DSLICE_WORDS=%u "
	        "-DCOUNTERS=%u%s%s%s",
	        suite_direction(suite) == DECRYPT, suite->cipher->rounds[size], suite->cipher->round_key_words[size],
	        form->number, form->words, kernel->replicas, spaces[kernel->table_space], spaces[kernel->key_space],
	        kernel->work_items, kernel->slice_words, kernel->blocks_per_item, device->cpu ? "" : " -DUNROLL",
	        device->ptx && !kernel->portable ? " -DPTX" : "", which == KERNEL_TWEAKS ? " -DTWEAKS" : "");
}

/* The first line of the build log, for a one-line message. */
static int build_failure(cl_program program, const struct device *device, cl_int error)
{
	char text[OPENCL_ERROR_BYTES], *log;
	size_t n = 0;
	int status;

	clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &n);
	log = calloc(1, n + 1);
	if (log != NULL && n > 0)
		clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, n, log, NULL);
	if (log != NULL)
		log[strcspn(log, "\n")] = '\0';
	status = fail(GPUCRYPT_DEVICE, "%s: program build failed: %s: %s", device->name, opencl_error(text, error),
	        log == NULL ? "" : log);
	free(log);
	return status;
}

int program_build_text(
        cl_program *program, cl_context context, const struct device *device, const char *text, const char *options)
{
	cl_int error;
	int status = GPUCRYPT_OK;

	*program = NULL;
	if (text == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	*program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
	if (error != CL_SUCCESS)
		return device_failure(device, "no program", error);
	error = clBuildProgram(*program, 1, &device->id, options, NULL, NULL);
	if (error != CL_SUCCESS) {
		status = build_failure(*program, device, error);
		clReleaseProgram(*program);
		*program = NULL;
	}
	return status;
}

static int build_program(
        cl_program *program, cl_context context, const struct device *device, const char *names, const char *options)
{
	char *text = program_compose(names, NULL);
	int status = program_build_text(program, context, device, text, options);

	free(text);
	return status;
}

/* The files of the cipher and the mode. */
static void core_names(char *text, size_t n, const struct suite *suite, const struct kernel_config *kernel)
{
	const struct mode *mode = suite->mode;
	const char *sources = kernel_form(kernel, suite->cipher)->sources;

	if (kernel->blocks_per_item > 1)
		snprintf(text, n, "%s %s_cached.cl %s", sources, suite->cipher->name, mode->cached_sources);
	else
		snprintf(text, n, "%s %s", sources, kernel_is_sliced(kernel) ? mode->slice_sources : mode->sources);
}

int program_build(cl_program *program, cl_context context, const struct device *device, const struct suite *suite,
        const struct kernel_config *kernel, enum kernel which)
{
	char options[512], core[120], names[160];

	core_names(core, sizeof(core), suite, kernel);
	snprintf(names, sizeof(names), "word.cl table.cl %s grid.cl", core);
	options_text(options, sizeof(options), device, suite, kernel, which);
	return build_program(program, context, device, names, options);
}

int program_build_tags(cl_program *program, cl_context context, const struct device *device)
{
	char options[64];

	snprintf(options, sizeof(options), PROGRAM_OPTIONS " -DTAG_LOG2=%d -DTAG_ITEMS=%d%s", TAG_LOG2, 1 << TAG_LOG2,
	        device->cpu ? " -DON_CPU" : "");
	return build_program(program, context, device, "word.cl poly1305.cl", options);
}
