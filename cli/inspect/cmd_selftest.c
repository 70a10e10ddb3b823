/* gcrypt selftest: known answers of every configuration on every device. */
#include <stdio.h>

#include "cli/args/command.h"
#include "gpucrypt/engine/selftest.h"
#include "gpucrypt/status.h"

/* Failures always, the rest when asked for. */
static void report(void *self, const char *configuration, enum selftest_outcome outcome, const char *text)
{
	static const char *const words[] = { "passed", "FAILED", "skipped" };
	const bool *verbose = self;

	if (outcome != SELFTEST_FAILED && !*verbose)
		return;
	printf("%s: %s%s%s\n", words[outcome], configuration, *text ? ": " : "", text);
	fflush(stdout);
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

int cmd_selftest(const struct options *options)
{
	struct selftest_result result = { 0 };
	const unsigned *count = result.count;
	bool verbose = options->verbose;
	int status = selftest_run(
	        &result, &options->plan, options->all, options->shard.index, options->shard.count, report, &verbose);

	if (status != GPUCRYPT_OK)
		return status;
	if (options->plan.device == 0 && options->shard.count == 1)
		print_instruction_forms();
	printf("%u passed, %u failed, %u skipped\n", count[SELFTEST_PASSED], count[SELFTEST_FAILED],
	        count[SELFTEST_SKIPPED]);
	if (count[SELFTEST_FAILED] > 0)
		return fail(GPUCRYPT_DEVICE, "selftest: %u configurations gave wrong answers", count[SELFTEST_FAILED]);
	return GPUCRYPT_OK;
}
