#include "ppf/model/trials.h"

#include "ppf/measure/bench.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/status.h"

#define TRIAL_BYTES (8u << 20)
#define RUNS        5

bool trial_suite(struct suite *suite, unsigned i)
{
	const struct cipher *const *cipher = ciphers;

	for (unsigned n = i / 4; n > 0 && *cipher != NULL; n--)
		cipher++;
	*suite = (struct suite){ *cipher, &modes[i % 4 < 2 ? MODE_CTR : MODE_XTS], i % 2 ? 32 : 16, ENCRYPT };
	return *cipher != NULL && i < MAX_TRIALS;
}

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
	int status = engine_open(&engine, suite, &plan);

	if (status == GPUCRYPT_OK)
		status = kernel_times(engine, TRIAL_BYTES, RUNS, false, &timing);
	if (status == GPUCRYPT_OK)
		*bytes_per_s = TRIAL_BYTES / settled(timing.seconds, timing.runs, true);
	engine_close(engine);
	return status;
}

void measure_trials(struct record *record, unsigned number)
{
	struct suite suite;

	for (unsigned i = 0; trial_suite(&suite, i); i++)
		if (time_suite(&record->trials[i], &suite, number) != GPUCRYPT_OK)
			fail_clear(); /* the prediction that asks for it says that there is none */
}

bool trials_are_measured(const struct record *record)
{
	for (unsigned i = 0; i < MAX_TRIALS; i++)
		if (record->trials[i] > 0)
			return true;
	return false;
}

/* ECB costs what CTR does, 192 bits lie between 128 and 256.  0: not tried. */
static double seconds_per_byte(const struct record *record, const struct suite *suite)
{
	struct suite tried;
	double seconds = 0;
	unsigned n = 0;

	for (unsigned i = 0; trial_suite(&tried, i); i++)
		if (tried.cipher == suite->cipher && tried.mode->has_tweaks == suite->mode->has_tweaks &&
		        (tried.key_bytes == suite->key_bytes || suite->key_bytes == 24) && record->trials[i] > 0)
			seconds += 1 / record->trials[i], n++;
	return n > 0 ? seconds / n : 0;
}

bool predict_trial(struct overlap_prediction *p, const struct record *record, const struct suite *suite,
        const struct program_shape *shape, uint64_t n_bytes)
{
	double seconds = form_is_sliced(shape->form) ? (double)n_bytes * seconds_per_byte(record, suite) : 0;

	if (seconds <= 0)
		return false;
	*p = (struct overlap_prediction){ .tried = true,
		.launch_cycles = record->launch_s * record->clock_hz,
		.seconds = seconds + record->launch_s };
	p->total_cycles = p->seconds * record->clock_hz;
	return true;
}
