/* The choice of the parts of the hybrid engine. */
#include "ppf/model/choose.h"
#include "gpucrypt/engine/engine_all.h"

/* More CPU threads are chosen only if the predicted time falls below this fraction. */
#define FASTER 0.99

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

/* Add every GPU and accelerator.  A CPU's OpenCL device is the CPU itself, and takes part only if the plan names that
 * device. */
static void add_devices(struct choice *choice, const struct machine *machine, const struct gpucrypt_plan *wanted)
{
	for (unsigned i = 1; i <= machine->n_devices; i++)
		if (wanted->device != 0 ? wanted->device == i : !machine_device(machine, i)->device.cpu)
			add_device(choice, machine, i, wanted);
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
	if (!given)
		add_devices(choice, request->machine, wanted);
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
