#include "ppf/model/machine.h"

#include <stdio.h>
#include <string.h>

#include "gpucrypt/engine/engine.h"
#include "gpucrypt/status.h"
#include "ppf/measure/measure.h"

#define DEFAULT_CPU "cpu"
#define FOLDER      "." /* whose file system counts */

#define VM "/proc/sys/vm/dirty_background_"

/* Read a number in this format from the first line of a file; 0: there is no such number. */
static uint64_t read_number(const char *path, const char *format)
{
	FILE *file = fopen(path, "re");
	unsigned long long n = 0;
	char line[128];
	int found = 0;

	while (file != NULL && found != 1 && fgets(line, sizeof(line), file) != NULL)
		found = sscanf(line, format, &n);
	if (file != NULL)
		fclose(file);
	return found == 1 ? n : 0;
}

/* The amount of written data that the system keeps in memory before it starts to store the data; UINT64_MAX: all,
 * because the system does not report a limit.  Linux, Documentation/admin-guide/sysctl/vm.rst: the limit is a number of
 * bytes, or a percentage of the available memory. */
static uint64_t writeback_bytes(void)
{
	uint64_t bytes = read_number(VM "bytes", "%llu"), per_cent = read_number(VM "ratio", "%llu"),
	         available_kib = read_number("/proc/meminfo", "MemAvailable: %llu");

	if (bytes == 0)
		bytes = (available_kib << 10) / 100 * per_cent;
	return bytes == 0 ? UINT64_MAX : bytes;
}

/* Scale the speeds of all threads to the number of threads that this process may use. */
static void scale_host(struct machine *machine)
{
	struct host_record *host = &machine->host;
	struct storage_record *storage = &machine->storage;
	double factor = host->cpu_threads == 0 ? 1 : (double)machine->cpu_threads / host->cpu_threads;

	for (unsigned i = 0; i < host->cpu.n; i++)
		host->cpu.of[i].pace.all_threads *= factor;
	host->tag.all_threads *= factor;
	host->copy.all_threads *= factor;
	if (storage->cpu_threads != 0)
		storage->read.all_threads *= (double)machine->cpu_threads / storage->cpu_threads;
	host->cpu_threads = storage->cpu_threads = machine->cpu_threads;
}

/* Read the cached records, or else the defaults. */
static void find_host(struct machine *machine, const json_t *cache)
{
	struct host_record host = { .cpu_threads = 0 };
	struct storage_record storage = { .cpu_threads = 0 };
	const struct records defaults = { .host = &host, .storage = &storage };

	machine->cpu_threads = plan_threads(&(struct gpucrypt_plan){ 0 });
	machine->unsynced_bytes = writeback_bytes();
	machine->host_measured = host_record_cached(&machine->host, cache, machine->note);
	machine->storage_measured = storage_record_cached(&machine->storage, cache, FOLDER, machine->note);
	if (records_parse(&defaults, records_builtin(DEFAULT_CPU), DEFAULT_CPU) != GPUCRYPT_OK)
		fail_clear();
	if (!machine->host_measured)
		machine->host = host;
	if (!machine->storage_measured)
		machine->storage = storage;
	scale_host(machine);
}

/* A record of another device describes one compute unit; the number of units comes from this device. */
static void find_record(struct machine *machine, struct machine_device *at, const json_t *cache)
{
	const struct device *device = &at->device;
	struct device_record *record = &at->record;
	char unused[CACHE_NOTE] = ""; /* an unusable device is not measured again */
	double units;

	if (device_record_find(record, device, cache, &at->measured,
	            device->unusable[0] == '\0' ? machine->note : unused) != GPUCRYPT_OK) {
		memset(record, 0, sizeof(*record));
		fail_clear();
	}
	if (at->measured || record->compute_units == 0 || device->compute_units == 0)
		return;
	units = (double)device->compute_units / record->compute_units;
	record->compute_units = device->compute_units;
	if (!device->cpu)
		record->global_bytes_per_s *= units;
}

static void complete_machine(struct machine *machine, const struct inventory *inventory, const json_t *cache)
{
	machine->n_devices = inventory->n_devices;
	machine->asked = true;
	memcpy(machine->failure, inventory->failure, sizeof(machine->failure));
	built_read(&machine->built, cache);
	for (unsigned i = 0; i < inventory->n_devices; i++) {
		machine->devices[i].device = inventory->devices[i];
		find_record(machine, &machine->devices[i], cache);
	}
	find_host(machine, cache);
}

bool machine_cached(struct machine *machine)
{
	struct inventory inventory;
	json_t *cache;
	bool found;

	memset(machine, 0, sizeof(*machine));
	cache = cache_read(machine->note);
	found = inventory_read(&inventory, cache, machine->note);
	if (found)
		complete_machine(machine, &inventory, cache);
	else
		find_host(machine, cache);
	json_decref(cache);
	return found;
}

void machine_take(struct machine *machine)
{
	struct inventory inventory;
	json_t *cache;

	inventory_renew(&inventory);
	cache = cache_read(machine->note);
	complete_machine(machine, &inventory, cache);
	json_decref(cache);
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
		if (at->measured && records_keep(&(struct records){ .device = &at->record }, NULL) != GPUCRYPT_OK)
			cache_note(machine->note);
	}
	return status;
}

/* The host is measured twice, before and after the devices and the storage.  A measured record is used in this run even
 * if the cache cannot be written. */
int machine_measure(struct machine *machine)
{
	struct host_record host = { .cpu_threads = 0 };
	struct records fresh = { .device = NULL };
	int status = (machine->host_measured ? GPUCRYPT_OK : measure_host(&host)) ?: measure_devices(machine);

	if (status == GPUCRYPT_OK && !machine->storage_measured) {
		measure_storage(&machine->storage, FOLDER);
		machine->storage_measured = true;
		fresh.storage = &machine->storage;
	}
	if (status == GPUCRYPT_OK && !machine->host_measured) {
		status = measure_host(&host);
		machine->host = host;
		machine->host_measured = true;
		fresh.host = &machine->host;
	}
	if (records_keep(&fresh, FOLDER) != GPUCRYPT_OK)
		cache_note(machine->note);
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
