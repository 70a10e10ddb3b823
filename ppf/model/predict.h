/*
 * The dissertation's model predicts the cycles of a kernel from the counts of a cipher, a device record and a launch.
 */
#ifndef PPF_MODEL_PREDICT_H
#define PPF_MODEL_PREDICT_H

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

#endif
