/* Figures 6.8 to 6.10: the dissertation's bounds and the overlap model's estimate beside the measured times. */
#include <math.h>
#include <string.h>

#include "ppf/study/figures.h"
#include "gpucrypt/status.h"
#include "ppf/model/end_to_end.h"
#include "ppf/study/sweep.h"

/* One size of a kernel, in seconds. */
struct point {
	double sa, si, estimate, measured;
};

static bool predict_point(struct point *point, const struct device_record *record, const struct sweep *sweep,
        const struct sweep_kernel *kernel, unsigned i)
{
	struct overlap_prediction overlap;
	struct thesis_prediction thesis;

	if (kernel->seconds[i] <= 0 ||
	        !predict_launch(&overlap, &thesis, record, &kernel->suite, &kernel->shape, sweep->n_bytes[i]))
		return false;
	*point = (struct point){ thesis.total_sa / record->clock_hz, thesis.total_si / record->clock_hz,
		overlap.seconds, kernel->seconds[i] };
	return true;
}

static bool is_inside(const struct point *point)
{
	return point->sa <= point->measured && point->measured <= point->si;
}

static void draw_point(struct figure *figure, const struct sweep *sweep, unsigned i, const struct point *point)
{
	double mib = (double)(sweep->n_bytes[i] >> 20);

	figure_point(figure, "bound SA", mib, gigabits(sweep->n_bytes[i], point->sa));
	figure_point(figure, "bound SI", mib, gigabits(sweep->n_bytes[i], point->si));
	figure_point(figure, "estimate", mib, gigabits(sweep->n_bytes[i], point->estimate));
	figure_point(figure, "measured", mib, gigabits(sweep->n_bytes[i], point->measured));
}

static double percent_off(double predicted, double measured)
{
	return 100 * (predicted / measured - 1);
}

static void conclude_bounds(struct figure *figure, const struct sweep_kernel *kernel, const struct point *point,
        unsigned n_inside, unsigned n)
{
	bool policy = kernel->shaping == SHAPED_BY_POLICY;
	const char *claim = policy ? "The measured time lies between SA, all arithmetic hidden behind "
	                             "memory, and SI, nothing hidden (GTX 580: all three ciphers; GTX 280: "
	                             "slightly below SA)."
	                           : "The bounds know the policy alone: nothing is claimed for other "
	                             "placements, which are here beside them.";

	figure_conclude(figure, !policy || n == 0 ? VERDICT_OPEN : verdict_of(is_inside(point)), claim,
	        "At the largest size %.3f ms, SA %.3f (%+.0f %%), SI %.3f (%+.0f %%), inside at %u "
	        "of %u sizes; the overlap estimate %.3f ms (%+.1f %%).",
	        1e3 * point->measured, 1e3 * point->sa, percent_off(point->sa, point->measured), 1e3 * point->si,
	        percent_off(point->si, point->measured), n_inside, n, 1e3 * point->estimate,
	        percent_off(point->estimate, point->measured));
}

static int fill_bounds(struct study *study, struct figure *figure, const char *cipher, enum shaping shaping)
{
	const struct sweep *sweep;
	const struct sweep_kernel *kernel;
	const struct device_record *record;
	struct point point, last = { 0 };
	unsigned n = 0, n_inside = 0;
	int status = study_sweep(study, &sweep);

	if (status == GPUCRYPT_OK)
		status = study_record(study, &record);
	if (status != GPUCRYPT_OK)
		return status;
	kernel = sweep_find(sweep, cipher, shaping);
	if (kernel == NULL)
		return fail(GPUCRYPT_OTHER, "%s: there is no such cipher", cipher);
	for (unsigned i = 0; i < sweep->n_sizes; i++) {
		if (!predict_point(&point, record, sweep, kernel, i))
			continue;
		draw_point(figure, sweep, i, &point);
		last = point;
		n++;
		n_inside += is_inside(&point);
	}
	figure->log_x = true;
	snprintf(figure->x_label, sizeof(figure->x_label), "plaintext, MiB");
	snprintf(figure->y_label, sizeof(figure->y_label), "Gbit/s, kernel alone");
	if (n == 0)
		return fail(GPUCRYPT_OTHER, "%s: %s", cipher,
		        kernel->failure[0] != '\0' ? kernel->failure : "the record has no figures to predict it from");
	conclude_bounds(figure, kernel, &last, n_inside, n);
	return GPUCRYPT_OK;
}

#define BOUNDS(name, cipher, shaping)                               \
	int name(struct study *study, struct figure *figure)        \
	{                                                           \
		return fill_bounds(study, figure, cipher, shaping); \
	}
BOUNDS(figure_bounds_aes, "aes", SHAPED_BY_POLICY)
BOUNDS(figure_bounds_camellia, "camellia", SHAPED_BY_POLICY)
BOUNDS(figure_bounds_sc2000, "sc2000", SHAPED_BY_POLICY)
BOUNDS(figure_chosen_aes, "aes", SHAPED_BY_MODEL)
BOUNDS(figure_chosen_camellia, "camellia", SHAPED_BY_MODEL)
BOUNDS(figure_chosen_sc2000, "sc2000", SHAPED_BY_MODEL)

/* Figure 6.10. */

/* The ratio for the largest size; 0: unknown. */
static double sa_error(const struct sweep *sweep, const struct device_record *record, const char *cipher)
{
	const struct sweep_kernel *kernel = sweep_find(sweep, cipher, SHAPED_BY_POLICY);
	struct point point;

	return kernel != NULL && predict_point(&point, record, sweep, kernel, sweep_last(sweep, kernel))
	               ? percent_off(point.sa, point.measured)
	               : NAN;
}

static void conclude_errors(struct figure *figure, const struct sweep *sweep, const struct device_record *record)
{
	double aes = sa_error(sweep, record, "aes"), camellia = sa_error(sweep, record, "camellia"),
	       sc2000 = sa_error(sweep, record, "sc2000");
	bool known = !isnan(aes + camellia + sc2000);

	figure_conclude(figure,
	        !known ? VERDICT_OPEN : verdict_of(fabs(camellia) <= fabs(aes) && fabs(aes) <= fabs(sc2000)),
	        "SA is nearest for Camellia, most of whose arithmetic hides behind as many "
	        "look-ups as AES has, and farthest for SC2000 (GTX 580: AES -5 %, SC2000 -19 %).",
	        "SA against measurement: AES %+.0f %%, Camellia %+.0f %%, SC2000 %+.0f %%.", aes, camellia, sc2000);
}

int figure_errors(struct study *study, struct figure *figure)
{
	const struct sweep *sweep;
	const struct device_record *record;
	int status = study_sweep(study, &sweep);

	if (status == GPUCRYPT_OK)
		status = study_record(study, &record);
	if (status != GPUCRYPT_OK)
		return status;
	figure->bars = true;
	snprintf(figure->y_label, sizeof(figure->y_label), "predicted against measured time, %%");
	for (unsigned k = 0; k < sweep->n_kernels; k++) {
		const struct sweep_kernel *kernel = &sweep->kernels[k];
		struct point point;
		char name[64];

		if (!predict_point(&point, record, sweep, kernel, sweep_last(sweep, kernel)))
			continue;
		sweep_name(name, kernel);
		figure_bar(figure, "SA", name, percent_off(point.sa, point.measured));
		figure_bar(figure, "SI", name, percent_off(point.si, point.measured));
		figure_bar(figure, "estimate", name, percent_off(point.estimate, point.measured));
	}
	sweep_note(figure, sweep);
	conclude_errors(figure, sweep, record);
	return GPUCRYPT_OK;
}
