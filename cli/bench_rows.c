/* What is measured: every suite that is left open, and for each the kernels that belong to it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>

#include "bench.h"
#include "engine_libgcrypt.h"
#include "gpucrypt/status.h"

#define UNIT_BYTES       4096 /* sizes are multiples of it: whole units of XTS */
#define GPU_BYTES        (UINT64_C(1) << 30)
#define CPU_BYTES        (UINT64_C(64) << 20)
#define MEMORY_GPU_BYTES (UINT64_C(4) << 30)
#define MEMORY_CPU_BYTES (UINT64_C(256) << 20)

/* What is asked for. */
struct selection {
	struct bench *bench;
	const struct machine *machine;
	const struct options *options;
	const struct gpucrypt_plan *wanted;
	bool cpu, opencl; /* which engines */
};

static const unsigned default_bits[] = { 128, 256 };

static bool is_open(const char *name)
{
	return !name || !strcmp(name, "auto");
}

/* The first one is kept. */
static void note(struct bench *bench, const char *text)
{
	if (!bench->note[0])
		snprintf(bench->note, sizeof bench->note, "%s", text);
}

/* Kernels. */

static int buffer_bytes(
        uint64_t *n_bytes, const struct selection *selection, const struct device *device)
{
	uint64_t most = device->max_buffer_bytes / UNIT_BYTES * UNIT_BYTES;

	*n_bytes = selection->options->size_bytes;
	if (*n_bytes > most)
		return fail(GPUCRYPT_DEVICE, "%s: %llu bytes: its buffers hold up to %llu",
		        device->name, (unsigned long long)*n_bytes, (unsigned long long)most);
	if (*n_bytes == 0)
		*n_bytes = device->cpu ? CPU_BYTES : GPU_BYTES;
	if (*n_bytes > most)
		*n_bytes = most;
	return GPUCRYPT_OK;
}

static bool same_kernel(const struct bench_kernel *a, const struct bench_kernel *b)
{
	const struct gpucrypt_plan *p = &a->plan, *q = &b->plan;

	return bench_same_suite(&a->suite, &b->suite) && p->device == q->device &&
	       !strcmp(p->table, q->table) && !strcmp(p->table_space, q->table_space) &&
	       !strcmp(p->key_space, q->key_space) && p->copies == q->copies &&
	       p->work_items == q->work_items && p->work_groups == q->work_groups;
}

/* The bound is the time of the fullest resource alone, without launches and filling tables. */
static void predict(struct bench_kernel *kernel, const struct machine_device *device,
        const struct program_shape *shape)
{
	const struct record *record = &device->record;
	struct overlap_prediction overlap;
	struct thesis_prediction thesis;

	if (!predict_launch(&overlap, &thesis, record, &kernel->suite, shape, kernel->n_bytes))
		return;
	kernel->bound = bound_names[overlap.bound];
	kernel->bound_bytes_per_s = (double)BLOCK_BYTES * record->batch_items *
	                            record->compute_units * record->clock_hz /
	                            overlap.cycles[overlap.bound];
	kernel->estimate_s = overlap.seconds;
}

/* What is there already is not measured twice.  false: nothing that is wanted fits. */
static bool add_kernel(const struct selection *selection, const struct bench_kernel *new,
        const struct machine_device *device)
{
	struct bench *bench = selection->bench;
	struct bench_kernel *kernel = &bench->kernels[bench->n_kernels], *there = bench->kernels;
	struct program_shape shape;

	if (!choose_shape(&shape, device, &new->suite, &new->plan, new->n_bytes))
		return false;
	*kernel = *new;
	plan_take_shape(&kernel->plan, &shape);
	while (!same_kernel(there, kernel))
		there++;
	there->chosen |= new->chosen;
	there->policy |= new->policy;
	if (there == kernel) {
		predict(kernel, device, &shape);
		bench->n_kernels++;
	}
	return true;
}

/* Every form of the tables, as one copy and as one for each bank; keys where they cost least. */
static void add_forms(const struct selection *selection, const struct bench_kernel *template,
        const struct machine_device *device)
{
	unsigned banks = device->record.banks > 1 ? device->record.banks : 32;

	for (unsigned f = 0; f < template->suite.cipher->n_forms; f++)
		for (unsigned copies = 1; copies <= banks; copies += banks - 1) {
			struct bench_kernel new = *template;

			new.plan.table = template->suite.cipher->forms[f].name;
			new.plan.copies = copies;
			if ((selection->wanted->table &&
			            strcmp(selection->wanted->table, new.plan.table) != 0) ||
			        (selection->wanted->copies && selection->wanted->copies != copies))
				continue;
			add_kernel(selection, &new, device);
		}
}

/* Why no shape fits: in the words of whoever refuses the plan itself. */
static int explain(const struct bench_kernel *kernel, const struct device *device)
{
	struct program_shape shape;
	int status;

	fail_clear();
	status = program_shape(&shape, &kernel->suite, &kernel->plan, device);
	if (status == GPUCRYPT_OK)
		status = fail(GPUCRYPT_DEVICE, "%s: no shape of its programs fits", device->name);
	return status;
}

/* The model's own choice, the policy's placement, and with --all every form. */
static int add_kernels(const struct selection *selection, const struct suite *suite,
        const struct machine_device *device)
{
	struct bench_kernel chosen = { .suite = *suite,
		.plan = *selection->wanted,
		.chosen = true },
	                    policy, form;
	int status = buffer_bytes(&chosen.n_bytes, selection, &device->device);

	if (status != GPUCRYPT_OK)
		return status;
	chosen.plan.cipher = suite->cipher->name;
	chosen.plan.key_bits = 8 * suite->key_bytes;
	chosen.plan.mode = suite->mode->name;
	chosen.plan.engine = engine_opencl.name;
	chosen.plan.device = 1 + (unsigned)(device - selection->machine->devices);
	if (!add_kernel(selection, &chosen, device)) {
		status = explain(&chosen, &device->device);
		if (status == GPUCRYPT_DEVICE) {
			note(selection->bench, gpucrypt_error());
			fail_clear();
			return GPUCRYPT_OK;
		}
		return status;
	}
	policy = form = chosen;
	form.chosen = policy.chosen = false;
	policy.policy = true;
	policy.plan.constant_time = false;
	policy.plan.table = suite->cipher->forms[0].name;
	policy.plan.copies = 1;
	policy.plan.key_space = "local";
	add_kernel(selection, &policy, device);
	if (selection->options->all)
		add_forms(selection, &form, device);
	fail_clear();
	return GPUCRYPT_OK;
}

/* Memory to memory. */

static int add_memory_row(const struct selection *selection, const struct suite *suite,
        const struct gpucrypt_plan *plan, bool gpu)
{
	const struct options *options = selection->options;
	struct bench *bench = selection->bench;
	struct bench_memory *row = &bench->memory[bench->n_memory];
	const struct task task = { .n_bytes = options->size_bytes ? options->size_bytes
		                              : gpu               ? MEMORY_GPU_BYTES
		                                                  : MEMORY_CPU_BYTES,
		.tags = true,
		.direction = ENCRYPT };
	struct choice choice;
	int status = choose(&choice, selection->machine, plan, &task, true);

	if (status == GPUCRYPT_DEVICE) {
		note(bench, gpucrypt_error());
		fail_clear();
		return GPUCRYPT_OK;
	}
	if (status != GPUCRYPT_OK)
		return status;
	*row = (struct bench_memory){
		.suite = *suite, .plan = choice.plan, .n_bytes = task.n_bytes
	};
	row->plan.device = choice.device ? choice.plan.device : 0;
	if (choice.predicted) {
		row->predicted_s = choice.end_to_end.seconds;
		row->bottleneck = stage_names[choice.end_to_end.bottleneck];
	}
	bench->n_memory++;
	return GPUCRYPT_OK;
}

static bool has_gpu(const struct machine *machine)
{
	for (unsigned i = 0; i < machine->n_devices; i++)
		if (!machine->devices[i].device.cpu && !machine->devices[i].device.unusable[0])
			return true;
	return false;
}

static bool is_wanted(const struct selection *selection, unsigned device)
{
	return selection->opencl && !selection->machine->devices[device].device.unusable[0] &&
	       (!selection->wanted->device || selection->wanted->device == device + 1);
}

/* On every engine, all over as many bytes. */
static int add_memory(const struct selection *selection, const struct suite *suite)
{
	const struct machine *machine = selection->machine;
	struct gpucrypt_plan plan = *selection->wanted;
	bool gpu = has_gpu(machine);
	int status = GPUCRYPT_OK;

	plan.cipher = suite->cipher->name;
	plan.key_bits = 8 * suite->key_bytes;
	plan.mode = suite->mode->name;
	plan.engine = engine_cpu.name;
	plan.device = 0;
	if (selection->cpu)
		status = add_memory_row(selection, suite, &plan, gpu);
	plan.engine = engine_opencl.name;
	for (unsigned i = 0; i < machine->n_devices && status == GPUCRYPT_OK; i++) {
		plan.device = 1 + i;
		if (is_wanted(selection, i))
			status = add_memory_row(selection, suite, &plan, gpu);
	}
	return status;
}

/* Suites. */

/* ECB from memory to memory is not worth the time unless it is named. */
static bool memory_is_wanted(const struct selection *selection, const struct suite *suite)
{
	return selection->options->end_to_end && suite->direction == ENCRYPT &&
	       (selection->wanted->mode || !suite->mode->pads);
}

static int add_suite(const struct selection *selection, const struct suite *suite)
{
	struct bench *bench = selection->bench;
	int status = GPUCRYPT_OK;

	if (selection->cpu)
		bench->cpu[bench->n_cpu++] = (struct bench_cpu){ .suite = *suite };
	for (unsigned i = 0; i < selection->machine->n_devices && status == GPUCRYPT_OK; i++)
		if (is_wanted(selection, i))
			status = add_kernels(selection, suite, &selection->machine->devices[i]);
	if (status == GPUCRYPT_OK && memory_is_wanted(selection, suite))
		status = add_memory(selection, suite);
	return status;
}

/* Encryption and decryption, where they differ, in each mode. */
static int add_modes(
        const struct selection *selection, const struct cipher *cipher, unsigned key_bits)
{
	int status = GPUCRYPT_OK;

	for (unsigned m = 0; m < N_MODES; m++) {
		const struct mode *mode = &modes[m];
		struct suite suite = { cipher, mode, key_bits / 8, ENCRYPT };

		if (selection->wanted->mode && strcmp(selection->wanted->mode, mode->name) != 0)
			continue;
		if (status == GPUCRYPT_OK)
			status = add_suite(selection, &suite);
		suite.direction = DECRYPT;
		if (status == GPUCRYPT_OK && !mode->encrypts_only)
			status = add_suite(selection, &suite);
	}
	return status;
}

/* Can the cipher do what is wanted?  Not every one has every form of tables. */
static bool fits(const struct selection *selection, const struct cipher *cipher)
{
	struct program_shape shape;

	return (is_open(selection->wanted->cipher) ||
	               !strcmp(selection->wanted->cipher, cipher->name)) &&
	       program_shape_of_plan(&shape, cipher, selection->wanted) == GPUCRYPT_OK;
}

static int add_ciphers(const struct selection *selection)
{
	int status = GPUCRYPT_OK;
	bool found = false;

	for (const struct cipher *const *c = ciphers; *c; c++)
		for (size_t b = 0; b < sizeof default_bits / sizeof *default_bits; b++) {
			unsigned bits = selection->wanted->key_bits;

			if (status != GPUCRYPT_OK || (bits && b > 0) || !fits(selection, *c))
				continue;
			fail_clear();
			found = true;
			status = add_modes(selection, *c, bits ? bits : default_bits[b]);
		}
	return found ? status : GPUCRYPT_USAGE; /* fits() has said why */
}

/* The whole. */

static int allocate(struct bench *bench, const struct selection *selection)
{
	size_t n_suites = 0, n_forms = 0, n_devices = selection->machine->n_devices;

	for (const struct cipher *const *c = ciphers; *c; c++) {
		n_suites += 2 * N_MODES * sizeof default_bits / sizeof *default_bits;
		if ((*c)->n_forms > n_forms)
			n_forms = (*c)->n_forms;
	}
	bench->kernels =
	        calloc(n_suites * n_devices * (2 + 2 * n_forms) + 1, sizeof *bench->kernels);
	bench->cpu = calloc(n_suites, sizeof *bench->cpu);
	bench->memory = calloc(n_suites * (n_devices + 1), sizeof *bench->memory);
	return bench->kernels && bench->cpu && bench->memory
	               ? GPUCRYPT_OK
	               : fail(GPUCRYPT_OTHER, "out of memory");
}

static void describe_machine(struct bench *bench, const struct machine *machine)
{
	bench->libcrypto = OpenSSL_version(OPENSSL_VERSION_STRING);
	bench->libgcrypt = libgcrypt_version();
	bench->n_devices = machine->n_devices;
	for (unsigned i = 0; i < machine->n_devices; i++)
		bench->devices[i] = (struct bench_device){ machine->devices[i].device.name,
			machine->devices[i].device.driver, machine->devices[i].measured,
			machine->devices[i].device.compute_units,
			machine->devices[i].record.clock_hz };
	if (machine->failure[0])
		snprintf(bench->note, sizeof bench->note, "no OpenCL device: %s", machine->failure);
	note(bench, machine->note);
}

/* Somebody asked for kernels, and there is none. */
static int check_kernels(const struct selection *selection)
{
	const struct bench *bench = selection->bench;
	const struct gpucrypt_plan *wanted = selection->wanted;
	bool asked = wanted->device || !selection->cpu || wanted->table || wanted->copies ||
	             wanted->constant_time || wanted->work_items || wanted->work_groups || wanted->key_space ||
	             wanted->table_space;

	if (wanted->device > selection->machine->n_devices && !selection->machine->failure[0])
		return fail(GPUCRYPT_DEVICE, "device %u: there are only %u", wanted->device - 1,
		        selection->machine->n_devices);
	if (!selection->opencl || !asked || bench->n_kernels > 0)
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_DEVICE, "%s",
	        bench->note[0] ? bench->note : "no OpenCL device can be used");
}

int bench_rows(struct bench *bench, const struct machine *machine, const struct options *options)
{
	const struct gpucrypt_plan *wanted = &options->plan;
	bool open = is_open(wanted->engine);
	struct selection selection = { bench, machine, options, wanted,
		.cpu = open || !strcmp(wanted->engine, engine_cpu.name),
		.opencl = open || !strcmp(wanted->engine, engine_opencl.name) };
	int status;

	*bench = (struct bench){ .cpu_threads = plan_threads(wanted) };
	if (options->size_bytes % UNIT_BYTES != 0)
		return fail(GPUCRYPT_USAGE, "--size: %llu bytes: not a multiple of %u",
		        (unsigned long long)options->size_bytes, UNIT_BYTES);
	describe_machine(bench, machine);
	status = allocate(bench, &selection);
	if (status == GPUCRYPT_OK)
		status = add_ciphers(&selection);
	return status == GPUCRYPT_OK ? check_kernels(&selection) : status;
}
