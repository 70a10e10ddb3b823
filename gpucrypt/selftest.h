/* Known answers: an engine is believed only after it has given them. */
#ifndef SELFTEST_H
#define SELFTEST_H

#include "engine.h"

/* Known answers through this very engine: single blocks from the cipher's standard, then longer
 * buffers against the mode's definition computed block by block.  GPUCRYPT_DEVICE if one is wrong. */
int selftest_engine(struct engine *engine);

struct selftest_result {
	unsigned passed, failed, skipped;
};

/* Called for each configuration; text is NULL if it passed, else why it failed or was skipped. */
typedef void selftest_report(void *self, const char *configuration, int status, const char *text);

/*
 * The CPU engine and every usable OpenCL device (or only device number − 1): cipher × key size ×
 * mode × direction in the default form, then every form × placement once (128-bit CTR); with all,
 * the full product.  shard of n_shards: only configurations whose running number mod n_shards is
 * shard.
 */
int selftest_run(struct selftest_result *result, unsigned device, bool all, unsigned shard,
	unsigned n_shards, selftest_report *report, void *self);

#endif
