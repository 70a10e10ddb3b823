/* Check the conclusions of the RSA paper against the measured values. */
#include "ppf/study/rsa.h"

#include <math.h>

#include "ppf/study/rsa_device.h"

#define N_SIZES (MAX_RSA_BITS / 1024)

/* Messages a second with the best work-group; NAN: none. */
static double best(const struct figure *figure, unsigned bits, const char *series)
{
	double most = NAN;
	char row[48];

	for (unsigned i = 0; i < N_RSA_ITEMS; i++)
		most = fmax(most, figure_y(figure, series, rsa_row(row, bits, rsa_items[i])));
	return most;
}

/* The paper's, in seconds. */
static double best_printed(unsigned bits, enum rsa_form form)
{
	double least = INFINITY;

	for (unsigned i = 0; i < N_RSA_ITEMS; i++)
		least = fmin(least, rsa_printed(bits, i, form));
	return least;
}

static double cpu(const struct figure *figure, unsigned bits, const char *series)
{
	char row[48];

	return figure_y(figure, series, rsa_row(row, bits, 0));
}

/* Speed-up of one form over another, each with its best work-group. */
static double ratio(const struct figure *figure, unsigned bits, enum rsa_form to, enum rsa_form from)
{
	return best(figure, bits, rsa_forms[to]) / best(figure, bits, rsa_forms[from]);
}

static double ratio_printed(unsigned bits, enum rsa_form to, enum rsa_form from)
{
	return best_printed(bits, from) / best_printed(bits, to);
}

static void conclude_step(
        struct figure *figure, enum rsa_form to, enum rsa_form from, const char *claim, const char *how)
{
	double at_1024 = ratio(figure, 1024, to, from), at_2048 = ratio(figure, 2048, to, from);
	char text[320];

	snprintf(text, sizeof(text), "%s: %.2f times as fast with 1024 bits, %.2f times with 2048.", claim,
	        ratio_printed(1024, to, from), ratio_printed(2048, to, from));
	figure_conclude(figure, figure_greater(figure, fmin(at_1024, at_2048), 1), text,
	        "%.2f times with 1024 bits, %.2f times with 2048, %.2f times with 3072, %.2f times "
	        "with 4096, %s.",
	        at_1024, at_2048, ratio(figure, 3072, to, from), ratio(figure, 4096, to, from), how);
}

static double fastest(const struct figure *figure, unsigned bits)
{
	return fmax(best(figure, bits, rsa_forms[RSA_CARRIES]), best(figure, bits, rsa_forms[RSA_COALESCED]));
}

static void conclude_speed(struct figure *figure)
{
	double a = fastest(figure, 1024), b = fastest(figure, 2048);

	figure_conclude(figure, figure_greater(figure, a, RSA_MESSAGES / 1.840),
	        "1,048,576 messages of 1024 bits take 1.840 s, 569,878 messages a second (table "
	        "V); "
	        "of 2048 bits 6.539 s.",
	        "%.4f s with 1024 bits, %.4g messages a second, and %.4f s with 2048, %.4g a "
	        "second; "
	        "%.4g with 3072 and %.4g with 4096.",
	        RSA_MESSAGES / a, a, RSA_MESSAGES / b, b, fastest(figure, 3072), fastest(figure, 4096));
}

static void conclude_cpu(struct figure *figure)
{
	double one[2], all[2];

	for (unsigned i = 0; i < 2; i++) {
		unsigned bits = 1024 * (1 + i);

		one[i] = fastest(figure, bits) / cpu(figure, bits, RSA_ONE_THREAD);
		all[i] = fastest(figure, bits) / cpu(figure, bits, RSA_ALL_THREADS);
	}
	figure_conclude(figure, figure_greater(figure, fmin(one[0], one[1]), 1),
	        "A GPU beats a thread of a CPU: 53.2 times with 1024 bits, 56.4 times with 2048.",
	        "%.1f and %.1f times as fast as one thread of libcrypto; %.2f and %.2f times as "
	        "fast "
	        "as all threads.",
	        one[0], one[1], all[0], all[1]);
}

static void predicted_series(char series[64], enum rsa_form form)
{
	snprintf(series, 64, RSA_PREDICTED "%s", rsa_forms[form]);
}

/* Predicted to measured, each with its best work-group. */
static double accuracy(const struct figure *figure, unsigned bits, enum rsa_form form)
{
	char series[64];

	predicted_series(series, form);
	return best(figure, bits, series) / best(figure, bits, rsa_forms[form]);
}

/* Future work of the dissertation: public-key ciphers. */
static void conclude_prediction(struct figure *figure)
{
	char row[48], series[64];
	double worst = 0, sum = 0;
	unsigned n = 0;

	for (enum rsa_form form = RSA_COALESCED; form < N_RSA_FORMS; form++)
		for (unsigned i = 0; i < N_SIZES * N_RSA_ITEMS; i++) {
			double y, predicted, error;

			rsa_row(row, 1024 * (1 + i / N_RSA_ITEMS), rsa_items[i % N_RSA_ITEMS]);
			predicted_series(series, form);
			y = figure_y(figure, rsa_forms[form], row);
			predicted = figure_y(figure, series, row);
			if (isnan(y) || isnan(predicted))
				continue;
			error = fabs(predicted / y - 1);
			worst = fmax(worst, error);
			sum += error;
			n++;
		}
	figure_conclude(figure, n == 0 ? VERDICT_OPEN : verdict_of(worst <= 0.15),
	        "PPF could predict public-key ciphers (future work of the dissertation; here "
	        "within "
	        "15 %).",
	        "Predicted is off by %.1f %% on average and %.1f %% at most; predicted to "
	        "measured, "
	        "with 1024, 2048, 3072 and 4096 bits: %.3f, %.3f, %.3f and %.3f with carries, "
	        "%.3f, "
	        "%.3f, %.3f and %.3f by 64-bit arithmetic.",
	        100 * sum / n, 100 * worst, accuracy(figure, 1024, RSA_CARRIES), accuracy(figure, 2048, RSA_CARRIES),
	        accuracy(figure, 3072, RSA_CARRIES), accuracy(figure, 4096, RSA_CARRIES),
	        accuracy(figure, 1024, RSA_COALESCED), accuracy(figure, 2048, RSA_COALESCED),
	        accuracy(figure, 3072, RSA_COALESCED), accuracy(figure, 4096, RSA_COALESCED));
}

void rsa_conclude(struct figure *figure, bool instructions)
{
	conclude_speed(figure);
	conclude_step(figure, RSA_COALESCED, RSA_STRIDED, "Words of neighbouring messages belong side by side",
	        "both by 64-bit arithmetic");
	conclude_step(figure, RSA_CARRIES, RSA_COALESCED, "Carry instructions beat 64-bit arithmetic",
	        instructions ? "by carry instructions"
	                     : "in the same order of steps, but this device has no such instructions");
	conclude_cpu(figure);
	conclude_prediction(figure);
}
