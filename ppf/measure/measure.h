/* Measurement of all figures of the records, and of the time that a process needs to open and release devices. */
#ifndef PPF_MEASURE_MEASURE_H
#define PPF_MEASURE_MEASURE_H

#include "gpucrypt/device/device.h"
#include "ppf/record/records.h"

struct start_seconds {
	double open_s[MAX_DEVICES]; /* from the start of OpenCL to a context, for each device of the inventory */
	/* From the end of the program to the end of the process, which holds contexts, queues and some memory of all
	 * devices. */
	double close_s;
};

/*
 * Measure both times in child processes; 0: unknown.  The first of two children reads the drivers from storage, so its
 * times are discarded.  Call this before the process opens OpenCL, because drivers do not survive fork().
 */
void start_seconds(struct start_seconds *seconds);

/*
 * Measure a device, which takes tens of seconds.  number: as in a plan (1 + the device's number; 0: the best device).
 * start: the result of start_seconds() in this process, or NULL.
 * Errors: GPUCRYPT_DEVICE if there is no such device, or if a figure is below the physical minimum.
 */
int measure_device(struct device_record *record, unsigned number, const struct start_seconds *start);

/*
 * Measure this host's CPU.  A measured speed replaces the speed in the record only if it is faster (0: not measured).
 * Callers measure twice with other work between, because a hypervisor or other programs may slow the CPU for seconds.
 */
int measure_host(struct host_record *record);

#define STORAGE_BYTES (64u << 20)

/* Write an unnamed file of STORAGE_BYTES in a folder, sync it, and read it again.  Errors: GPUCRYPT_IO. */
int measure_folder(struct storage_record *record, const char *folder);

/* Measure storage in the folder, or in /tmp if the folder is not writable; the figures are 0 if neither is writable. */
void measure_storage(struct storage_record *record, const char *folder);

#endif
