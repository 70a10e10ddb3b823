/* The product's kernels over the size of the plaintext, and figures 5.1, 5.2 and 6.8 to 6.10, which show them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/model/choose.h"
#include "ppf/model/end_to_end.h"
#include "research/study.h"

#define QUICK_SIZES 5
#define KERNEL_S    6

const char *const shaping_names[N_SHAPINGS] = { "policy", "chosen" };

static int measure_sizes(struct study *study, const struct sweep *sweep, struct sweep_kernel *kernel)
{
	struct gpucrypt_plan plan = { 0 };

	if (kernel->shaping == SHAPED_BY_POLICY)
		plan_take_policy(&plan, kernel->suite.cipher);
	return product_choose(&plan, study, &kernel->suite, sweep->n_bytes[sweep->n_sizes - 1])
	               ?: kernel_config_complete(&kernel->kernel, &kernel->suite, &plan, study->session.device)
	               ?: product_times(
	                          study, &kernel->suite, &plan, sweep->n_bytes, sweep->n_sizes, kernel->seconds);
}

/* Each kernel may take KERNEL_S, which does not count against the time of the experiment that calls study_sweep()
 * first. */
static void measure_kernel(struct study *study, struct sweep *sweep, const struct cipher *cipher, enum shaping shaping)
{
	struct sweep_kernel *kernel = &sweep->kernels[sweep->n_kernels++];
	double left_s = study_left_s(study);

	kernel->suite = (struct suite){ cipher, &modes[MODE_ECB], 16, ENCRYPT };
	kernel->shaping = shaping;
	snprintf(kernel->name, sizeof kernel->name, "%s, %s", cipher->name, shaping_names[shaping]);
	study->end_s = host_seconds() + KERNEL_S;
	kernel->status = measure_sizes(study, sweep, kernel);
	study->end_s = host_seconds() + left_s;
	if (kernel->status != GPUCRYPT_OK)
		snprintf(kernel->failure, sizeof kernel->failure, "%.230s", gpucrypt_error());
	fail_clear();
}

int study_sweep(struct study *study, const struct sweep **result)
{
	unsigned most = study->quick ? QUICK_SIZES : MAX_SWEEP_SIZES;
	struct sweep *sweep = study->sweep;

	*result = sweep;
	if (sweep != NULL)
		return GPUCRYPT_OK;
	if (study->session.device->max_buffer_bytes < MIB)
		return fail(GPUCRYPT_DEVICE, "%s: its buffers hold no MiB", study->session.device->name);
	sweep = calloc(1, sizeof *sweep);
	if (sweep == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	for (; sweep->n_sizes < most && MIB << sweep->n_sizes <= study->session.device->max_buffer_bytes;
	        sweep->n_sizes++)
		sweep->n_bytes[sweep->n_sizes] = MIB << sweep->n_sizes;
	for (const struct cipher *const *c = ciphers; *c != NULL; c++)
		for (enum shaping s = 0; s < N_SHAPINGS && sweep->n_kernels < MAX_SWEEP_KERNELS; s++)
			measure_kernel(study, sweep, *c, s);
	sweep->spread = study->session.spread;
	*result = study->sweep = sweep;
	return GPUCRYPT_OK;
}

double sweep_most(const struct sweep *sweep, const struct sweep_kernel *kernel)
{
	double most = 0;

	for (unsigned i = 0; i < sweep->n_sizes; i++)
		most = fmax(most, gigabits(sweep->n_bytes[i], kernel->seconds[i]));
	return most;
}

void sweep_note(struct study *study, json_t *figure, const struct sweep *sweep)
{
	if (study->session.n_spreads == 0)
		study->session.spread = sweep->spread;
	for (const struct sweep_kernel *kernel = sweep->kernels; kernel < sweep->kernels + sweep->n_kernels; kernel++)
		if (kernel->failure[0] != '\0')
			figure_note(figure, kernel->status == GPUCRYPT_CORRUPT ? NOTE_WRONG : NOTE_FAILED, kernel->name,
			        kernel->failure);
}

/* Figure 5.1; and with maxima 5.2. */
int measure_throughput(struct study *study, json_t *figure, int maxima)
{
	const struct sweep *sweep;
	int status = study_sweep(study, &sweep);

	if (status != GPUCRYPT_OK)
		return status;
	for (const struct sweep_kernel *k = sweep->kernels; k < sweep->kernels + sweep->n_kernels; k++) {
		for (unsigned i = 0; i < sweep->n_sizes && !maxima; i++)
			if (k->seconds[i] > 0)
				figure_point(figure, k->name, (double)sweep->n_bytes[i] / MIB,
				        gigabits(sweep->n_bytes[i], k->seconds[i]));
		if (maxima && sweep_most(sweep, k) > 0)
			figure_bar(figure, shaping_names[k->shaping], k->suite.cipher->name, sweep_most(sweep, k));
	}
	sweep_note(study, figure, sweep);
	return GPUCRYPT_OK;
}

/* Figures 6.8 and 6.9: the dissertation's bounds and the overlap model's estimate, in seconds. */
struct prediction {
	double sa, si, estimate;
};

static bool predict_size(struct prediction *p, const struct device_record *record, const struct sweep *sweep,
        const struct sweep_kernel *kernel, unsigned i)
{
	struct overlap_prediction overlap;
	struct thesis_prediction thesis;

	if (kernel->seconds[i] <= 0 ||
	        !predict_launch(&overlap, &thesis, record, &kernel->suite, &kernel->kernel, sweep->n_bytes[i]))
		return false;
	*p = (struct prediction){ thesis.total_sa / record->clock_hz, thesis.total_si / record->clock_hz,
		overlap.seconds };
	return true;
}

int measure_bounds(struct study *study, json_t *figure, int which)
{
	const struct sweep *sweep;
	const struct sweep_kernel *kernel;
	const struct device_record *record;
	struct prediction p;
	unsigned n = 0;
	int status = study_sweep(study, &sweep) ?: session_record(&study->session, &record);

	if (status != GPUCRYPT_OK)
		return status;
	kernel = &sweep->kernels[which];
	for (unsigned i = 0; i < sweep->n_sizes; i++) {
		const uint64_t n_bytes = sweep->n_bytes[i];
		double mib = (double)n_bytes / MIB;

		if (!predict_size(&p, record, sweep, kernel, i))
			continue;
		figure_point(figure, "bound SA", mib, gigabits(n_bytes, p.sa));
		figure_point(figure, "bound SI", mib, gigabits(n_bytes, p.si));
		figure_point(figure, "estimate", mib, gigabits(n_bytes, p.estimate));
		figure_point(figure, "measured", mib, gigabits(n_bytes, kernel->seconds[i]));
		n++;
	}
	return n > 0 ? GPUCRYPT_OK
	             : fail(GPUCRYPT_OTHER, "%s: %s", kernel->suite.cipher->name,
	                       kernel->failure[0] != '\0' ? kernel->failure
	                                                  : "the record has no figures to predict it from");
}

/* Figure 6.10, for the largest size that was measured. */

int measure_errors(struct study *study, json_t *figure, int which)
{
	const struct sweep *sweep;
	const struct device_record *record;
	struct prediction p;
	int status = study_sweep(study, &sweep) ?: session_record(&study->session, &record);

	(void)which;
	if (status != GPUCRYPT_OK)
		return status;
	for (const struct sweep_kernel *k = sweep->kernels; k < sweep->kernels + sweep->n_kernels; k++) {
		unsigned last = sweep->n_sizes - 1;

		while (last > 0 && k->seconds[last] <= 0)
			last--;
		if (!predict_size(&p, record, sweep, k, last))
			continue;
		figure_bar(figure, "SA", k->name, 100 * (p.sa / k->seconds[last] - 1));
		figure_bar(figure, "SI", k->name, 100 * (p.si / k->seconds[last] - 1));
		figure_bar(figure, "estimate", k->name, 100 * (p.estimate / k->seconds[last] - 1));
	}
	sweep_note(study, figure, sweep);
	return GPUCRYPT_OK;
}
