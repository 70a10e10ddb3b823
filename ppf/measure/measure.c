#include "ppf/measure/measure.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "gpucrypt/status.h"
#include "ppf/measure/measure_parts.h"
#include "ppf/model/slices.h"
#include "ppf/model/trials.h"

#define GPU_BANKS 32 /* of local memory, each a word wide: all GPUs of today */

static void describe(struct record *record, const struct bench *bench)
{
	const struct device *device = bench->device;
	time_t now = time(NULL);
	struct tm tm;
	char date[16] = "";

	if (gmtime_r(&now, &tm) != NULL)
		strftime(date, sizeof(date), "%Y-%m-%d", &tm);
	snprintf(record->name, sizeof(record->name), "%s", device->name);
	snprintf(record->vendor, sizeof(record->vendor), "%s", device->vendor);
	snprintf(record->driver, sizeof(record->driver), "%s", device->driver);
	snprintf(record->source, sizeof(record->source), "measured by ppf measure on %s, %.60s, %s clock", date,
	        device->platform_name, bench->device_time ? "device's" : "host's");
	record->is_cpu = device->cpu;
	record->clock_hz = bench->clock_hz;
	record->units_factor = bench->units_factor;
	record->compute_units = device->compute_units;
	record->batch_items = bench->batch_items;
	record->max_batches = bench->max_batches;
	record->banks = device->cpu ? 0 : GPU_BANKS;
	record->local_bytes = device->local_bytes;
}

/* Order matters twice: the chains' program is built first and the others replace it; look-ups need
 * the cost of the logic that hides them. */
static int measure_chains(struct bench *bench, struct record *record)
{
	static int (*const parts[])(struct bench *, struct record *) = { measure_arithmetic, measure_memory,
		measure_launches, measure_stream, measure_lookups, measure_slices, measure_clock, measure_transfers,
		measure_tags, measure_build };
	const struct chain warm = { .kernel = "logic", .operations = 1 };
	int status = measure_build_chains(bench);

	if (status == GPUCRYPT_OK)
		status = bench_warm(bench, &warm);
	describe(record, bench);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && status == GPUCRYPT_OK; i++)
		status = parts[i](bench, record);
	record->spread = bench->spread;
	return status;
}

int measure_device(struct record *record, unsigned number, const char *folder)
{
	double begin = host_seconds();
	struct inventory inventory;
	const struct device *device;
	struct bench bench;
	int status;

	memset(record, 0, sizeof(*record));
	inventory_take(&inventory);
	device = inventory_choose(&inventory, number);
	if (device == NULL)
		return GPUCRYPT_DEVICE;
	status = bench_open(&bench, device);
	record->context_s = host_seconds() - begin;
	if (status == GPUCRYPT_OK)
		status = measure_speeds(record);
	if (status == GPUCRYPT_OK)
		status = measure_chains(&bench, record);
	bench_close(&bench);
	if (status == GPUCRYPT_OK && record->is_cpu && !slices_are_measured(record))
		measure_trials(record, number);
	if (status == GPUCRYPT_OK)
		status = measure_machine(record, folder);
	if (status == GPUCRYPT_OK && measure_engine(record, number) != GPUCRYPT_OK)
		fail_clear(); /* the rest holds */
	return status;
}
