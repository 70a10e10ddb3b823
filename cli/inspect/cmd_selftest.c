/* gcrypt selftest: known answers of every configuration on every device, shared out to processes, because compilers of
 * kernels use one core. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/args/command.h"
#include "cli/terminal/children.h"
#include "command/message.h"
#include "cli/terminal/progress.h"
#include "gpucrypt/device/device.h"
#include "gpucrypt/engine/selftest.h"
#include "gpucrypt/status.h"
#include "ppf/record/inventory.h"

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

/* Print the CPU engine's implementation for each cipher after all tests passed. */
static void print_instruction_forms(void)
{
	for (const struct cipher *const *c = ciphers; *c != NULL; c++) {
		for (unsigned i = 0; i < (*c)->n_instructions; i++)
			printf("%s%s%s: %s", i == 0 ? (*c)->name : "", i == 0 ? " on the CPU: " : ", ",
			        (*c)->instructions[i].name,
			        instruction_form_is_available(&(*c)->instructions[i]) ? "passed" : "not available");
		if ((*c)->n_instructions > 0)
			putchar('\n');
	}
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

static int print_outcomes(struct outcomes *outcomes)
{
	const struct options *options = outcomes->options;
	int status = test_all(outcomes);
	unsigned n_bad = atomic_load(&outcomes->count[SELFTEST_FAILED]);

	if (status != GPUCRYPT_OK)
		return status;
	if (options->plan.device == 0 && options->shard.count == 1)
		print_instruction_forms();
	printf("%u passed, %u failed, %u skipped\n", atomic_load(&outcomes->count[SELFTEST_PASSED]), n_bad,
	        atomic_load(&outcomes->count[SELFTEST_SKIPPED]));
	return n_bad > 0 ? fail(GPUCRYPT_DEVICE, "selftest: %u configurations gave wrong answers", n_bad) : GPUCRYPT_OK;
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

int cmd_selftest(const struct options *options)
{
	struct outcomes *outcomes =
	        mmap(NULL, sizeof *outcomes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct inventory inventory = { .n_devices = 0 };
	int status;

	if (outcomes == MAP_FAILED)
		return fail(GPUCRYPT_OTHER, "out of memory");
	outcomes->options = options;
	leave_out_drivers(&inventory);
	if (!options->quiet)
		message_left_out();
	status = print_outcomes(outcomes);
	show_forms(outcomes, &inventory);
	munmap(outcomes, sizeof *outcomes);
	return status;
}
