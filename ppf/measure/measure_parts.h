/* The measurements of a device, each filling in its members of the record. */
#ifndef MEASURE_PARTS_H
#define MEASURE_PARTS_H

#include "ppf/measure/bench.h"
#include "ppf/record/device_record.h"

/* What measurements need and leave. */
enum measured {
	MEASURED_CHAINS = 1 << 0,    /* the program of the chains stands built in the bench */
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
	unsigned reads, writes; /* bit sets of enum measured: what it needs of those before it, and what it leaves */
	unsigned replaces;      /* what is gone afterwards: another program was built */
};

/* In their order; ends with a NULL name. */
extern const struct measurement measurements[];

/* Run a table of them; GPUCRYPT_OTHER where one of them comes before what it reads. */
int measure_all(struct bench *bench, struct device_record *record, const struct measurement *table);

int measure_build_chains(struct bench *bench);
int measure_arithmetic(struct bench *bench, struct device_record *record);
int measure_wide(struct bench *bench, struct device_record *record); /* with its own program */
int measure_memory(struct bench *bench, struct device_record *record);
int measure_lookups(struct bench *bench, struct device_record *record);
int measure_slices(struct bench *bench, struct device_record *record); /* on CPUs, else nothing */
int measure_clock(struct bench *bench, struct device_record *record);
int measure_launches(struct bench *bench, struct device_record *record);
int measure_stream(struct bench *bench, struct device_record *record);
int measure_transfers(struct bench *bench, struct device_record *record);
int measure_tags(struct bench *bench, struct device_record *record);
int measure_build(struct bench *bench, struct device_record *record);

/* Time bitsliced kernels by the OpenCL engine for record->trials, on a CPU whose slices could not be measured; a kernel
 * that cannot be run stays 0. */
void measure_trials(struct device_record *record, unsigned number);

/* What a run with the device does once, but for its context and for building programs: known answers, queues,
 * page-locked memory.  number: as in a plan. */
int measure_engine(struct device_record *record, unsigned number);

/* One resource over 1, 2, 4, … resident batches. */
int measure_curve(struct bench *bench, struct curve *curve, const struct chain *chain);

#endif
