/* Measuring a device and this machine: everything a device record holds. */
#ifndef MEASURE_H
#define MEASURE_H

#include "ppf/record/record.h"

/*
 * Measure the device a plan means (1 + its number; 0: the best one) and this machine's libcrypto,
 * tags and storage (in the folder, "." is usual, or else in /tmp).  Takes a few seconds besides
 * program builds.
 * GPUCRYPT_DEVICE if there is no such device, or a figure came out below the physical minimum.
 */
int measure_device(struct record *record, unsigned number, const char *folder);

/*
 * Suites, tags and copies on this machine's CPU.  What is faster than the record's figures replaces them, 0
 * being none: what a host takes from its guest, or other work from this, may last some seconds, so it pays
 * to ask twice, with something else between.
 */
int measure_speeds(struct record *record);

/* Storage in the folder, which other folders may differ from: writing, syncing, reading again, of a file
 * without a name of so many bytes. */
#define STORAGE_BYTES (64u << 20)
int measure_storage(struct record *record, const char *folder);

/* What else needs no device, after measure_speeds(): starting, storage, and speeds once more. */
int measure_machine(struct record *record, const char *folder);

/* After that, of a device (number as in a plan), what a run with it does once, but for its context and for building
 * programs: known answers, queues, page-locked memory. */
int measure_engine(struct record *record, unsigned number);

#endif
