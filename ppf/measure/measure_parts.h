/* The parts of measure_device, each filling in its fields of the record. */
#ifndef MEASURE_PARTS_H
#define MEASURE_PARTS_H

#include "ppf/measure/bench.h"
#include "ppf/record/record.h"

/* The program of the chains; it has to stand built for measure_arithmetic() and for curves. */
int measure_build_chains(struct bench *bench);

int measure_arithmetic(struct bench *bench, struct record *record);
int measure_wide(struct bench *bench, struct record *record); /* with its own program */
int measure_memory(struct bench *bench, struct record *record);
int measure_lookups(struct bench *bench, struct record *record);
int measure_slices(struct bench *bench, struct record *record); /* on CPUs, else nothing */
int measure_clock(struct bench *bench, struct record *record);
int measure_launches(struct bench *bench, struct record *record);
int measure_stream(struct bench *bench, struct record *record);
int measure_transfers(struct bench *bench, struct record *record);
int measure_tags(struct bench *bench, struct record *record);
int measure_build(struct bench *bench, struct record *record);

/* One resource over 1, 2, 4, … resident batches. */
int measure_curve(struct bench *bench, struct curve *curve, const struct chain *chain);

#endif
