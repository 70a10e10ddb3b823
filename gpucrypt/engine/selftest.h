/* Known-answer tests.  An engine must pass these tests before it processes data. */
#ifndef GPUCRYPT_ENGINE_SELFTEST_H
#define GPUCRYPT_ENGINE_SELFTEST_H

#include "gpucrypt/engine/engine.h"

/* Single blocks from the cipher's standard, then longer buffers against the mode's definition, computed block by
 * block.  GPUCRYPT_DEVICE if an answer is wrong. */
int selftest_engine(struct engine *engine);

struct selftest_result {
	unsigned count[3]; /* number of configurations, by outcome */
};

enum selftest_outcome { SELFTEST_PASSED, SELFTEST_FAILED, SELFTEST_SKIPPED };

/* Called for each configuration, whose plan has the table form if it is of a device; text says why it failed or was
 * skipped ("" if it passed). */
typedef void selftest_report(void *self, const struct gpucrypt_plan *plan, const char *configuration,
        enum selftest_outcome outcome, const char *text);

/*
 * The CPU engine in every instruction form, the reference implementation in every form and every usable OpenCL device,
 * or only the plan's device: cipher × key size × mode × direction in the default form, then every form × placement once
 * (128-bit CTR); with all, the full product.  Devices use the plan's work-items and work-groups.
 * shard of n_shards: only configurations whose number mod n_shards is shard.
 */
int selftest_run(struct selftest_result *result, const struct gpucrypt_plan *plan, bool all, unsigned shard,
        unsigned n_shards, selftest_report *report, void *self);

#endif
