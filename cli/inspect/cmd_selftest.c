/* gcrypt selftest: known answers of every configuration on every device, shared out to processes, because compilers of
 * kernels use one core. */
#include <ctype.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/args/options.h"
#include "cli/bench/bench.h"
#include "cli/files/output.h"
#include "cli/terminal/signals.h"
#include "command/json.h"
#include "command/message.h"
#include "cli/terminal/progress.h"
#include "gpucrypt/device/device.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/status.h"
#include "ppf/record/inventory.h"
#include "ppf/record/records.h"

#define MAX_PROCESSES 16

/* In memory that the processes share. */
struct outcomes {
	const struct options *options;
	unsigned n_processes;
	atomic_uint count[3];                        /* of configurations, by outcome */
	atomic_int status;                           /* of the first process; others fail for the same reason */
	atomic_uint forms[MAX_DEVICES][N_TABLES][2]; /* bits are ciphers with a configuration that passed, or failed */
};

/* Print a failure always, other outcomes only on request. */
static void report(void *self, const struct gpucrypt_plan *plan, const char *configuration,
        enum selftest_outcome outcome, const char *text)
{
	static const char *const words[] = { "passed", "FAILED", "skipped" };
	struct outcomes *outcomes = self;

	atomic_fetch_add(&outcomes->count[outcome], 1);
	if (plan->device != 0 && outcome != SELFTEST_SKIPPED && !devices_failed())
		atomic_fetch_or(&outcomes->forms[plan->device - 1][plan->kernel.table][outcome], 1U << plan->cipher);
	if (outcome != SELFTEST_FAILED && !outcomes->options->verbose)
		return;
	printf("%s: %s%s%s\n", words[outcome], configuration, *text ? ": " : "", text);
	fflush(stdout);
}

static int test_share(void *self, unsigned number)
{
	struct outcomes *outcomes = self;
	const struct options *options = outcomes->options;
	const struct shard *shard = &options->shard;
	struct selftest_result result = { 0 };
	int status = selftest_run(&result, &options->plan, options->all, shard->index + number * shard->count,
	        shard->count * outcomes->n_processes, report, outcomes);

	if (status != GPUCRYPT_OK && number == 0) {
		message_failure(NULL, status);
		atomic_store(&outcomes->status, status);
	}
	return status;
}

static void show(void *self)
{
	const struct outcomes *outcomes = self;

	progress_line("%u configurations tested",
	        atomic_load(&outcomes->count[SELFTEST_PASSED]) + atomic_load(&outcomes->count[SELFTEST_FAILED]));
}

/* The CPU engine's implementations of each cipher, of which none failed. */
static json_t *instruction_forms(void)
{
	json_t *array = json_array();
	char text[256];

	for (const struct cipher *const *c = ciphers; *c != NULL; c++) {
		size_t used = 0;

		for (unsigned i = 0; i < (*c)->n_instructions && used < sizeof text; i++)
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%s: %s", i == 0 ? "" : ", ",
			        (*c)->instructions[i].name,
			        instruction_form_is_available(&(*c)->instructions[i]) ? "passed" : "not available");
		if (used > 0)
			json_array_append_new(array, json_pack("{s:s, s:s}", "cipher", (*c)->name, "forms", text));
	}
	return array;
}

static json_t *known_answers(const struct outcomes *outcomes)
{
	const atomic_uint *count = outcomes->count;
	unsigned n_bad = atomic_load(&count[SELFTEST_FAILED]);

	return json_pack("{s:i, s:i, s:i, s:o}", "passed", atomic_load(&count[SELFTEST_PASSED]), "failed", n_bad,
	        "skipped", atomic_load(&count[SELFTEST_SKIPPED]), "cpu",
	        n_bad == 0 && outcomes->options->plan.device == 0 && outcomes->options->shard.count == 1
	                ? instruction_forms()
	                : json_array());
}

static int test_all(struct outcomes *outcomes)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned n_failed;

	outcomes->n_processes = processors < MAX_PROCESSES ? (unsigned)processors : MAX_PROCESSES;
	if (children_start(outcomes->n_processes, test_share, outcomes) < outcomes->n_processes)
		return fail(GPUCRYPT_OTHER, "a process cannot be started");
	n_failed = children_wait(isatty(STDERR_FILENO) && !outcomes->options->quiet ? show : NULL, outcomes);
	progress_clear();
	if (n_failed > 0 && atomic_load(&outcomes->status) == GPUCRYPT_OK)
		return fail(GPUCRYPT_DEVICE, "selftest: %u of %u processes ended before their work was done", n_failed,
		        outcomes->n_processes);
	return atomic_load(&outcomes->status);
}

static int print_answers(const json_t *answers)
{
	static const char *const cpu_lines[] = { "{cipher} on the CPU: {forms}", NULL };
	json_int_t n_bad = json_integer_value(json_object_get(answers, "failed"));

	patterns_print(stdout, cpu_lines, json_object_get(answers, "cpu"));
	pattern_print(stdout, "{passed} passed, {failed} failed, {skipped} skipped", answers, NULL);
	return n_bad > 0 ? fail(GPUCRYPT_DEVICE, "selftest: %d configurations gave wrong answers", (int)n_bad)
	                 : GPUCRYPT_OK;
}

/* Probe the drivers here, before the worker processes start: otherwise each of them would probe the drivers.  Without
 * a probe the inventory stays empty, because no device may be opened before the processes start. */
static void leave_out_drivers(struct inventory *inventory)
{
	char note[CACHE_NOTE] = "";
	json_t *cache = cache_read(note);

	if (!inventory_read(inventory, cache, note) && probe_drivers(inventory))
		inventory_keep(inventory, NULL);
	json_decref(cache);
}

/* "aes 4 passed, 1 rejected, none passed; camellia …" */
static char *forms_text(atomic_uint (*forms)[2])
{
	char *text = NULL;
	size_t n_bytes;
	FILE *out = open_memstream(&text, &n_bytes);

	for (const struct cipher *const *c = ciphers; out && *c != NULL; c++) {
		const char *before = ftell(out) > 0 ? "; " : "", *name = (*c)->name;

		for (unsigned i = 0; i < (*c)->n_forms; i++) {
			const struct table_form *form = &(*c)->forms[i];
			bool passed = forms[form->id][SELFTEST_PASSED] >> (*c)->id & 1,
			     failed = forms[form->id][SELFTEST_FAILED] >> (*c)->id & 1;

			if (passed || failed)
				fprintf(out, "%s%s %s %s", before, name, form->name, failed ? "rejected" : "passed");
			if (passed || failed)
				before = ",", name = "";
		}
	}
	return out && fclose(out) == 0 ? text : NULL;
}

/* What a part of the tests has found is shown, but not remembered. */
static void show_forms(struct outcomes *outcomes, const struct inventory *inventory)
{
	for (unsigned i = 0; i < inventory->n_devices; i++) {
		char *text = forms_text(outcomes->forms[i]);

		if (text && *text)
			printf("device %u: table forms: %s\n", i, text);
		if (text && *text && outcomes->options->shard.count == 1)
			forms_keep(&inventory->devices[i], text);
		free(text);
	}
}

/* The report, which the owner of a device sends: no text in it names a host, a user or a file. */

static int open_report(struct output *output, const struct options *options)
{
	/* The report holds no secret: the umask decides who may read it. */
	const struct output_terms terms = { .standard_input = true, .ciphertext = true, .force = options->force };

	return options->report ? output_choose(output, options->report, &terms) ?: output_create(output) : GPUCRYPT_OK;
}

/* A slash is no path in GB/s, "HD 7800/7900" and "A / B". */
static bool names_file(const char *text)
{
	for (const char *slash = strchr(text, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		size_t rest = strcspn(slash + 1, " ");

		if (rest > 0 && (slash == text || !isalnum((unsigned char)slash[-1]) || memchr(slash + 1, '/', rest)))
			return true;
	}
	return false;
}

/* A message of a driver may name a file in the user's folder. */
static void leave_out_files(json_t *value)
{
	const char *name;
	size_t i;
	json_t *part;

	json_object_foreach(value, name, part)
	{
		leave_out_files(part);
	}
	json_array_foreach(value, i, part)
	{
		leave_out_files(part);
	}
	if (json_is_string(value) && names_file(json_string_value(value)))
		json_string_set(value, "left out, because it names a file");
}

/* The usable devices, each with its record, in the format of the files of ppf/devices/. */
static json_t *devices_json(struct machine *machine)
{
	json_t *devices = json_array(), *object, *record;
	char note[CACHE_NOTE] = "";
	json_t *cache = cache_read(note);

	for (unsigned i = 0; i < machine->n_devices; i++) {
		struct machine_device *at = &machine->devices[i];

		if (at->device.unusable[0])
			continue;
		json_array_append_new(devices, object = json_object());
		json_set(object, "table_forms", json_text_or_null(forms_kept(cache, &at->device)));
		json_set(object, "record", record = json_object());
		if (at->measured)
			records_json(record, &(struct records){ &at->record, &machine->host, &machine->storage });
	}
	json_decref(cache);
	return devices;
}

/* Measure a few kernels, and the records that the cache lacks. */
static int write_report(struct output *output, const struct options *options, json_t *answers)
{
	struct machine *machine = calloc(1, sizeof *machine);
	struct options few = *options;
	struct bench bench = { 0 };
	json_t *report =
	        json_pack("{s:s, s:s, s:O}", "format", "gcrypt report 1", "version", VERSION, "known_answers", answers);
	char *text = NULL;
	int status, written = GPUCRYPT_OTHER;

	few.all = false;
	few.plan.mode = GPUCRYPT_CTR;
	few.plan.key_bits = 128;
	status = machine ? bench_measure_machine(&bench, machine, &few, NULL) : fail(GPUCRYPT_OTHER, "out of memory");
	if (bench.machine) {
		json_set(report, "devices", devices_json(machine));
		json_set(report, "measured", json_incref(bench.json));
		leave_out_files(report);
		text = json_dumps(report, JSON_INDENT(2) | RECORD_DIGITS);
	}
	if (text)
		written = output_put(output, text, strlen(text));
	json_decref(report);
	free(text);
	bench_free(&bench);
	free(machine);
	return status ?: written;
}

static int test_and_report(struct outcomes *outcomes, struct output *output)
{
	const struct options *options = outcomes->options;
	struct inventory inventory = { .n_devices = 0 };
	json_t *answers = NULL;
	int status, reported = GPUCRYPT_OK;

	leave_out_drivers(&inventory);
	if (!options->quiet)
		message_left_out();
	status = test_all(outcomes);
	if (status == GPUCRYPT_OK)
		status = print_answers(answers = known_answers(outcomes));
	show_forms(outcomes, &inventory);
	if (answers && options->report)
		reported = write_report(output, options, answers);
	json_decref(answers);
	return status ?: reported;
}

int cmd_selftest(const struct options *options)
{
	struct output output = OUTPUT_NONE;
	struct outcomes *outcomes =
	        mmap(NULL, sizeof *outcomes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;

	if (outcomes == MAP_FAILED)
		return fail(GPUCRYPT_OTHER, "out of memory");
	outcomes->options = options;
	status = open_report(&output, options) ?: test_and_report(outcomes, &output);
	output_discard(&output);
	munmap(outcomes, sizeof *outcomes);
	return status;
}
