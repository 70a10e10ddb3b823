/*
 * One instance of a cipher core for the host, compiled once for each cipher and table form with
 * -DCORE_FILE="kernels/ciphers/aes/aes.cl" -DCACHED_FILE="kernels/ciphers/aes/aes_cached.cl" -DTABLE_FORM=1
 * -DHOST_CORE=host_core_aes_1.  In CTR the common part of neighbouring blocks is computed once.
 *
 * Bitsliced: once for each cipher with -DGATES_FILE="kernels/ciphers/aes/aes_gates.cl"
 * -DCORE_FILE="kernels/ciphers/aes/aes_slice.cl" -DHOST_CORE=host_core_aes_0; and, on x86-64, again for longer
 * registers, which this one hands over to where the processor has them
 * (-DAVX2_CORE=host_core_aes_0_avx2 -DAVX512_CORE=host_core_aes_0_avx512).
 */
#include "gpucrypt/crypto/host_core.h"

#if defined GATES_FILE && !defined SLICE_WORDS
#define SLICE_WORDS 8
#endif

#include "kernels/common/table.cl"
#ifdef GATES_FILE
#include "kernels/common/slice.cl"
#include GATES_FILE
#include CORE_FILE
#include "kernels/common/tweak.cl"

#define crypt_block ecb_block
#include "kernels/modes/ecb_slice.cl"
#undef TWEAK_ROW
#undef crypt_block
#define crypt_block ctr_block
#include "kernels/modes/ctr_slice.cl"
#undef crypt_block
#include "kernels/modes/xts_slice.cl"
#define crypt_block xts_block
#include "kernels/modes/ecb_slice.cl"
#undef crypt_block
#define STEP_BLOCKS       SLICE_BLOCKS
#define COUNTERS          SLICE_BLOCKS
#define GRID_BLOCKS(span) ((span)->n_blocks)
#else
#include CORE_FILE
#include CACHED_FILE
#include "kernels/common/tweak.cl"

#define crypt_block ecb_block
#include "kernels/modes/ecb.cl"
#undef crypt_block
#define COUNTERS    256
#define crypt_block ctr_block
#include "kernels/modes/ctr_cached.cl"
#undef crypt_block
#define crypt_block xts_block
#include "kernels/modes/xts.cl"
#undef crypt_block
#define STEP_BLOCKS 1
#endif

#ifdef AVX2_CORE
extern const struct host_core AVX2_CORE, AVX512_CORE;

static const struct host_core *wide_core(void)
{
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
	        __builtin_cpu_supports("avx512bw"))
		return &AVX512_CORE;
	return __builtin_cpu_supports("avx2") ? &AVX2_CORE : NULL;
}

#define HAND_OVER(function, ...)                    \
	if (wide_core() != NULL) {                  \
		wide_core()->function(__VA_ARGS__); \
		return;                             \
	}
#else
#define HAND_OVER(function, ...)
#endif

#define CRYPT_BLOCKS(NAME, name, n, step)                                                                  \
	static void name##_blocks(                                                                         \
	        const block *in, block *out, const struct span *span, const struct core_keys *k, tables t) \
	{                                                                                                  \
		HAND_OVER(crypt[MODE_##NAME], in, out, span, k, t)                                         \
		for (block_number i = 0; i < (n); i += (step))                                             \
			name##_block(in, out, i, span, &k->round, t);                                      \
	}
CRYPT_BLOCKS(ECB, ecb, span->n_blocks, STEP_BLOCKS)
CRYPT_BLOCKS(CTR, ctr, GRID_BLOCKS(span), COUNTERS)
CRYPT_BLOCKS(XTS, xts, span->n_blocks, STEP_BLOCKS)

static void all_tweaks(block *tweaks, uint64_t n_units, const struct span *span, const struct core_keys *k, tables t)
{
	struct span units = *span;

	HAND_OVER(tweaks, tweaks, n_units, span, k, t)
	units.n_blocks = n_units;
	for (block_number unit = 0; unit < n_units; unit += STEP_BLOCKS)
		tweak_block(tweaks, unit, &units, &k->round, t);
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
