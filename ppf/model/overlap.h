/*
 * Models that predict the cycles of a kernel from the counts of a cipher, a device record and a launch.
 *
 * The overlap model: a point estimate for devices whose pipes run in parallel.  The blocks of a warp need a number of
 * cycles of each pipe.  The bottleneck limits the speed, and pipes that are nearly as busy contend with the bottleneck.
 * All figures come from the micro-benchmarks of the record and from the counts of the source; no figure is fitted to
 * cipher kernels.
 */
#ifndef PPF_MODEL_OVERLAP_H
#define PPF_MODEL_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

#include "gpucrypt/config.h"
#include "ppf/analysis/profile.h"
#include "ppf/record/device_record.h"

/* One launch of a kernel over a buffer.  The dissertation's model uses the first members only. */
struct launch {
	uint64_t n_bytes;
	struct kernel_config kernel;  /* spaces: MEMORY_OPEN is local for the table, and operands for the round keys */
	unsigned table_words;         /* words that each group copies to local memory */
	unsigned block_bytes;         /* bytes of the cipher's block; 0: 16 */
	const struct profile *mode;   /* profile_mode(); NULL: the cipher alone */
	bool has_tweaks;              /* XTS: a first pass computes the tweaks */
	double wavefronts;            /* accesses of a warp's look-ups, by trace_wavefronts(); 0: unknown */
	unsigned item_blocks;         /* blocks that a bitsliced or counter work-item has at once; 0: one */
	const struct profile *shared; /* work done once for all these blocks; NULL: none */
};

static inline double launch_block_bytes(const struct launch *launch)
{
	return launch->block_bytes > 0 ? launch->block_bytes : 16;
}

/*
 * The dissertation's bounds (equations 6.1 to 6.4), in core cycles.  SA, "scheduling-aware":
 * arithmetic is overlapped with memory accesses, the lower bound; SI, "scheduling-ignored": nothing is overlapped.
 */
struct thesis_prediction {
	double n_batch, n_iter;    /* batches (warps) in a group; blocks of a work-item, not rounded */
	double block_sa, block_si; /* L_enc_bt: the blocks of one batch */
	double l_ker, l_ld;        /* cycles of the launch; of copying tables to local memory */
	double total_sa, total_si; /* L_enc_total */
};

void predict_thesis(struct thesis_prediction *prediction, const struct device_record *record,
        const struct profile *profile, const struct launch *launch);

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
