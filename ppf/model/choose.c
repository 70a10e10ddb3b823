#include "ppf/model/choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/container/container.h"
#include "gpucrypt/device/device.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/status.h"

/* An alternative replaces the simpler or preferred one only if its time is below this fraction. */
#define FASTER_ENGINE   0.99
#define FASTER_CIPHER   0.95
#define FASTER_TOGETHER 0.95

/* Candidates: one cipher on one engine. */

void plan_take_policy(struct gpucrypt_plan *plan, const struct cipher *cipher)
{
	plan->constant_time = false;
	plan->kernel.table = cipher->forms[0].id;
	plan->kernel.table_space = plan->kernel.key_space = MEMORY_LOCAL;
	plan->kernel.replicas = plan->kernel.blocks_per_item = 1;
}

/* Set the fields that do not depend on the device.  Returns false, with fail() set, if the cipher does not fit. */
static bool complete_cipher(
        struct choice *choice, const struct request *request, const struct cipher *cipher, enum gpucrypt_engine engine)
{
	struct gpucrypt_plan *plan = &choice->plan;
	struct kernel_config kernel;

	*choice = (struct choice){ .plan = *request->wanted, .n_bytes = task_bytes(request->task) };
	plan->engine = engine;
	plan->n_parts = 0;
	plan->cipher = cipher->id;
	if (suite_of_plan(&choice->suite, plan, request->task->direction) != GPUCRYPT_OK ||
	        container_sizes(plan) != GPUCRYPT_OK || kernel_config_check(&kernel, cipher, plan) != GPUCRYPT_OK)
		return false;
	plan->key_bits = 8 * choice->suite.key_bytes;
	plan->mode = choice->suite.mode->id;
	if (plan->threads == 0)
		plan->threads = request->machine->cpu_threads;
	return true;
}

/* The CPU may replace a device that the user did not ask for. */
static bool complete_device(struct choice *choice, const struct request *request, unsigned number)
{
	const struct gpucrypt_plan *wanted = request->wanted;
	const struct machine_device *device = machine_device(request->machine, number);
	struct gpucrypt_plan *plan = &choice->plan;

	choice->device = device;
	plan->engine = GPUCRYPT_OPENCL;
	plan->device = number;
	plan->or_cpu = wanted->device == 0 && wanted->engine == GPUCRYPT_ENGINE_AUTO;
	if (device->device.unusable[0] != '\0' ||
	        !choose_kernel(&plan->kernel, device, &choice->suite, wanted, UINT64_C(1) << plan->group_log2))
		return false;
	predict_launch(
	        &choice->overlap, &choice->thesis, &device->record, &choice->suite, &plan->kernel, choice->n_bytes);
	return true;
}

/* Complete one candidate (number 0: the CPU, else a device).  Returns false if the engine cannot do the task. */
static bool complete_engine(
        struct choice *choice, const struct request *request, const struct cipher *cipher, unsigned number)
{
	double slowest_s = 0;

	if (!complete_cipher(choice, request, cipher, GPUCRYPT_CPU) ||
	        (number > 0 && !complete_device(choice, request, number)))
		return false;
	choice->predicted =
	        predict_end_to_end(&choice->end_to_end, request->machine, &choice->suite, &choice->plan, request->task);
	for (enum cost_stage s = STAGE_IN; s <= STAGE_OUT && choice->predicted; s++)
		slowest_s = choice->end_to_end.stage_s[s] > slowest_s ? choice->end_to_end.stage_s[s] : slowest_s;
	choice->plan.bytes_per_s = slowest_s > 0 ? (double)choice->n_bytes / slowest_s : 0;
	return true;
}

/* Whether the user did not ask for this bitsliced program and it is not built yet: building takes seconds on CPUs. */
static bool has_to_build_slices(const struct choice *choice, const struct request *request)
{
	const struct machine_device *device = choice->device;

	return device != NULL && device->record.is_cpu && choice->predicted && kernel_is_sliced(&choice->plan.kernel) &&
	       request->wanted->kernel.table == TABLE_OPEN && !request->wanted->constant_time &&
	       !built_before(&request->machine->built, &device->device, &choice->suite, &choice->plan.kernel);
}

/* Choose the kernel that is fastest, or one with tables if a short input is finished before a bitsliced program could
 * be built. */
static bool choose_single(
        struct choice *choice, const struct request *request, const struct cipher *cipher, unsigned number)
{
	struct gpucrypt_plan tables = *request->wanted;
	struct request with_tables = *request;
	struct choice other;

	if (!complete_engine(choice, request, cipher, number))
		return false;
	tables.kernel.table_space = MEMORY_LOCAL; /* excludes the bitsliced form */
	with_tables.wanted = &tables;
	if (has_to_build_slices(choice, request) && complete_engine(&other, &with_tables, cipher, number) &&
	        other.predicted && other.end_to_end.seconds < choice->end_to_end.seconds)
		*choice = other;
	return true;
}

/* Complete the hybrid candidate.  If the user wants hybrid and only one engine can take part, the choice is that
 * engine alone. */
static bool choose_hybrid(struct choice *choice, const struct request *request, const struct cipher *cipher)
{
	if (!complete_cipher(choice, request, cipher, request->wanted->engine) || !choose_parts(choice, request))
		return false;
	if (choice->plan.n_parts > 1)
		return true;
	return request->wanted->engine != GPUCRYPT_ENGINE_AUTO &&
	       choose_single(choice, request, cipher, choice->plan.parts[0].device);
}

/* Comparison of candidates. */

/* Whether b takes so much less time that it replaces a, the earlier candidate. */
static bool is_better(const struct choice *b, const struct choice *a)
{
	double factor = a->suite.cipher != b->suite.cipher ? FASTER_CIPHER
	                : b->plan.n_parts > 0              ? FASTER_TOGETHER
	                                                   : FASTER_ENGINE;

	if (!a->predicted || !b->predicted)
		return b->predicted;
	return b->end_to_end.seconds < factor * a->end_to_end.seconds;
}

/* Append the part if there is room for the whole part. */
static void add_reason(char why[CHOICE_WHY], const char *separator, const char *part)
{
	size_t used = strlen(why);

	if (used + strlen(separator) + strlen(part) < CHOICE_WHY)
		snprintf(why + used, CHOICE_WHY - used, "%s%s", used > 0 ? separator : "", part);
}

/* Append a candidate as "aes on CPU 0.21 s". */
static void explain_candidate(char why[CHOICE_WHY], const struct choice *candidate)
{
	char text[96], engine[24];

	choice_engine(engine, candidate);
	if (candidate->predicted)
		snprintf(text, sizeof(text),
		        candidate->end_to_end.seconds < 100 ? "%s on %s %.3g s" : "%s on %s %.0f s",
		        candidate->suite.cipher->name, engine, candidate->end_to_end.seconds);
	else
		snprintf(text, sizeof(text), "%s on %s: no prediction", candidate->suite.cipher->name, engine);
	add_reason(why, ", ", text);
}

static bool asks_for(const struct gpucrypt_plan *wanted, enum gpucrypt_engine engine)
{
	if (wanted->engine != GPUCRYPT_ENGINE_AUTO)
		return wanted->engine == engine;
	return engine == GPUCRYPT_OPENCL ||
	       (engine == GPUCRYPT_CPU && wanted->device == 0); /* naming a device asks for OpenCL */
}

bool plan_of_engine(
        struct gpucrypt_plan *plan, const struct gpucrypt_plan *wanted, const struct machine *machine, unsigned engine)
{
	bool is_device = engine > 0 && engine <= machine->n_devices;

	*plan = *wanted;
	plan->engine = engine == 0 ? GPUCRYPT_CPU : is_device ? GPUCRYPT_OPENCL : GPUCRYPT_HYBRID;
	plan->device = is_device ? engine : wanted->device;
	if (is_device)
		return asks_for(wanted, GPUCRYPT_OPENCL) && (wanted->device == 0 || wanted->device == engine);
	return asks_for(wanted, plan->engine) || (engine > 0 && wanted->engine == GPUCRYPT_ENGINE_AUTO &&
	                                                 wanted->device == 0 && machine_has_gpu(machine));
}

/* Choose the best engine for one cipher, and add the compared candidates to why. */
static bool choose_engine(
        struct choice *of_cipher, char why[CHOICE_WHY], const struct request *request, const struct cipher *cipher)
{
	const struct gpucrypt_plan *wanted = request->wanted;
	unsigned n = request->machine->n_devices;
	struct gpucrypt_plan plan;
	struct choice candidate;
	bool found = false;

	for (unsigned i = 0; i <= n + 1; i++) {
		if (!plan_of_engine(&plan, wanted, request->machine, i) ||
		        (i > n && wanted->engine == GPUCRYPT_ENGINE_AUTO && request->task->one_engine) ||
		        !(i > n ? choose_hybrid(&candidate, request, cipher)
		                : choose_single(&candidate, request, cipher, i)))
			continue;
		explain_candidate(why, &candidate);
		if (!found || is_better(&candidate, of_cipher))
			*of_cipher = candidate;
		found = true;
	}
	return found;
}

/* "auto" chooses among recommended ciphers; SC2000, no longer on CRYPTREC's list, must be allowed. */
static bool cipher_is_allowed(const struct request *request, const struct cipher *cipher)
{
	if (request->wanted->cipher != GPUCRYPT_CIPHER_AUTO)
		return (unsigned)request->wanted->cipher == cipher->id;
	return !cipher->only_named || request->allow_sc2000;
}

/* Report why no engine fits, with the failure of the engine that the user wanted. */
static int explain_refusal(const struct request *request)
{
	const struct machine *machine = request->machine;
	struct gpucrypt_plan plan = *request->wanted;
	struct inventory inventory = { .n_devices = machine->n_devices };
	const struct device *device;
	struct kernel_config kernel;
	struct suite suite;
	int status = suite_of_plan(&suite, &plan, request->task->direction) ?: container_sizes(&plan)
	        ?: kernel_config_check(&kernel, suite.cipher, &plan);

	if (status != GPUCRYPT_OK)
		return status;
	for (unsigned i = 0; i < machine->n_devices; i++)
		inventory.devices[i] = machine->devices[i].device;
	memcpy(inventory.failure, machine->failure, sizeof(inventory.failure));
	device = inventory_choose(&inventory, plan.device);
	if (device == NULL)
		return GPUCRYPT_DEVICE;
	return kernel_config_complete(&kernel, &suite, &plan, device)
	               ?: fail(GPUCRYPT_DEVICE, "%s: no kernel configuration fits this device", device->name);
}

int choose(struct choice *choice, const struct machine *machine, const struct gpucrypt_plan *wanted,
        const struct task *task, bool allow_sc2000)
{
	const struct request request = { machine, wanted, task, allow_sc2000 };
	struct choice of_cipher;
	char why[CHOICE_WHY] = "";
	bool found = false, preferred = false;

	*choice = (struct choice){ .device = NULL };
	for (const struct cipher *const *c = ciphers; *c != NULL; c++) {
		if (!cipher_is_allowed(&request, *c) || !choose_engine(&of_cipher, why, &request, *c))
			continue;
		if (!found || is_better(&of_cipher, choice))
			*choice = of_cipher, preferred = false;
		else
			preferred |= of_cipher.predicted && of_cipher.end_to_end.seconds < choice->end_to_end.seconds;
		found = true;
	}
	fail_clear();
	if (!found)
		return explain_refusal(&request);
	if (preferred)
		add_reason(why, "; ", "the first cipher unless another is 5 % faster");
	memcpy(choice->why, why, sizeof(why));
	return GPUCRYPT_OK;
}

/* The choice on this machine. */

/* The least time before any OpenCL device starts to work. */
static double least_opencl_start_s(void)
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

int choose_here(struct choice *choice, struct machine **machine, const struct gpucrypt_plan *wanted,
        const struct task *task, bool allow_sc2000)
{
	bool cpu_only = !asks_for(wanted, GPUCRYPT_OPENCL) && !asks_for(wanted, GPUCRYPT_HYBRID);
	int status;

	if (*machine == NULL) {
		*machine = malloc(sizeof(**machine));
		if (*machine == NULL)
			return fail(GPUCRYPT_OTHER, "out of memory");
		machine_cached(*machine);
	}
	if (!(*machine)->asked && !cpu_only) {
		double start_s = least_opencl_start_s();

		if (asks_for(wanted, GPUCRYPT_CPU) &&
		        choose(choice, *machine, wanted, task, allow_sc2000) == GPUCRYPT_OK && choice->predicted &&
		        choice->end_to_end.seconds <= start_s) {
			snprintf(choice->why, sizeof(choice->why), "%s on CPU %.3g s, OpenCL takes %.3g s to start",
			        choice->suite.cipher->name, choice->end_to_end.seconds, start_s);
			return GPUCRYPT_OK;
		}
		fail_clear();
		machine_take(*machine);
	}
	status = choose(choice, *machine, wanted, task, allow_sc2000);
	if (status == GPUCRYPT_OK && choice->plan.engine != GPUCRYPT_CPU)
		loader_open(); /* before other threads do */
	return status;
}

void choice_ran(const struct choice *choice, struct machine *machine, bool on_device)
{
	const struct gpucrypt_plan *plan = &choice->plan;

	for (unsigned i = 0; i < plan_engines(plan) && on_device; i++) {
		const struct gpucrypt_part engine = plan_engine(plan, i);

		if (engine.device != 0)
			built_keep(&machine->built, &machine_device(machine, engine.device)->device, &choice->suite,
			        &engine.kernel);
	}
	if (plan->engine != GPUCRYPT_CPU && !on_device)
		machine_take(machine);
}

/* Texts. */

const char *choice_engine(char text[24], const struct choice *choice)
{
	if (choice->plan.n_parts > 0)
		snprintf(text, 24, "%s", engine_all.name);
	else if (choice->device != NULL)
		snprintf(text, 24, "OpenCL %u", choice->plan.device - 1);
	else
		snprintf(text, 24, "CPU");
	return text;
}

void choice_describe(char text[ENGINE_TEXT], const struct choice *choice, const struct machine *machine)
{
	const struct gpucrypt_plan *plan = &choice->plan;
	char texts[GPUCRYPT_MAX_PARTS][ENGINE_TEXT];
	const char *all[GPUCRYPT_MAX_PARTS];

	for (unsigned i = 0; i < plan_engines(plan); i++) {
		const struct gpucrypt_part engine = plan_engine(plan, i);

		all[i] = texts[i];
		if (engine.device != 0)
			opencl_describe(
			        texts[i], ENGINE_TEXT, &machine_device(machine, engine.device)->device, &engine.kernel);
		else
			cpu_describe(texts[i], ENGINE_TEXT, &choice->suite, plan, engine.threads);
	}
	all_describe(text, all, plan_engines(plan));
}
