/*
 * Vectors of VECTOR_BYTES bytes (64, 32 or 16): consecutive blocks in memory order.  A form's source includes
 * this file first, then defines its batch functions, then includes vector_modes.h.
 *
 * Needed instructions: 64: AVX-512F, AVX-512BW, VPCLMULQDQ; 32: AVX2, VPCLMULQDQ; 16: SSSE3, PCLMULQDQ.
 * The operators ^ & | + << >> work on the 64-bit lanes of a vec.
 */
#ifndef GPUCRYPT_CRYPTO_X86_VECTOR_H
#define GPUCRYPT_CRYPTO_X86_VECTOR_H

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

/* Of each 16 bytes: shifts by whole bytes. */
#define vec_shift_left(x, n)  VECTOR_128(bslli)(x, n)
#define vec_shift_right(x, n) VECTOR_128(bsrli)(x, n)

/* Keep the compiler from knowing what is in a register. */
#define vec_hide(x) __asm__ volatile("" : "+v"(x))

/* 16 bytes alone. */
typedef __m128i vec_16;
#define vec_16_set(high, low)        _mm_set_epi64x((long long)(high), (long long)(low))
#define vec_16_load(from)            _mm_loadu_si128((const __m128i *)(from))
#define vec_16_store(to, x)          _mm_storeu_si128((__m128i *)(to), x)
#define vec_16_shift_left(x, n)      _mm_bslli_si128(x, n)
#define vec_16_shift_right(x, n)     _mm_bsrli_si128(x, n)
#define vec_16_multiply(a, b, parts) _mm_clmulepi64_si128(a, b, parts)

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

/* The bytes of each 16 in reverse order. */
ALWAYS_INLINE vec vec_reverse(vec x)
{
	const __m128i places = _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);

	return VECTOR(shuffle_epi8)(x, vec_broadcast(places));
}

#endif
