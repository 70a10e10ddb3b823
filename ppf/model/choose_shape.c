/* The choice of the kernel configuration of one suite on one device. */
#include <math.h>
#include <string.h>

#include "ppf/model/choose.h"
#include "gpucrypt/status.h"

/* A shape replaces a simpler shape only if its predicted time is below this fraction. */
#define FASTER 0.99

#define N_WORK_ITEMS 6
#define N_GROUPS     4
#define MAX_FORMS    8

/* The values to try for each field, in order of preference: the first of equally fast values wins.  A field that
 * the user set has one value. */
struct space {
	const struct table_form *forms[MAX_FORMS];
	enum memory_space key_spaces[3];
	unsigned replicas[2], blocks_per_item[2], work_items[N_WORK_ITEMS], groups_per_unit[N_GROUPS];
	unsigned n_forms, n_key_spaces, n_replicas, n_blocks_per_item, n_work_items, n_groups;
};

/* If the user names a memory space for the table, the bitsliced form is excluded. */
static void open_forms(struct space *space, const struct cipher *cipher, const struct gpucrypt_plan *wanted)
{
	enum table_id form = wanted->constant_time ? TABLE_BITSLICED : wanted->kernel.table;
	bool table = wanted->kernel.replicas != 0 || wanted->kernel.table_space != MEMORY_OPEN;

	for (unsigned i = 0; i < cipher->n_forms && space->n_forms < MAX_FORMS; i++)
		if (form == TABLE_OPEN ? !(table && form_is_sliced(&cipher->forms[i])) : form == cipher->forms[i].id)
			space->forms[space->n_forms++] = &cipher->forms[i];
}

unsigned choose_blocks_per_item(const struct device_record *record)
{
	return record->batch_items > 0 && record->batch_items < 256 ? 256 / record->batch_items : 1;
}

static void open_space(struct space *space, const struct suite *suite, const struct gpucrypt_plan *wanted,
        const struct machine_device *device)
{
	static const unsigned small_first[N_WORK_ITEMS] = { 64, 128, 256, 512, 768, 1024 },
	                      many_first[N_GROUPS] = { 8, 4, 2, 1 };
	unsigned banks = device->record.banks;

	*space = (struct space){ .key_spaces = { MEMORY_ARGUMENT, MEMORY_LOCAL, MEMORY_CONSTANT },
		.replicas = { 1, banks > 1 ? banks : 32 },
		.blocks_per_item = { 1, choose_blocks_per_item(&device->record) },
		.work_items = { 1024, 768, 512, 256, 128, 64 },
		.groups_per_unit = { 1, 2, 4, 8 },
		.n_key_spaces = 3,
		.n_replicas = 2,
		.n_blocks_per_item = suite->mode->cached_sources != NULL ? 2 : 1,
		.n_work_items = N_WORK_ITEMS,
		.n_groups = N_GROUPS };
	/* The data of a group should fit a core's L1 cache.  Cores also run other stages, so the next
	 * group goes to a free core. */
	if (device->record.is_cpu) {
		memcpy(space->work_items, small_first, sizeof(small_first));
		memcpy(space->groups_per_unit, many_first, sizeof(many_first));
		space->key_spaces[0] = MEMORY_LOCAL, space->key_spaces[1] = MEMORY_ARGUMENT;
	}
	for (unsigned i = 0; i < N_WORK_ITEMS; i++)
		if (space->work_items[i] > device->device.max_work_items)
			space->work_items[i] = device->device.max_work_items;
	open_forms(space, suite->cipher, wanted);
	if (wanted->kernel.key_space != MEMORY_OPEN)
		space->key_spaces[0] = wanted->kernel.key_space, space->n_key_spaces = 1;
	if (wanted->kernel.replicas != 0)
		space->replicas[0] = wanted->kernel.replicas, space->n_replicas = 1;
	if (wanted->kernel.blocks_per_item != 0)
		space->blocks_per_item[0] = wanted->kernel.blocks_per_item, space->n_blocks_per_item = 1;
	if (wanted->kernel.work_items != 0)
		space->work_items[0] = wanted->kernel.work_items, space->n_work_items = 1;
	if (wanted->kernel.work_groups != 0)
		space->n_groups = 1;
}

static unsigned space_size(const struct space *space)
{
	return space->n_forms * space->n_key_spaces * space->n_replicas * space->n_blocks_per_item *
	       space->n_work_items * space->n_groups;
}

/* The number of work-items at position i.  The model predicts the same time for 1024 and 768 work-items, but an H200 is
 * faster with 768 if a work-item has several blocks, and slower otherwise (docs/performance.md).  This order is a
 * preference outside the model. */
static unsigned nth_work_items(const struct space *space, unsigned i, unsigned blocks_per_item)
{
	bool exchange = blocks_per_item > 1 && space->n_work_items > 1 && space->work_items[0] == 1024;

	return space->work_items[exchange && i < 2 ? 1 - i : i];
}

/* Set the open fields to point i of the space; the user's values are already in the configuration. */
static void space_point(struct kernel_config *kernel, const struct space *space, unsigned i, unsigned compute_units)
{
	kernel->key_space = space->key_spaces[i % space->n_key_spaces];
	i /= space->n_key_spaces;
	if (kernel->work_groups == 0)
		kernel->work_groups = space->groups_per_unit[i % space->n_groups] * compute_units;
	i /= space->n_groups;
	kernel->blocks_per_item = space->blocks_per_item[i / space->n_work_items % space->n_blocks_per_item];
	kernel->work_items = nth_work_items(space, i % space->n_work_items, kernel->blocks_per_item);
	i /= space->n_work_items;
	i /= space->n_blocks_per_item;
	kernel->replicas = space->replicas[i % space->n_replicas];
	kernel->table = space->forms[i / space->n_replicas]->id;
}

/* The most work-items of all bitsliced work-groups in a GPU's compute unit: 128 slices and their operands take the
 * maximum of 255 registers per work-item, and a compute unit has 65536 registers. */
#define MOST_SLICED_ITEMS 256

/* Whether all groups of a compute unit are resident at once: further groups would only wait.  A CPU runs its groups
 * one after another. */
static bool resident(const struct program_shape *shape, const struct device *device)
{
	unsigned in_unit = shape->kernel.work_groups / device->compute_units;

	if (device->cpu)
		return true;
	if (form_is_sliced(shape->form) && in_unit * shape->kernel.work_items > MOST_SLICED_ITEMS)
		return false;
	return in_unit <= 1 || in_unit * shape->local_bytes <= device->local_bytes;
}

const struct table_form *choose_unpredicted(const struct machine_device *device, const struct suite *suite,
        const struct gpucrypt_plan *wanted, uint64_t n_bytes)
{
	struct space space = { .n_forms = 0 };
	struct overlap_prediction overlap;
	struct thesis_prediction thesis;
	const struct table_form *unpredicted = NULL;
	struct program_shape shape;
	unsigned n_predicted = 0;

	open_forms(&space, suite->cipher, wanted);
	for (unsigned i = 0; i < space.n_forms; i++) {
		struct gpucrypt_plan plan = *wanted;
		plan.kernel.table = space.forms[i]->id;
		if (!choose_shape(&shape, device, suite, &plan, n_bytes))
			continue;
		if (predict_launch(&overlap, &thesis, &device->record, suite, &shape, n_bytes))
			n_predicted++;
		else
			unpredicted = space.forms[i];
	}
	fail_clear();
	return n_predicted > 0 ? unpredicted : NULL;
}

bool choose_shape(struct program_shape *shape, const struct machine_device *device, const struct suite *suite,
        const struct gpucrypt_plan *wanted, uint64_t n_bytes)
{
	double best = 0;
	bool found = false;
	struct space space;

	open_space(&space, suite, wanted, device);
	for (unsigned i = 0; i < space_size(&space); i++) {
		struct gpucrypt_plan plan = *wanted;
		struct overlap_prediction overlap;
		struct thesis_prediction thesis;
		struct program_shape candidate;
		double seconds = HUGE_VAL;
		space_point(&plan.kernel, &space, i, device->device.compute_units);
		if (plan.kernel.table_space == MEMORY_OPEN) /* the model knows tables in local memory only */
			plan.kernel.table_space = MEMORY_LOCAL;
		fail_clear();
		if (program_shape(&candidate, suite, &plan, &device->device) != GPUCRYPT_OK ||
		        (wanted->kernel.work_groups == 0 && !resident(&candidate, &device->device)))
			continue;
		if (predict_launch(&overlap, &thesis, &device->record, suite, &candidate, n_bytes))
			seconds = overlap.seconds;
		if (found && !(seconds < FASTER * best))
			continue;
		best = seconds;
		*shape = candidate;
		found = true;
	}
	return found || program_shape(shape, suite, wanted, &device->device) == GPUCRYPT_OK;
}
