#include "gpucrypt/engine/shape.h"

#include <stdio.h>
#include <string.h>

#include "gpucrypt/crypto/names.h"
#include "gpucrypt/status.h"

/* Blocks of an aligned group whose counters differ in the last byte only (kernels/modes/ctr_cached.cl). */
#define MAX_BLOCKS_PER_ITEM 256

static int choose_form(struct program_shape *shape, const struct cipher *cipher, enum table_id wanted)
{
	char list[128] = "";

	shape->form = wanted == TABLE_OPEN ? &cipher->forms[0] : cipher_form(cipher, wanted);
	if (shape->form != NULL) {
		shape->kernel.table = shape->form->id;
		return GPUCRYPT_OK;
	}
	if (instruction_form_by_id(cipher, wanted) != NULL)
		return fail(GPUCRYPT_USAGE, "%s form '%s' is of the CPU's instructions: only engine cpu has it",
		        cipher->name, value_name(&table_names, wanted));
	for (unsigned i = 0; i < cipher->n_forms; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i > 0 ? ", " : "",
		        cipher->forms[i].name);
	return fail(GPUCRYPT_USAGE, "%s has no table form '%s' (choose from: %s)", cipher->name,
	        value_name(&table_names, wanted), list);
}

/* Local and constant memory that the shape's tables and keys take. */
static void count_space(struct program_shape *shape, const struct suite *suite, uint64_t *constant)
{
	uint64_t table = 4ull * shape->form->words;
	uint64_t keys = 4ull * suite->cipher->round_key_words[suite->key_bytes / 8 - 2];

	if (form_is_sliced(shape->form) && shape->kernel.key_space == MEMORY_LOCAL)
		keys *= 32; /* a word for each bit */
	shape->local_bytes = *constant = 0;
	if (shape->kernel.table_space == MEMORY_LOCAL)
		shape->local_bytes += table * shape->kernel.replicas;
	else if (shape->kernel.table_space == MEMORY_CONSTANT)
		*constant += table;
	if (shape->kernel.key_space == MEMORY_LOCAL)
		shape->local_bytes += keys;
	else if (shape->kernel.key_space == MEMORY_CONSTANT)
		*constant += keys;
}

/* What the plan leaves open goes to local memory, the policy, or where there is room. */
static int place(struct program_shape *shape, const struct suite *suite, const struct gpucrypt_plan *plan,
        const struct device *device)
{
	static const enum memory_space table_spaces[] = { MEMORY_LOCAL, MEMORY_CONSTANT, MEMORY_GLOBAL },
	                               key_spaces[] = { MEMORY_LOCAL, MEMORY_ARGUMENT, MEMORY_CONSTANT };
	uint64_t constant;

	for (unsigned i = 0; i < 9; i++) {
		if (plan->kernel.table_space == MEMORY_OPEN && plan->kernel.replicas <= 1 &&
		        !form_is_sliced(shape->form))
			shape->kernel.table_space = table_spaces[i / 3];
		if (plan->kernel.key_space == MEMORY_OPEN)
			shape->kernel.key_space = key_spaces[i % 3];
		count_space(shape, suite, &constant);
		if (shape->local_bytes <= device->local_bytes && constant <= device->constant_bytes)
			return GPUCRYPT_OK;
	}
	if (shape->local_bytes > device->local_bytes)
		return fail(GPUCRYPT_DEVICE, "%s: %llu bytes of tables and keys, local memory has %llu", device->name,
		        (unsigned long long)shape->local_bytes, (unsigned long long)device->local_bytes);
	return fail(GPUCRYPT_DEVICE, "%s: %llu bytes of tables and keys, constant memory has %llu", device->name,
	        (unsigned long long)constant, (unsigned long long)device->constant_bytes);
}

unsigned device_slice_words(const struct device *device)
{
	if (!device->cpu)
		return 1;
	return device->vector_words >= MAX_SLICE_WORDS ? MAX_SLICE_WORDS : device->vector_words >= 8 ? 8 : 4;
}

/* The launch the policy asks for: groups a multiple of the compute units, items of the batch. */
static void set_default_launch(struct program_shape *shape, const struct device *device)
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
	/* An instruction form of the CPU engine says nothing about kernels. */
	bool of_cpu = plan->engine == GPUCRYPT_CPU && instruction_form_by_id(cipher, plan->kernel.table) != NULL;
	enum table_id table = of_cpu ? TABLE_OPEN : plan->kernel.table;
	int status;

	*shape = (struct program_shape){ .kernel = plan->kernel };
	status = choose_form(shape, cipher, plan->constant_time && table == TABLE_OPEN ? TABLE_BITSLICED : table);
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
	set_default_launch(shape, device);
	shape->ptx = device->ptx && !shape->kernel.portable;
	return place(shape, suite, plan, device);
}
