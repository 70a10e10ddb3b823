/* Timing of bitsliced kernels on a CPU whose vector operations could not be measured. */
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/status.h"
#include "ppf/measure/measure_parts.h"

#define TRIAL_BYTES (8u << 20)
#define RUNS        5

static int time_suite(double *bytes_per_s, const struct suite *suite, unsigned number)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_OPENCL,
		.device = number,
		.cipher = suite->cipher->id,
		.mode = suite->mode->id,
		.key_bits = 8 * suite->key_bytes,
		.kernel.table = TABLE_BITSLICED };
	struct engine *engine = NULL;
	struct kernel_timing timing;
	int status = engine_open(&engine, suite, &plan) ?: kernel_times(engine, TRIAL_BYTES, RUNS, false, &timing);

	if (status == GPUCRYPT_OK)
		*bytes_per_s = TRIAL_BYTES / robust_seconds(timing.seconds, timing.runs, true);
	engine_close(engine);
	return status;
}

void measure_trials(struct device_record *record, unsigned number)
{
	struct suite suite;

	for (unsigned i = 0; i < MAX_TRIALS && measured_suite(&suite, i); i++)
		if (time_suite(&record->trials[i], &suite, number) != GPUCRYPT_OK)
			fail_clear(); /* the prediction that needs this trial reports that the trial is missing */
}
