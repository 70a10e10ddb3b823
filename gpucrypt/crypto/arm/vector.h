/*
 * Vectors of 16 bytes by Advanced SIMD (NEON), under the names of gpucrypt/crypto/x86/vector.h; parts of vec_multiply
 * are those of PCLMULQDQ.  Little-endian.  Needed instructions: the Cryptographic Extension of ARMv8 (AES, PMULL).
 */
#ifndef GPUCRYPT_CRYPTO_ARM_VECTOR_H
#define GPUCRYPT_CRYPTO_ARM_VECTOR_H

#include <arm_neon.h>

typedef uint64x2_t vec, vec_16;

#define ALWAYS_INLINE static inline __attribute__((always_inline, unused))

/* A loop over the vectors of a batch, unrolled: its vectors are registers. */
#define EACH_VECTOR(v) _Pragma("GCC unroll 32") for (unsigned v = 0; v < BATCH_VECTORS; v++)

#define vec_broadcast(b) (b)

/* n: a constant. */
#define vec_shift_left(x, n)  vreinterpretq_u64_u8(vextq_u8(vdupq_n_u8(0), vreinterpretq_u8_u64(x), 16 - (n)))
#define vec_shift_right(x, n) vreinterpretq_u64_u8(vextq_u8(vreinterpretq_u8_u64(x), vdupq_n_u8(0), n))

/* Keep the compiler from knowing what is in a register. */
#define vec_hide(x) __asm__ volatile("" : "+w"(x))

#define vec_16_set(high, low)        vcombine_u64(vcreate_u64(low), vcreate_u64(high))
#define vec_16_load(from)            vec_load(from)
#define vec_16_store(to, x)          vec_store(to, x)
#define vec_16_shift_left(x, n)      vec_shift_left(x, n)
#define vec_16_shift_right(x, n)     vec_shift_right(x, n)
#define vec_16_multiply(a, b, parts) vec_multiply(a, b, parts)

ALWAYS_INLINE vec vec_load(const void *from)
{
	return vreinterpretq_u64_u8(vld1q_u8(from));
}

ALWAYS_INLINE void vec_store(void *to, vec x)
{
	vst1q_u8(to, vreinterpretq_u8_u64(x));
}

ALWAYS_INLINE vec vec_reverse(vec x)
{
	uint8x16_t halves = vrev64q_u8(vreinterpretq_u8_u64(x));

	return vreinterpretq_u64_u8(vextq_u8(halves, halves, 8));
}

/* parts: bit 0 chooses the half of a, bit 4 that of b. */
ALWAYS_INLINE vec vec_multiply(vec a, vec b, int parts)
{
	poly64_t x = (poly64_t)a[parts & 1], y = (poly64_t)b[parts >> 4];

	return vreinterpretq_u64_p128(vmull_p64(x, y));
}

#endif
