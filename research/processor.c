/* Figures 5.3 and 5.4: throughput over the threads of the CPU, by the reference implementation and by AES instructions.
 * */
#include <math.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/measure/threads_speed.h"
#include "research/study.h"

#define RUN_S       0.05
#define QUICK_RUN_S 0.02
#define LIBCRYPTO   "libcrypto (AES-NI)"

unsigned processor_threads(void)
{
	return plan_threads(&(struct gpucrypt_plan){ 0 });
}

int processor_speed(const struct study *study, const struct engine_class *class, const struct suite *suite,
        unsigned threads, double *speed)
{
	const struct gpucrypt_plan plan = { .threads = threads };
	struct chore chore = { .run = engine_chore };
	double bytes_per_s = 0;
	int status = class->open(&chore.engine, suite, &plan, NULL);

	if (status != GPUCRYPT_OK)
		return status;
	status = threads_speed(&chore, threads, study->quick ? QUICK_RUN_S : RUN_S, &bytes_per_s);
	class->close(chore.engine);
	*speed = 8e-9 * bytes_per_s;
	return status;
}

/* Add a line to the figure: throughput with 1, 2, 4, … and all threads. */
static int measure_line(const struct study *study, json_t *figure, const char *name, const struct engine_class *class,
        const struct cipher *cipher)
{
	const struct suite suite = { cipher, &modes[MODE_ECB], 16, ENCRYPT };
	unsigned all = processor_threads();
	int status = GPUCRYPT_OK;

	for (unsigned n = 1; status == GPUCRYPT_OK; n = 2 * n < all ? 2 * n : all) {
		double speed = 0;

		status = processor_speed(study, class, &suite, n, &speed);
		if (status == GPUCRYPT_OK)
			figure_point(figure, name, n, speed);
		if (n == all)
			break;
	}
	return status;
}

/* Add to the figure's values the greatest throughput of each kernel on the device. */
static int note_device(struct study *study, json_t *figure, const struct sweep **sweep)
{
	int status = study_sweep(study, sweep);

	for (unsigned k = 0; status == GPUCRYPT_OK && k < (*sweep)->n_kernels; k++) {
		double most = sweep_most(*sweep, &(*sweep)->kernels[k]);

		if (most > 0)
			figure_set(figure, (*sweep)->kernels[k].name, most);
	}
	figure_set(figure, "the device is the CPU", study->session.device->cpu);
	return status;
}

int measure_threads(struct study *study, json_t *figure, int which)
{
	const struct sweep *sweep;
	int status = note_device(study, figure, &sweep);

	(void)which;
	for (const struct cipher *const *c = ciphers; *c != NULL && status == GPUCRYPT_OK; c++)
		status = measure_line(study, figure, (*c)->name, &engine_host, *c);
	return status;
}

int measure_instructions(struct study *study, json_t *figure, int which)
{
	const struct sweep *sweep;
	int status = note_device(study, figure, &sweep);
	size_t n, i;

	(void)which;
	if (status == GPUCRYPT_OK)
		status = measure_line(study, figure, LIBCRYPTO, &engine_libcrypto, &cipher_aes);
	n = json_array_size(json_object_get(figure, "rows"));
	for (unsigned s = 0; s < N_SHAPINGS && status == GPUCRYPT_OK; s++)
		for (i = 0; i < n; i++) {
			const json_t *row = json_array_get(json_object_get(figure, "rows"), i);
			char series[64], kernel[64];
			double most;

			snprintf(series, sizeof series, "the device, %s", shaping_names[s]);
			snprintf(kernel, sizeof kernel, "aes, %s", shaping_names[s]);
			most = figure_value(figure, kernel);
			if (!isnan(most))
				figure_point(figure, series, json_number_value(json_object_get(row, "x")), most);
		}
	return status;
}
