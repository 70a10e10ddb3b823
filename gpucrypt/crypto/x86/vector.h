/*
 * Vectors of VECTOR_BYTES bytes (64, 32 or 16): consecutive blocks in memory order.  A form's source includes
 * this file first, then defines its batch functions, then includes vector_modes.h.
 *
 * Needed instructions: 64: AVX-512F, AVX-512BW, VPCLMULQDQ; 32: AVX2, VPCLMULQDQ; 16: SSSE3, PCLMULQDQ.
 * The operators ^ & | + << >> work on the 64-bit lanes of a vec.
 */
#ifndef VECTOR_H
#define VECTOR_H

#include <immintrin.h>

#if VECTOR_BYTES == 64
typedef __m512i vec;
#define VECTOR(name)              _mm512_##name
#define VECTOR_128(name)          _mm512_##name##_epi128 /* each 16 bytes for themselves */
#define vec_broadcast(b)          _mm512_broadcast_i32x4(b)
#define vec_multiply(a, b, parts) _mm512_clmulepi64_epi128(a, b, parts)
#elif VECTOR_BYTES == 32
typedef __m256i vec;
#define VECTOR(name)              _mm256_##name
#define VECTOR_128(name)          _mm256_##name##_epi128
#define vec_broadcast(b)          _mm256_broadcastsi128_si256(b)
#define vec_multiply(a, b, parts) _mm256_clmulepi64_epi128(a, b, parts)
#elif VECTOR_BYTES == 16
typedef __m128i vec;
#define VECTOR(name)              _mm_##name
#define VECTOR_128(name)          _mm_##name##_si128
#define vec_broadcast(b)          (b)
#define vec_multiply(a, b, parts) _mm_clmulepi64_si128(a, b, parts)
#else
#error "VECTOR_BYTES: 64, 32 or 16"
#endif

#define ALWAYS_INLINE static inline __attribute__((always_inline, unused))

/* A loop over the vectors of a batch, unrolled: its vectors are registers. */
#define EACH_VECTOR(v) _Pragma("GCC unroll 32") for (unsigned v = 0; v < BATCH_VECTORS; v++)

typedef vec unaligned_vec __attribute__((aligned(1)));

ALWAYS_INLINE vec vec_load(const void *from)
{
	return *(const unaligned_vec *)from;
}

ALWAYS_INLINE void vec_store(void *to, vec x)
{
	*(unaligned_vec *)to = x;
}

#endif
