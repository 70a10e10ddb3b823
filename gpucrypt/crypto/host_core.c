/*
 * One instance of a cipher core for the host, compiled once for each cipher and table form with
 * -DCORE_FILE="kernels/ciphers/aes/aes.cl" -DCACHED_FILE="kernels/ciphers/aes/aes_cached.cl" -DTABLE_FORM=1
 * -DHOST_CORE=host_core_aes_1.  In CTR the common part of neighbouring blocks is computed once.
 */
#include "gpucrypt/crypto/host_core.h"

#include "kernels/common/table.cl"
#include CORE_FILE
#include CACHED_FILE
#include "kernels/common/tweak.cl"

#define crypt_block ecb_block
#include "kernels/modes/ecb.cl"
#undef crypt_block
#define COUNTERS    256
#define crypt_block ctr_group
#include "kernels/modes/ctr_cached.cl"
#undef crypt_block
#define crypt_block xts_block
#include "kernels/modes/xts.cl"
#undef crypt_block

#define CRYPT_BLOCKS(name, crypt, n, step)                                                                 \
	static void name##_blocks(                                                                         \
	        const block *in, block *out, const struct span *span, const struct core_keys *k, tables t) \
	{                                                                                                  \
		for (block_number i = 0; i < (n); i += (step))                                             \
			crypt(in, out, i, span, &k->round, t);                                             \
	}
CRYPT_BLOCKS(ecb, ecb_block, span->n_blocks, 1)
CRYPT_BLOCKS(ctr, ctr_group, GRID_BLOCKS(span), COUNTERS)
CRYPT_BLOCKS(xts, xts_block, span->n_blocks, 1)

static void all_tweaks(block *tweaks, uint64_t n_units, const struct span *span, const struct core_keys *k, tables t)
{
	for (block_number unit = 0; unit < n_units; unit++)
		tweak_block(tweaks, unit, span, &k->round, t);
}

extern const struct host_core HOST_CORE;
const struct host_core HOST_CORE = {
	.crypt = {
#define X(NAME, name, ...) [MODE_##NAME] = name##_blocks,
#include "kernels/modes.inc"
#undef X
	},
	.tweaks = all_tweaks,
};
