#include "end_to_end.h"

#include <stdio.h>
#include <string.h>

#include "builtin.h"
#include "gpucrypt/container.h"
#include "gpucrypt/engine_all.h"
#include "gpucrypt/engine_opencl.h"
#include "gpucrypt/group.h"
#include "gpucrypt/ring.h"
#include "gpucrypt/status.h"
#include "rates.h"
#include "wavefronts.h"

const char *const stage_names[N_STAGES] = { "read", "transfer in", "kernel", "transfer out",
	"cipher on the CPU", "tag", "write", "CPU cores", "sync" };

uint64_t task_bytes(const struct task *task)
{
	return task->n_bytes == UINT64_MAX ? UNKNOWN_SIZE_BYTES : task->n_bytes;
}

/* The kernel. */

bool predict_launch(struct overlap_prediction *overlap, struct thesis_prediction *thesis,
        const struct record *record, const struct suite *suite, const struct program_shape *shape,
        uint64_t n_bytes)
{
	const char *cipher = suite->cipher->name, *form = shape->form->name;
	unsigned bits = 8 * suite->key_bytes;
	bool share = shape->counters > 1;
	/* The dissertation's model knows its policy only, one work-item a block. */
	const struct profile *block = profile_builtin(cipher, bits, form),
	                     *profile = share ? profile_counter(cipher, bits, form) : block;
	const struct launch launch = { n_bytes, shape->work_groups, shape->work_items,
		shape->form->words };
	unsigned counters = suite->mode->takes_iv ? shape->counters : 0;
	const struct kernel_shape kernel = { .copies = shape->copies,
		.keys_local = strcmp(shape->key_space, "local") == 0,
		.keys_constant = strcmp(shape->key_space, "constant") == 0,
		.mode = share ? NULL : profile_mode(cipher, suite->mode->name),
		.has_tweaks = suite->mode->has_tweaks,
		.wavefronts = record->is_cpu ? 0
		                             : wavefronts(suite->cipher, shape->form,
		                                       suite->key_bytes, counters, shape->copies,
		                                       record->batch_items, record->banks),
		.item_blocks = shape_item_blocks(shape),
		.shared = share ? profile_shared(cipher, bits, form) : NULL };

	if (profile == NULL || !predict_overlap(overlap, record, profile, &kernel, &launch))
		return false;
	predict_thesis(thesis, record, block, &launch);
	return true;
}

/* The pipeline. */

/* A stage of one thread on the CPU. */
static struct cost one_thread(double bytes_per_s)
{
	double s = bytes_per_s > 0 ? 1 / bytes_per_s : 0;

	return (struct cost){ s, s, s };
}

/* A stage of several threads: as fast as they are alone, but all cores together have their limit.
 */
static struct cost threads(
        const struct machine *machine, double one_per_s, double all_per_s, unsigned workers)
{
	double limit = all_per_s > 0 ? all_per_s : one_per_s * machine->cpu_threads;
	double together = one_per_s * workers < limit ? one_per_s * workers : limit;

	return (struct cost){ 1 / one_per_s, 1 / together, machine->cpu_threads / limit };
}

/* libcrypto or the host core: ECB costs what CTR does, 192 bits lie between 128 and 256. */
static bool cpu_speeds(const struct machine *machine, const struct suite *suite,
        bool constant_time, double *one, double *all)
{
	const char *mode = suite->mode->has_tweaks ? "xts" : "ctr";
	bool bitsliced = constant_time && !cpu_takes_libcrypto(suite, true);
	double one_s = 0, all_s = 0;
	int n = 0;

	for (unsigned bits = 128; bits <= 256; bits += 128) {
		const struct cpu_speed *speed;
		char name[24];
		cpu_speed_name(name, suite->cipher->name, bits, mode, bitsliced);
		speed = record_cpu_speed(&machine->host, name);
		if ((8 * suite->key_bytes != bits && suite->key_bytes != 24) || speed == NULL)
			continue;
		one_s += 1 / speed->one_thread;
		all_s += 1 / speed->all_threads;
		n++;
	}
	*one = n / one_s;
	*all = n / all_s;
	return n > 0 && *one > 0 && *all > 0;
}

/* A container's tags come with the cipher, from the same thread. */
static bool cpu_costs(struct cost costs[N_STAGES], const struct machine *machine,
        const struct suite *suite, bool constant_time, unsigned n_threads, bool tags)
{
	const struct pace *tag = &machine->host.tag;
	double one, all;

	if (!cpu_speeds(machine, suite, constant_time, &one, &all))
		return false;
	if (tags && tag->one_thread > 0 && tag->all_threads > 0) {
		one = 1 / (1 / one + 1 / tag->one_thread);
		all = 1 / (1 / all + 1 / tag->all_threads);
	}
	costs[STAGE_CPU] = threads(machine, one, all, n_threads);
	return true;
}

static bool computes_tags(const struct record *device)
{
	return !device->is_cpu;
}

/* The bus: nobody's core is busy, and both ways together are a little slower than one. */
static void bus_costs(struct cost costs[N_STAGES], const struct transfer_speed *transfer)
{
	double in = transfer->pinned_in, out = transfer->pinned_out, both = transfer->pinned_both;

	costs[STAGE_IN] = (struct cost){ 1 / in, 1 / (both < in ? both : in), 0 };
	costs[STAGE_OUT] = (struct cost){ 1 / out, 1 / (both < out ? both : out), 0 };
}

/* Copies, by the threads of the lanes. */
static void copy_costs(struct cost costs[N_STAGES], const struct transfer_speed *transfer)
{
	double in = 1 / transfer->pinned_in, out = 1 / transfer->pinned_out;

	costs[STAGE_IN] = (struct cost){ in, in / OPENCL_CPU_LANES, in };
	costs[STAGE_OUT] = (struct cost){ out, out / OPENCL_CPU_LANES, out };
}

/*
 * A lane has one group at a time: in, kernel, out.  Lanes share the device, so its kernels follow
 * one another; where the device is the CPU they take the cores of everything else, and the tags are
 * computed by other threads.
 */
static bool opencl_costs(struct cost costs[N_STAGES], const struct machine *machine,
        const struct record *record, const struct suite *suite, const struct program_shape *shape,
        unsigned n_taggers, uint64_t group_bytes, bool tags)
{
	const struct transfer_speed *transfer = &record->transfer;
	const struct pace *tag = &machine->host.tag;
	struct overlap_prediction overlap;
	struct thesis_prediction thesis;
	double kernel;

	if (transfer->pinned_in <= 0 || transfer->pinned_out <= 0 || transfer->pinned_both <= 0 ||
	        !predict_launch(&overlap, &thesis, record, suite, shape, group_bytes))
		return false;
	kernel = (overlap.seconds + suite->mode->n_keys * record->enqueue_s) / (double)group_bytes;
	if (tags && computes_tags(record) && transfer->tags > 0)
		kernel += 1 / transfer->tags;
	if (tags && !computes_tags(record) && tag->one_thread > 0)
		costs[STAGE_TAG] =
		        threads(machine, tag->one_thread, tag->all_threads, n_taggers);
	costs[STAGE_KERNEL] =
	        (struct cost){ kernel, kernel, record->is_cpu ? kernel * machine->cpu_threads : 0 };
	if (record->is_cpu)
		copy_costs(costs, transfer);
	else
		bus_costs(costs, transfer);
	return true;
}

static unsigned lanes_of(const struct record *device)
{
	return device->is_cpu ? OPENCL_CPU_LANES : OPENCL_LANES;
}

static double lane_period(const struct cost costs[N_STAGES], unsigned lanes)
{
	return (costs[STAGE_IN].alone_s + costs[STAGE_KERNEL].alone_s + costs[STAGE_OUT].alone_s) /
	       lanes;
}

/* The parts of a run. */

static uint64_t group_bytes_of(const struct gpucrypt_plan *plan)
{
	return UINT64_C(1) << (plan->group_log2 ? plan->group_log2 : GROUP_LOG2_DEFAULT);
}

/* Alone, an engine leaves the tags it does not compute to threads of their own; together with
 * others its lanes compute them. */
static bool find_rate(struct rate *rate, const struct machine *machine, const struct part *part,
        const struct suite *suite, const struct gpucrypt_plan *plan, bool alone, bool tags)
{
	unsigned n_taggers = alone ? tag_workers(plan, false) : OPENCL_CPU_LANES;
	const struct record *record = part->device != NULL ? &part->device->record : NULL;

	*rate = (struct rate){ .lane_s = 0 };
	if (record == NULL && !cpu_costs(rate->costs, machine, suite,
	                              plan->constant_time, part->threads, tags))
		return false;
	if (record != NULL && !opencl_costs(rate->costs, machine, record, suite, &part->shape,
	                              n_taggers, group_bytes_of(plan), tags))
		return false;
	if (record != NULL)
		rate->lane_s = lane_period(rate->costs, lanes_of(record));
	rate_sum_up(rate);
	return true;
}

/* What happens once in a run. */

static double opencl_start_s(
        const struct machine *machine, const struct part *part, const struct suite *suite)
{
	const struct record *record = &part->device->record;
	bool again = built_before(&machine->built, &part->device->device, suite, &part->shape);

	double build_s = form_is_sliced(part->shape.form) ? record->build_sliced_s : record->build_s;

	return record->context_s + (again ? 0 : suite->mode->n_keys * build_s);
}

/* The parts start side by side. */
static double slowest_start_s(const struct machine *machine, const struct part *parts,
        unsigned n_parts, const struct suite *suite)
{
	double slowest = 0, start;

	for (unsigned i = 0; i < n_parts; i++) {
		start = parts[i].device != NULL ? opencl_start_s(machine, &parts[i], suite) : 0;
		slowest = start > slowest ? start : slowest;
	}
	return slowest;
}

static unsigned lanes_of_part(const struct part *part)
{
	return part->device == NULL ? part->threads : lanes_of(&part->device->record);
}

static unsigned slots_of(const struct part *parts, unsigned n_parts,
        const struct gpucrypt_plan *plan, const struct task *task, uint64_t group_bytes)
{
	bool begun = n_parts > 1 || parts->device == NULL ||
	             computes_tags(&parts->device->record);
	unsigned workers = read_workers(plan) + (task->tags ? tag_workers(plan, begun) : 0) +
	                   write_workers(plan, true) - 1;

	for (unsigned i = 0; i < n_parts; i++) {
		workers += lanes_of_part(&parts[i]);
		if (n_parts > 1 && parts[i].device == NULL)
			workers += ALL_SPARE_SLOTS;
	}
	return ring_slots(
	        workers, group_bytes, task_bytes(task) / group_bytes + 1, plan->memory_bytes);
}

/*
 * Groups in memory are new pages at first, and overwritten at the end: for each byte that is what
 * writing to storage costs, which is new pages too.  Page-locked ones have a cost of their own.
 */
static double memory_s(const struct record *host, const struct part *parts, unsigned n_parts,
        unsigned n_slots, uint64_t n_bytes, uint64_t group_bytes)
{
	const struct record *device = NULL;
	uint64_t of_ring = n_slots * group_bytes;
	double bytes_per_s = host->write_bytes_per_s;

	for (unsigned i = n_parts; i-- > 0;)
		device = parts[i].device != NULL ? &parts[i].device->record : device;
	if (device != NULL && !device->is_cpu && device->transfer.pinning > 0)
		bytes_per_s = device->transfer.pinning;
	else if (of_ring > n_bytes)
		of_ring = n_bytes;
	if (device != NULL && device->is_cpu)
		of_ring += lanes_of(device) * (n_bytes < group_bytes ? n_bytes : group_bytes);
	return bytes_per_s > 0 ? (double)of_ring / bytes_per_s : 0;
}

static void run_pipeline(struct end_to_end *p, struct cost costs[N_STAGES], double lane_s,
        const struct machine *machine, uint64_t n_bytes, uint64_t group_bytes)
{
	double first = (double)(n_bytes < group_bytes ? n_bytes : group_bytes), core_s = 0, period;

	for (enum stage s = STAGE_READ; s < STAGE_CORES; s++) {
		core_s += costs[s].core_s;
		p->first_s += first * costs[s].alone_s;
	}
	costs[STAGE_CORES].period_s = core_s / machine->cpu_threads;
	period = fullest(costs, lane_s, &p->bottleneck);
	p->rest_s = ((double)n_bytes - first) * period;
	p->seconds = p->start_s + p->first_s + p->rest_s;
	for (enum stage s = STAGE_READ; s <= STAGE_CORES; s++)
		p->stage_s[s] = (double)n_bytes * costs[s].period_s;
}

/* The output is synced in the end.  Of more than it keeps back the system has stored the rest by
 * then, unless storage is slower than all before. */
static void run_sync(struct end_to_end *p, const struct machine *machine, uint64_t n_bytes)
{
	double bytes_per_s = machine->host.sync_bytes_per_s, all_s, kept_back_s;
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

/* Several threads read by position, if the size is known; one reads a pipe. */
static struct cost read_cost(
        const struct machine *machine, const struct gpucrypt_plan *plan, const struct task *task)
{
	const struct record *host = &machine->host;
	bool copies = !task->reads_storage && host->copy.one_thread > 0;
	const struct pace *pace = copies ? &host->copy : &host->read;

	if (pace->one_thread <= 0 || task->n_bytes == UINT64_MAX)
		return one_thread(pace->one_thread);
	return threads(machine, pace->one_thread, pace->all_threads, read_workers(plan));
}

bool predict_together(struct end_to_end *p, const struct machine *machine,
        const struct part *parts, unsigned n_parts, const struct suite *suite,
        const struct gpucrypt_plan *plan, const struct task *task)
{
	const struct record *host = &machine->host;
	uint64_t group_bytes = group_bytes_of(plan);
	unsigned n_slots = slots_of(parts, n_parts, plan, task, group_bytes);
	struct cost costs[N_STAGES] = { 0 };
	struct rate rates[GPUCRYPT_MAX_PARTS];
	double lane_s = 0;

	*p = (struct end_to_end){ .start_s = 0 };
	for (unsigned i = 0; i < n_parts; i++)
		if (!find_rate(&rates[i], machine, &parts[i], suite, plan, n_parts == 1,
		            task->tags))
			return false;
	costs[STAGE_READ] = read_cost(machine, plan, task);
	if (task->writes_storage)
		costs[STAGE_WRITE] = one_thread(host->write_bytes_per_s);
	share_cores(rates, machine, parts, n_parts,
	        costs[STAGE_READ].core_s + costs[STAGE_WRITE].core_s);
	join_rates(costs, &lane_s, rates, n_parts);
	if (n_parts > 1)
		hold_slots(&costs[STAGE_CPU], n_slots);
	p->start_s = host->run_s +
	             memory_s(host, parts, n_parts, n_slots, task_bytes(task), group_bytes) +
	             slowest_start_s(machine, parts, n_parts, suite);
	run_pipeline(p, costs, lane_s, machine, task_bytes(task), group_bytes);
	if (task->writes_storage)
		run_sync(p, machine, task_bytes(task));
	return true;
}

bool predict_end_to_end(struct end_to_end *prediction, const struct machine *machine,
        const struct machine_device *device, const struct suite *suite,
        const struct program_shape *shape, const struct gpucrypt_plan *plan,
        const struct task *task)
{
	const struct part part = { device, *shape, plan_threads(plan) };

	return predict_together(prediction, machine, &part, 1, suite, plan, task);
}

double least_opencl_start_s(void)
{
	double least = 0;

	for (const struct builtin_record *b = builtin_records; b->name != NULL; b++) {
		struct record record;
		double start;
		if (record_parse(&record, b->text, b->name) != GPUCRYPT_OK)
			continue;
		start = record.context_s + record.build_s;
		if (start > 0 && (least == 0 || start < least))
			least = start;
	}
	return least;
}
