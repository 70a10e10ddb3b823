/*
 * ECB, CTR and XTS over a cipher's batch functions: makes one struct host_core out of one instruction form.
 * The meaning of the functions is that of gpucrypt/crypto/host_core.h; in and out are the same or do not overlap.
 *
 * The including source defines, after including its processor's vector.h:
 *
 *   VECTOR_BYTES     64, 32 or 16 (on the command line)
 *   BATCH_VECTORS    vectors of a batch; a batch has 8, 16, 32, 64 or 128 blocks
 *   FORM             name of the struct host_core (on the command line)
 *   struct form_keys what the batch functions read; `#define form_keys round_keys` if those are used as they are
 *   form_keys_prepare(struct form_keys *to, const struct round_keys *from)
 *                    only if FORM_PREPARES_KEYS is defined; called once a job
 *   static inline void crypt_batch(vec x[BATCH_VECTORS], const struct form_keys *keys, bool decrypt)
 *                    a batch in place; vector v holds the consecutive blocks from v * VECTOR_BYTES / 16 on.
 *                    The round keys are those of the direction, which is a constant wherever the function is
 *                    inlined.  No secret decides a branch or an address.
 *
 *   encrypt_counters(vec x[BATCH_VECTORS], uint64_t high, uint64_t low, const struct form_keys *keys)
 *                    only if FORM_SETS_COUNTERS is defined: sets x to the encrypted counters from high:low on
 *
 *   FORM_ISSUE(x, k) an instruction on two vectors that bounds the form's speed
 *
 * A batch function is inlined up to eight times.  One whose code is large should not be inline:
 * __attribute__((noinline)).
 */
#ifndef GPUCRYPT_CRYPTO_VECTOR_MODES_H
#define GPUCRYPT_CRYPTO_VECTOR_MODES_H

#include <string.h>

#include "gpucrypt/crypto/host_core.h"
#include "gpucrypt/crypto/keys.h"
#include "kernels/common/tweak.cl"

#define VECTOR_BLOCKS (VECTOR_BYTES / BLOCK_BYTES)
#define BATCH_BLOCKS  (BATCH_VECTORS * VECTOR_BLOCKS)

/* XTS goes by whole groups of the blocks that have one stored tweak. */
#define GROUP_BLOCKS (1 << TWEAK_LOG2)
#define XTS_BLOCKS   (BATCH_BLOCKS > GROUP_BLOCKS ? BATCH_BLOCKS : GROUP_BLOCKS)
#define XTS_VECTORS  (XTS_BLOCKS / VECTOR_BLOCKS)

#define ALPHA_REDUCTION 0x87 /* x^128 = x^7 + x^2 + x + 1: IEEE 1619-2007 section 5.2 */

#ifdef FORM_PREPARES_KEYS
_Static_assert(sizeof(struct form_keys) <= FORM_KEY_BYTES, "core_keys.form has room");

static void prepare_keys(struct core_keys *keys)
{
	form_keys_prepare((struct form_keys *)keys->form, &keys->round);
}

#define FORM_KEYS(keys) ((const struct form_keys *)(keys)->form)
#else
#define prepare_keys    NULL
#define FORM_KEYS(keys) (&(keys)->round)
#endif

/* Process whole steps of a mode; block i of the buffer is the first block. */
typedef void mode_step(const uint8_t *in, uint8_t *out, block_number i, const struct span *span,
        const struct form_keys *k, bool decrypt);

/* All blocks of a span by steps of step_blocks; a short one at the end goes through a buffer. */
ALWAYS_INLINE void each_step(mode_step *step, unsigned step_blocks, const block *in, block *out,
        const struct span *span, const struct form_keys *k, bool decrypt)
{
	uint8_t buffer[XTS_BLOCKS * BLOCK_BYTES];
	block_number n = span->n_blocks;

	for (block_number i = 0; i < n; i += step_blocks) {
		const uint8_t *from = (const uint8_t *)(in + i);
		uint8_t *to = (uint8_t *)(out + i);
		size_t left_bytes = (size_t)(n - i) * BLOCK_BYTES;
		bool is_short = n - i < step_blocks;

		if (is_short) {
			memset(buffer, 0, sizeof(buffer));
			from = memcpy(buffer, from, left_bytes);
			to = buffer;
		}
		step(from, to, i, span, k, decrypt);
		if (is_short) {
			memcpy(out + i, buffer, left_bytes);
			wipe(buffer, sizeof(buffer));
		}
	}
}

/* ECB: NIST SP 800-38A section 6.1. */
ALWAYS_INLINE void ecb_step(const uint8_t *in, uint8_t *out, block_number i, const struct span *span,
        const struct form_keys *k, bool decrypt)
{
	vec x[BATCH_VECTORS];

	(void)i, (void)span;
	EACH_VECTOR(v)
	x[v] = vec_load(in + v * VECTOR_BYTES);
	crypt_batch(x, k, decrypt);
	EACH_VECTOR(v)
	vec_store(out + v * VECTOR_BYTES, x[v]);
}

/* A batch of counters from high:low on, in big-endian order. */
ALWAYS_INLINE void set_counters(vec x[BATCH_VECTORS], uint64_t high, uint64_t low)
{
	static const uint64_t places[8] = { 0, 0, 1, 0, 2, 0, 3, 0 };
	const vec step = vec_broadcast(vec_16_set(0, VECTOR_BLOCKS));
	vec n = vec_broadcast(vec_16_set(high, low)) + vec_load(places);

	if (low <= UINT64_MAX - BATCH_BLOCKS) {
		EACH_VECTOR(v)
		{
			x[v] = vec_reverse(n);
			n += step;
		}
	} else {
		uint64_t numbers[2 * BATCH_BLOCKS];

		for (unsigned b = 0; b < BATCH_BLOCKS; b++) {
			numbers[2 * b] = low + b;
			numbers[2 * b + 1] = high + (low + b < low);
		}
		EACH_VECTOR(v)
		x[v] = vec_reverse(vec_load(numbers + 2 * VECTOR_BLOCKS * v));
	}
}

/* CTR: NIST SP 800-38A section 6.5; the counter is a 128-bit big-endian number that wraps. */
ALWAYS_INLINE void ctr_step(const uint8_t *in, uint8_t *out, block_number i, const struct span *span,
        const struct form_keys *k, bool decrypt)
{
	block_number n = span->first_block + i;
	vec x[BATCH_VECTORS];

	(void)decrypt;
#ifdef FORM_SETS_COUNTERS
	encrypt_counters(x, NUMBER_HIGH(span, n), NUMBER_LOW(span, n), k);
#else
	set_counters(x, NUMBER_HIGH(span, n), NUMBER_LOW(span, n));
	crypt_batch(x, k, false);
#endif
	EACH_VECTOR(v)
	vec_store(out + v * VECTOR_BYTES, x[v] ^ vec_load(in + v * VECTOR_BYTES));
}

/* Multiplication in GF(2^128) of each 16 bytes: by α^8, and by a power of α below α^64. */
ALWAYS_INLINE vec times_alpha_8(vec t)
{
	const vec reduction = vec_broadcast(vec_16_set(0, ALPHA_REDUCTION));

	return vec_shift_left(t, 1) ^ vec_multiply(vec_shift_right(t, 15), reduction, 0x00);
}

ALWAYS_INLINE vec times_power(vec t, vec power)
{
	const vec reduction = vec_broadcast(vec_16_set(0, ALPHA_REDUCTION));
	vec high = vec_multiply(t, power, 0x01);

	return vec_multiply(t, power, 0x00) ^ vec_shift_left(high, 8) ^ vec_multiply(high, reduction, 0x01);
}

/* The tweaks of whole groups of blocks; stored: of the first block of each. */
ALWAYS_INLINE void set_tweaks(vec t[XTS_VECTORS], const block *stored)
{
	static const uint64_t powers[16] = { 1, 0, 2, 0, 4, 0, 8, 0, 16, 0, 32, 0, 64, 0, 128, 0 };

	_Pragma("GCC unroll 32") for (unsigned v = 0; v < XTS_VECTORS; v++)
	{
		unsigned in_group = v * VECTOR_BLOCKS % GROUP_BLOCKS;
		const block *first = stored + v * VECTOR_BLOCKS / GROUP_BLOCKS;

		t[v] = in_group >= 8 ? times_alpha_8(t[v - 8 / VECTOR_BLOCKS])
		                     : times_power(vec_broadcast(vec_16_load(first)), vec_load(powers + 2 * in_group));
	}
}

ALWAYS_INLINE void xts_step(const uint8_t *in, uint8_t *out, block_number i, const struct span *span,
        const struct form_keys *k, bool decrypt)
{
	vec t[XTS_VECTORS], x[BATCH_VECTORS];

	set_tweaks(t, span->tweaks + (i >> TWEAK_LOG2));
	for (unsigned b = 0; b < XTS_VECTORS; b += BATCH_VECTORS) {
		EACH_VECTOR(v)
		x[v] = vec_load(in + (b + v) * VECTOR_BYTES) ^ t[b + v];
		crypt_batch(x, k, decrypt);
		EACH_VECTOR(v)
		vec_store(out + (b + v) * VECTOR_BYTES, x[v] ^ t[b + v]);
	}
}

typedef const uint32_t *tables;

#define CRYPT_BY(name, step_blocks, decrypts)                                                                      \
	static void crypt_##name(                                                                                  \
	        const block *in, block *out, const struct span *span, const struct core_keys *core_keys, tables t) \
	{                                                                                                          \
		(void)t;                                                                                           \
		if (decrypts)                                                                                      \
			each_step(name##_step, step_blocks, in, out, span, FORM_KEYS(core_keys), true);            \
		else                                                                                               \
			each_step(name##_step, step_blocks, in, out, span, FORM_KEYS(core_keys), false);           \
	}
CRYPT_BY(ecb, BATCH_BLOCKS, span->decrypt)
CRYPT_BY(ctr, BATCH_BLOCKS, false)
CRYPT_BY(xts, XTS_BLOCKS, span->decrypt)

/* One unit's tweaks, from its encrypted number: each times α^32 is the next one. */
ALWAYS_INLINE void store_unit_tweaks(block *tweaks, vec_16 t, unsigned n)
{
	const vec_16 reduction = vec_16_set(0, ALPHA_REDUCTION);

	for (unsigned i = 0; i < n; i++) {
		vec_16_store(tweaks + i, t);
		t = vec_16_shift_left(t, 4) ^ vec_16_multiply(vec_16_shift_right(t, 12), reduction, 0x00);
	}
}

static void crypt_tweaks(
        block *tweaks, uint64_t n_units, const struct span *span, const struct core_keys *core_keys, tables t)
{
	unsigned per_unit = 1u << (span->unit_log2 - TWEAK_LOG2);
	block numbers[BATCH_BLOCKS] = { 0 };
	const struct form_keys *k = FORM_KEYS(core_keys);

	(void)t;
	for (uint64_t unit = 0; unit < n_units; unit += BATCH_BLOCKS) {
		unsigned n = n_units - unit < BATCH_BLOCKS ? (unsigned)(n_units - unit) : BATCH_BLOCKS;

		for (unsigned u = 0; u < n; u++)
			numbers[u] = unit_number(span, unit + u);
		ecb_step((const uint8_t *)numbers, (uint8_t *)numbers, 0, span, k, false);
		for (unsigned u = 0; u < n; u++)
			store_unit_tweaks(tweaks + (unit + u) * per_unit, vec_16_load(numbers + u), per_unit);
	}
	wipe(numbers, sizeof(numbers));
}

/* More than the latency of an instruction times those issued in a cycle. */
#define ISSUED_VECTORS 12

static void issue_instructions(unsigned n)
{
	vec x[ISSUED_VECTORS], k = vec_broadcast(vec_16_set(n, n));

	_Pragma("GCC unroll 32") for (unsigned v = 0; v < ISSUED_VECTORS; v++) x[v] = k;
	vec_hide(k);
	for (unsigned i = 0; i < n; i += ISSUED_VECTORS)
		_Pragma("GCC unroll 32") for (unsigned v = 0; v < ISSUED_VECTORS; v++)
		{
			x[v] = FORM_ISSUE(x[v], k);
			vec_hide(x[v]);
		}
}

extern const struct host_core FORM;
const struct host_core FORM = {
	.crypt = {
#define X(NAME, name, ...) [MODE_##NAME] = crypt_##name,
#include "kernels/modes.inc"
#undef X
	},
	.tweaks = crypt_tweaks,
	.prepare = prepare_keys,
	.issue = issue_instructions,
};

#endif
