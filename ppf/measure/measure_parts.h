/* The measurements of a device.  Each measurement sets some members of the record. */
#ifndef MEASURE_PARTS_H
#define MEASURE_PARTS_H

#include "ppf/measure/bench.h"
#include "ppf/record/device_record.h"

/* Results that measurements need and produce. */
enum measured {
	MEASURED_CHAINS = 1 << 0,    /* the bench holds the built program of the chains */
	MEASURED_UNITS = 1 << 1,     /* clock, units, batches, banks */
	MEASURED_OPERATORS = 1 << 2, /* operator_cycles, fusion_cycles, issue_cycles, arithmetic */
	MEASURED_MEMORY = 1 << 3,    /* curves of local, constant and global memory, copies_cycles */
	MEASURED_LAUNCH = 1 << 4,    /* launch_s, enqueue_s, group_cycles, table_load */
	MEASURED_STREAM = 1 << 5,
	MEASURED_LOOKUPS = 1 << 6,
	MEASURED_SLICES = 1 << 7,
	MEASURED_CLOCK = 1 << 8,
	MEASURED_TRANSFERS = 1 << 9,
	MEASURED_TAGS = 1 << 10,
	MEASURED_BUILD = 1 << 11
};

struct measurement {
	const char *name;
	int (*measure)(struct bench *bench, struct device_record *record);
	unsigned reads,
	        writes;    /* bit sets of enum measured: results that this measurement needs, and that it produces */
	unsigned replaces; /* results that become invalid, because another program was built */
};

/* In order of execution; a NULL name ends the table. */
extern const struct measurement measurements[];

/* Run a table of measurements.  Errors: GPUCRYPT_OTHER if a measurement needs a result that is not there yet. */
int measure_all(struct bench *bench, struct device_record *record, const struct measurement *table);

int measure_build_chains(struct bench *bench);
int measure_arithmetic(struct bench *bench, struct device_record *record);
int measure_wide(struct bench *bench, struct device_record *record); /* builds a separate program */
int measure_memory(struct bench *bench, struct device_record *record);
int measure_lookups(struct bench *bench, struct device_record *record);
int measure_slices(struct bench *bench, struct device_record *record); /* does nothing unless the device is a CPU */
int measure_clock(struct bench *bench, struct device_record *record);
int measure_launches(struct bench *bench, struct device_record *record);
int measure_stream(struct bench *bench, struct device_record *record);
int measure_transfers(struct bench *bench, struct device_record *record);
int measure_tags(struct bench *bench, struct device_record *record);
int measure_build(struct bench *bench, struct device_record *record);

/* On a CPU whose slices could not be measured, time bitsliced kernels by the OpenCL engine for record->trials.  The
 * entry of a kernel that cannot run stays 0. */
void measure_trials(struct device_record *record, unsigned number);

/* Time the one-time work of a run with the device: known-answer tests, queues, page-locked memory.  Opening the context
 * and building programs are not included.  number: as in a plan. */
int measure_engine(struct device_record *record, unsigned number);

/* Measure one resource over 1, 2, 4, … resident warps (batches). */
int measure_curve(struct bench *bench, struct curve *curve, const struct chain *chain);

#endif
