/* Figures 6.4 to 6.7: the cycles that a warp (the dissertation's batch) waits for an operation, over the number of
 * warps resident in a compute unit.  The micro-benchmarks of ppf measure give the values. */
#include <math.h>

#include "gpucrypt/status.h"
#include "ppf/measure/bench.h"
#include "research/study.h"

static void draw_curve(json_t *figure, const char *series, const struct curve *curve)
{
	for (unsigned i = 0; i < curve->n; i++)
		figure_point(figure, series, curve->x[i], curve->cycles[i]);
}

int measure_latency(struct study *study, json_t *figure, int resource)
{
	struct bench *bench = &study->session.bench;
	struct device_record record = {
		.is_cpu = bench->device->cpu, .batch_items = bench->batch_items, .max_batches = bench->max_batches
	};
	int status = measure_build_chains(bench)
	                     ?: (resource == RESOURCE_ARITHMETIC ? measure_arithmetic : measure_memory)(bench, &record);

	if (status != GPUCRYPT_OK)
		return status;
	draw_curve(figure, resource_names[resource], &record.curves[resource]);
	if (resource == RESOURCE_GLOBAL) {
		json_t *local = figure_new(NULL);

		draw_curve(local, "", &record.curves[RESOURCE_LOCAL_RANDOM]);
		figure_set(figure, "level of local memory", figure_line(local, "").level_x);
		json_decref(local);
	}
	return GPUCRYPT_OK;
}
