/*
 * The overlap model: a point estimate for devices whose pipes run side by side.  A batch of blocks
 * needs a number of cycles of each of them; the bottleneck binds, and pipes that are nearly as busy
 * contend with it.  Everything comes from the record's micro-benchmarks and the counts of the
 * source; nothing is fitted to cipher kernels.
 */
#ifndef OVERLAP_H
#define OVERLAP_H

#include <stdbool.h>

#include "ppf/model/predict.h"

/* How a kernel is shaped, beside its launch. */
struct kernel_shape {
	unsigned copies;              /* of the table in local memory */
	bool keys_local;              /* round keys in local memory */
	bool keys_constant;           /* or constant memory, on the same way; else they are operands */
	const struct profile *mode;   /* profile_mode(); NULL: the cipher alone */
	bool has_tweaks;              /* XTS: a pass before */
	double wavefronts;            /* of a batch's look-ups, by trace_wavefronts(); 0: not known */
	unsigned item_blocks;         /* that a work-item has at once: bitsliced, counters; 0: one */
	const struct profile *shared; /* what it does once for all of them; NULL: nothing */
};

/* Blocks of a bitsliced work-item on GPUs: a slice is a word. */
#define GPU_SLICE_BLOCKS 32

enum bottleneck {
	BOUND_LOCAL,
	BOUND_LOGIC,
	BOUND_MUL,
	BOUND_ISSUE,
	BOUND_GLOBAL,
	BOUND_LATENCY, /* a batch waits for itself: too few of them are resident */
	N_BOUNDS
};

extern const char *const bound_names[N_BOUNDS]; /* "local memory", … */

struct overlap_prediction {
	bool tried;                   /* seconds are those of a trial (trials.h), without cycles by resource */
	double cycles[N_BOUNDS];      /* of a batch of blocks on one compute unit, by resource */
	enum bottleneck bound;        /* of all */
	double contention;            /* exponent of the norm that joins them; large: the bottleneck alone */
	double batch_cycles;          /* joined */
	double unit_batches;          /* of the compute unit that works longest, one after the other */
	double launch_cycles;         /* starting and filling tables, of each launch */
	double tweak_cycles;          /* XTS: the pass before, with its launch */
	double total_cycles, seconds; /* of all */
};

/* One figure for the pipes' cycles, the bottleneck and those that contend with it; the record's own
 * balanced chain says how much they do. */
double overlap_join(const struct device_record *record, const double cycles[N_BOUNDS]);

/* false: the record lacks a figure: the dissertation's ones have no costs of look-ups, and
 * those of earlier releases none of a CPU's vectors, which slices are. */
bool predict_overlap(struct overlap_prediction *prediction, const struct device_record *record,
        const struct profile *profile, const struct kernel_shape *shape, const struct launch *launch);

#endif
