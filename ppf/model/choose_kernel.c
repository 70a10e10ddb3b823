/* The choice of the kernel configuration of one suite on one device, and of the parts of the hybrid engine. */
#include <math.h>

#include "gpucrypt/engine/engine.h"
#include "gpucrypt/status.h"
#include "ppf/model/choose.h"

/* A configuration replaces a simpler one, or one with fewer CPU threads, only if its predicted time is below this
 * fraction. */
#define FASTER 0.99

/* The bitsliced form is excluded if the user names a memory space for the table or a number of its replicas. */
static void add_tables(struct config_space *space, const struct cipher *cipher, const struct gpucrypt_plan *wanted)
{
	enum table_id table = wanted->constant_time ? TABLE_BITSLICED : wanted->kernel.table;
	bool placed = wanted->kernel.replicas != 0 || wanted->kernel.table_space != MEMORY_OPEN;
	unsigned *n = &space->n[CONFIG_TABLE];

	*n = 0;
	for (const struct table_form *f = cipher->forms; f < cipher->forms + cipher->n_forms; f++)
		if (*n < MAX_CONFIG_VALUES && (table == TABLE_OPEN ? !(placed && form_is_sliced(f)) : table == f->id))
			space->values[CONFIG_TABLE][(*n)++] = f->id;
}

unsigned choose_blocks_per_item(const struct device_record *record)
{
	return record->batch_items > 0 && record->batch_items < 256 ? 256 / record->batch_items : 1;
}

/* The values of GPUs, and of CPUs: the data of a group should fit a core's L1 cache.  Cores also run other stages, so
 * the next group goes to a free core. */
static void add_launches(struct config_space *space, const struct machine_device *device)
{
	static const unsigned items[] = { 1024, 768, 512, 256, 128, 64 }, groups[] = { 1, 2, 4, 8 };
	const bool small_first = device->record.is_cpu;

	for (unsigned i = 0, n = space->n[CONFIG_WORK_ITEMS] = 6; i < n; i++) {
		unsigned value = items[small_first ? n - 1 - i : i], most = device->device.max_work_items;
		space->values[CONFIG_WORK_ITEMS][i] = value < most ? value : most;
	}
	for (unsigned i = 0, n = space->n[CONFIG_WORK_GROUPS] = 4; i < n; i++)
		space->values[CONFIG_WORK_GROUPS][i] =
		        groups[small_first ? n - 1 - i : i] * device->device.compute_units;
}

void config_space_open(struct config_space *space, const struct suite *suite, const struct gpucrypt_plan *wanted,
        const struct machine_device *device, enum config_field first)
{
	const struct kernel_config *kernel = &wanted->kernel;
	const unsigned given[N_CONFIG_FIELDS] = { kernel->key_space, kernel->work_groups, kernel->work_items,
		kernel->blocks_per_item, kernel->replicas };
	unsigned banks = device->record.banks;

	*space = (struct config_space){
		.values = { [CONFIG_KEY_SPACE] = { MEMORY_ARGUMENT, MEMORY_LOCAL, MEMORY_CONSTANT },
		        [CONFIG_BLOCKS_PER_ITEM] = { 1, choose_blocks_per_item(&device->record) },
		        [CONFIG_REPLICAS] = { 1, banks > 1 ? banks : 32 } },
		.n = { [CONFIG_KEY_SPACE] = 3,
		        [CONFIG_BLOCKS_PER_ITEM] = suite->mode->cached_sources != NULL ? 2 : 1,
		        [CONFIG_REPLICAS] = 2 }
	};
	if (device->record.is_cpu)
		space->values[CONFIG_KEY_SPACE][0] = MEMORY_LOCAL, space->values[CONFIG_KEY_SPACE][1] = MEMORY_ARGUMENT;
	add_launches(space, device);
	add_tables(space, suite->cipher, wanted);
	for (enum config_field f = 0; f < CONFIG_TABLE; f++)
		if (f < first || given[f] != 0)
			space->values[f][0] = given[f], space->n[f] = 1;
}

/* The model predicts the same time for 1024 and 768 work-items, but an H200 is faster with 768 if a work-item has
 * several blocks, and slower otherwise (docs/performance.md).  This order is a preference outside the model. */
static void prefer_work_items(unsigned value[N_CONFIG_FIELDS], const struct config_space *space)
{
	const unsigned *items = space->values[CONFIG_WORK_ITEMS];
	unsigned *chosen = &value[CONFIG_WORK_ITEMS];

	if (value[CONFIG_BLOCKS_PER_ITEM] > 1 && space->n[CONFIG_WORK_ITEMS] > 1 && items[0] == 1024)
		*chosen = *chosen == items[0] ? items[1] : *chosen == items[1] ? items[0] : *chosen;
}

bool config_next(struct kernel_config *kernel, struct config_space *space)
{
	unsigned value[N_CONFIG_FIELDS], i = space->n_taken++;

	for (enum config_field f = 0; f < N_CONFIG_FIELDS; f++) {
		if (space->n[f] == 0)
			return false;
		value[f] = space->values[f][i % space->n[f]];
		i /= space->n[f];
	}
	prefer_work_items(value, space);
	kernel->key_space = value[CONFIG_KEY_SPACE];
	kernel->work_groups = value[CONFIG_WORK_GROUPS];
	kernel->work_items = value[CONFIG_WORK_ITEMS];
	kernel->blocks_per_item = value[CONFIG_BLOCKS_PER_ITEM];
	kernel->replicas = value[CONFIG_REPLICAS];
	kernel->table = value[CONFIG_TABLE];
	return i == 0;
}

/* The most work-items of all bitsliced work-groups in a GPU's compute unit: 128 slices and their operands take the
 * maximum of 255 registers per work-item, and a compute unit has 65536 registers. */
#define MOST_SLICED_ITEMS 256

/* Whether all groups of a compute unit are resident at once: further groups would only wait.  A CPU runs its groups
 * one after another. */
static bool resident(const struct kernel_config *kernel, const struct suite *suite, const struct device *device)
{
	unsigned in_unit = kernel->work_groups / device->compute_units;

	if (device->cpu)
		return true;
	if (kernel_is_sliced(kernel) && in_unit * kernel->work_items > MOST_SLICED_ITEMS)
		return false;
	return in_unit <= 1 || in_unit * kernel_space_bytes(kernel, suite, MEMORY_LOCAL) <= device->local_bytes;
}

const struct table_form *choose_unpredicted(const struct machine_device *device, const struct suite *suite,
        const struct gpucrypt_plan *wanted, uint64_t n_bytes)
{
	struct config_space space;
	struct gpucrypt_plan plan = *wanted;
	struct overlap_prediction overlap;
	const struct table_form *unpredicted = NULL;
	struct kernel_config kernel;
	unsigned n_predicted = 0;

	config_space_open(&space, suite, wanted, device, CONFIG_TABLE);
	while (config_next(&plan.kernel, &space)) {
		if (!choose_kernel(&kernel, device, suite, &plan, n_bytes))
			continue;
		if (predict_launch(&overlap, NULL, &device->record, suite, &kernel, n_bytes))
			n_predicted++;
		else
			unpredicted = kernel_form(&kernel, suite->cipher);
	}
	fail_clear();
	return n_predicted > 0 ? unpredicted : NULL;
}

bool choose_kernel(struct kernel_config *kernel, const struct machine_device *device, const struct suite *suite,
        const struct gpucrypt_plan *wanted, uint64_t n_bytes)
{
	struct gpucrypt_plan plan = *wanted;
	struct config_space space;
	double best = 0;
	bool found = false;

	if (plan.kernel.table_space == MEMORY_OPEN) /* the model knows tables in local memory only */
		plan.kernel.table_space = MEMORY_LOCAL;
	config_space_open(&space, suite, wanted, device, 0);
	while (config_next(&plan.kernel, &space)) {
		struct overlap_prediction overlap;
		struct kernel_config candidate;
		double seconds = HUGE_VAL;
		fail_clear();
		if (kernel_config_complete(&candidate, suite, &plan, &device->device) != GPUCRYPT_OK ||
		        (wanted->kernel.work_groups == 0 && !resident(&candidate, suite, &device->device)))
			continue;
		if (predict_launch(&overlap, NULL, &device->record, suite, &candidate, n_bytes))
			seconds = overlap.seconds;
		if (found && !(seconds < FASTER * best))
			continue;
		best = seconds;
		*kernel = candidate;
		found = true;
	}
	return found || kernel_config_complete(kernel, suite, wanted, &device->device) == GPUCRYPT_OK;
}

/* The parts of the hybrid engine. */

static bool add_device(
        struct choice *choice, const struct machine *machine, unsigned number, const struct gpucrypt_plan *wanted)
{
	const struct machine_device *device = machine_device(machine, number);
	struct gpucrypt_plan *plan = &choice->plan;
	struct gpucrypt_part part = { .device = number };

	if (device->device.unusable[0] != '\0' ||
	        !choose_kernel(&part.kernel, device, &choice->suite, wanted, UINT64_C(1) << plan->group_log2))
		return false;
	plan->parts[plan->n_parts++] = part;
	return true;
}

static void add_threads(struct choice *choice, unsigned threads)
{
	if (threads > 0)
		choice->plan.parts[choice->plan.n_parts++] = (struct gpucrypt_part){ .threads = threads };
}

static bool add_wanted(struct choice *choice, const struct machine *machine, const struct gpucrypt_plan *wanted)
{
	for (const struct gpucrypt_part *part = wanted->parts; part < wanted->parts + wanted->n_parts; part++) {
		const struct gpucrypt_plan plan = plan_of_part(wanted, part);

		add_threads(choice, part->device == 0 ? part->threads : 0);
		if (part->device > machine->n_devices ||
		        (part->device > 0 && !add_device(choice, machine, part->device, &plan)))
			return false;
	}
	return true;
}

/* Add a CPU part with this number of threads, and predict. */
static void predict_with(struct choice *choice, const struct request *request, unsigned threads)
{
	add_threads(choice, threads);
	choice->predicted =
	        predict_end_to_end(&choice->end_to_end, request->machine, &choice->suite, &choice->plan, request->task);
}

/* Choose the number of threads with the shortest predicted time: none, all, half, a quarter, and so on.  The library's
 * rule decides if there is no prediction. */
static void choose_threads(struct choice *choice, const struct request *request)
{
	const struct choice devices = *choice;
	struct choice other;

	predict_with(choice, request, 0);
	for (unsigned n = choice->plan.threads; n > 0 && choice->predicted; n /= 2) {
		other = devices;
		predict_with(&other, request, n);
		if (other.predicted && other.end_to_end.seconds < FASTER * choice->end_to_end.seconds)
			*choice = other;
	}
	if (!choice->predicted)
		predict_with(choice, request, all_threads(&choice->suite, request->wanted, devices.plan.n_parts));
}

bool choose_parts(struct choice *choice, const struct request *request)
{
	const struct gpucrypt_plan *wanted = request->wanted;
	struct gpucrypt_plan *plan = &choice->plan;
	bool named = wanted->engine == GPUCRYPT_HYBRID, given = wanted->n_parts > 0;

	plan->engine = GPUCRYPT_HYBRID;
	plan->or_cpu = !named;
	if (given && !add_wanted(choice, request->machine, wanted))
		return false;
	/* The named device, or every GPU and accelerator.  A CPU's OpenCL device runs on the cores of the CPU engine.
	 */
	for (unsigned i = 1; !given && i <= request->machine->n_devices; i++)
		if (wanted->device != 0 ? wanted->device == i : !machine_device(request->machine, i)->device.cpu)
			add_device(choice, request->machine, i, wanted);
	if (plan->n_parts == 0 && wanted->device != 0)
		return false;
	if (given || plan->n_parts == 0) {
		predict_with(choice, request, given ? 0 : plan->threads);
	} else if (named && wanted->threads != 0) {
		plan->threads = request->machine->cpu_threads; /* other threads may read and write */
		predict_with(choice, request, wanted->threads);
	} else {
		choose_threads(choice, request);
	}
	return true;
}
