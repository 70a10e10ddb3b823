/* Figures 5.1 and 5.2: the three ciphers over the size of the plaintext, and at their best. */
#include <math.h>
#include <string.h>

#include "ppf/study/figures.h"
#include "gpucrypt/status.h"
#include "ppf/study/sweep.h"

#define CONVERGED     0.95
#define PRINTED       "GTX 580 (dissertation)"
#define MIB_OF(bytes) ((unsigned)((bytes) >> 20))

/* The size from which on nothing is far from the best. */
static unsigned converged_mib(const struct sweep *sweep, const struct sweep_kernel *kernel)
{
	double most = sweep_most(sweep, kernel);
	unsigned i = sweep_last(sweep, kernel);

	while (i > 0 && gigabits(sweep->n_bytes[i - 1], kernel->seconds[i - 1]) >= CONVERGED * most)
		i--;
	return MIB_OF(sweep->n_bytes[i]);
}

static void conclude_convergence(struct figure *figure, const struct sweep *sweep)
{
	static const char claim[] = "Throughput rises with the size of the plaintext and converges at about 256 MB, "
	                            "which it takes to use the device fully.";
	char found[300] = "";
	unsigned least = ~0u, most = 0, last = MIB_OF(sweep->n_bytes[sweep->n_sizes - 1]);

	for (unsigned i = 0; i < sweep->n_kernels; i++) {
		const struct sweep_kernel *kernel = &sweep->kernels[i];
		unsigned mib = converged_mib(sweep, kernel);

		if (kernel->shaping != SHAPED_BY_POLICY || sweep_most(sweep, kernel) <= 0)
			continue;
		least = mib < least ? mib : least;
		most = mib > most ? mib : most;
		snprintf(found + strlen(found), sizeof(found) - strlen(found),
		        "%s from %u MiB on (%.0f %% of its best at 1 MiB); ", kernel->suite.cipher->name, mib,
		        100 * gigabits(sweep->n_bytes[0], kernel->seconds[0]) / sweep_most(sweep, kernel));
	}
	figure_conclude(figure, last < 256 || most == 0 ? VERDICT_OPEN : verdict_of(least >= 128 && most <= 256), claim,
	        "Within 5 %% of the best throughput, by the policy: %sthe largest size was %u MiB.", found, last);
}

int figure_throughput(struct study *study, struct figure *figure)
{
	const struct sweep *sweep;
	int status = study_sweep(study, &sweep);

	if (status != GPUCRYPT_OK)
		return status;
	snprintf(figure->x_label, sizeof(figure->x_label), "plaintext, MiB");
	snprintf(figure->y_label, sizeof(figure->y_label), "Gbit/s, kernel alone");
	figure->log_x = true;
	for (unsigned k = 0; k < sweep->n_kernels; k++) {
		const struct sweep_kernel *kernel = &sweep->kernels[k];
		char name[64];

		sweep_name(name, kernel);
		for (unsigned i = 0; i < sweep->n_sizes; i++)
			if (kernel->seconds[i] > 0)
				figure_point(figure, name, MIB_OF(sweep->n_bytes[i]),
				        gigabits(sweep->n_bytes[i], kernel->seconds[i]));
	}
	sweep_note(figure, sweep);
	conclude_convergence(figure, sweep);
	return GPUCRYPT_OK;
}

/* Figure 5.2. */

/* 0: not measured. */
static double most_of(const struct sweep *sweep, const char *cipher, enum shaping shaping)
{
	const struct sweep_kernel *kernel = sweep_find(sweep, cipher, shaping);

	return kernel == NULL ? 0 : sweep_most(sweep, kernel);
}

static void conclude_sc2000(struct figure *figure, const struct sweep *sweep)
{
	double aes = most_of(sweep, "aes", SHAPED_BY_POLICY), camellia = most_of(sweep, "camellia", SHAPED_BY_POLICY),
	       sc2000 = most_of(sweep, "sc2000", SHAPED_BY_POLICY);
	bool known = aes > 0 && camellia > 0 && sc2000 > 0;

	figure_conclude(figure, !known ? VERDICT_OPEN : figure_greater(figure, sc2000, fmax(aes, camellia)),
	        "SC2000 is the fastest of the three by the policy, 1.2 times as fast as AES and "
	        "Camellia with tables of 8.5 KiB (GTX 280) and 1.4 times with 20 KiB (GTX 580), "
	        "for its fewer look-ups.",
	        "SC2000 (20 KiB) %.1f, AES %.1f, Camellia %.1f Gbit/s: %.2f times AES and %.2f "
	        "times Camellia; as chosen by the model %.1f, %.1f and %.1f Gbit/s.",
	        sc2000, aes, camellia, known ? sc2000 / aes : 0, known ? sc2000 / camellia : 0,
	        most_of(sweep, "sc2000", SHAPED_BY_MODEL), most_of(sweep, "aes", SHAPED_BY_MODEL),
	        most_of(sweep, "camellia", SHAPED_BY_MODEL));
}

/* Does anything beat the policy by more than what runs differ? */
static void conclude_policy(struct figure *figure, const struct sweep *sweep)
{
	char found[300] = "";
	bool holds = true, known = false;

	for (const struct cipher *const *c = ciphers; *c != NULL; c++) {
		double policy = most_of(sweep, (*c)->name, SHAPED_BY_POLICY),
		       chosen = most_of(sweep, (*c)->name, SHAPED_BY_MODEL);

		if (policy <= 0 || chosen <= 0)
			continue;
		known = true;
		holds = holds && figure_greater(figure, chosen, policy) != VERDICT_HOLDS;
		snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s%s %.2f times as fast",
		        found[0] == '\0' ? "" : ", ", (*c)->name, chosen / policy);
	}
	figure_conclude(figure, known ? verdict_of(holds) : VERDICT_OPEN,
	        "The policy found with AES (one work-item a block, one copy of tables and keys in "
	        "local memory) suits the other ciphers as well.",
	        "What the model chooses instead (table form, copies of tables, where keys lie, or "
	        "bitslicing) is, against the policy: %s.",
	        found);
}

int figure_maxima(struct study *study, struct figure *figure)
{
	const struct sweep *sweep;
	int status = study_sweep(study, &sweep);

	if (status != GPUCRYPT_OK)
		return status;
	figure->bars = true;
	snprintf(figure->y_label, sizeof(figure->y_label), "most Gbit/s, kernel alone");
	for (unsigned k = 0; k < sweep->n_kernels; k++) {
		const struct sweep_kernel *kernel = &sweep->kernels[k];

		if (sweep_most(sweep, kernel) > 0)
			figure_bar(figure, shaping_names[kernel->shaping], kernel->suite.cipher->name,
			        sweep_most(sweep, kernel));
	}
	figure_bar(figure, PRINTED, "aes", 70.8);
	figure_bar(figure, PRINTED, "camellia", 72.7);
	figure_bar(figure, PRINTED, "sc2000", 99.1);
	figure_mark_printed(figure, PRINTED);
	sweep_note(figure, sweep);
	conclude_sc2000(figure, sweep);
	conclude_policy(figure, sweep);
	return GPUCRYPT_OK;
}
