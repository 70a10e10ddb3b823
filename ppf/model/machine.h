/*
 * The machine as the chooser sees it: the CPU, and the OpenCL devices with their records.  The devices come from a
 * cached inventory, so that only a run on a device opens OpenCL.
 */
#ifndef PPF_MODEL_MACHINE_H
#define PPF_MODEL_MACHINE_H

#include "ppf/record/inventory.h"
#include "gpucrypt/device/device.h"
#include "ppf/record/records.h"
#include "ppf/measure/measure.h"

struct machine_device {
	struct device device; /* id and platform are NULL if the inventory is cached */
	struct device_record record;
	bool measured; /* the record was measured on this device and driver */
};

struct machine {
	struct machine_device devices[MAX_DEVICES]; /* devices[i] is plan.device i + 1 */
	struct start_seconds start;                 /* set if measured before the devices */
	unsigned n_devices;
	bool asked;                    /* the devices are known; false: only the CPU is known */
	char failure[320];             /* why there is no device; "" if there is a device */
	unsigned cpu_threads;          /* number of threads that this process may use */
	uint64_t unsynced_bytes;       /* the system starts to store output above this amount */
	struct host_record host;       /* measured here, or the default scaled to cpu_threads */
	struct storage_record storage; /* record of the current folder's file system, or the default */
	bool host_measured, storage_measured;
	struct built built;    /* programs that the drivers have built before */
	char note[CACHE_NOTE]; /* one line about a skipped record, for example a damaged one; "" if none */
};

/* Fill in the machine from the cache only, in less than 2 ms.  Returns false if the inventory is missing or stale; then
 * only the members of the CPU are set. */
bool machine_cached(struct machine *machine);

/* Probe the drivers, and write the inventory to the cache folder if possible (inventory_renew()).  The note of
 * machine_cached() stays. */
void machine_take(struct machine *machine);

/* Measure every device without a record of its own, which takes seconds per device, and the CPU, and write the records
 * to the cache.  Call machine_take() before. */
int machine_measure(struct machine *machine);

/* The device by its number in a plan; 0: the CPU, NULL. */
static inline const struct machine_device *machine_device(const struct machine *machine, unsigned number)
{
	return number == 0 ? NULL : &machine->devices[number - 1];
}

/* Whether the machine has a usable device that is not a CPU. */
bool machine_has_gpu(const struct machine *machine);

#endif
