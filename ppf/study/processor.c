/* Figures 5.3 and 5.4: threads of the CPU, by its own code and by its instructions for AES. */
#include "ppf/study/processor.h"

#include <string.h>

#include "ppf/study/figures.h"
#include "gpucrypt/status.h"
#include "ppf/measure/threads_speed.h"
#include "ppf/study/sweep.h"

#define RUN_S       0.05
#define QUICK_RUN_S 0.02

unsigned processor_threads(void)
{
	return plan_threads(&(struct gpucrypt_plan){ 0 });
}

unsigned processor_more_threads(unsigned threads)
{
	unsigned all = processor_threads();

	if (threads >= all)
		return 0;
	return threads == 0 ? 1 : 2 * threads < all ? 2 * threads : all;
}

int processor_speed(const struct study *study, const struct engine_class *class, const struct suite *suite,
        unsigned threads, double *gigabits_per_s)
{
	const struct gpucrypt_plan plan = { .threads = threads };
	struct chore chore = { .run = engine_chore };
	double bytes_per_s = 0;
	int status = class->open(&chore.engine, suite, &plan);

	if (status != GPUCRYPT_OK)
		return status;
	status = threads_speed(&chore, threads, study->quick ? QUICK_RUN_S : RUN_S, &bytes_per_s);
	class->close(chore.engine);
	*gigabits_per_s = 8e-9 * bytes_per_s;
	return status;
}

static void label(struct figure *figure)
{
	snprintf(figure->x_label, sizeof(figure->x_label), "threads");
	snprintf(figure->y_label, sizeof(figure->y_label), "Gbit/s");
	figure->log_x = true;
}

/* One line over the numbers of threads: what all make, the most, and by how many of them. */
struct line {
	double all, most;
	unsigned most_threads;
};

static int measure_line(const struct study *study, struct figure *figure, const char *name,
        const struct engine_class *class, const struct suite *suite, struct line *line)
{
	int status = GPUCRYPT_OK;

	*line = (struct line){ 0 };
	for (unsigned n = 0; (n = processor_more_threads(n)) != 0;) {
		status = processor_speed(study, class, suite, n, &line->all);
		if (status != GPUCRYPT_OK)
			return status;
		figure_point(figure, name, n, line->all);
		if (line->all > line->most)
			line->most = line->all, line->most_threads = n;
	}
	return status;
}

/* The device's best by the policy and by choice, in text; the ratios to the CPU. */
static double times(const struct sweep *sweep, const char *cipher, enum shaping shaping, double cpu)
{
	const struct sweep_kernel *kernel = sweep_find(sweep, cipher, shaping);

	return kernel == NULL || cpu <= 0 ? 0 : sweep_most(sweep, kernel) / cpu;
}

static bool known_on_device(const struct sweep *sweep, const char *cipher)
{
	return times(sweep, cipher, SHAPED_BY_POLICY, 1) > 0;
}

/* Accumulate the results of all ciphers here. */
struct comparison {
	char threads[160], ratios[200];
	bool all_best, known, ten_times;
};

static void compare(
        struct comparison *comparison, const struct sweep *sweep, const char *cipher, const struct line *line)
{
	size_t used = strlen(comparison->threads);
	double policy = times(sweep, cipher, SHAPED_BY_POLICY, line->most),
	       chosen = times(sweep, cipher, SHAPED_BY_MODEL, line->most);

	snprintf(comparison->threads + used, sizeof(comparison->threads) - used, "%s%s %.1f Gbit/s at %u",
	        used == 0 ? "" : ", ", cipher, line->most, line->most_threads);
	comparison->all_best = comparison->all_best && line->all >= 0.95 * line->most;
	if (!known_on_device(sweep, cipher))
		return;
	used = strlen(comparison->ratios);
	snprintf(comparison->ratios + used, sizeof(comparison->ratios) - used, "%s%s %.1f (%.1f)",
	        used == 0 ? "" : ", ", cipher, policy, chosen);
	comparison->ten_times = comparison->known ? comparison->ten_times && policy >= 9 : policy >= 9;
	comparison->known = true;
}

int figure_threads(struct study *study, struct figure *figure)
{
	struct comparison comparison = { .all_best = true };
	const struct sweep *sweep;
	int status = study_sweep(study, &sweep);

	label(figure);
	for (const struct cipher *const *c = ciphers; *c != NULL && status == GPUCRYPT_OK; c++) {
		const struct suite suite = { *c, &modes[MODE_ECB], 16, ENCRYPT };
		struct line line;

		status = measure_line(study, figure, (*c)->name, &engine_host, &suite, &line);
		compare(&comparison, sweep, (*c)->name, &line);
	}
	if (status != GPUCRYPT_OK)
		return status;
	figure_conclude(figure, verdict_of(comparison.all_best),
	        "Without special instructions the CPU is fastest when all its threads work.",
	        "Most, by the reference implementation with tables: %s of %u threads.", comparison.threads,
	        processor_threads());
	figure_conclude(figure, comparison.known ? verdict_of(comparison.ten_times) : VERDICT_OPEN,
	        "The device is about ten times as fast as all threads of the CPU (AES 9.4, "
	        "Camellia 11.5, SC2000 14.0 times).",
	        "Times as fast as the CPU at its best, by the policy (and as chosen): %s.%s", comparison.ratios,
	        study->device->cpu ? " The device is this CPU, through OpenCL." : "");
	return GPUCRYPT_OK;
}

/* Figure 5.4. */

static void draw_device(struct figure *figure, const struct sweep *sweep)
{
	for (int p = 0; p < N_SHAPINGS; p++) {
		char name[64];
		double most = times(sweep, "aes", (enum shaping)p, 1);

		snprintf(name, sizeof(name), "the device, %s", shaping_names[p]);
		for (unsigned n = 0; most > 0 && (n = processor_more_threads(n)) != 0;)
			figure_point(figure, name, n, most);
	}
}

int figure_instructions(struct study *study, struct figure *figure)
{
	const struct suite suite = { &cipher_aes, &modes[MODE_ECB], 16, ENCRYPT };
	const struct sweep *sweep;
	struct line line = { 0 };
	double ratio;
	int status = study_sweep(study, &sweep);

	label(figure);
	if (status == GPUCRYPT_OK)
		status = measure_line(study, figure, "libcrypto (AES-NI)", &engine_libcrypto, &suite, &line);
	if (status != GPUCRYPT_OK)
		return status;
	draw_device(figure, sweep);
	ratio = times(sweep, "aes", SHAPED_BY_POLICY, line.most);
	figure_conclude(figure, ratio > 0 ? verdict_of(ratio > 0.5 && ratio < 2) : VERDICT_OPEN,
	        "AES by the processor's own instructions on all cores is on a level with the "
	        "device: 44.2 Gbit/s, of which the GTX 580 made 1.6 times and the GTX 280 0.6 "
	        "times.",
	        "libcrypto makes %.1f Gbit/s at %u of %u threads; the device %.2f times that by "
	        "the policy, %.2f times as chosen.%s",
	        line.most, line.most_threads, processor_threads(), ratio,
	        times(sweep, "aes", SHAPED_BY_MODEL, line.most),
	        study->device->cpu ? " The device is this CPU, through OpenCL." : "");
	return GPUCRYPT_OK;
}
