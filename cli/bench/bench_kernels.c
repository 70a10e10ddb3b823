/* The kernels to measure for a suite on a device, and their bounds. */
#include "cli/bench/bench.h"
#include "gpucrypt/status.h"

#define GPU_BYTES (UINT64_C(1) << 30)
#define CPU_BYTES (UINT64_C(64) << 20)

static int buffer_bytes(uint64_t *n_bytes, const struct selection *selection, const struct device *device)
{
	const struct options *options = selection->options;
	uint64_t most = device->max_buffer_bytes / UNIT_BYTES * UNIT_BYTES, usual = device->cpu ? CPU_BYTES : GPU_BYTES;

	*n_bytes = options->size_bytes;
	/* That is the size of the whole run: kernels take as long only to say the same. */
	if (*n_bytes == 0 || (options->end_to_end && *n_bytes > usual))
		*n_bytes = usual < most ? usual : most;
	if (*n_bytes > most)
		return fail(GPUCRYPT_DEVICE, "%s: %llu bytes: its buffers hold up to %llu", device->name,
		        (unsigned long long)*n_bytes, (unsigned long long)most);
	return GPUCRYPT_OK;
}

bool bench_same_suite(const struct suite *a, const struct suite *b)
{
	return a->cipher == b->cipher && a->mode == b->mode && a->key_bytes == b->key_bytes &&
	       a->direction == b->direction;
}

struct bench_kernel *bench_policy_of(const struct bench *bench, const struct bench_kernel *kernel)
{
	for (struct bench_kernel *k = bench->kernels; k < bench->kernels + bench->n_kernels; k++)
		if (k->policy && k->plan.device == kernel->plan.device && bench_same_suite(&k->suite, &kernel->suite))
			return k;
	return NULL;
}

static bool same_kernel(const struct bench_kernel *a, const struct bench_kernel *b)
{
	const struct kernel_config *p = &a->plan.kernel, *q = &b->plan.kernel;

	return bench_same_suite(&a->suite, &b->suite) && a->plan.device == b->plan.device && p->table == q->table &&
	       p->table_space == q->table_space && p->key_space == q->key_space && p->replicas == q->replicas &&
	       p->blocks_per_item == q->blocks_per_item && p->work_items == q->work_items &&
	       p->work_groups == q->work_groups;
}

/* The bound is the time of the bottleneck resource alone, without launches and filling tables; a trial has none. */
static void predict_kernel(struct bench_kernel *kernel, const struct machine_device *device)
{
	const struct device_record *record = &device->record;
	struct overlap_prediction overlap;
	struct thesis_prediction thesis;

	if (!predict_launch(&overlap, &thesis, record, &kernel->suite, &kernel->plan.kernel, kernel->n_bytes))
		return;
	kernel->estimate_s = overlap.seconds;
	if (overlap.tried)
		return;
	kernel->bound = bound_names[overlap.bound];
	kernel->bound_bytes_per_s = (double)BLOCK_BYTES * record->batch_items * record->compute_units *
	                            record->clock_hz / overlap.cycles[overlap.bound];
}

/* Add a kernel unless its configuration is measured already. Returns false if no wanted configuration fits. */
static bool add_kernel(const struct selection *selection, const struct bench_kernel *new)
{
	const struct machine_device *device = selection->device;
	struct bench *bench = selection->bench;
	struct bench_kernel *kernel = &bench->kernels[bench->n_kernels], *there = bench->kernels;

	*kernel = *new;
	if (!choose_kernel(&kernel->plan.kernel, device, &new->suite, &new->plan, new->n_bytes))
		return false;
	while (!same_kernel(there, kernel))
		there++;
	there->chosen |= new->chosen;
	there->policy |= new->policy;
	if (there == kernel) {
		predict_kernel(kernel, device);
		bench->n_kernels++;
	}
	return true;
}

/* Every form of the tables, as one copy and as one for each bank, each counter by itself and with its
 * neighbours; keys where they cost least. */
static void add_forms(const struct selection *selection, const struct bench_kernel *template)
{
	struct bench_kernel new = *template;
	struct config_space space;

	config_space_open(&space, &new.suite, &template->plan, selection->device, CONFIG_BLOCKS_PER_ITEM);
	while (config_next(&new.plan.kernel, &space))
		add_kernel(selection, &new);
}

/* Report why no configuration fits, with the message of the function that rejects the plan. */
static int explain_refusal(const struct bench_kernel *kernel, const struct device *device)
{
	struct kernel_config config;

	fail_clear();
	return kernel_config_complete(&config, &kernel->suite, &kernel->plan, device)
	               ?: fail(GPUCRYPT_DEVICE, "%s: no kernel configuration fits this device", device->name);
}

/* Another available form, with which the chosen kernel was not compared. */
static void note_unpredicted(const struct selection *selection, const struct bench_kernel *kernel)
{
	const struct table_form *form =
	        choose_unpredicted(selection->device, &kernel->suite, &kernel->plan, kernel->n_bytes);
	char text[160], name[32];

	if (!form)
		return;
	snprintf(text, sizeof text, "%s on device %u: table %s not compared: its record lacks a figure",
	        bench_suite(name, &kernel->suite), kernel->plan.device - 1, form->name);
	bench_note(selection->bench, text);
}

int bench_add_kernels(const struct selection *selection, const struct suite *suite)
{
	const struct machine_device *device = selection->device;
	struct bench *bench = selection->bench;
	struct bench_kernel chosen = { .suite = *suite, .plan = *selection->wanted, .chosen = true }, policy, form;
	int status = buffer_bytes(&chosen.n_bytes, selection, &device->device);

	if (status != GPUCRYPT_OK)
		return status;
	chosen.plan.cipher = suite->cipher->id;
	chosen.plan.key_bits = 8 * suite->key_bytes;
	chosen.plan.mode = suite->mode->id;
	chosen.plan.engine = GPUCRYPT_OPENCL;
	chosen.plan.device = 1 + (unsigned)(device - selection->machine->devices);
	if (!add_kernel(selection, &chosen)) {
		status = explain_refusal(&chosen, &device->device);
		if (status == GPUCRYPT_DEVICE) {
			bench_note(bench, gpucrypt_error());
			fail_clear();
			return GPUCRYPT_OK;
		}
		return status;
	}
	note_unpredicted(selection, &chosen);
	policy = form = chosen;
	form.chosen = policy.chosen = false;
	policy.policy = true;
	plan_take_policy(&policy.plan, suite->cipher);
	add_kernel(selection, &policy);
	if (selection->options->all)
		add_forms(selection, &form);
	fail_clear();
	return GPUCRYPT_OK;
}
