#include "ppf/study/product.h"

#include <stdlib.h>
#include <string.h>

#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/status.h"
#include "ppf/model/choose.h"
#include "ppf/study/variant.h"

#define RUNS       5
#define QUICK_RUNS 3

int product_choose(struct gpucrypt_plan *plan, struct study *study, const struct suite *suite, uint64_t n_bytes)
{
	const struct device *device = study->device;
	struct machine_device *at = calloc(1, sizeof(*at));
	struct program_shape shape;
	char note[RECORD_NOTE];
	int status = at == NULL ? fail(GPUCRYPT_OTHER, "out of memory")
	                        : device_record_find(&at->record, device, &at->measured, note);

	if (status == GPUCRYPT_OK) {
		at->device = *device;
		if (choose_shape(&shape, at, suite, plan, n_bytes))
			plan->kernel = shape.kernel;
		else
			status = fail(GPUCRYPT_DEVICE, "%s: no shape of its kernel fits", suite->cipher->name);
	}
	free(at);
	return status;
}

static int time_size(const struct study *study, struct engine *engine, uint64_t n_bytes, double *seconds)
{
	struct kernel_timing timing = { 0 };
	int status = kernel_times(engine, n_bytes, study->quick ? QUICK_RUNS : RUNS, true, &timing);

	if (status == GPUCRYPT_OK)
		*seconds = study_seconds(study, timing.seconds, timing.runs);
	return timing.wrong ? GPUCRYPT_CORRUPT : status;
}

int product_times(struct study *study, const struct suite *suite, const struct gpucrypt_plan *plan,
        const uint64_t *n_bytes, unsigned n, double *seconds)
{
	struct gpucrypt_plan on_device = *plan;
	struct engine *engine = NULL;
	int status;

	memset(seconds, 0, n * sizeof(*seconds));
	on_device.engine = GPUCRYPT_OPENCL;
	on_device.device = study->number;
	status = engine_opencl.open(&engine, suite, &on_device);
	for (unsigned i = 0; i < n && status == GPUCRYPT_OK; i++)
		if (i == 0 || study_left_s(study) > 0)
			status = time_size(study, engine, n_bytes[i], &seconds[i]);
	engine_close(engine);
	return status;
}

int product_time(struct study *study, const struct suite *suite, const struct gpucrypt_plan *plan, size_t n_bytes,
        double *seconds)
{
	const uint64_t only = n_bytes;

	return product_times(study, suite, plan, &only, 1, seconds);
}
