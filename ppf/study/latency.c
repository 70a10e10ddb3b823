/* Figures 6.4 to 6.7: what a batch waits for an operation, over the batches that are resident in a
 * compute unit; by the micro-benchmarks of ppf measure. */
#include "ppf/study/latency.h"

#include "ppf/study/figures.h"
#include "gpucrypt/status.h"
#include "ppf/measure/measure_parts.h"

#define LEVEL 1.1 /* times the least: it has become constant */

static int measure_curves(
        struct study *study, struct device_record *record, int (*part)(struct bench *, struct device_record *))
{
	struct bench *bench = &study->bench;
	int status = measure_build_chains(bench);

	*record = (struct device_record){
		.is_cpu = bench->device->cpu, .batch_items = bench->batch_items, .max_batches = bench->max_batches
	};
	return status == GPUCRYPT_OK ? part(bench, record) : status;
}

static void draw_curve(struct figure *figure, const char *name, const struct curve *curve)
{
	for (unsigned i = 0; i < curve->n; i++)
		figure_point(figure, name, curve->x[i], curve->cycles[i]);
	figure->log_x = figure->log_y = true;
	snprintf(figure->x_label, sizeof(figure->x_label), "batches in a compute unit");
	snprintf(figure->y_label, sizeof(figure->y_label), "cycles of a batch and operation");
}

double latency_level(const struct curve *curve)
{
	unsigned i = curve->n - 1;

	while (i > 0 && curve->cycles[i - 1] <= LEVEL * curve->cycles[curve->n - 1])
		i--;
	return curve->x[i];
}

void latency_conclude(struct figure *figure, const struct curve *curve, const char *claim)
{
	double first = curve->cycles[0], last = curve->cycles[curve->n - 1], most = curve->x[curve->n - 1];

	if (curve->n < 2) {
		figure_conclude(figure, VERDICT_OPEN, claim,
		        "On a CPU a batch is one work-item, and one is resident: %.2f cycles.", last);
		return;
	}
	figure_conclude(figure, verdict_of(first > LEVEL * last && latency_level(curve) < most), claim,
	        "From %.1f cycles with one batch to %.2f with %.0f; within 10 %% of that from %.0f "
	        "on.",
	        first, last, most, latency_level(curve));
}

static int curve_figure(struct study *study, struct figure *figure, int (*part)(struct bench *, struct device_record *),
        enum resource resource, const char *claim)
{
	struct device_record record;
	int status = measure_curves(study, &record, part);

	if (status != GPUCRYPT_OK)
		return status;
	draw_curve(figure, resource_names[resource], &record.curves[resource]);
	latency_conclude(figure, &record.curves[resource], claim);
	return GPUCRYPT_OK;
}

int figure_latency_arithmetic(struct study *study, struct figure *figure)
{
	return curve_figure(study, figure, measure_arithmetic, RESOURCE_ARITHMETIC,
	        "The latency of a batch falls until the pipelines are full, and is constant from "
	        "then on: at 1.0 cycle from 18 batches (GTX 580), at 4.3 from 8 (GTX 280).");
}

int figure_latency_random(struct study *study, struct figure *figure)
{
	return curve_figure(study, figure, measure_memory, RESOURCE_LOCAL_RANDOM,
	        "Look-ups at random places of local memory: the latency falls to that of its "
	        "bandwidth, 6.5 cycles from 18 batches on (GTX 580), 28.0 from 8 (GTX 280).");
}

int figure_latency_regular(struct study *study, struct figure *figure)
{
	return curve_figure(study, figure, measure_memory, RESOURCE_LOCAL_REGULAR,
	        "All work-items read one word of local memory: the latency falls to 3.1 cycles "
	        "from 18 batches on (GTX 580), 15.5 from 8 (GTX 280).");
}

/* Global memory is shared by all compute units: fewer batches of each fill it. */
int figure_latency_global(struct study *study, struct figure *figure)
{
	const struct curve *global, *local;
	struct device_record record;
	int status = measure_curves(study, &record, measure_memory);

	if (status != GPUCRYPT_OK)
		return status;
	global = &record.curves[RESOURCE_GLOBAL];
	local = &record.curves[RESOURCE_LOCAL_RANDOM];
	draw_curve(figure, resource_names[RESOURCE_GLOBAL], global);
	latency_conclude(figure, global,
	        "Global memory: the latency falls to 22.6 cycles (GTX 580, with a cache), 162.4 "
	        "(GTX 280) and is constant from then on.");
	figure_conclude(figure, global->n < 2 ? VERDICT_OPEN : verdict_of(latency_level(global) < latency_level(local)),
	        "Global memory is full with fewer batches than local memory (8 against 18, 2 "
	        "against 8), since all compute units share it.",
	        "Constant from %.0f batches on; local memory from %.0f.", latency_level(global), latency_level(local));
	return GPUCRYPT_OK;
}
