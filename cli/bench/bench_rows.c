/* The rows to measure: every suite that the options allow, and the kernels of each suite. */
#include <stdio.h>
#include <stdlib.h>

#include <openssl/crypto.h>

#include "cli/bench/bench_rows.h"
#include "cli/bench/engine_libgcrypt.h"
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
		if (bench_is_wanted(selection, i))
			status = bench_add_kernels(selection, suite, &selection->machine->devices[i]);
	if (status == GPUCRYPT_OK && memory_is_wanted(selection, suite))
		status = bench_add_memory(selection, suite);
	return status;
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
	struct program_shape shape;

	return (!selection->wanted->cipher || (unsigned)selection->wanted->cipher == cipher->id) &&
	       program_shape_of_plan(&shape, cipher, selection->wanted) == GPUCRYPT_OK;
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
	bench->n_devices = machine->n_devices;
	for (unsigned i = 0; i < machine->n_devices; i++)
		bench->devices[i] = (struct bench_device){ machine->devices[i].device.name,
			machine->devices[i].device.driver, machine->devices[i].measured,
			machine->devices[i].device.compute_units, machine->devices[i].record.clock_hz };
	if (machine->failure[0])
		snprintf(bench->note, sizeof bench->note, "no OpenCL device: %s", machine->failure);
	bench_note(bench, machine->note);
}

/* Somebody asked for kernels, and there is none. */
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

	*bench = (struct bench){ .cpu_threads = plan_threads(wanted) };
	describe_machine(bench, machine);
	return allocate(bench, &selection) ?: add_ciphers(&selection) ?: check_kernels(&selection);
}
