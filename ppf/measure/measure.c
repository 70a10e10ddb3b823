#include "ppf/measure/measure.h"

#include <stdio.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/measure/measure_parts.h"

static int measure_units(struct bench *bench, struct device_record *record)
{
	const struct chain warm = { .kernel = "logic", .operations = 1 };
	const struct device *device = bench->device;
	int status = measure_build_chains(bench) ?: bench_warm(bench, &warm);

	record->is_cpu = device->cpu;
	record->clock_hz = bench->clock_hz;
	record->units_factor = bench->units_factor;
	record->compute_units = device->compute_units;
	record->batch_items = bench->batch_items;
	record->max_batches = bench->max_batches;
	record->banks = device->cpu ? 0 : BANKS;
	record->local_bytes = device->local_bytes;
	return status;
}

/* In this order: the chains of operators, memory, launches and streams are in one program, which look-ups replace by
 * their own.  Look-ups subtract what operators cost, and use replicas only if they fit into local memory.  The clock
 * subtracts the time of a launch. */
static int (*const measurements[])(struct bench *bench, struct device_record *record) = { measure_units,
	measure_arithmetic, measure_memory, measure_launches, measure_stream, measure_lookups, measure_slices,
	measure_clock, measure_transfers, measure_tags, measure_build };

static void name_record(struct device_record *record, const struct bench *bench)
{
	const struct device *device = bench->device;
	char date[16];

	write_date(date);
	snprintf(record->name, sizeof(record->name), "%s", device->name);
	snprintf(record->vendor, sizeof(record->vendor), "%s", device->vendor);
	snprintf(record->driver, sizeof(record->driver), "%s", device->driver);
	snprintf(record->source, sizeof(record->source), "measured by ppf measure on %s, %.60s, %s clock", date,
	        device->platform_name, bench->device_time ? "device's" : "host's");
	record->spread = bench->spread;
}

/* Measure by micro-benchmarks.  The bench is closed before engines open the device. */
static int measure_by_bench(struct device_record *record, const struct device *device, double begin)
{
	struct bench bench;
	int status = bench_open(&bench, device);

	record->context_s = host_seconds() - begin;
	for (size_t i = 0; i < sizeof(measurements) / sizeof(*measurements) && status == GPUCRYPT_OK; i++)
		status = measurements[i](&bench, record);
	if (status == GPUCRYPT_OK)
		name_record(record, &bench);
	bench_close(&bench);
	return status;
}

int measure_device(struct device_record *record, unsigned number, const struct start_seconds *start)
{
	double begin = host_seconds();
	struct inventory inventory;
	const struct device *device;
	int status;

	memset(record, 0, sizeof(*record));
	inventory_take(&inventory);
	device = inventory_choose(&inventory, number);
	if (device == NULL)
		return GPUCRYPT_DEVICE;
	status = measure_by_bench(record, device, begin);
	if (status != GPUCRYPT_OK)
		return status;
	if (record->is_cpu && !device_record_has_slices(record))
		measure_trials(record, number);
	if (measure_engine(record, number) != GPUCRYPT_OK)
		fail_clear(); /* the other figures remain valid */
	if (start != NULL && start->open_s[device - inventory.devices] > 0) {
		record->context_s = start->open_s[device - inventory.devices];
		record->close_s = device->cpu ? 0 : start->close_s;
	}
	return GPUCRYPT_OK;
}
