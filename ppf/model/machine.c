#include "ppf/model/machine.h"

#include <stdio.h>
#include <string.h>

#include "gpucrypt/engine/engine.h"
#include "gpucrypt/status.h"
#include "ppf/record/inventory.h"
#include "ppf/measure/measure.h"
#include "ppf/model/writeback.h"

/* The record of a machine's CPU where no device's record holds it. */
#define HOST_NAME   "host"
#define HOST_DRIVER "cpu"
#define DEFAULT_CPU "cpu"

/* The first one is kept. */
static void note(struct machine *machine, const char *text)
{
	if (machine->note[0] == '\0')
		snprintf(machine->note, sizeof(machine->note), "%s", text);
}

/* Speeds of all threads are for as many as this process may use. */
static void scale_host(struct machine *machine)
{
	struct record *host = &machine->host;
	double factor = host->cpu_threads == 0 ? 1 : (double)machine->cpu_threads / host->cpu_threads;

	for (unsigned i = 0; i < host->n_cpu; i++)
		host->cpu[i].all_threads *= factor;
	host->tag.all_threads *= factor;
	host->copy.all_threads *= factor;
	host->read.all_threads *= factor;
	host->cpu_threads = machine->cpu_threads;
}

/* What was measured with a device, or by itself; else the default. */
static void find_host(struct machine *machine)
{
	machine->cpu_threads = plan_threads(&(struct gpucrypt_plan){ 0 });
	machine->unsynced_bytes = writeback_bytes();
	machine->host_measured = false;
	for (unsigned i = 0; i < machine->n_devices && !machine->host_measured; i++)
		if (machine->devices[i].measured && machine->devices[i].record.n_cpu > 0) {
			machine->host = machine->devices[i].record;
			machine->host_measured = true;
		}
	if (!machine->host_measured) {
		machine->host_measured = record_cached(&machine->host, HOST_NAME, HOST_DRIVER);
		note(machine, machine->host.note);
	}
	if (!machine->host_measured &&
	        record_parse(&machine->host, record_builtin(DEFAULT_CPU), DEFAULT_CPU) != GPUCRYPT_OK)
		fail_clear();
	scale_host(machine);
}

/* A record that stands for another device than its own says what a compute unit does. */
static void find_record(struct machine *machine, struct machine_device *at)
{
	const struct device *device = &at->device;
	struct record *record = &at->record;
	double units;

	if (record_find(record, device->name, device->vendor, device->driver, device->cpu, &at->measured) !=
	        GPUCRYPT_OK) {
		memset(record, 0, sizeof(*record));
		fail_clear();
	}
	if (device->unusable[0] == '\0') /* else it is not measured again either */
		note(machine, record->note);
	if (at->measured || record->compute_units == 0 || device->compute_units == 0)
		return;
	units = (double)device->compute_units / record->compute_units;
	record->compute_units = device->compute_units;
	if (!device->cpu)
		record->global_bytes_per_s *= units;
}

static void complete(struct machine *machine, const struct inventory *inventory)
{
	machine->n_devices = inventory->n_devices;
	machine->asked = true;
	memcpy(machine->failure, inventory->failure, sizeof(machine->failure));
	built_read(&machine->built);
	for (unsigned i = 0; i < inventory->n_devices; i++) {
		machine->devices[i].device = inventory->devices[i];
		find_record(machine, &machine->devices[i]);
	}
	find_host(machine);
}

bool machine_cached(struct machine *machine)
{
	struct inventory inventory;
	bool found;

	memset(machine, 0, sizeof(*machine));
	found = inventory_read(&inventory, machine->note, sizeof(machine->note));
	if (found)
		complete(machine, &inventory);
	else
		find_host(machine);
	return found;
}

void machine_take(struct machine *machine)
{
	char *surroundings = inventory_surroundings();
	struct inventory inventory;

	inventory_take(&inventory);
	inventory_keep(&inventory, surroundings);
	free(surroundings);
	complete(machine, &inventory);
}

/* The CPU alone, as a record of its own: what is required of a device comes from the default. */
static int measure_host(struct record *record)
{
	int status = record_parse(record, record_builtin(DEFAULT_CPU), DEFAULT_CPU);

	memset(record->cpu, 0, sizeof(record->cpu));
	record->tag = record->copy = (struct pace){ 0 };
	snprintf(record->name, sizeof(record->name), HOST_NAME);
	snprintf(record->driver, sizeof(record->driver), HOST_DRIVER);
	snprintf(record->source, sizeof(record->source),
	        "CPU and storage measured here; the device's figures are the default's");
	if (status == GPUCRYPT_OK)
		status = measure_speeds(record);
	return status == GPUCRYPT_OK ? measure_machine(record, ".") : status;
}

/* What is measured counts for this run even where it cannot be kept. */
static void keep(struct machine *machine, const struct record *record)
{
	if (record_keep(record) != GPUCRYPT_OK)
		note(machine, gpucrypt_error());
	fail_clear();
}

int machine_measure(struct machine *machine)
{
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < machine->n_devices && status == GPUCRYPT_OK; i++) {
		struct machine_device *at = &machine->devices[i];
		if (at->measured || at->device.unusable[0] != '\0')
			continue;
		status = measure_device(&at->record, i + 1, ".");
		at->measured = status == GPUCRYPT_OK;
		if (machine->start.open_s[i] > 0) {
			at->record.context_s = machine->start.open_s[i];
			at->record.close_s = at->device.cpu ? 0 : machine->start.close_s;
		}
		if (at->measured)
			keep(machine, &at->record);
	}
	if (status != GPUCRYPT_OK)
		return status;
	find_host(machine);
	if (machine->host_measured)
		return GPUCRYPT_OK;
	status = measure_host(&machine->host);
	machine->host_measured = status == GPUCRYPT_OK;
	if (machine->host_measured)
		keep(machine, &machine->host);
	scale_host(machine);
	return status;
}

bool machine_has_gpu(const struct machine *machine)
{
	for (unsigned i = 0; i < machine->n_devices; i++)
		if (!machine->devices[i].device.cpu && machine->devices[i].device.unusable[0] == '\0')
			return true;
	return false;
}
