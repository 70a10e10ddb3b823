/* The rows to measure: every suite that the options allow, and the kernels of each suite. */
#include <stdio.h>
#include <stdlib.h>

#include <openssl/crypto.h>
#include <unistd.h>

#include "cli/advise/advise.h"
#include "cli/bench/bench.h"
#include "command/json.h"
#include "gpucrypt/status.h"

#define CPU_ROW_S 0.72 /* eight libraries and forms, each with three runs of 0.03 s */

const char *const bench_table_names[N_BENCH_TABLES] = { "cpu", "kernels", "memory" };

static const unsigned default_bits[] = { 128, 256 };

/* Suites. */

void bench_note(struct bench *bench, const char *text)
{
	if (*text && json_is_null(json_object_get(bench->json, "note")))
		json_set(bench->json, "note", json_text(text));
}

static bool is_wanted(const struct selection *selection, unsigned device)
{
	return selection->opencl && !selection->machine->devices[device].device.unusable[0] &&
	       (!selection->wanted->device || selection->wanted->device == device + 1);
}

int bench_add_row(struct bench *bench, enum bench_table table, const struct bench_row *row, json_t *members)
{
	const struct suite *suite = &row->suite;
	unsigned n = bench->n_rows[table];
	struct bench_row *rows = realloc(bench->rows[table], (n + 1) * sizeof *rows);

	if (rows) {
		rows[n] = *row;
		rows[n].json = json_pack("{s:s, s:i, s:s, s:s}", "cipher", suite->cipher->name, "bits",
		        (int)(8 * suite->key_bytes), "mode", suite->mode->name, "direction",
		        suite->direction == ENCRYPT ? "enc" : "dec");
		json_object_update(rows[n].json, members);
		json_array_append_new(json_object_get(bench->json, bench_table_names[table]), rows[n].json);
		bench->rows[table] = rows;
		bench->n_rows[table]++;
	}
	json_decref(members);
	return rows ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "out of memory");
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

/* Complete the plan of an engine, and add its row.  An engine that cannot be used becomes a note instead.  The
 * prediction is without start and end, but has the first group's way through all stages. */
static int add_row(const struct selection *selection, const struct gpucrypt_plan *plan, enum direction direction)
{
	struct bench *bench = selection->bench;
	const struct task task = { .n_bytes = row_bytes(selection), .tags = true, .direction = direction };
	struct bench_row row = { .n_bytes = task.n_bytes };
	struct choice choice;
	const struct end_to_end *predicted = &choice.end_to_end;
	double predicted_s;
	int status = choose(&choice, selection->machine, plan, &task, true);

	if (status == GPUCRYPT_DEVICE) {
		bench_note(bench, gpucrypt_error());
		fail_clear();
		return GPUCRYPT_OK;
	}
	/* A hybrid of one engine gets no row, because this engine has its own row. */
	if (status != GPUCRYPT_OK || (plan->engine == GPUCRYPT_HYBRID && choice.plan.n_parts == 0))
		return status;
	row.suite = choice.suite;
	row.plan = choice.plan;
	row.plan.device = choice.device ? choice.plan.device : 0;
	predicted_s = choice.predicted ? predicted->seconds - predicted->start_s - predicted->end_s : 0;
	bench->expected_s += (BENCH_PIPELINE_RUNS + 1) * (1 + 0.25) * predicted_s;
	return bench_add_row(bench, BENCH_MEMORY, &row,
	        json_pack("{s:i, s:o, s:i, s:o, s:n, s:[], s:n, s:o, s:s?, s:n, s:n, s:n}", "threads",
	                (int)plan_threads(&row.plan), "device", device_number_json(row.plan.device), "together",
	                (int)row.plan.n_parts, "bytes", json_count(row.n_bytes), "start_s", "seconds", "bytes_per_s",
	                "predicted_s", json_figure(predicted_s), "bottleneck",
	                choice.predicted ? stage_names[predicted->bottleneck] : NULL, "busiest", "busy", "failure"));
}

/* Add the rows of the CPU and of each requested device, or the row of the hybrid engine. */
static int add_engines(const struct selection *selection, const struct suite *suite, enum direction direction)
{
	struct gpucrypt_plan wanted = *selection->wanted, plan;
	unsigned n = selection->machine->n_devices;
	int status = GPUCRYPT_OK;

	wanted.cipher = suite->cipher->id;
	wanted.key_bits = 8 * suite->key_bytes;
	wanted.mode = suite->mode->id;
	for (unsigned i = 0; i <= n + 1 && status == GPUCRYPT_OK; i++) {
		plan_of_engine(&plan, &wanted, selection->machine, i);
		if (i == 0 ? selection->cpu : i > n ? selection->all : is_wanted(selection, i - 1))
			status = add_row(selection, &plan, direction);
	}
	return status;
}

static int add_suite(const struct selection *selection, const struct suite *suite)
{
	struct bench *bench = selection->bench;
	int status = GPUCRYPT_OK;

	if (selection->device)
		return bench_add_kernels(selection, suite);
	if (selection->cpu) {
		status = bench_add_row(bench, BENCH_CPU, &(struct bench_row){ .suite = *suite }, bench_cpu_members());
		bench->expected_s += CPU_ROW_S;
	}
	/* ECB from memory to memory is not worth the time unless it is named. */
	if (!selection->options->end_to_end || suite->direction != ENCRYPT ||
	        (!selection->wanted->mode && suite->mode->pads))
		return status;
	return status ?: add_engines(selection, suite, ENCRYPT) ?: add_engines(selection, suite, DECRYPT);
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
		if (is_wanted(selection, i)) {
			selection->device = &selection->machine->devices[i];
			status = add_ciphers(selection);
		}
	return status;
}

/* The whole. */

static json_t *devices_json(const struct machine *machine)
{
	json_t *devices = json_array();

	for (unsigned i = 0; i < machine->n_devices; i++) {
		const struct machine_device *at = &machine->devices[i];

		json_array_append_new(
		        devices, json_pack("{s:i, s:o, s:o, s:o, s:b, s:i}", "number", (int)i, "name",
		                         json_text(at->device.name), "driver", json_text(at->device.driver), "clock_hz",
		                         json_figure(at->record.clock_hz), "record_measured", at->measured,
		                         "compute_units", (int)at->device.compute_units));
	}
	return devices;
}

static void describe_machine(struct bench *bench, const struct machine *machine, const struct gpucrypt_plan *wanted)
{
	char text[sizeof machine->failure + 32];

	bench->machine = machine;
	bench->json = json_pack("{s:i, s:n, s:s, s:o, s:n, s:n, s:o, s:[], s:[], s:[]}", "cpu_threads",
	        (int)plan_threads(wanted), "core_clock_hz", "libcrypto", OpenSSL_version(OPENSSL_VERSION_STRING),
	        "libgcrypt", json_text_or_null(libgcrypt_version()), "expected_s", "note", "devices",
	        devices_json(machine), "kernels", "cpu", "memory");
	snprintf(text, sizeof text, "no OpenCL device: %s", machine->failure);
	bench_note(bench, machine->failure[0] ? text : machine->note);
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
	if (!selection->opencl || !asked || bench->n_rows[BENCH_KERNELS] > 0)
		return GPUCRYPT_OK;
	return fail(GPUCRYPT_DEVICE, "%s",
	        json_string_value(json_object_get(bench->json, "note")) ?: "no OpenCL device can be used");
}

int bench_rows(struct bench *bench, const struct machine *machine, const struct options *options)
{
	const struct gpucrypt_plan *wanted = &options->plan;
	bool open = wanted->engine == GPUCRYPT_ENGINE_AUTO;
	struct selection selection = { bench, machine, options, wanted, .cpu = open || wanted->engine == GPUCRYPT_CPU,
		.opencl = open || wanted->engine == GPUCRYPT_OPENCL, .all = wanted->engine == GPUCRYPT_HYBRID };

	int status;

	*bench = (struct bench){ .quiet = options->quiet };
	describe_machine(bench, machine, wanted);
	status = add_all(&selection) ?: check_kernels(&selection);
	json_set(bench->json, "expected_s", json_real(bench->expected_s));
	return status;
}

void bench_free(struct bench *bench)
{
	for (enum bench_table t = 0; t < N_BENCH_TABLES; t++)
		free(bench->rows[t]);
	json_decref(bench->json);
	*bench = (struct bench){ 0 };
}
