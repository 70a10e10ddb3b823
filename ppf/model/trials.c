#include "ppf/model/trials.h"

/* Returns 0 if the record has no trial of the suite. */
static double seconds_per_byte(const struct device_record *record, const struct suite *suite)
{
	struct suite tried;
	double seconds = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < MAX_TRIALS && measured_suite(&tried, i); i++)
		if (measured_suite_covers(&tried, suite) && record->trials[i] > 0)
			seconds += 1 / record->trials[i], n++;
	return n > 0 ? seconds / n : 0;
}

bool predict_trial(struct overlap_prediction *p, const struct device_record *record, const struct suite *suite,
        const struct kernel_config *kernel, uint64_t n_bytes)
{
	double seconds = kernel_is_sliced(kernel) ? (double)n_bytes * seconds_per_byte(record, suite) : 0;

	if (seconds <= 0)
		return false;
	*p = (struct overlap_prediction){ .tried = true,
		.launch_cycles = record->launch_s * record->clock_hz,
		.seconds = seconds + record->launch_s };
	p->total_cycles = p->seconds * record->clock_hz;
	return true;
}
