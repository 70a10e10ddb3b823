/* The measurements of a device.  Each measurement sets some members of the record. */
#ifndef PPF_MEASURE_MEASURE_PARTS_H
#define PPF_MEASURE_MEASURE_PARTS_H

#include "ppf/measure/bench.h"
#include "ppf/record/device_record.h"

#define BANKS                                                                                                  \
	32 /* banks of local memory on all current GPUs, each one word wide; also the most replicas of a table \
	    */

/* What a row varies.  OVER_BATCHES and OVER_WORDS measure a struct curve, the others a double. */
enum chain_launch {
	ONE_BATCH,
	ONE_GROUP,
	FULL_UNIT,    /* as many warps as a compute unit can hold */
	OVER_BATCHES, /* 1, 2, 4, … resident warps, up to a full unit */
	OVER_WORDS    /* tables of 2^8 to 2^17 words, in a full unit */
};

struct chain_row {
	const char *kernel;
	unsigned steps; /* operations of a work-item in one iteration of the loop */
	enum chain_launch launch;
	size_t figure;         /* offset in the struct of the results, whose figures are 0 before the first pass */
	unsigned table_words;  /* size of the table that is a random cycle of offsets; 0: no table */
	unsigned local_copies; /* replicas of the table in local memory; 0: the kernel takes no local memory */
	unsigned stride;       /* 0: all work-items start at the same entry */
	size_t zeros;          /* size of an input that is all zeros, instead of a table or random words */
	bool gpu_only;
};

/* The row of a kernel, whose figure is the record's member with the row's name. */
#define CHAIN_ROW(of, name, steps, launch, ...)                                          \
	{                                                                                \
#name, steps, launch, .figure = offsetof(struct of, name), ##__VA_ARGS__ \
	}

/*
 * Measure every row of a table, which a NULL kernel ends, in a number of passes.  A later pass replaces a figure only
 * by a lower one, because other programs on a CPU slow down different chains in each pass.  A row is skipped if its
 * replicas do not fit into local memory.  width: number of operations in one step.  Errors: as bench_cycles().
 */
int measure_rows(struct bench *bench, const struct chain_row *rows, unsigned width, unsigned passes, void *results);

/* What the operations of a chain cost besides the others in it: at least this part of the chain. */
double rest_cycles(double part, double chain, double others);

int measure_build_chains(struct bench *bench);
int measure_arithmetic(struct bench *bench, struct device_record *record);
int measure_wide(struct bench *bench, struct device_record *record); /* builds a separate program */
int measure_memory(struct bench *bench, struct device_record *record);
int measure_lookups(struct bench *bench, struct device_record *record);
int measure_slices(struct bench *bench, struct device_record *record); /* does nothing unless the device is a CPU */
int measure_launches(struct bench *bench, struct device_record *record);
int measure_stream(struct bench *bench, struct device_record *record);
int measure_transfers(struct bench *bench, struct device_record *record);
int measure_tags(struct bench *bench, struct device_record *record);

/* On a CPU whose slices could not be measured, time bitsliced kernels by the OpenCL engine for record->trials.  The
 * entry of a kernel that cannot run stays 0. */
void measure_trials(struct device_record *record, unsigned number);

/* Time the build of cipher programs that are not cached, with a context that exists.  number: as in a plan. */
int measure_build(struct device_record *record, unsigned number);

/* Time the one-time work of a run with the device: known-answer tests, queues, page-locked memory.  Opening the context
 * and building programs are not included.  number: as in a plan. */
int measure_engine(struct device_record *record, unsigned number);

#endif
