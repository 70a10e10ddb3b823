#include "product.h"

#include <stdlib.h>
#include <string.h>

#include "gpucrypt/engine_opencl.h"
#include "gpucrypt/status.h"
#include "ppf/choose.h"
#include "variant.h"

#define RUNS 5

int product_choose(struct gpucrypt_plan *plan, struct study *study, const struct suite *suite,
        uint64_t n_bytes)
{
	const struct device *device = study->device;
	struct machine_device *at = calloc(1, sizeof(*at));
	struct program_shape shape;
	int status = at == NULL ? fail(GPUCRYPT_OTHER, "out of memory")
	                        : record_find(&at->record, device->name, device->vendor,
	                                  device->driver, device->cpu, &at->measured);

	memset(plan, 0, sizeof(*plan));
	if (status == GPUCRYPT_OK) {
		at->device = *device;
		if (choose_shape(&shape, at, suite, plan, n_bytes))
			plan_take_shape(plan, &shape);
		else
			status = GPUCRYPT_DEVICE;
	}
	free(at);
	return status;
}

int product_time(struct study *study, const struct suite *suite, const struct gpucrypt_plan *plan,
        size_t n_bytes, double *seconds)
{
	struct gpucrypt_plan on_device = *plan;
	struct kernel_timing timing = { 0 };
	struct engine *engine = NULL;
	int status;

	*seconds = 0;
	on_device.engine = "opencl";
	on_device.device = study->number;
	status = engine_opencl.open(&engine, suite, &on_device);
	if (status == GPUCRYPT_OK)
		status = kernel_times(engine, n_bytes, RUNS, true, &timing);
	engine_close(engine);
	if (status == GPUCRYPT_OK)
		*seconds = study_seconds(study, timing.seconds, timing.runs);
	return timing.wrong ? GPUCRYPT_CORRUPT : status;
}
