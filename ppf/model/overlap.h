/*
 * The overlap model: a point estimate for devices whose pipes run in parallel.  The blocks of a warp need a number of
 * cycles of each pipe.  The bottleneck limits the speed, and pipes that are nearly as busy contend with the bottleneck.
 * All figures come from the micro-benchmarks of the record and from the counts of the source; no figure is fitted to
 * cipher kernels.
 */
#ifndef PPF_MODEL_OVERLAP_H
#define PPF_MODEL_OVERLAP_H

#include <stdbool.h>

#include "ppf/model/predict.h"

/* Blocks of a bitsliced work-item on GPUs, where a slice is one 32-bit word. */
#define GPU_SLICE_BLOCKS 32

enum bottleneck {
	BOUND_LOCAL,
	BOUND_LOGIC,
	BOUND_MUL,
	BOUND_ISSUE,
	BOUND_GLOBAL,
	BOUND_LATENCY, /* too few resident warps to overlap the latency of each warp */
	N_BOUNDS
};

extern const char *const bound_names[N_BOUNDS]; /* "local memory", … */

struct overlap_prediction {
	bool tried;              /* seconds come from a trial of such a kernel, and there are no cycles by resource */
	double cycles[N_BOUNDS]; /* cycles of a warp's blocks on one compute unit, by resource */
	enum bottleneck bound;   /* the bottleneck */
	double contention;    /* exponent of the norm that joins the cycles; a large one leaves only the bottleneck */
	double batch_cycles;  /* joined cycles of a warp's blocks */
	double unit_batches;  /* warps that the busiest compute unit runs one after another */
	double launch_cycles; /* start of each launch, and copying tables */
	double tweak_cycles;  /* XTS: the first pass, with its launch */
	double total_cycles, seconds; /* sums over the whole prediction */
};

/* Join the cycles of all pipes into one figure, the bottleneck plus the contention of the other pipes.  The balanced
 * chain of the record gives the amount of contention. */
double overlap_join(const struct device_record *record, const double cycles[N_BOUNDS]);

/* Returns false if the record lacks a figure: the dissertation's records have no costs of look-ups, and records of
 * earlier releases have no costs of CPU vectors, which bitsliced kernels need. */
bool predict_overlap(struct overlap_prediction *prediction, const struct device_record *record,
        const struct profile *profile, const struct launch *launch);

/* Why the estimate is outside the bounds SA and SI, or why its bottleneck is; NULL: the bounds cover it. */
const char *overlap_note(const struct overlap_prediction *prediction, const struct thesis_prediction *thesis);

#endif
