#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/engine/opencl/program.h"
#include "gpucrypt/engine/opencl/rsa_device.h"
#include "gpucrypt/status.h"

const char *const kernel_names[N_KERNELS] = { "crypt", "encrypt_tweaks" };

/* Of an aligned group, which share all bytes but the last (kernels/modes/ctr_cached.cl). */
#define MAX_COUNTERS 256

static const char *const spaces[] = { "local", "constant", "global" };
static const char *const key_spaces[] = { "local", "constant", "argument" };

const char *opencl_error(cl_int error)
{
	static const struct {
		cl_int number;
		const char *name;
	} names[] = {
		{ CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE" },
		{ CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE" },
		{ CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE" },
		{ CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES" },
		{ CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY" },
		{ CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE" },
		{ CL_INVALID_VALUE, "CL_INVALID_VALUE" },
		{ CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE" },
		{ CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE" },
		{ CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS" },
	};
	static _Thread_local char other[24];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].number == error)
			return names[i].name;
	snprintf(other, sizeof(other), "OpenCL error %d", error);
	return other;
}

/* Shape. */

static const char *choose_space(const char *const all[3], const char *wanted)
{
	if (wanted == NULL)
		return all[0];
	for (unsigned i = 0; i < 3; i++)
		if (strcmp(all[i], wanted) == 0)
			return all[i];
	return NULL;
}

static int choose_form(struct program_shape *shape, const struct cipher *cipher, const char *name)
{
	char list[128] = "";

	shape->form = &cipher->forms[0];
	if (name == NULL)
		return GPUCRYPT_OK;
	shape->form = form_by_name(cipher, name);
	if (shape->form != NULL)
		return GPUCRYPT_OK;
	for (unsigned i = 0; i < cipher->n_forms; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), " %s", cipher->forms[i].name);
	return fail(GPUCRYPT_USAGE, "table form %s: %s has%s", name, cipher->name, list);
}

static int check_space(struct program_shape *shape, const struct suite *suite, const struct device *device)
{
	uint64_t table = 4ull * shape->form->words, local = 0, constant = 0;
	uint64_t keys = 4ull * suite->cipher->round_key_words[suite->key_bytes / 8 - 2];

	if (form_is_sliced(shape->form) && shape->key_space == key_spaces[0])
		keys *= 32; /* a word for each bit */
	if (shape->table_space == spaces[0])
		local += table * shape->copies;
	else if (shape->table_space == spaces[1])
		constant += table;
	if (shape->key_space == key_spaces[0])
		local += keys;
	else if (shape->key_space == key_spaces[1])
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
	if (shape->work_items == 0)
		shape->work_items = items < device->max_work_items ? items : device->max_work_items;
	if (shape->work_groups == 0)
		shape->work_groups = device->compute_units * groups;
}

int program_shape_of_plan(struct program_shape *shape, const struct cipher *cipher, const struct gpucrypt_plan *plan)
{
	bool constant_time = plan->constant_time && plan->table == NULL;
	int status = choose_form(shape, cipher, constant_time ? CONSTANT_TIME_FORM : plan->table);

	if (status != GPUCRYPT_OK)
		return status;
	if (plan->constant_time && !form_is_sliced(shape->form))
		return fail(GPUCRYPT_USAGE, "table form %s: only %s is constant-time", plan->table, CONSTANT_TIME_FORM);
	shape->table_space = choose_space(spaces, plan->table_space);
	shape->key_space = choose_space(key_spaces, plan->key_space);
	shape->copies = plan->copies == 0 ? 1 : plan->copies;
	shape->counters = plan->counters == 0 ? 1 : plan->counters;
	shape->work_items = plan->work_items;
	shape->work_groups = plan->work_groups;
	shape->ptx = false;
	shape->slice_words = 0;
	if (shape->table_space == NULL)
		return fail(GPUCRYPT_USAGE, "table space %s: there are local constant global", plan->table_space);
	shape->keys_by_value = shape->key_space == key_spaces[2];
	if (shape->key_space == NULL)
		return fail(GPUCRYPT_USAGE, "key space %s: there are local constant argument", plan->key_space);
	if ((shape->copies & (shape->copies - 1)) != 0 || shape->copies > 1024)
		return fail(GPUCRYPT_USAGE, "%u copies: not a power of two up to 1024", shape->copies);
	if ((shape->counters & (shape->counters - 1)) != 0 || shape->counters > MAX_COUNTERS)
		return fail(GPUCRYPT_USAGE, "%u counters: not a power of two up to %d", shape->counters, MAX_COUNTERS);
	if (shape->copies > 1 && shape->table_space != spaces[0])
		return fail(GPUCRYPT_USAGE, "%u copies: only local memory holds copies", shape->copies);
	if (form_is_sliced(shape->form)) { /* no table to place */
		shape->table_space = spaces[0];
		shape->copies = 1;
		shape->counters = 1;
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
	if (shape->work_items > most_work_items(shape, device))
		return fail(GPUCRYPT_USAGE, "%u work-items in a group: %s allows %u", shape->work_items, device->name,
		        most_work_items(shape, device));
	if (suite->mode->cached_sources == NULL)
		shape->counters = 1;
	default_launch(shape, device);
	shape->ptx = device->ptx && !plan->portable;
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
	static const char *const table_macros[] = { "TABLE_IN_LOCAL", "TABLE_IN_CONSTANT", "TABLE_IN_GLOBAL" };
	static const char *const key_macros[] = { "KEYS_IN_LOCAL", "KEYS_IN_CONSTANT", "KEYS_IN_ARGUMENT" };
	unsigned table = 0, key = 0, size = suite->key_bytes / 8 - 2;

	while (table < 2 && shape->table_space != spaces[table])
		table++;
	while (key < 2 && shape->key_space != key_spaces[key])
		key++;
	snprintf(text, n,
	        PROGRAM_OPTIONS " -DDECRYPT=%d -DROUNDS=%u -DROUND_KEY_WORDS=%u -DTABLE_FORM=%d "
	                        "-DTABLE_WORDS=%u -DCOPIES=%u -D%s -D%s -DWORK_ITEMS=%u -DSLICE_WORDS=%u "
	                        "-DCOUNTERS=%u%s%s%s",
	        suite_direction(suite) == DECRYPT, suite->cipher->rounds[size], suite->cipher->round_key_words[size],
	        shape->form->number, shape->form->words, shape->copies, table_macros[table], key_macros[key],
	        shape->work_items, shape->slice_words, shape->counters, device->cpu ? "" : " -DUNROLL",
	        shape->ptx ? " -DPTX" : "", kernel == KERNEL_TWEAKS ? " -DTWEAKS" : "");
}

/* The first line of the build log, for a one-line message. */
static int build_failure(cl_program program, const struct device *device, cl_int error)
{
	size_t n = 0;
	char *log;
	int status;

	clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &n);
	log = calloc(1, n + 1);
	if (log != NULL && n > 0)
		clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, n, log, NULL);
	if (log != NULL)
		log[strcspn(log, "\n")] = '\0';
	status = fail(GPUCRYPT_DEVICE, "%s: program build failed: %s: %s", device->name, opencl_error(error),
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
		return fail(GPUCRYPT_DEVICE, "%s: no program: %s", device->name, opencl_error(error));
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

	if (shape->counters > 1)
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

int program_build_rsa(cl_program *program, cl_context context, const struct device *device,
        const struct rsa_shape *shape, unsigned words)
{
	char options[128];

	snprintf(options, sizeof(options), PROGRAM_OPTIONS " -DWORDS=%u -DWORK_ITEMS=%u%s%s%s%s", words,
	        shape->work_items, shape->coalesced ? " -DCOALESCED" : "", shape->chains ? " -DCHAINS" : "",
	        shape->ptx ? " -DPTX" : "", device->cpu ? "" : " -DUNROLL");
	return build(program, context, device, "word.cl carry.cl rsa.cl", options);
}
