/* The kernels to measure for a suite on a device, and their bounds. */
#include "cli/advise/advise.h"
#include "cli/bench/bench.h"
#include "command/json.h"
#include "gpucrypt/status.h"

#define GPU_BYTES    (UINT64_C(1) << 30)
#define CPU_BYTES    (UINT64_C(64) << 20)
#define KERNEL_RUN_S 0.5

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

static bool is_same_suite(const struct suite *a, const struct suite *b)
{
	return a->cipher == b->cipher && a->mode == b->mode && a->key_bytes == b->key_bytes &&
	       a->direction == b->direction;
}

struct bench_row *bench_policy_of(const struct bench *bench, const struct bench_row *kernel)
{
	struct bench_row *kernels = bench->rows[BENCH_KERNELS];

	for (struct bench_row *k = kernels; k < kernels + bench->n_rows[BENCH_KERNELS]; k++)
		if (json_is_true(json_object_get(k->json, "policy")) && k->plan.device == kernel->plan.device &&
		        is_same_suite(&k->suite, &kernel->suite))
			return k;
	return NULL;
}

static bool is_same_kernel(const struct bench_row *a, const struct bench_row *b)
{
	const struct kernel_config *p = &a->plan.kernel, *q = &b->plan.kernel;

	return is_same_suite(&a->suite, &b->suite) && a->plan.device == b->plan.device && p->table == q->table &&
	       p->table_space == q->table_space && p->key_space == q->key_space && p->replicas == q->replicas &&
	       p->blocks_per_item == q->blocks_per_item && p->work_items == q->work_items &&
	       p->work_groups == q->work_groups;
}

/* The JSON of a kernel that is not measured yet.  Its bound is the speed that it would have if only the bottleneck of
 * the overlap model took time, and launches and the filling of tables none.  A prediction from a trial has no bound. */
static json_t *kernel_members(
        const struct bench_row *kernel, const struct overlap_prediction *overlap, const struct device_record *record)
{
	json_t *members = json_pack("{s:o, s:b, s:b}", "device", device_number_json(kernel->plan.device), "chosen",
	               false, "policy", false),
	       *figures;
	bool known = overlap->seconds > 0 && !overlap->tried;
	double bound_bytes_per_s = known ? (double)BLOCK_BYTES * record->batch_items * record->compute_units *
	                                           record->clock_hz / overlap->cycles[overlap->bound]
	                                 : 0;

	kernel_json(members, &kernel->plan.kernel);
	figures = json_pack("{s:b, s:o, s:[], s:n, s:i, s:s?, s:o, s:n, s:n, s:o, s:n}", "portable",
	        kernel->plan.kernel.portable, "bytes", json_count(kernel->n_bytes), "seconds", "bytes_per_s",
	        "compared_bytes", 0, "bound", known ? bound_names[overlap->bound] : NULL, "bound_bytes_per_s",
	        json_figure(bound_bytes_per_s), "of_bound", "times_policy", "estimate_s", json_figure(overlap->seconds),
	        "failure");
	json_object_update(members, figures);
	json_decref(figures);
	return members;
}

/* A run of a kernel takes at most KERNEL_RUN_S, and two warm-up runs precede the measured runs (engine_opencl.h). */
static double expected_s(const struct bench_row *kernel, double estimate_s, const struct device_record *record)
{
	return (BENCH_RUNS + 2) * (estimate_s < KERNEL_RUN_S ? estimate_s : KERNEL_RUN_S) +
	       (kernel->plan.kernel.table == TABLE_BITSLICED ? record->build_sliced_s : record->build_s);
}

/* Add a kernel unless its configuration is listed already, and mark it as the chosen one or as the policy's ("chosen",
 * "policy", NULL).  Returns false if no wanted configuration fits. */
static bool add_kernel(const struct selection *selection, const struct bench_row *new, const char *mark)
{
	const struct device_record *record = &selection->device->record;
	struct bench *bench = selection->bench;
	struct bench_row kernel = *new;
	struct overlap_prediction overlap = { .seconds = 0 };
	unsigned i = 0;

	if (!choose_kernel(&kernel.plan.kernel, selection->device, &new->suite, &new->plan, new->n_bytes))
		return false;
	while (i < bench->n_rows[BENCH_KERNELS] && !is_same_kernel(&bench->rows[BENCH_KERNELS][i], &kernel))
		i++;
	if (i == bench->n_rows[BENCH_KERNELS]) {
		predict_launch(&overlap, NULL, record, &kernel.suite, &kernel.plan.kernel, kernel.n_bytes);
		bench->expected_s += expected_s(&kernel, overlap.seconds, record);
		if (bench_add_row(bench, BENCH_KERNELS, &kernel, kernel_members(&kernel, &overlap, record)))
			return false;
	}
	if (mark)
		json_set(bench->rows[BENCH_KERNELS][i].json, mark, json_true());
	return true;
}

/* Every form of the tables, as one copy and as one for each bank, each counter by itself and with its
 * neighbours; keys where they cost least. */
static void add_forms(const struct selection *selection, const struct bench_row *template)
{
	struct bench_row new = *template;
	struct config_space space;

	config_space_open(&space, &new.suite, &template->plan, selection->device, CONFIG_BLOCKS_PER_ITEM);
	while (config_next(&new.plan.kernel, &space))
		add_kernel(selection, &new, NULL);
}

/* Report why no configuration fits, with the message of the function that rejects the plan. */
static int explain_refusal(const struct bench_row *kernel, const struct device *device)
{
	struct kernel_config config;

	fail_clear();
	return kernel_config_complete(&config, &kernel->suite, &kernel->plan, device)
	               ?: fail(GPUCRYPT_DEVICE, "%s: no kernel configuration fits this device", device->name);
}

/* Another available form, with which the chosen kernel was not compared. */
static void note_unpredicted(const struct selection *selection, const struct bench_row *kernel)
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
	struct bench_row chosen = { .suite = *suite, .plan = *selection->wanted }, policy;
	int status = buffer_bytes(&chosen.n_bytes, selection, &device->device);

	if (status != GPUCRYPT_OK)
		return status;
	chosen.plan.cipher = suite->cipher->id;
	chosen.plan.key_bits = 8 * suite->key_bytes;
	chosen.plan.mode = suite->mode->id;
	chosen.plan.engine = GPUCRYPT_OPENCL;
	chosen.plan.device = 1 + (unsigned)(device - selection->machine->devices);
	if (!add_kernel(selection, &chosen, "chosen")) {
		status = explain_refusal(&chosen, &device->device);
		if (status == GPUCRYPT_DEVICE) {
			bench_note(bench, gpucrypt_error());
			fail_clear();
			return GPUCRYPT_OK;
		}
		return status;
	}
	note_unpredicted(selection, &chosen);
	policy = chosen;
	plan_take_policy(&policy.plan, suite->cipher);
	add_kernel(selection, &policy, "policy");
	if (selection->options->all)
		add_forms(selection, &chosen);
	fail_clear();
	return GPUCRYPT_OK;
}
