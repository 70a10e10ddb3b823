/* The cost of a byte in each stage of one engine, from the records. */
#include <math.h>

#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "ppf/model/internal.h"

struct cost cost_one_thread(double bytes_per_s)
{
	double s = bytes_per_s > 0 ? 1 / bytes_per_s : 0;

	return (struct cost){ s, s, s };
}

struct cost cost_threads(const struct machine *machine, double one_per_s, double all_per_s, unsigned workers)
{
	double limit = all_per_s > 0 ? all_per_s : one_per_s * machine->cpu_threads;
	double together = one_per_s * workers < limit ? one_per_s * workers : limit;

	return (struct cost){ 1 / one_per_s, 1 / together, machine->cpu_threads / limit };
}

/* The name in records of the implementation that the CPU engine uses; NULL: the one that it chooses itself. */
static const char *implementation(const struct suite *suite, const struct gpucrypt_plan *plan)
{
	const struct instruction_form *form = cpu_form(suite, plan);

	if (form != NULL)
		return form == instruction_form_choose(suite->cipher) ? NULL : form->name;
	return plan->constant_time && cpu_code(suite, true) == CODE_BITSLICED ? BITSLICED_NAME : NULL;
}

/* The mean speeds of the measured suites that cover this suite. */
static bool cpu_speeds(
        const struct machine *machine, const struct suite *suite, const char *form, double *one, double *all)
{
	double one_s = 0, all_s = 0;
	struct suite measured;
	int n = 0;

	for (unsigned i = 0; measured_suite(&measured, i); i++) {
		const struct cpu_speed *speed;
		char name[CPU_SPEED_NAME];

		cpu_speed_name(name, &measured, form);
		speed = cpu_speed_find(&machine->host.cpu, name);
		if (!measured_suite_covers(&measured, suite) || speed == NULL)
			continue;
		one_s += 1 / speed->pace.one_thread;
		all_s += 1 / speed->pace.all_threads;
		n++;
	}
	*one = n / one_s;
	*all = n / all_s;
	return n > 0 && *one > 0 && *all > 0;
}

double cpu_bytes_per_s_without_forms(const struct machine *machine, const struct suite *suite)
{
	double one, all;

	if (cpu_speeds(machine, suite, LIBCRYPTO_NAME, &one, &all) ||
	        cpu_speeds(machine, suite, BITSLICED_NAME, &one, &all))
		return all;
	return 0;
}

/* A thread of the CPU engine computes the container's tags together with the cipher. */
static bool cpu_costs(struct cost costs[N_STAGES], const struct run *run, unsigned threads)
{
	const struct pace *tag = &run->machine->host.tag;
	double one, all;

	if (!cpu_speeds(run->machine, run->suite, implementation(run->suite, run->plan), &one, &all))
		return false;
	if (run->layout.taggers > 0 && tag->one_thread > 0 && tag->all_threads > 0) {
		one = 1 / (1 / one + 1 / tag->one_thread);
		all = 1 / (1 / all + 1 / tag->all_threads);
	}
	costs[STAGE_CPU] = cost_threads(run->machine, one, all, threads);
	return true;
}

/* Transfers over the bus keep no core busy, and are a little slower if both directions run at once.  To and from a CPU
 * device, the threads of the lanes copy the data. */
static void transfer_costs(struct cost costs[N_STAGES], const struct device_record *record)
{
	const struct transfer_speed *transfer = &record->transfer;
	double in_s = 1 / transfer->pinned_in, out_s = 1 / transfer->pinned_out, both_s = 1 / transfer->pinned_both;

	costs[STAGE_IN] = (struct cost){ in_s, record->is_cpu ? in_s / OPENCL_CPU_LANES : fmax(in_s, both_s),
		record->is_cpu ? in_s : 0 };
	costs[STAGE_OUT] = (struct cost){ out_s, record->is_cpu ? out_s / OPENCL_CPU_LANES : fmax(out_s, both_s),
		record->is_cpu ? out_s : 0 };
}

/*
 * A lane processes one group at a time: transfer in, kernel, transfer out.  Lanes share the device, so kernels run one
 * after another.  On a CPU device the kernels take cores from all other stages, and other threads compute the tags.
 */
static bool opencl_costs(struct cost costs[N_STAGES], const struct run *run, const struct device_record *record,
        const struct kernel_config *config)
{
	const struct pipeline_layout *layout = &run->layout;
	/* In a hybrid run the lanes compute the tags; a CPU device that runs alone leaves the tags to separate threads.
	 */
	unsigned n_taggers = layout->engine_tags ? OPENCL_CPU_LANES : layout->taggers;
	const struct transfer_speed *transfer = &record->transfer;
	const struct pace *tag = &run->machine->host.tag;
	struct overlap_prediction overlap;
	double kernel;

	if (transfer->pinned_in <= 0 || transfer->pinned_out <= 0 || transfer->pinned_both <= 0 ||
	        !predict_launch(&overlap, NULL, record, run->suite, config, layout->group_bytes))
		return false;
	kernel = (overlap.seconds + run->suite->mode->n_keys * record->enqueue_s) / (double)layout->group_bytes;
	if (layout->taggers > 0 && !record->is_cpu && transfer->tags > 0)
		kernel += 1 / transfer->tags;
	if (layout->taggers > 0 && record->is_cpu && tag->one_thread > 0)
		costs[STAGE_TAG] = cost_threads(run->machine, tag->one_thread, tag->all_threads, n_taggers);
	costs[STAGE_KERNEL] = (struct cost){ kernel, kernel, record->is_cpu ? kernel * run->machine->cpu_threads : 0 };
	transfer_costs(costs, record);
	return true;
}

bool engine_costs(struct cost costs[N_STAGES], const struct run *run, unsigned i)
{
	return run->devices[i] != NULL ? opencl_costs(costs, run, &run->devices[i]->record, &run->engines[i].kernel)
	                               : cpu_costs(costs, run, run->engines[i].threads);
}
