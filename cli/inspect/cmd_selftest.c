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

int cmd_selftest(const struct options *options)
{
	struct selftest_result result = { 0 };
	const unsigned *count = result.count;
	bool verbose = options->verbose;
	int status = selftest_run(
	        &result, &options->plan, options->all, options->shard.index, options->shard.count, report, &verbose);

	if (status != GPUCRYPT_OK)
		return status;
	printf("%u passed, %u failed, %u skipped\n", count[SELFTEST_PASSED], count[SELFTEST_FAILED],
	        count[SELFTEST_SKIPPED]);
	if (count[SELFTEST_FAILED] > 0)
		return fail(GPUCRYPT_DEVICE, "selftest: %u configurations gave wrong answers", count[SELFTEST_FAILED]);
	return GPUCRYPT_OK;
}
