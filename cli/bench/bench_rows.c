/* The rows to measure: every suite that the options allow, and the kernels of each suite. */
#include <stdio.h>
#include <stdlib.h>

#include <openssl/crypto.h>
#include <unistd.h>

#include "cli/bench/bench.h"
#include "gpucrypt/status.h"

static const unsigned default_bits[] = { 128, 256 };

/* Suites. */

void bench_note(struct bench *bench, const char *text)
{
	if (!bench->note[0])
		snprintf(bench->note, sizeof bench->note, "%s", text);
}

bool bench_is_wanted(const struct selection *selection, unsigned device)
{
	return selection->opencl && !selection->machine->devices[device].device.unusable[0] &&
	       (!selection->wanted->device || selection->wanted->device == device + 1);
}

/* Rows from memory to memory. */

#define GPU_INPUT_BYTES (UINT64_C(8) << 30) /* at most a quarter of the memory, which holds the containers */
#define CPU_INPUT_BYTES (UINT64_C(1) << 30)

/* The input's size, which is the same in all rows. */
static uint64_t row_bytes(const struct selection *selection)
{
	uint64_t quarter = (uint64_t)sysconf(_SC_PHYS_PAGES) / 4 * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t most = machine_has_gpu(selection->machine) ? GPU_INPUT_BYTES : CPU_INPUT_BYTES;

	if (selection->options->size_bytes)
		return selection->options->size_bytes;
	return quarter < most ? quarter >> 20 << 20 : most;
}

/* Set the predicted time without start and end, and the bottleneck. */
static void predict_steady(struct bench_pipeline *row, const struct choice *choice)
{
	const struct end_to_end *predicted = &choice->end_to_end;

	if (!choice->predicted)
		return;
	row->bottleneck = stage_names[predicted->bottleneck];
	row->predicted_s = predicted->seconds - predicted->start_s - predicted->end_s;
}

/* Complete the plan of an engine, and add its row.  An engine that cannot be used becomes a note instead. */
static int add_row(const struct selection *selection, const struct gpucrypt_plan *plan, enum direction direction)
{
	struct bench *bench = selection->bench;
	struct bench_pipeline *row = &bench->memory[bench->n_memory];
	const struct task task = { .n_bytes = row_bytes(selection), .tags = true, .direction = direction };
	struct choice choice;
	int status = choose(&choice, selection->machine, plan, &task, true);

	if (status == GPUCRYPT_DEVICE) {
		bench_note(bench, gpucrypt_error());
		fail_clear();
		return GPUCRYPT_OK;
	}
	/* A hybrid of one engine gets no row, because this engine has its own row. */
	if (status != GPUCRYPT_OK || (plan->engine == GPUCRYPT_HYBRID && choice.plan.n_parts == 0))
		return status;
	*row = (struct bench_pipeline){ .suite = choice.suite, .plan = choice.plan, .n_bytes = task.n_bytes };
	row->plan.device = choice.device ? choice.plan.device : 0;
	predict_steady(row, &choice);
	bench->n_memory++;
	return GPUCRYPT_OK;
}

/* Add the rows of the CPU and of each requested device, or the row of the hybrid engine. */
static int add_engines(const struct selection *selection, const struct suite *suite, enum direction direction)
{
	struct gpucrypt_plan plan = *selection->wanted;
	int status = GPUCRYPT_OK;

	plan.cipher = suite->cipher->id;
	plan.key_bits = 8 * suite->key_bytes;
	plan.mode = suite->mode->id;
	plan.engine = GPUCRYPT_CPU;
	plan.device = 0;
	if (selection->cpu)
		status = add_row(selection, &plan, direction);
	plan.engine = GPUCRYPT_OPENCL;
	for (unsigned i = 0; i < selection->machine->n_devices && status == GPUCRYPT_OK; i++) {
		plan.device = 1 + i;
		if (bench_is_wanted(selection, i))
			status = add_row(selection, &plan, direction);
	}
	plan.engine = GPUCRYPT_HYBRID;
	plan.device = selection->wanted->device;
	if (status == GPUCRYPT_OK && selection->all)
		status = add_row(selection, &plan, direction);
	return status;
}

static int add_memory(const struct selection *selection, const struct suite *suite)
{
	return add_engines(selection, suite, ENCRYPT) ?: add_engines(selection, suite, DECRYPT);
}

/* ECB from memory to memory is not worth the time unless it is named. */
static bool memory_is_wanted(const struct selection *selection, const struct suite *suite)
{
	return selection->options->end_to_end && suite->direction == ENCRYPT &&
	       (selection->wanted->mode || !suite->mode->pads);
}

static int add_suite(const struct selection *selection, const struct suite *suite)
{
	struct bench *bench = selection->bench;

	if (selection->device)
		return bench_add_kernels(selection, suite);
	if (selection->cpu)
		bench->cpu[bench->n_cpu++] = (struct bench_cpu){ .suite = *suite };
	return memory_is_wanted(selection, suite) ? add_memory(selection, suite) : GPUCRYPT_OK;
}

/* Encryption and decryption, where they differ, in each mode. */
static int add_modes(const struct selection *selection, const struct cipher *cipher, unsigned key_bits)
{
	int status = GPUCRYPT_OK;

	for (unsigned m = 0; m < N_MODES; m++) {
		const struct mode *mode = &modes[m];
		struct suite suite = { cipher, mode, key_bits / 8, ENCRYPT };

		if (selection->wanted->mode && (unsigned)selection->wanted->mode != mode->id)
			continue;
		if (status == GPUCRYPT_OK)
			status = add_suite(selection, &suite);
		suite.direction = DECRYPT;
		if (status == GPUCRYPT_OK && !mode->encrypts_only)
			status = add_suite(selection, &suite);
	}
	return status;
}

/* Does the cipher support this form? Some table forms exist for some ciphers only. */
static bool cipher_fits(const struct selection *selection, const struct cipher *cipher)
{
	struct kernel_config kernel;

	return (!selection->wanted->cipher || (unsigned)selection->wanted->cipher == cipher->id) &&
	       kernel_config_check(&kernel, cipher, selection->wanted) == GPUCRYPT_OK;
}

static int add_ciphers(const struct selection *selection)
{
	int status = GPUCRYPT_OK;
	bool found = false;

	for (const struct cipher *const *c = ciphers; *c; c++)
		for (size_t b = 0; b < sizeof default_bits / sizeof *default_bits; b++) {
			unsigned bits = selection->wanted->key_bits;

			if (status != GPUCRYPT_OK || (bits && b > 0) || !cipher_fits(selection, *c))
				continue;
			fail_clear();
			found = true;
			status = add_modes(selection, *c, bits ? bits : default_bits[b]);
		}
	return found ? status : GPUCRYPT_USAGE; /* cipher_fits() has said why */
}

static int add_all(struct selection *selection)
{
	int status = add_ciphers(selection);

	for (unsigned i = 0; i < selection->machine->n_devices && status == GPUCRYPT_OK; i++)
		if (bench_is_wanted(selection, i)) {
			selection->device = &selection->machine->devices[i];
			status = add_ciphers(selection);
		}
	return status;
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
	bench->kernels = calloc(n_suites * n_devices * (2 + 4 * n_forms) + 1, sizeof *bench->kernels);
	bench->cpu = calloc(n_suites, sizeof *bench->cpu);
	bench->memory = calloc(2 * n_suites * (n_devices + 2), sizeof *bench->memory);
	return bench->kernels && bench->cpu && bench->memory ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "out of memory");
}

static void describe_machine(struct bench *bench, const struct machine *machine)
{
	bench->libcrypto = OpenSSL_version(OPENSSL_VERSION_STRING);
	bench->libgcrypt = libgcrypt_version();
	bench->machine = machine;
	if (machine->failure[0])
		snprintf(bench->note, sizeof bench->note, "no OpenCL device: %s", machine->failure);
	bench_note(bench, machine->note);
}

/* The user selected kernels, and no kernel was measured. */
static int check_kernels(const struct selection *selection)
{
	const struct bench *bench = selection->bench;
	const struct gpucrypt_plan *wanted = selection->wanted;
	const struct kernel_config *kernel = &wanted->kernel;
	bool asked = wanted->device || !selection->cpu || kernel->table || kernel->replicas ||
	             kernel->blocks_per_item || wanted->constant_time || kernel->work_items || kernel->work_groups ||
	             kernel->key_space || kernel->table_space;

	if (wanted->device > selection->machine->n_devices && !selection->machine->failure[0])
		return fail(GPUCRYPT_DEVICE, "device %u: not found (this machine has %u)", wanted->device - 1,
		        selection->machine->n_devices);
	if (!selection->opencl || !asked || bench->n_kernels > 0)
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_DEVICE, "%s", bench->note[0] ? bench->note : "no OpenCL device can be used");
}

int bench_rows(struct bench *bench, const struct machine *machine, const struct options *options)
{
	const struct gpucrypt_plan *wanted = &options->plan;
	bool open = wanted->engine == GPUCRYPT_ENGINE_AUTO;
	struct selection selection = { bench, machine, options, wanted, .cpu = open || wanted->engine == GPUCRYPT_CPU,
		.opencl = open || wanted->engine == GPUCRYPT_OPENCL, .all = wanted->engine == GPUCRYPT_HYBRID };

	*bench = (struct bench){ .cpu_threads = plan_threads(wanted), .quiet = options->quiet };
	describe_machine(bench, machine);
	return allocate(bench, &selection) ?: add_all(&selection) ?: check_kernels(&selection);
}
