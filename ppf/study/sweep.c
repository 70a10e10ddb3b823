#include "ppf/study/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/model/choose.h"
#include "ppf/study/product.h"

#define SIZES       10 /* 1 to 512 MiB */
#define QUICK_SIZES 5
#define MIB         (UINT64_C(1) << 20)
#define KERNEL_S    6

const char *const shaping_names[N_SHAPINGS] = { "policy", "chosen" };

static int measure_kernels(struct study *study, const struct sweep *sweep, struct sweep_kernel *kernel)
{
	struct gpucrypt_plan plan = { 0 };
	int status;

	if (kernel->shaping == SHAPED_BY_POLICY)
		plan_take_policy(&plan, kernel->suite.cipher);
	status = product_choose(&plan, study, &kernel->suite, sweep->n_bytes[sweep->n_sizes - 1]);
	if (status == GPUCRYPT_OK)
		status = program_shape(&kernel->shape, &kernel->suite, &plan, study->device);
	return status == GPUCRYPT_OK
	               ? product_times(study, &kernel->suite, &plan, sweep->n_bytes, sweep->n_sizes, kernel->seconds)
	               : status;
}

/* Each kernel has its part of the time, whichever figure asks first; the figure gets it back. */
static void measure_kernel(struct study *study, const struct sweep *sweep, struct sweep_kernel *kernel)
{
	double begin = host_seconds(), left_s = study_left_s(study);

	study->end_s = begin + KERNEL_S;
	kernel->status = measure_kernels(study, sweep, kernel);
	study->end_s = host_seconds() + left_s;
	if (kernel->status != GPUCRYPT_OK)
		snprintf(kernel->failure, sizeof(kernel->failure), "%.230s", gpucrypt_error());
	fail_clear();
}

/* Number of bytes that the device's buffers hold. */
static void take_sizes(struct sweep *sweep, const struct study *study)
{
	unsigned most = study->quick ? QUICK_SIZES : SIZES;

	while (sweep->n_sizes < most && MIB << sweep->n_sizes <= study->device->max_buffer_bytes) {
		sweep->n_bytes[sweep->n_sizes] = MIB << sweep->n_sizes;
		sweep->n_sizes++;
	}
}

static int measure_all(struct study *study, struct sweep *sweep)
{
	take_sizes(sweep, study);
	if (sweep->n_sizes == 0)
		return fail(GPUCRYPT_DEVICE, "%s: its buffers hold no MiB", study->device->name);
	for (const struct cipher *const *c = ciphers; *c != NULL; c++)
		for (int p = 0; p < N_SHAPINGS && sweep->n_kernels < MAX_SWEEP_KERNELS; p++) {
			struct sweep_kernel *kernel = &sweep->kernels[sweep->n_kernels++];

			kernel->suite = (struct suite){ *c, &modes[MODE_ECB], 16, ENCRYPT };
			kernel->shaping = (enum shaping)p;
			measure_kernel(study, sweep, kernel);
		}
	return GPUCRYPT_OK;
}

int study_sweep(struct study *study, const struct sweep **sweep)
{
	int status = GPUCRYPT_OK;

	if (study->sweep == NULL) {
		study->sweep = calloc(1, sizeof(*study->sweep));
		status =
		        study->sweep == NULL ? fail(GPUCRYPT_OTHER, "out of memory") : measure_all(study, study->sweep);
		if (status != GPUCRYPT_OK) {
			free(study->sweep);
			study->sweep = NULL;
		} else if (study->figure != NULL) {
			study->sweep->spread = study->figure->spread;
		}
	}
	*sweep = study->sweep;
	return status;
}

/* The message of the last failure. */

void sweep_name(char name[64], const struct sweep_kernel *kernel)
{
	snprintf(name, 64, "%s, %s", kernel->suite.cipher->name, shaping_names[kernel->shaping]);
}

double sweep_most(const struct sweep *sweep, const struct sweep_kernel *kernel)
{
	double most = 0;

	for (unsigned i = 0; i < sweep->n_sizes; i++) {
		double speed = gigabits(sweep->n_bytes[i], kernel->seconds[i]);
		most = speed > most ? speed : most;
	}
	return most;
}

unsigned sweep_last(const struct sweep *sweep, const struct sweep_kernel *kernel)
{
	unsigned i = sweep->n_sizes - 1;

	while (i > 0 && kernel->seconds[i] <= 0)
		i--;
	return i;
}

const struct sweep_kernel *sweep_find(const struct sweep *sweep, const char *cipher, enum shaping shaping)
{
	for (unsigned i = 0; i < sweep->n_kernels; i++)
		if (strcmp(sweep->kernels[i].suite.cipher->name, cipher) == 0 && sweep->kernels[i].shaping == shaping)
			return &sweep->kernels[i];
	return NULL;
}

void sweep_note(struct figure *figure, const struct sweep *sweep)
{
	char name[64];

	if (figure->n_spreads == 0)
		figure_spread(figure, sweep->spread);
	for (unsigned i = 0; i < sweep->n_kernels; i++) {
		const struct sweep_kernel *kernel = &sweep->kernels[i];

		if (kernel->failure[0] == '\0')
			continue;
		sweep_name(name, kernel);
		figure_note(figure, kernel->status == GPUCRYPT_CORRUPT ? NOTE_WRONG : NOTE_FAILED, name, "%s",
		        kernel->failure);
	}
}
