#include "ppf/model/end_to_end.h"

#include <math.h>

#include "ppf/record/records.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/status.h"
#include "ppf/model/internal.h"
#include "ppf/model/trace.h"

const char *const stage_names[N_STAGES] = { "read", "transfer in", "kernel", "transfer out", "cipher on the CPU", "tag",
	"write", "CPU cores", "sync" };

uint64_t task_bytes(const struct task *task)
{
	return task->n_bytes == UINT64_MAX ? UNKNOWN_SIZE_BYTES : task->n_bytes;
}

/* Accesses of look-ups. */

#define REMEMBERED 16

static bool same_case(const struct wavefronts *a, const struct wavefronts *b)
{
	return a->cipher == b->cipher && a->form == b->form && a->key_bytes == b->key_bytes &&
	       a->counters == b->counters && a->copies == b->copies && a->lanes == b->lanes && a->banks == b->banks;
}

double wavefronts(const struct cipher *cipher, const struct table_form *form, unsigned key_bytes, unsigned counters,
        unsigned copies, unsigned lanes, unsigned banks)
{
	static _Thread_local struct wavefronts remembered[REMEMBERED];
	static _Thread_local unsigned next;
	struct wavefronts wanted = { cipher->id, form->number, key_bytes, counters, copies, lanes, banks, 0 };

	for (const struct wavefronts *w = known_wavefronts; w->cipher != 0; w++)
		if (same_case(w, &wanted))
			return w->wavefronts;
	for (unsigned i = 0; i < REMEMBERED; i++)
		if (same_case(&remembered[i], &wanted))
			return remembered[i].wavefronts;
	wanted.wavefronts = trace_wavefronts(cipher, form, key_bytes, counters, copies, lanes, banks);
	remembered[next++ % REMEMBERED] = wanted;
	return wanted.wavefronts;
}

/* Prediction of the kernel. */

/* Predict one launch of a bitsliced kernel by its time in the record of a CPU of which the costs of vectors could not
 * be measured (ppf/measure/measure_trials.c).  Returns false if there is no trial of such a kernel. */
static bool predict_trial(struct overlap_prediction *p, const struct device_record *record, const struct suite *suite,
        const struct kernel_config *kernel, uint64_t n_bytes)
{
	struct suite tried;
	double seconds = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < MAX_TRIALS && measured_suite(&tried, i); i++)
		if (measured_suite_covers(&tried, suite) && record->trials[i] > 0)
			seconds += 1 / record->trials[i], n++;
	if (n == 0 || !kernel_is_sliced(kernel))
		return false;
	seconds = (double)n_bytes * (seconds / n);
	*p = (struct overlap_prediction){ .tried = true,
		.launch_cycles = record->launch_s * record->clock_hz,
		.seconds = seconds + record->launch_s };
	p->total_cycles = p->seconds * record->clock_hz;
	return true;
}

bool predict_launch(struct overlap_prediction *overlap, struct thesis_prediction *thesis,
        const struct device_record *record, const struct suite *suite, const struct kernel_config *kernel,
        uint64_t n_bytes)
{
	const struct table_form *form = kernel_form(kernel, suite->cipher);
	const char *cipher = suite->cipher->name;
	unsigned bits = 8 * suite->key_bytes;
	bool share = kernel->blocks_per_item > 1;
	/* The dissertation's model covers only its own policy of one block per work-item. */
	const struct profile *block = profile_builtin(CORE_BLOCK, cipher, bits, form->name),
	                     *profile = share ? profile_builtin(CORE_COUNTER, cipher, bits, form->name) : block;
	unsigned counters = suite->mode->takes_iv ? kernel->blocks_per_item : 0;
	struct launch launch = { .n_bytes = n_bytes,
		.kernel = *kernel,
		.table_words = form->words,
		.mode = share ? NULL : profile_mode(cipher, suite->mode->name),
		.has_tweaks = suite->mode->has_tweaks,
		.wavefronts = record->is_cpu ? 0
		                             : wavefronts(suite->cipher, form, suite->key_bytes, counters,
		                                       kernel->replicas, record->batch_items, record->banks),
		.item_blocks = kernel_item_blocks(kernel),
		.shared = share ? profile_builtin(CORE_SHARED, cipher, bits, form->name) : NULL };

	launch.kernel.table_space = MEMORY_LOCAL;
	if ((profile == NULL || !predict_overlap(overlap, record, profile, &launch)) &&
	        !predict_trial(overlap, record, suite, kernel, n_bytes))
		return false;
	if (block != NULL && thesis != NULL)
		predict_thesis(thesis, record, block, &launch);
	return true;
}

/* One of the engines of a run. */
struct rate {
	struct cost costs[N_STAGES];
	double lane_s; /* seconds per byte of a lane's stages in sequence, for all lanes in parallel */
	double core_s, bytes_per_s;
};

/* Find the bottleneck of the run, and return its seconds per byte. */
static double find_bottleneck(const struct cost costs[N_STAGES], double lane_s, enum cost_stage *bottleneck)
{
	enum cost_stage longest = STAGE_READ, of_lane = STAGE_IN;

	for (enum cost_stage s = STAGE_READ; s <= STAGE_CORES; s++)
		if (costs[s].period_s > costs[longest].period_s)
			longest = s;
	for (enum cost_stage s = STAGE_IN; s <= STAGE_OUT; s++)
		if (costs[s].alone_s > costs[of_lane].alone_s)
			of_lane = s;
	*bottleneck = lane_s > costs[longest].period_s ? of_lane : longest;
	return lane_s > costs[longest].period_s ? lane_s : costs[longest].period_s;
}

/* Set core_s and bytes_per_s from the costs. */
static void rate_sum_up(struct rate *rate)
{
	enum cost_stage any;

	rate->core_s = 0;
	for (enum cost_stage s = STAGE_IN; s <= STAGE_TAG; s++)
		rate->core_s += rate->costs[s].core_s;
	rate->bytes_per_s = 1 / find_bottleneck(rate->costs, rate->lane_s, &any);
}

static bool rate_find(struct rate *rate, const struct run *run, unsigned i)
{
	const struct cost *costs = rate->costs;

	*rate = (struct rate){ .lane_s = 0 };
	if (!engine_costs(rate->costs, run, i))
		return false;
	if (run->devices[i] != NULL)
		rate->lane_s = (costs[STAGE_IN].alone_s + costs[STAGE_KERNEL].alone_s + costs[STAGE_OUT].alone_s) /
		               opencl_lanes(run->devices[i]->record.is_cpu);
	rate_sum_up(rate);
	return true;
}

/*
 * Reduce the rates of CPU threads that run beside devices: the threads get the cores that the devices, reading and
 * writing leave, or the share that the system gives to each thread that wants a core.  A driver may keep a core busy
 * for each waiting lane.  around_s: seconds of a core per byte that is read and written.
 */
static void share_cores(struct rate rates[], const struct run *run, double around_s)
{
	double cores = run->machine->cpu_threads, busy = 0, left, most;

	for (unsigned i = 0; i < run->n_engines; i++)
		if (run->devices[i] != NULL)
			busy += rates[i].bytes_per_s * (around_s + rates[i].core_s) +
			        (run->devices[i]->record.is_cpu ? 0 : OPENCL_LANES);
	for (unsigned i = 0; i < run->n_engines && run->n_engines > 1; i++) {
		struct cost *cost = &rates[i].costs[STAGE_CPU];
		double threads = run->engines[i].threads;
		if (run->devices[i] != NULL)
			continue;
		left = cores * threads / (threads + busy);
		left = cores - busy > left ? cores - busy : left;
		most = left / (around_s + rates[i].core_s);
		if (most < rates[i].bytes_per_s)
			cost->period_s = 1 / most, cost->alone_s = threads / most;
		rate_sum_up(&rates[i]);
	}
}

/* Join the engines: each processes a share of the bytes in proportion to its speed. */
static void join_rates(struct cost costs[N_STAGES], double *lane_s, const struct rate rates[], unsigned n)
{
	const struct rate *slowest = &rates[0];
	double sum = 0;

	for (unsigned i = 0; i < n; i++) {
		sum += rates[i].bytes_per_s;
		if (rates[i].costs[STAGE_CPU].alone_s > slowest->costs[STAGE_CPU].alone_s)
			slowest = &rates[i];
	}
	for (unsigned i = 0; i < n; i++) {
		double share = rates[i].bytes_per_s / sum;
		for (enum cost_stage s = STAGE_IN; s <= STAGE_TAG; s++) {
			costs[s].period_s = fmax(costs[s].period_s, share * rates[i].costs[s].period_s);
			costs[s].core_s += share * rates[i].costs[s].core_s;
			costs[s].alone_s = slowest->costs[s].alone_s;
		}
		*lane_s = fmax(*lane_s, share * rates[i].lane_s);
	}
}

/* Costs that occur once in a run. */

/* The engines start in parallel, so the slowest start counts. */
static double slowest_start_s(const struct run *run)
{
	double slowest = 0;

	for (unsigned i = 0; i < run->n_engines; i++) {
		const struct machine_device *device = run->devices[i];
		const struct kernel_config *kernel = &run->engines[i].kernel;

		if (device != NULL) {
			const struct device_record *record = &device->record;
			bool again = built_before(&run->machine->built, &device->device, run->suite, kernel);
			double build_s = kernel_is_sliced(kernel) ? record->build_sliced_s : record->build_s;

			slowest = fmax(slowest, record->context_s + record->engine_s +
			                                (again ? 0 : run->suite->mode->n_keys * build_s));
		}
	}
	return slowest;
}

/*
 * The buffers of groups are new memory pages at the start, and are wiped at the end.  A byte costs as much as a write
 * to storage, because that write fills new pages too.  Page-locked buffers have a separate cost.
 */
static double memory_s(const struct run *run)
{
	const struct device_record *device = NULL;
	uint64_t group_bytes = run->layout.group_bytes, of_ring = run->layout.slots * group_bytes;
	double bytes_per_s = run->machine->storage.write;

	for (unsigned i = run->n_engines; i-- > 0;)
		device = run->devices[i] != NULL ? &run->devices[i]->record : device;
	if (device != NULL && !device->is_cpu && device->transfer.pinning > 0)
		bytes_per_s = device->transfer.pinning;
	else if (of_ring > run->n_bytes)
		of_ring = run->n_bytes;
	of_ring += run->layout.results * (run->n_bytes < group_bytes ? run->n_bytes : group_bytes);
	return bytes_per_s > 0 ? (double)of_ring / bytes_per_s : 0;
}

/* The pipeline. */

static void run_pipeline(struct end_to_end *p, struct cost costs[N_STAGES], double lane_s, const struct run *run)
{
	double n_bytes = (double)run->n_bytes, first = fmin(n_bytes, (double)run->layout.group_bytes), core_s = 0;

	for (enum cost_stage s = STAGE_READ; s < STAGE_CORES; s++) {
		p->first_s += first * costs[s].alone_s;
		core_s += costs[s].core_s;
	}
	costs[STAGE_CORES].period_s = core_s / run->machine->cpu_threads;
	p->rest_s = (n_bytes - first) * find_bottleneck(costs, lane_s, &p->bottleneck);
	p->seconds = p->start_s + p->first_s + p->rest_s;
	for (enum cost_stage s = STAGE_READ; s <= STAGE_CORES; s++)
		p->stage_s[s] = n_bytes * costs[s].period_s;
}

/* The share of the output that an update writes. */
static double written_share(const struct task *task)
{
	return task->update && !task->copies ? task->changed : 1;
}

/* The output is synced at the end of the run.  The system keeps a limited amount of unwritten data, and has stored
 * the rest by then, unless storage is slower than the other stages. */
static void run_sync(struct end_to_end *p, const struct run *run)
{
	double bytes_per_s = run->machine->storage.sync, all_s, kept_back_s,
	       n_written = (double)run->n_bytes * written_share(run->task);

	if (bytes_per_s <= 0)
		return;
	all_s = n_written / bytes_per_s - p->first_s - p->rest_s;
	kept_back_s = fmin(n_written, (double)run->machine->unsynced_bytes) / bytes_per_s;
	p->stage_s[STAGE_SYNC] = all_s > kept_back_s ? all_s : kept_back_s;
	p->seconds += p->stage_s[STAGE_SYNC];
	if (p->stage_s[STAGE_SYNC] > p->first_s + p->rest_s)
		p->bottleneck = STAGE_SYNC;
}

/* Several threads read by position if the size is known; one thread reads a pipe. */
static struct cost read_cost(const struct run *run)
{
	const struct machine *machine = run->machine;
	bool copies = !run->task->reads_storage && machine->host.copy.one_thread > 0;
	const struct pace *pace = copies ? &machine->host.copy : &machine->storage.read;

	if (pace->one_thread <= 0 || run->task->n_bytes == UINT64_MAX)
		return cost_one_thread(pace->one_thread);
	return cost_threads(machine, pace->one_thread, pace->all_threads, run->layout.readers + run->layout.helpers);
}

static struct run run_open(const struct machine *machine, const struct suite *suite, const struct gpucrypt_plan *plan,
        const struct task *task)
{
	struct run run = { machine, suite, plan, task, .n_bytes = task_bytes(task), .n_engines = plan_engines(plan) };
	struct layout_part layouts[GPUCRYPT_MAX_PARTS];

	for (unsigned i = 0; i < run.n_engines; i++) {
		run.engines[i] = plan_engine(plan, i);
		run.devices[i] = machine_device(machine, run.engines[i].device);
		layouts[i] = (struct layout_part){ .on_device = run.devices[i] != NULL,
			.device_is_cpu = run.devices[i] != NULL && run.devices[i]->record.is_cpu,
			.threads = run.engines[i].threads };
	}
	run.layout = pipeline_layout(plan, layouts, run.n_engines, run.n_bytes, task->tags);
	return run;
}

struct pipeline_layout task_layout(
        const struct machine *machine, const struct gpucrypt_plan *plan, const struct task *task)
{
	return run_open(machine, NULL, plan, task).layout;
}

static void cost_add(struct cost *sum, const struct cost *cost, double times)
{
	sum->alone_s += times * cost->alone_s;
	sum->period_s += times * cost->period_s;
	sum->core_s += times * cost->core_s;
}

/* An update reads the image, and encrypts and tags every group to compare it; what has changed is read from memory,
 * encrypted and tagged once more.  The readers also read the old container, without helpers, and check its tags.  Only
 * what has changed is written, unless unchanged groups have to be copied. */
static void cost_update(struct cost costs[N_STAGES], const struct run *run)
{
	const struct machine *machine = run->machine;
	const struct pace *read = &machine->storage.read, *tag = &machine->host.tag;
	double changed = run->task->changed;
	struct cost again;

	for (enum cost_stage s = STAGE_READ; s < STAGE_WRITE; s++) {
		again = costs[s];
		cost_add(&costs[s], &again, changed);
	}
	again = costs[STAGE_WRITE];
	cost_add(&costs[STAGE_WRITE], &again, written_share(run->task) - 1);
	again = cost_threads(machine, read->one_thread, read->all_threads, run->layout.readers);
	cost_add(&costs[STAGE_READ], &again, 1);
	again = cost_threads(machine, tag->one_thread, tag->all_threads, run->layout.readers);
	cost_add(&costs[STAGE_READ], &again, run->task->tags);
}

bool predict_end_to_end(struct end_to_end *p, const struct machine *machine, const struct suite *suite,
        const struct gpucrypt_plan *plan, const struct task *task)
{
	const struct run run = run_open(machine, suite, plan, task);
	struct cost costs[N_STAGES] = { 0 };
	struct rate rates[GPUCRYPT_MAX_PARTS];
	double lane_s = 0;

	*p = (struct end_to_end){ .start_s = 0 };
	for (unsigned i = 0; i < run.n_engines; i++)
		if (!rate_find(&rates[i], &run, i))
			return false;
	costs[STAGE_READ] = read_cost(&run);
	if (task->writes_storage)
		costs[STAGE_WRITE] = cost_one_thread(machine->storage.write);
	share_cores(rates, &run, costs[STAGE_READ].core_s + costs[STAGE_WRITE].core_s);
	join_rates(costs, &lane_s, rates, run.n_engines);
	/* The slots of the ring are used in order, so while a CPU thread holds a group, the other engines can advance
	 * by at most the number of slots. */
	if (run.n_engines > 1)
		costs[STAGE_CPU].period_s =
		        fmax(costs[STAGE_CPU].period_s, costs[STAGE_CPU].alone_s / run.layout.slots);
	if (task->update && machine->storage.read.one_thread > 0 && machine->host.tag.one_thread > 0)
		cost_update(costs, &run);
	p->start_s = machine->host.run_s + slowest_start_s(&run) + memory_s(&run);
	run_pipeline(p, costs, lane_s, &run);
	if (task->writes_storage)
		run_sync(p, &run);
	for (unsigned i = 0; i < run.n_engines; i++)
		if (run.devices[i] != NULL) {
			p->context_s = fmax(p->context_s, run.devices[i]->record.context_s);
			p->end_s = fmax(p->end_s, run.devices[i]->record.close_s);
		}
	p->seconds += p->end_s;
	return true;
}
