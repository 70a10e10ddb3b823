#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/engine/opencl/arguments.h"
#include "gpucrypt/crypto/names.h"
#include "gpucrypt/engine/opencl/program.h"
#include "gpucrypt/status.h"

const char *const kernel_names[N_KERNELS] = { "crypt", "encrypt_tweaks" };

/* Of an aligned group, which share all bytes but the last (kernels/modes/ctr_cached.cl). */
#define MAX_BLOCKS_PER_ITEM 256

cl_int kernel_set_arguments(cl_kernel kernel, const struct kernel_argument *arguments, cl_uint n)
{
	cl_int error = CL_SUCCESS;

	for (cl_uint i = 0; i < n && error == CL_SUCCESS; i++)
		error = clSetKernelArg(kernel, i, arguments[i].size, arguments[i].value);
	return error;
}

/* Shape. */

static int choose_form(struct program_shape *shape, const struct cipher *cipher, enum table_id wanted)
{
	char list[128] = "";

	shape->form = wanted == TABLE_OPEN ? &cipher->forms[0] : cipher_form(cipher, wanted);
	if (shape->form != NULL) {
		shape->kernel.table = shape->form->id;
		return GPUCRYPT_OK;
	}
	for (unsigned i = 0; i < cipher->n_forms; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i > 0 ? ", " : "",
		        cipher->forms[i].name);
	return fail(GPUCRYPT_USAGE, "%s has no table form '%s' (choose from: %s)", cipher->name,
	        value_name(&table_names, wanted), list);
}

static int check_space(struct program_shape *shape, const struct suite *suite, const struct device *device)
{
	uint64_t table = 4ull * shape->form->words, local = 0, constant = 0;
	uint64_t keys = 4ull * suite->cipher->round_key_words[suite->key_bytes / 8 - 2];

	if (form_is_sliced(shape->form) && shape->kernel.key_space == MEMORY_LOCAL)
		keys *= 32; /* a word for each bit */
	if (shape->kernel.table_space == MEMORY_LOCAL)
		local += table * shape->kernel.replicas;
	else if (shape->kernel.table_space == MEMORY_CONSTANT)
		constant += table;
	if (shape->kernel.key_space == MEMORY_LOCAL)
		local += keys;
	else if (shape->kernel.key_space == MEMORY_CONSTANT)
		constant += keys;
	shape->local_bytes = local;
	if (local > device->local_bytes)
		return fail(GPUCRYPT_DEVICE, "%s: %llu bytes of tables and keys, local memory has %llu", device->name,
		        (unsigned long long)local, (unsigned long long)device->local_bytes);
	if (constant > device->constant_bytes)
		return fail(GPUCRYPT_DEVICE, "%s: %llu bytes of tables and keys, constant memory has %llu",
		        device->name, (unsigned long long)constant, (unsigned long long)device->constant_bytes);
	return GPUCRYPT_OK;
}

unsigned device_slice_words(const struct device *device)
{
	if (!device->cpu)
		return 1;
	return device->vector_words >= MAX_SLICE_WORDS ? MAX_SLICE_WORDS : device->vector_words >= 8 ? 8 : 4;
}

/* The launch the policy asks for: groups a multiple of the compute units, items of the batch. */
static void default_launch(struct program_shape *shape, const struct device *device)
{
	bool sliced = form_is_sliced(shape->form);
	unsigned items = device->gpu ? 256 : 64, groups = device->gpu ? 8 : 4;

	/* Bitsliced work-items need many registers, or do much at once. */
	if (sliced)
		items = device->gpu ? 128 : 16, groups = 4;
	shape->slice_words = sliced ? device_slice_words(device) : 0;
	if (shape->kernel.work_items == 0)
		shape->kernel.work_items = items < device->max_work_items ? items : device->max_work_items;
	if (shape->kernel.work_groups == 0)
		shape->kernel.work_groups = device->compute_units * groups;
}

static void set_defaults(struct kernel_config *kernel)
{
	if (kernel->table_space == MEMORY_OPEN)
		kernel->table_space = MEMORY_LOCAL;
	if (kernel->key_space == MEMORY_OPEN)
		kernel->key_space = MEMORY_LOCAL;
	if (kernel->replicas == 0)
		kernel->replicas = 1;
	if (kernel->blocks_per_item == 0)
		kernel->blocks_per_item = 1;
}

int program_shape_of_plan(struct program_shape *shape, const struct cipher *cipher, const struct gpucrypt_plan *plan)
{
	struct kernel_config *kernel = &shape->kernel;
	bool constant_time = plan->constant_time && plan->kernel.table == TABLE_OPEN;
	int status;

	*shape = (struct program_shape){ .kernel = plan->kernel };
	status = choose_form(shape, cipher, constant_time ? TABLE_BITSLICED : plan->kernel.table);
	if (status != GPUCRYPT_OK)
		return status;
	if (plan->constant_time && !form_is_sliced(shape->form))
		return fail(GPUCRYPT_USAGE, "table form '%s' is not constant-time: only '%s' is", shape->form->name,
		        BITSLICED_NAME);
	set_defaults(kernel);
	if (value_name(&table_space_names, kernel->table_space)[0] == '\0')
		return fail(GPUCRYPT_USAGE, "unknown table space number %u", kernel->table_space);
	if (value_name(&key_space_names, kernel->key_space)[0] == '\0')
		return fail(GPUCRYPT_USAGE, "unknown key space number %u", kernel->key_space);
	if ((kernel->replicas & (kernel->replicas - 1)) != 0 || kernel->replicas > 1024)
		return fail(GPUCRYPT_USAGE, "%u table copies: not a power of two up to 1024", kernel->replicas);
	if ((kernel->blocks_per_item & (kernel->blocks_per_item - 1)) != 0 ||
	        kernel->blocks_per_item > MAX_BLOCKS_PER_ITEM)
		return fail(GPUCRYPT_USAGE, "%u counters per work-item: not a power of two up to %d",
		        kernel->blocks_per_item, MAX_BLOCKS_PER_ITEM);
	if (kernel->replicas > 1 && kernel->table_space != MEMORY_LOCAL)
		return fail(GPUCRYPT_USAGE, "%u table copies: only local memory holds several", kernel->replicas);
	if (form_is_sliced(shape->form)) { /* no table to place */
		kernel->table_space = MEMORY_LOCAL;
		kernel->replicas = kernel->blocks_per_item = 1;
	}
	return GPUCRYPT_OK;
}

/* PoCL keeps the slices of a whole group, 8 KiB a work-item, on the stack of a thread. */
static unsigned most_work_items(const struct program_shape *shape, const struct device *device)
{
	bool on_stack = device->cpu && form_is_sliced(shape->form);

	return on_stack && device->max_work_items > 256 ? 256 : device->max_work_items;
}

int program_shape(struct program_shape *shape, const struct suite *suite, const struct gpucrypt_plan *plan,
        const struct device *device)
{
	int status = program_shape_of_plan(shape, suite->cipher, plan);

	if (status != GPUCRYPT_OK)
		return status;
	if (shape->kernel.work_items > most_work_items(shape, device))
		return fail(GPUCRYPT_USAGE, "%u work-items in a group: %s allows %u", shape->kernel.work_items,
		        device->name, most_work_items(shape, device));
	if (suite->mode->cached_sources == NULL)
		shape->kernel.blocks_per_item = 1;
	default_launch(shape, device);
	shape->ptx = device->ptx && !shape->kernel.portable;
	return check_space(shape, suite, device);
}

/* Composition. */

static const char *source_text(const char *name, size_t n_bytes)
{
	for (const struct kernel_source *s = kernel_sources; s->name != NULL; s++)
		if (strlen(s->name) == n_bytes && memcmp(s->name, name, n_bytes) == 0)
			return s->text;
	return NULL;
}

/* The files named, each behind a #line, as one string to be freed. */
static char *compose(const char *names)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (out == NULL)
		return NULL;
	for (const char *name = names; *name != '\0';) {
		size_t n = strcspn(name, " ");
		const char *source = source_text(name, n);
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
        const struct program_shape *shape, enum kernel kernel)
{
	static const char *const spaces[N_MEMORY_SPACES] = { [MEMORY_LOCAL] = "LOCAL",
		[MEMORY_CONSTANT] = "CONSTANT",
		[MEMORY_GLOBAL] = "GLOBAL",
		[MEMORY_ARGUMENT] = "ARGUMENT" };
	const struct kernel_config *config = &shape->kernel;
	unsigned size = suite->key_bytes / 8 - 2;

	snprintf(text, n,
	        PROGRAM_OPTIONS
	        " -DDECRYPT=%d -DROUNDS=%u -DROUND_KEY_WORDS=%u -DTABLE_FORM=%d "
	        "-DTABLE_WORDS=%u -DCOPIES=%u -DTABLE_IN_%s -DKEYS_IN_%s -DWORK_ITEMS=%u -DSLICE_WORDS=%u "
	        "-DCOUNTERS=%u%s%s%s",
	        suite_direction(suite) == DECRYPT, suite->cipher->rounds[size], suite->cipher->round_key_words[size],
	        shape->form->number, shape->form->words, config->replicas, spaces[config->table_space],
	        spaces[config->key_space], config->work_items, shape->slice_words, config->blocks_per_item,
	        device->cpu ? "" : " -DUNROLL", shape->ptx ? " -DPTX" : "", kernel == KERNEL_TWEAKS ? " -DTWEAKS" : "");
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

static int build(
        cl_program *program, cl_context context, const struct device *device, const char *names, const char *options)
{
	char *text = compose(names);
	const char *texts[1] = { text };
	cl_int error;
	int status = GPUCRYPT_OK;

	if (text == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	*program = clCreateProgramWithSource(context, 1, texts, NULL, &error);
	free(text);
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

/* The files of the cipher and the mode. */
static void core_names(char *text, size_t n, const struct suite *suite, const struct program_shape *shape)
{
	const struct mode *mode = suite->mode;

	if (shape->kernel.blocks_per_item > 1)
		snprintf(
		        text, n, "%s %s_cached.cl %s", shape->form->sources, suite->cipher->name, mode->cached_sources);
	else
		snprintf(text, n, "%s %s", shape->form->sources,
		        form_is_sliced(shape->form) ? mode->slice_sources : mode->sources);
}

int program_build(cl_program *program, cl_context context, const struct device *device, const struct suite *suite,
        const struct program_shape *shape, enum kernel kernel)
{
	char options[512], core[120], names[160];

	core_names(core, sizeof(core), suite, shape);
	snprintf(names, sizeof(names), "word.cl table.cl %s grid.cl", core);
	options_text(options, sizeof(options), device, suite, shape, kernel);
	return build(program, context, device, names, options);
}

int program_build_tags(cl_program *program, cl_context context, const struct device *device)
{
	char options[64];

	snprintf(options, sizeof(options), PROGRAM_OPTIONS " -DTAG_LOG2=%d -DTAG_ITEMS=%d%s", TAG_LOG2, 1 << TAG_LOG2,
	        device->cpu ? " -DON_CPU" : "");
	return build(program, context, device, "word.cl poly1305.cl", options);
}
