#include "ppf/model/choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/container/container.h"
#include "gpucrypt/device/loader.h"
#include "gpucrypt/engine/engine_all.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/status.h"

/* An alternative replaces the simpler or preferred one only if its time is below this fraction. */
#define FASTER_ENGINE   0.99
#define FASTER_CIPHER   0.95
#define FASTER_TOGETHER 0.95

/* The user's request, and the machine that it is for. */
struct question {
	const struct machine *machine;
	const struct gpucrypt_plan *wanted;
	const struct task *task;
	bool allow_sc2000;
};

/* Candidates: one cipher on one engine. */

void plan_take_policy(struct gpucrypt_plan *plan, const struct cipher *cipher)
{
	plan->constant_time = false;
	plan->kernel.table = cipher->forms[0].id;
	plan->kernel.table_space = plan->kernel.key_space = MEMORY_LOCAL;
	plan->kernel.replicas = plan->kernel.blocks_per_item = 1;
}

/* Set the fields that do not depend on the engine.  Returns false, with fail() set, if the cipher does not fit. */
static bool complete_cipher(struct choice *choice, const struct question *question, const struct cipher *cipher)
{
	struct gpucrypt_plan *plan = &choice->plan;
	struct program_shape shape;

	plan->cipher = cipher->id;
	if (suite_of_plan(&choice->suite, plan, question->task->direction) != GPUCRYPT_OK ||
	        container_sizes(plan) != GPUCRYPT_OK || program_shape_of_plan(&shape, cipher, plan) != GPUCRYPT_OK)
		return false;
	plan->key_bits = 8 * choice->suite.key_bytes;
	plan->mode = choice->suite.mode->id;
	if (plan->threads == 0)
		plan->threads = question->machine->cpu_threads;
	return true;
}

/* The CPU may replace a device that the user did not ask for. */
static bool complete_device(struct choice *choice, const struct question *question)
{
	const struct gpucrypt_plan *wanted = question->wanted;
	const struct machine_device *device = choice->device;
	struct gpucrypt_plan *plan = &choice->plan;

	plan->engine = GPUCRYPT_OPENCL;
	plan->device = 1 + (unsigned)(device - question->machine->devices);
	plan->or_cpu = wanted->device == 0 && wanted->engine == GPUCRYPT_ENGINE_AUTO;
	if (device->device.unusable[0] != '\0' ||
	        !choose_shape(&choice->shape, device, &choice->suite, wanted, UINT64_C(1) << plan->group_log2))
		return false;
	plan->kernel = choice->shape.kernel;
	predict_launch(
	        &choice->overlap, &choice->thesis, &device->record, &choice->suite, &choice->shape, choice->n_bytes);
	return true;
}

/* Complete one candidate (device NULL: the CPU).  Returns false if the engine cannot do the task. */
static bool complete_way(struct choice *choice, const struct question *question, const struct cipher *cipher,
        const struct machine_device *device)
{
	double slowest_s = 0;

	*choice = (struct choice){ .plan = *question->wanted, .device = device, .n_bytes = task_bytes(question->task) };
	choice->plan.engine = GPUCRYPT_CPU;
	if (!complete_cipher(choice, question, cipher) || (device != NULL && !complete_device(choice, question)))
		return false;
	choice->predicted = predict_end_to_end(&choice->end_to_end, question->machine, device, &choice->suite,
	        &choice->shape, &choice->plan, question->task);
	for (enum cost_stage s = STAGE_IN; s <= STAGE_OUT && choice->predicted; s++)
		slowest_s = choice->end_to_end.stage_s[s] > slowest_s ? choice->end_to_end.stage_s[s] : slowest_s;
	choice->plan.bytes_per_s = slowest_s > 0 ? (double)choice->n_bytes / slowest_s : 0;
	return true;
}

/* Whether the user did not ask for this bitsliced program and it is not built yet: building takes seconds on CPUs. */
static bool has_to_build_slices(const struct choice *choice, const struct question *question)
{
	const struct machine_device *device = choice->device;

	return device != NULL && device->record.is_cpu && choice->predicted && form_is_sliced(choice->shape.form) &&
	       question->wanted->kernel.table == TABLE_OPEN && !question->wanted->constant_time &&
	       !built_before(&question->machine->built, &device->device, &choice->suite, &choice->shape);
}

/* Choose the shape with the fastest kernels, or one with tables if a short input is finished before a bitsliced
 * program could be built. */
static bool choose_way(struct choice *choice, const struct question *question, const struct cipher *cipher,
        const struct machine_device *device)
{
	struct gpucrypt_plan tables = *question->wanted;
	struct question with_tables = *question;
	struct choice other;

	if (!complete_way(choice, question, cipher, device))
		return false;
	tables.kernel.table_space = MEMORY_LOCAL; /* excludes the bitsliced form */
	with_tables.wanted = &tables;
	if (has_to_build_slices(choice, question) && complete_way(&other, &with_tables, cipher, device) &&
	        other.predicted && other.end_to_end.seconds < choice->end_to_end.seconds)
		*choice = other;
	return true;
}

/* Complete the hybrid candidate.  If the user wants hybrid and only one engine can take part, the choice is that
 * engine alone. */
static bool choose_hybrid(struct choice *choice, const struct question *question, const struct cipher *cipher)
{
	*choice = (struct choice){ .plan = *question->wanted, .n_bytes = task_bytes(question->task) };
	if (!complete_cipher(choice, question, cipher) ||
	        !choose_parts(choice, question->machine, question->wanted, question->task))
		return false;
	if (choice->n_parts > 1)
		return true;
	return question->wanted->engine != GPUCRYPT_ENGINE_AUTO &&
	       choose_way(choice, question, cipher, choice->parts[0].device);
}

/* Comparison of candidates. */

/* The fraction of the time of a, the earlier candidate, that the time of b must stay below. */
static double factor_to_win(const struct choice *a, const struct choice *b)
{
	if (a->suite.cipher != b->suite.cipher)
		return FASTER_CIPHER;
	return b->n_parts > 0 ? FASTER_TOGETHER : FASTER_ENGINE;
}

static bool is_better(const struct choice *b, const struct choice *a)
{
	if (!a->predicted || !b->predicted)
		return b->predicted;
	return b->end_to_end.seconds < factor_to_win(a, b) * a->end_to_end.seconds;
}

/* Append the part to best->why if there is room for the whole part. */
static void add_reason(struct choice *best, const char *separator, const char *part)
{
	size_t used = strlen(best->why), n = sizeof(best->why);

	if (used + strlen(separator) + strlen(part) < n)
		snprintf(best->why + used, n - used, "%s%s", used > 0 ? separator : "", part);
}

/* Append a candidate as "aes on CPU 0.21 s". */
static void explain_way(struct choice *best, const struct choice *way)
{
	char text[96], engine[24];

	choice_engine(engine, way);
	if (way->predicted)
		snprintf(text, sizeof(text), way->end_to_end.seconds < 100 ? "%s on %s %.3g s" : "%s on %s %.0f s",
		        way->suite.cipher->name, engine, way->end_to_end.seconds);
	else
		snprintf(text, sizeof(text), "%s on %s: no prediction", way->suite.cipher->name, engine);
	add_reason(best, ", ", text);
}

/* Replace the best candidate, but keep the text of best->why. */
static void replace_best(struct choice *best, const struct choice *way)
{
	char why[sizeof(best->why)];

	memcpy(why, best->why, sizeof(why));
	*best = *way;
	memcpy(best->why, why, sizeof(why));
}

static bool asks_for(const struct gpucrypt_plan *wanted, enum gpucrypt_engine engine)
{
	if (wanted->engine != GPUCRYPT_ENGINE_AUTO)
		return wanted->engine == engine;
	return engine == GPUCRYPT_OPENCL ||
	       (engine == GPUCRYPT_CPU && wanted->device == 0); /* naming a device asks for OpenCL */
}

/* Hybrid is considered if the user names hybrid, or if the machine has a GPU. */
static bool considers_hybrid(const struct question *question)
{
	return asks_for(question->wanted, GPUCRYPT_HYBRID) ||
	       (question->wanted->engine == GPUCRYPT_ENGINE_AUTO && question->wanted->device == 0 &&
	               !question->task->one_engine && machine_has_gpu(question->machine));
}

/* Choose the best engine for one cipher; best->why lists the compared candidates. */
static bool choose_engine(
        struct choice *of_cipher, struct choice *best, const struct question *question, const struct cipher *cipher)
{
	const struct gpucrypt_plan *wanted = question->wanted;
	const struct machine *machine = question->machine;
	struct choice way;
	bool found = false;

	for (unsigned i = 0; i <= machine->n_devices; i++) {
		const struct machine_device *device = i == 0 ? NULL : &machine->devices[i - 1];
		if (!asks_for(wanted, i == 0 ? GPUCRYPT_CPU : GPUCRYPT_OPENCL) ||
		        (i > 0 && wanted->device != 0 && wanted->device != i) ||
		        !choose_way(&way, question, cipher, device))
			continue;
		explain_way(best, &way);
		if (!found || is_better(&way, of_cipher))
			*of_cipher = way;
		found = true;
	}
	if (considers_hybrid(question) && choose_hybrid(&way, question, cipher)) {
		explain_way(best, &way);
		if (!found || is_better(&way, of_cipher))
			*of_cipher = way;
		found = true;
	}
	return found;
}

/* "auto" chooses among recommended ciphers; SC2000, no longer on CRYPTREC's list, must be allowed. */
static bool cipher_is_allowed(const struct question *question, const struct cipher *cipher)
{
	if (question->wanted->cipher != GPUCRYPT_CIPHER_AUTO)
		return (unsigned)question->wanted->cipher == cipher->id;
	return !cipher->only_named || question->allow_sc2000;
}

/* Report why no engine fits, with the failure of the engine that the user wanted. */
static int explain_refusal(const struct question *question)
{
	const struct machine *machine = question->machine;
	struct gpucrypt_plan plan = *question->wanted;
	struct inventory inventory = { .n_devices = machine->n_devices };
	const struct device *device;
	struct program_shape shape;
	struct suite suite;
	int status = suite_of_plan(&suite, &plan, question->task->direction);

	for (unsigned i = 0; i < machine->n_devices; i++)
		inventory.devices[i] = machine->devices[i].device;
	memcpy(inventory.failure, machine->failure, sizeof(inventory.failure));
	if (status == GPUCRYPT_OK)
		status = container_sizes(&plan);
	if (status == GPUCRYPT_OK)
		status = program_shape_of_plan(&shape, suite.cipher, &plan);
	if (status != GPUCRYPT_OK)
		return status;
	device = inventory_choose(&inventory, plan.device);
	if (device == NULL)
		return GPUCRYPT_DEVICE;
	status = program_shape(&shape, &suite, &plan, device);
	return status != GPUCRYPT_OK
	               ? status
	               : fail(GPUCRYPT_DEVICE, "%s: no kernel configuration fits this device", device->name);
}

int choose(struct choice *choice, const struct machine *machine, const struct gpucrypt_plan *wanted,
        const struct task *task, bool allow_sc2000)
{
	const struct question question = { machine, wanted, task, allow_sc2000 };
	struct choice of_cipher;
	bool found = false, preferred = false;

	*choice = (struct choice){ .device = NULL };
	for (const struct cipher *const *c = ciphers; *c != NULL; c++) {
		if (!cipher_is_allowed(&question, *c) || !choose_engine(&of_cipher, choice, &question, *c))
			continue;
		if (!found || is_better(&of_cipher, choice))
			replace_best(choice, &of_cipher), preferred = false;
		else
			preferred |= of_cipher.predicted && of_cipher.end_to_end.seconds < choice->end_to_end.seconds;
		found = true;
	}
	fail_clear();
	if (!found)
		return explain_refusal(&question);
	if (preferred)
		add_reason(choice, "; ", "the first cipher unless another is 5 % faster");
	return GPUCRYPT_OK;
}

/* The choice on this machine. */

/* Whether the CPU finishes the task before OpenCL could start. */
static bool cpu_is_enough(struct choice *choice, const struct machine *machine, const struct gpucrypt_plan *wanted,
        const struct task *task, bool allow_sc2000)
{
	double start_s = least_opencl_start_s();

	if (!asks_for(wanted, GPUCRYPT_CPU) || choose(choice, machine, wanted, task, allow_sc2000) != GPUCRYPT_OK)
		return false;
	if (!choice->predicted || choice->end_to_end.seconds > start_s)
		return false;
	snprintf(choice->why, sizeof(choice->why), "%s on CPU %.3g s, OpenCL takes %.3g s to start",
	        choice->suite.cipher->name, choice->end_to_end.seconds, start_s);
	return true;
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
		if (cpu_is_enough(choice, *machine, wanted, task, allow_sc2000))
			return GPUCRYPT_OK;
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
	const struct part alone = { choice->device, choice->shape, 0 };
	const struct part *parts = choice->n_parts > 0 ? choice->parts : &alone;
	unsigned n_parts = choice->n_parts > 0 ? choice->n_parts : choice->device != NULL;

	for (unsigned i = 0; i < n_parts && on_device; i++)
		if (parts[i].device != NULL)
			built_keep(&machine->built, &parts[i].device->device, &choice->suite, &parts[i].shape);
	if (n_parts > 0 && !on_device)
		machine_take(machine);
}
