/* Measuring: everything that records hold. */
#ifndef MEASURE_H
#define MEASURE_H

#include "ppf/measure/start.h"
#include "ppf/record/records.h"

/*
 * Measure the device a plan means (1 + its number; 0: the best one), in tens of seconds.  start: of this process's
 * start_seconds(), or NULL.  GPUCRYPT_DEVICE if there is no such device, or a number came out below the physical
 * minimum.
 */
int measure_device(struct device_record *record, unsigned number, const struct start_seconds *start);

/*
 * Measure this host's CPU.  Speeds faster than the record's replace them, 0 being none: what a hypervisor takes from
 * its guest, or other work from this, may last some seconds, so it pays to measure twice, with something else between.
 */
int measure_host(struct host_record *record);

/* Write a file without a name and of so many bytes in a folder, sync it, and read it again.  GPUCRYPT_IO. */
#define STORAGE_BYTES (64u << 20)
int measure_folder(struct storage_record *record, const char *folder);

/* The same, or in /tmp if a folder cannot be written; the record's numbers are 0 if /tmp cannot either. */
void measure_storage(struct storage_record *record, const char *folder);

#endif
