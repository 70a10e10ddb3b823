/* The choice of the parts of the hybrid engine. */
#include "ppf/model/choose.h"
#include "gpucrypt/engine/engine_all.h"

/* More CPU threads are chosen only if the predicted time falls below this fraction. */
#define FASTER 0.99

static bool add_device(struct choice *choice, const struct machine_device *device, const struct gpucrypt_plan *wanted)
{
	struct part *part = &choice->parts[choice->n_parts];

	*part = (struct part){ .device = device };
	if (device->device.unusable[0] != '\0' ||
	        !choose_shape(&part->shape, device, &choice->suite, wanted, UINT64_C(1) << choice->plan.group_log2))
		return false;
	choice->n_parts++;
	return true;
}

/* Add every GPU and accelerator.  A CPU's OpenCL device is the CPU itself, and takes part only if the plan names that
 * device. */
static void add_devices(struct choice *choice, const struct machine *machine, const struct gpucrypt_plan *wanted)
{
	for (unsigned i = 0; i < machine->n_devices; i++) {
		const struct machine_device *device = &machine->devices[i];
		if (wanted->device != 0 ? wanted->device == i + 1 : !device->device.cpu)
			add_device(choice, device, wanted);
	}
}

static bool add_wanted(struct choice *choice, const struct machine *machine, const struct gpucrypt_plan *wanted)
{
	for (unsigned i = 0; i < wanted->n_parts; i++) {
		const struct gpucrypt_part *part = &wanted->parts[i];
		const struct gpucrypt_plan plan = plan_of_part(wanted, part);
		if (part->device == 0)
			choice->parts[choice->n_parts++] = (struct part){ .threads = part->threads };
		else if (part->device > machine->n_devices ||
		         !add_device(choice, &machine->devices[part->device - 1], &plan))
			return false;
	}
	return true;
}

static void plan_take_parts(struct choice *choice, const struct machine *machine)
{
	struct gpucrypt_plan *plan = &choice->plan;

	plan->n_parts = choice->n_parts;
	for (unsigned i = 0; i < choice->n_parts; i++) {
		const struct part *part = &choice->parts[i];
		plan->parts[i] = (struct gpucrypt_part){ .threads = part->threads, .kernel = part->shape.kernel };
		if (part->device != NULL)
			plan->parts[i].device = 1 + (unsigned)(part->device - machine->devices);
	}
}

/* Add a CPU part with this number of threads. */
static void add_threads(struct choice *choice, const struct machine *machine, unsigned threads, const struct task *task)
{
	if (threads > 0)
		choice->parts[choice->n_parts++] = (struct part){ .threads = threads };
	plan_take_parts(choice, machine);
	choice->predicted = predict_together(
	        &choice->end_to_end, machine, choice->parts, choice->n_parts, &choice->suite, &choice->plan, task);
}

/* Choose the number of threads with the shortest predicted time: none, all, half, a quarter, and so on.  The library's
 * rule decides if there is no prediction. */
static void choose_threads(struct choice *choice, const struct machine *machine, const struct gpucrypt_plan *wanted,
        const struct task *task)
{
	const struct choice devices = *choice;
	struct choice other;

	add_threads(choice, machine, 0, task);
	for (unsigned n = choice->plan.threads; n > 0 && choice->predicted; n /= 2) {
		other = devices;
		add_threads(&other, machine, n, task);
		if (other.predicted && other.end_to_end.seconds < FASTER * choice->end_to_end.seconds)
			*choice = other;
	}
	if (!choice->predicted)
		add_threads(choice, machine, all_threads(&choice->suite, wanted, devices.n_parts), task);
}

bool choose_parts(struct choice *choice, const struct machine *machine, const struct gpucrypt_plan *wanted,
        const struct task *task)
{
	struct gpucrypt_plan *plan = &choice->plan;
	bool named = wanted->engine == GPUCRYPT_HYBRID;
	bool given = wanted->n_parts > 0;

	plan->engine = GPUCRYPT_HYBRID;
	plan->or_cpu = !named;
	if (given && !add_wanted(choice, machine, wanted))
		return false;
	if (!given)
		add_devices(choice, machine, wanted);
	if (choice->n_parts == 0 && wanted->device != 0)
		return false;
	if (given) {
		add_threads(choice, machine, 0, task);
	} else if (choice->n_parts == 0) {
		add_threads(choice, machine, plan->threads, task);
	} else if (named && wanted->threads != 0) {
		plan->threads = machine->cpu_threads; /* other threads may read and write */
		add_threads(choice, machine, wanted->threads, task);
	} else {
		choose_threads(choice, machine, wanted, task);
	}
	return true;
}
