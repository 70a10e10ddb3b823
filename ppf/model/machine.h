/*
 * What this machine has, as far as choosing needs to know it: its OpenCL devices with their records,
 * and its CPU.  It comes from a cached inventory, so that OpenCL is opened only by those who use it.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include "ppf/record/built.h"
#include "gpucrypt/device/device.h"
#include "ppf/record/records.h"
#include "ppf/measure/start.h"

struct machine_device {
	struct device device; /* id and platform are NULL when it comes from the cache */
	struct device_record record;
	bool measured; /* the record was measured on this very device and driver */
};

struct machine {
	struct machine_device devices[MAX_DEVICES]; /* devices[i] is plan.device i + 1 */
	struct start_seconds start;                 /* where it was asked before measuring */
	unsigned n_devices;
	bool asked;                    /* the devices are known; else only the CPU is */
	char failure[160];             /* why there is no device at all; "" if there is one */
	unsigned cpu_threads;          /* that this process may use */
	uint64_t unsynced_bytes;       /* of output: the system begins to store it when it is more */
	struct host_record host;       /* measured here, or the default scaled to cpu_threads */
	struct storage_record storage; /* of the current folder's file system, or the default */
	bool host_measured, storage_measured;
	struct built built; /* programs that need not be built again */
	char note[RECORD_NOTE];     /* one line about what was skipped (a damaged record …); "" if nothing */
};

/* From the cache alone, under 2 ms; false: there is no inventory, or it is stale, and only the CPU's
 * part is filled in. */
bool machine_cached(struct machine *machine);

/* Asks OpenCL, and keeps the inventory for the next time where the cache folder can be written.
 * The note of machine_cached() stays. */
void machine_take(struct machine *machine);

/* Measures what has no record of its own yet (seconds a device) and keeps it.  The machine was taken
 * before. */
int machine_measure(struct machine *machine);

/* Is there a device that can be used and is no CPU? */
bool machine_has_gpu(const struct machine *machine);

#endif
