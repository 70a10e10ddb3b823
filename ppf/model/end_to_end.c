#include "ppf/model/end_to_end.h"

#include <stdio.h>
#include <string.h>

#include "ppf/record/builtin.h"
#include "ppf/record/records.h"
#include "gpucrypt/container/container.h"
#include "gpucrypt/engine/engine_all.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/container/pipeline_layout.h"
#include "gpucrypt/status.h"
#include "ppf/model/rates.h"
#include "ppf/model/trials.h"
#include "ppf/model/wavefronts.h"

const char *const stage_names[N_STAGES] = { "read", "transfer in", "kernel", "transfer out", "cipher on the CPU", "tag",
	"write", "CPU cores", "sync" };

uint64_t task_bytes(const struct task *task)
{
	return task->n_bytes == UINT64_MAX ? UNKNOWN_SIZE_BYTES : task->n_bytes;
}

/* Prediction of the kernel. */

bool predict_launch(struct overlap_prediction *overlap, struct thesis_prediction *thesis,
        const struct device_record *record, const struct suite *suite, const struct program_shape *shape,
        uint64_t n_bytes)
{
	const char *cipher = suite->cipher->name, *form = shape->form->name;
	unsigned bits = 8 * suite->key_bytes;
	bool share = shape->kernel.blocks_per_item > 1;
	/* The dissertation's model covers only its own policy of one block per work-item. */
	const struct profile *block = profile_builtin(cipher, bits, form),
	                     *profile = share ? profile_counter(cipher, bits, form) : block;
	unsigned counters = suite->mode->takes_iv ? shape->kernel.blocks_per_item : 0;
	struct launch launch = { .n_bytes = n_bytes,
		.kernel = shape->kernel,
		.table_words = shape->form->words,
		.mode = share ? NULL : profile_mode(cipher, suite->mode->name),
		.has_tweaks = suite->mode->has_tweaks,
		.wavefronts = record->is_cpu ? 0
		                             : wavefronts(suite->cipher, shape->form, suite->key_bytes, counters,
		                                       shape->kernel.replicas, record->batch_items, record->banks),
		.item_blocks = shape_item_blocks(shape),
		.shared = share ? profile_shared(cipher, bits, form) : NULL };

	launch.kernel.table_space = MEMORY_LOCAL; /* tables elsewhere are predicted like these */
	if ((profile == NULL || !predict_overlap(overlap, record, profile, &launch)) &&
	        !predict_trial(overlap, record, suite, shape, n_bytes))
		return false;
	if (block != NULL)
		predict_thesis(thesis, record, block, &launch);
	return true;
}

/* Costs that occur once in a run. */

static double opencl_start_s(const struct machine *machine, const struct part *part, const struct suite *suite)
{
	const struct device_record *record = &part->device->record;
	bool again = built_before(&machine->built, &part->device->device, suite, &part->shape);

	double build_s = form_is_sliced(part->shape.form) ? record->build_sliced_s : record->build_s;

	return record->context_s + record->engine_s + (again ? 0 : suite->mode->n_keys * build_s);
}

/* The parts start in parallel, so the slowest start counts. */
static double slowest_start_s(
        const struct machine *machine, const struct part *parts, unsigned n_parts, const struct suite *suite)
{
	double slowest = 0, start;

	for (unsigned i = 0; i < n_parts; i++) {
		start = parts[i].device != NULL ? opencl_start_s(machine, &parts[i], suite) : 0;
		slowest = start > slowest ? start : slowest;
	}
	return slowest;
}

unsigned parts_devices(const struct part *parts, unsigned n_parts)
{
	unsigned n = 0;

	for (unsigned i = 0; i < n_parts; i++)
		n += parts[i].device != NULL;
	return n;
}

struct pipeline_layout parts_layout(
        const struct part *parts, unsigned n_parts, const struct gpucrypt_plan *plan, const struct task *task)
{
	struct layout_part layouts[GPUCRYPT_MAX_PARTS];

	for (unsigned i = 0; i < n_parts; i++)
		layouts[i] = (struct layout_part){ .on_device = parts[i].device != NULL,
			.device_is_cpu = parts[i].device != NULL && parts[i].device->record.is_cpu,
			.threads = parts[i].threads };
	return pipeline_layout(plan, layouts, n_parts, task_bytes(task), task->tags);
}

/*
 * The buffers of groups are new memory pages at the start, and are wiped at the end.  A byte costs as much as a write
 * to storage, because that write fills new pages too.  Page-locked buffers have a separate cost.
 */
static double memory_s(const struct storage_record *storage, const struct part *parts, unsigned n_parts,
        const struct pipeline_layout *layout, uint64_t n_bytes)
{
	const struct device_record *device = NULL;
	uint64_t group_bytes = layout->group_bytes, of_ring = layout->slots * group_bytes;
	double bytes_per_s = storage->write;

	for (unsigned i = n_parts; i-- > 0;)
		device = parts[i].device != NULL ? &parts[i].device->record : device;
	if (device != NULL && !device->is_cpu && device->transfer.pinning > 0)
		bytes_per_s = device->transfer.pinning;
	else if (of_ring > n_bytes)
		of_ring = n_bytes;
	of_ring += layout->results * (n_bytes < group_bytes ? n_bytes : group_bytes);
	return bytes_per_s > 0 ? (double)of_ring / bytes_per_s : 0;
}

/* Add up the CPU time of all stages, shared among all cores. */
static void share_all_cores(struct cost costs[N_STAGES], const struct machine *machine)
{
	double core_s = 0;

	for (enum cost_stage s = STAGE_READ; s < STAGE_CORES; s++)
		core_s += costs[s].core_s;
	costs[STAGE_CORES].period_s = core_s / machine->cpu_threads;
}

static void run_pipeline(struct end_to_end *p, struct cost costs[N_STAGES], double lane_s,
        const struct machine *machine, uint64_t n_bytes, uint64_t group_bytes)
{
	double first = (double)(n_bytes < group_bytes ? n_bytes : group_bytes), period;

	for (enum cost_stage s = STAGE_READ; s < STAGE_CORES; s++)
		p->first_s += first * costs[s].alone_s;
	share_all_cores(costs, machine);
	period = find_bottleneck(costs, lane_s, &p->bottleneck);
	p->rest_s = ((double)n_bytes - first) * period;
	p->seconds = p->start_s + p->first_s + p->rest_s;
	for (enum cost_stage s = STAGE_READ; s <= STAGE_CORES; s++)
		p->stage_s[s] = (double)n_bytes * costs[s].period_s;
}

/* The output is synced at the end of the run.  The system keeps a limited amount of unwritten data, and has stored
 * the rest by then, unless storage is slower than the other stages. */
static void run_sync(struct end_to_end *p, const struct machine *machine, uint64_t n_bytes)
{
	double bytes_per_s = machine->storage.sync, all_s, kept_back_s;
	uint64_t kept_back = n_bytes < machine->unsynced_bytes ? n_bytes : machine->unsynced_bytes;

	if (bytes_per_s <= 0)
		return;
	all_s = (double)n_bytes / bytes_per_s - p->first_s - p->rest_s;
	kept_back_s = (double)kept_back / bytes_per_s;
	p->stage_s[STAGE_SYNC] = all_s > kept_back_s ? all_s : kept_back_s;
	p->seconds += p->stage_s[STAGE_SYNC];
	if (p->stage_s[STAGE_SYNC] > p->first_s + p->rest_s)
		p->bottleneck = STAGE_SYNC;
}

/* Several threads read by position if the size is known; one thread reads a pipe. */
static struct cost read_cost(
        const struct machine *machine, const struct pipeline_layout *layout, const struct task *task)
{
	bool copies = !task->reads_storage && machine->host.copy.one_thread > 0;
	const struct pace *pace = copies ? &machine->host.copy : &machine->storage.read;

	if (pace->one_thread <= 0 || task->n_bytes == UINT64_MAX)
		return cost_one_thread(pace->one_thread);
	return cost_threads(machine, pace->one_thread, pace->all_threads, layout->readers + layout->helpers);
}

bool predict_together(struct end_to_end *p, const struct machine *machine, const struct part *parts, unsigned n_parts,
        const struct suite *suite, const struct gpucrypt_plan *plan, const struct task *task)
{
	const struct pipeline_layout layout = parts_layout(parts, n_parts, plan, task);
	struct cost costs[N_STAGES] = { 0 };
	struct rate rates[GPUCRYPT_MAX_PARTS];
	double lane_s = 0;

	*p = (struct end_to_end){ .start_s = 0 };
	for (unsigned i = 0; i < n_parts; i++)
		if (!rate_find(&rates[i], machine, &parts[i], suite, plan, &layout))
			return false;
	costs[STAGE_READ] = read_cost(machine, &layout, task);
	if (task->writes_storage)
		costs[STAGE_WRITE] = cost_one_thread(machine->storage.write);
	share_cores(rates, machine, parts, n_parts, costs[STAGE_READ].core_s + costs[STAGE_WRITE].core_s);
	join_rates(costs, &lane_s, rates, n_parts);
	if (n_parts > 1)
		hold_slots(&costs[STAGE_CPU], layout.slots);
	p->start_s = machine->host.run_s + slowest_start_s(machine, parts, n_parts, suite) +
	             memory_s(&machine->storage, parts, n_parts, &layout, task_bytes(task));
	run_pipeline(p, costs, lane_s, machine, task_bytes(task), layout.group_bytes);
	if (task->writes_storage)
		run_sync(p, machine, task_bytes(task));
	for (unsigned i = 0; i < n_parts; i++)
		if (parts[i].device != NULL && parts[i].device->record.close_s > p->end_s)
			p->end_s = parts[i].device->record.close_s;
	p->seconds += p->end_s;
	return true;
}

bool predict_end_to_end(struct end_to_end *prediction, const struct machine *machine,
        const struct machine_device *device, const struct suite *suite, const struct program_shape *shape,
        const struct gpucrypt_plan *plan, const struct task *task)
{
	const struct part part = { device, *shape, plan_threads(plan) };

	return predict_together(prediction, machine, &part, 1, suite, plan, task);
}

double least_opencl_start_s(void)
{
	double least = 0;

	for (const struct builtin_record *b = builtin_records; b->name != NULL; b++) {
		struct device_record record;
		double start;
		if (device_record_parse(&record, b->text, b->name) != GPUCRYPT_OK)
			continue;
		start = record.context_s + record.build_s;
		if (start > 0 && (least == 0 || start < least))
			least = start;
	}
	return least;
}
