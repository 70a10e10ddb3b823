#include "gpucrypt/engine/kernel_config.h"

#include <stdio.h>
#include <string.h>

#include "gpucrypt/crypto/names.h"
#include "gpucrypt/status.h"

/* Blocks of an aligned group whose counters differ in the last byte only (kernels/modes/ctr_cached.cl). */
#define MAX_BLOCKS_PER_ITEM 256

static int check_table(const struct cipher *cipher, enum table_id table)
{
	char list[128] = "";

	if (cipher_form(cipher, table) != NULL)
		return GPUCRYPT_OK;
	if (instruction_form_by_id(cipher, table) != NULL)
		return fail(GPUCRYPT_USAGE, "%s form '%s' is of the CPU's instructions: only engine cpu has it",
		        cipher->name, value_name(&table_names, table));
	for (unsigned i = 0; i < cipher->n_forms; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i > 0 ? ", " : "",
		        cipher->forms[i].name);
	return fail(GPUCRYPT_USAGE, "%s has no table form '%s' (choose from: %s)", cipher->name,
	        value_name(&table_names, table), list);
}

uint64_t kernel_space_bytes(const struct kernel_config *kernel, const struct suite *suite, enum memory_space space)
{
	uint64_t table = 4ull * kernel_form(kernel, suite->cipher)->words,
	         keys = 4ull * suite->cipher->round_key_words[suite->key_bytes / 8 - 2];

	if (kernel_is_sliced(kernel) && space == MEMORY_LOCAL)
		keys *= 32; /* a word for each bit */
	return (kernel->table_space == space ? table * kernel->replicas : 0) + (kernel->key_space == space ? keys : 0);
}

/* What the plan leaves open goes to local memory, the policy, or where there is room. */
static int place_in_memory(struct kernel_config *kernel, const struct suite *suite, const struct gpucrypt_plan *plan,
        const struct device *device)
{
	static const enum memory_space table_spaces[] = { MEMORY_LOCAL, MEMORY_CONSTANT, MEMORY_GLOBAL },
	                               key_spaces[] = { MEMORY_LOCAL, MEMORY_ARGUMENT, MEMORY_CONSTANT };
	uint64_t local = 0, constant = 0;

	for (unsigned i = 0; i < 9; i++) {
		if (plan->kernel.table_space == MEMORY_OPEN && plan->kernel.replicas <= 1 && !kernel_is_sliced(kernel))
			kernel->table_space = table_spaces[i / 3];
		if (plan->kernel.key_space == MEMORY_OPEN)
			kernel->key_space = key_spaces[i % 3];
		local = kernel_space_bytes(kernel, suite, MEMORY_LOCAL);
		constant = kernel_space_bytes(kernel, suite, MEMORY_CONSTANT);
		if (local <= device->local_bytes && constant <= device->constant_bytes)
			return GPUCRYPT_OK;
	}
	if (local > device->local_bytes)
		return fail(GPUCRYPT_DEVICE, "%s: %llu bytes of tables and keys, local memory has %llu", device->name,
		        (unsigned long long)local, (unsigned long long)device->local_bytes);
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
static void set_default_launch(struct kernel_config *kernel, const struct device *device)
{
	bool sliced = kernel_is_sliced(kernel);
	unsigned items = device->gpu ? 256 : 64, groups = device->gpu ? 8 : 4;

	/* Bitsliced work-items need many registers, or do much at once. */
	if (sliced)
		items = device->gpu ? 128 : 16, groups = 4;
	kernel->slice_words = sliced ? device_slice_words(device) : 0;
	kernel->work_items = kernel->work_items ?: items < device->max_work_items ? items : device->max_work_items;
	kernel->work_groups = kernel->work_groups ?: device->compute_units * groups;
}

static void set_defaults(struct kernel_config *kernel)
{
	kernel->table_space = kernel->table_space ?: MEMORY_LOCAL;
	kernel->key_space = kernel->key_space ?: MEMORY_LOCAL;
	kernel->replicas = kernel->replicas ?: 1;
	kernel->blocks_per_item = kernel->blocks_per_item ?: 1;
}

static bool is_power(unsigned n, unsigned most)
{
	return (n & (n - 1)) == 0 && n <= most;
}

int kernel_config_check(struct kernel_config *kernel, const struct cipher *cipher, const struct gpucrypt_plan *plan)
{
	/* An instruction form of the CPU engine says nothing about kernels. */
	bool of_cpu = plan->engine == GPUCRYPT_CPU && instruction_form_by_id(cipher, plan->kernel.table) != NULL;

	*kernel = plan->kernel;
	if (of_cpu || kernel->table == TABLE_OPEN)
		kernel->table = plan->constant_time ? TABLE_BITSLICED : cipher->forms[0].id;
	if (check_table(cipher, kernel->table) != GPUCRYPT_OK)
		return GPUCRYPT_USAGE;
	if (plan->constant_time && !kernel_is_sliced(kernel))
		return fail(GPUCRYPT_USAGE, "table form '%s' is not constant-time: only '%s' is",
		        kernel_form(kernel, cipher)->name, BITSLICED_NAME);
	set_defaults(kernel);
	if (value_name(&table_space_names, kernel->table_space)[0] == '\0')
		return fail(GPUCRYPT_USAGE, "unknown table space number %u", kernel->table_space);
	if (value_name(&key_space_names, kernel->key_space)[0] == '\0')
		return fail(GPUCRYPT_USAGE, "unknown key space number %u", kernel->key_space);
	if (!is_power(kernel->replicas, 1024))
		return fail(GPUCRYPT_USAGE, "%u table replicas: not a power of two up to 1024", kernel->replicas);
	if (!is_power(kernel->blocks_per_item, MAX_BLOCKS_PER_ITEM))
		return fail(GPUCRYPT_USAGE, "%u blocks per work-item: not a power of two up to %d",
		        kernel->blocks_per_item, MAX_BLOCKS_PER_ITEM);
	if (kernel->replicas > 1 && kernel->table_space != MEMORY_LOCAL)
		return fail(GPUCRYPT_USAGE, "%u table replicas: only local memory holds several", kernel->replicas);
	if (kernel_is_sliced(kernel)) { /* no table to place */
		kernel->table_space = MEMORY_LOCAL;
		kernel->replicas = kernel->blocks_per_item = 1;
	}
	return GPUCRYPT_OK;
}

/* PoCL keeps the slices of a whole group, 8 KiB a work-item, on the stack of a thread. */
static unsigned most_work_items(const struct kernel_config *kernel, const struct device *device)
{
	bool on_stack = device->cpu && kernel_is_sliced(kernel);

	return on_stack && device->max_work_items > 256 ? 256 : device->max_work_items;
}

int kernel_config_complete(struct kernel_config *kernel, const struct suite *suite, const struct gpucrypt_plan *plan,
        const struct device *device)
{
	int status = kernel_config_check(kernel, suite->cipher, plan);

	if (status != GPUCRYPT_OK)
		return status;
	if (kernel->work_items > most_work_items(kernel, device))
		return fail(GPUCRYPT_USAGE, "%u work-items in a group: %s allows %u", kernel->work_items, device->name,
		        most_work_items(kernel, device));
	if (suite->mode->cached_sources == NULL)
		kernel->blocks_per_item = 1;
	set_default_launch(kernel, device);
	return place_in_memory(kernel, suite, plan, device);
}
