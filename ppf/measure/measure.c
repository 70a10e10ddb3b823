#include "ppf/measure/measure.h"

#include <stdio.h>
#include <string.h>

#include "gpucrypt/status.h"
#include "ppf/measure/measure_parts.h"

static int build_chains(struct bench *bench, struct device_record *record)
{
	(void)record;
	return measure_build_chains(bench);
}

static int measure_units(struct bench *bench, struct device_record *record)
{
	const struct chain warm = { .kernel = "logic", .operations = 1 };
	const struct device *device = bench->device;
	int status = bench_warm(bench, &warm);

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

const struct measurement measurements[] = {
	{ "chains", build_chains, 0, MEASURED_CHAINS, 0 },
	{ "units", measure_units, MEASURED_CHAINS, MEASURED_UNITS, 0 },
	{ "arithmetic", measure_arithmetic, MEASURED_CHAINS | MEASURED_UNITS, MEASURED_OPERATORS, 0 },
	{ "memory", measure_memory, MEASURED_CHAINS | MEASURED_UNITS, MEASURED_MEMORY, 0 },
	{ "launches", measure_launches, MEASURED_CHAINS, MEASURED_LAUNCH, 0 },
	{ "stream", measure_stream, MEASURED_CHAINS, MEASURED_STREAM, 0 },
	{ "lookups", measure_lookups, MEASURED_UNITS | MEASURED_OPERATORS | MEASURED_MEMORY, MEASURED_LOOKUPS,
	        MEASURED_CHAINS },
	{ "slices", measure_slices, MEASURED_UNITS, MEASURED_SLICES, MEASURED_CHAINS },
	{ "clock", measure_clock, MEASURED_UNITS | MEASURED_LAUNCH, MEASURED_CLOCK, MEASURED_CHAINS },
	{ "transfers", measure_transfers, 0, MEASURED_TRANSFERS, 0 },
	{ "tags", measure_tags, 0, MEASURED_TAGS, 0 },
	{ "build", measure_build, 0, MEASURED_BUILD, 0 },
	{ NULL, NULL, 0, 0, 0 },
};

int measure_all(struct bench *bench, struct device_record *record, const struct measurement *table)
{
	unsigned done = 0;
	int status = GPUCRYPT_OK;

	for (const struct measurement *m = table; m->name != NULL && status == GPUCRYPT_OK; m++) {
		if ((m->reads & ~done) != 0)
			return fail(
			        GPUCRYPT_OTHER, "measurement \"%s\" needs the results of a later measurement", m->name);
		status = m->measure(bench, record);
		done = (done & ~m->replaces) | m->writes;
	}
	return status;
}

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
	if (status == GPUCRYPT_OK)
		status = measure_all(&bench, record, measurements);
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
