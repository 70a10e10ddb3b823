#include "ppf/model/machine.h"

#include <stdio.h>
#include <string.h>

#include "gpucrypt/engine/engine.h"
#include "gpucrypt/status.h"
#include "ppf/record/inventory.h"
#include "ppf/measure/measure.h"
#include "ppf/model/writeback.h"

/* Parts of the file name under which earlier releases kept a CPU's record together with the storage record. */
#define OLD_HOST_NAME   "host"
#define OLD_HOST_DRIVER "cpu"

#define DEFAULT_CPU "cpu"
#define FOLDER      "." /* whose file system counts */

/* Keep only the first note. */
static void note_once(struct machine *machine, const char *text)
{
	if (machine->note[0] == '\0')
		snprintf(machine->note, sizeof(machine->note), "%s", text);
}

/* Scale the speeds of all threads to the number of threads that this process may use. */
static void scale_host(struct machine *machine)
{
	struct host_record *host = &machine->host;
	struct storage_record *storage = &machine->storage;
	double factor = host->cpu_threads == 0 ? 1 : (double)machine->cpu_threads / host->cpu_threads;

	for (unsigned i = 0; i < host->cpu.n; i++)
		host->cpu.of[i].all_threads *= factor;
	host->tag.all_threads *= factor;
	host->copy.all_threads *= factor;
	if (storage->cpu_threads != 0)
		storage->read.all_threads *= (double)machine->cpu_threads / storage->cpu_threads;
	host->cpu_threads = storage->cpu_threads = machine->cpu_threads;
}

/* Fill in missing host and storage records from the device record of an earlier release. */
static void find_old_host(struct machine *machine, const char *name, const char *driver)
{
	struct host_record host;
	struct storage_record storage;
	const struct records records = { .host = &host, .storage = &storage };

	char text[RECORD_NOTE];
	bool found;

	if (machine->host_measured && machine->storage_measured)
		return;
	found = records_cached_with_device(&records, name, driver, text);
	note_once(machine, text);
	if (!found)
		return;
	if (!machine->host_measured)
		machine->host = host;
	if (!machine->storage_measured)
		machine->storage = storage;
	machine->host_measured = machine->storage_measured = true;
}

/* Read the cached records, or the records of earlier releases, or the defaults, in this order. */
static void find_host(struct machine *machine)
{
	struct host_record host = { .cpu_threads = 0 };
	struct storage_record storage = { .cpu_threads = 0 };
	const struct records defaults = { .host = &host, .storage = &storage };
	char text[RECORD_NOTE];

	machine->cpu_threads = plan_threads(&(struct gpucrypt_plan){ 0 });
	machine->unsynced_bytes = writeback_bytes();
	machine->host_measured = host_record_cached(&machine->host, text);
	note_once(machine, text);
	machine->storage_measured = storage_record_cached(&machine->storage, FOLDER, text);
	note_once(machine, text);
	for (unsigned i = 0; i < machine->n_devices; i++)
		if (machine->devices[i].measured)
			find_old_host(machine, machine->devices[i].device.name, machine->devices[i].device.driver);
	find_old_host(machine, OLD_HOST_NAME, OLD_HOST_DRIVER);
	if (records_parse(&defaults, records_builtin(DEFAULT_CPU), DEFAULT_CPU) != GPUCRYPT_OK)
		fail_clear();
	if (!machine->host_measured)
		machine->host = host;
	if (!machine->storage_measured)
		machine->storage = storage;
	scale_host(machine);
}

/* A record of another device describes one compute unit; the number of units comes from this device. */
static void find_record(struct machine *machine, struct machine_device *at)
{
	const struct device *device = &at->device;
	struct device_record *record = &at->record;
	char text[RECORD_NOTE];
	double units;

	if (device_record_find(record, device, &at->measured, text) != GPUCRYPT_OK) {
		memset(record, 0, sizeof(*record));
		fail_clear();
	}
	if (device->unusable[0] == '\0') /* an unusable device is not measured again */
		note_once(machine, text);
	if (at->measured || record->compute_units == 0 || device->compute_units == 0)
		return;
	units = (double)device->compute_units / record->compute_units;
	record->compute_units = device->compute_units;
	if (!device->cpu)
		record->global_bytes_per_s *= units;
}

static void complete_machine(struct machine *machine, const struct inventory *inventory)
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
		complete_machine(machine, &inventory);
	else
		find_host(machine);
	return found;
}

void machine_take(struct machine *machine)
{
	struct inventory inventory;

	inventory_renew(&inventory);
	complete_machine(machine, &inventory);
}

/* A measured record is used in this run even if the cache cannot be written. */
static void note_unkept(struct machine *machine, int status)
{
	if (status != GPUCRYPT_OK)
		note_once(machine, gpucrypt_error());
	fail_clear();
}

static int measure_devices(struct machine *machine)
{
	int status = GPUCRYPT_OK;

	for (unsigned i = 0; i < machine->n_devices && status == GPUCRYPT_OK; i++) {
		struct machine_device *at = &machine->devices[i];
		if (at->measured || at->device.unusable[0] != '\0')
			continue;
		status = measure_device(&at->record, i + 1, &machine->start);
		at->measured = status == GPUCRYPT_OK;
		if (at->measured)
			note_unkept(machine, device_record_keep(&at->record));
	}
	return status;
}

/* The host is measured twice, before and after the devices and the storage. */
int machine_measure(struct machine *machine)
{
	struct host_record host = { .cpu_threads = 0 };
	int status = machine->host_measured ? GPUCRYPT_OK : measure_host(&host);

	if (status == GPUCRYPT_OK)
		status = measure_devices(machine);
	if (status == GPUCRYPT_OK && !machine->storage_measured) {
		measure_storage(&machine->storage, FOLDER);
		machine->storage_measured = true;
		note_unkept(machine, storage_record_keep(&machine->storage, FOLDER));
	}
	if (status == GPUCRYPT_OK && !machine->host_measured) {
		status = measure_host(&host);
		machine->host = host;
		machine->host_measured = true;
		note_unkept(machine, host_record_keep(&machine->host));
	}
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
