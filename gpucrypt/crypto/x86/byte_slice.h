/*
 * Byte-sliced forms: 16 vectors, of which vector n holds byte n of each block.  Included after vector.h; needs GFNI.
 *
 * EVERY_32, EVERY_64: a word, or a matrix, in all places of a vector.  AFFINE, AFFINE_INV: a matrix times each byte, or
 * times its inverse in GF(2^8), plus sum.  Byte 7 - i of a matrix is row i, and bit j of a row belongs to bit j of the
 * byte.
 */
#ifndef GPUCRYPT_CRYPTO_X86_BYTE_SLICE_H
#define GPUCRYPT_CRYPTO_X86_BYTE_SLICE_H

#include <stdint.h>

#if VECTOR_BYTES == 64
#define EVERY_64(m)   _mm512_set1_epi64((long long)(m))
#define SUM3(x, y, z) _mm512_ternarylogic_epi64(x, y, z, 0x96)
#else
#define EVERY_64(m)   _mm256_set1_epi64x((long long)(m))
#define SUM3(x, y, z) ((x) ^ (y) ^ (z))
#endif
#define EVERY_32(w)           VECTOR(set1_epi32)((int)(w))
#define AFFINE(x, m, sum)     VECTOR(gf2p8affine_epi64_epi8)(x, EVERY_64(m), sum)
#define AFFINE_INV(x, m, sum) VECTOR(gf2p8affineinv_epi64_epi8)(x, EVERY_64(m), sum)

#define EACH(n, count) _Pragma("GCC unroll 16") for (int n = 0; n < (count); n++)

/* Byte b of vector r to byte r of vector b, in each 16 bytes: each turn rotates the number r * 16 + b by one bit. */
ALWAYS_INLINE void transpose_bytes(vec x[16])
{
	_Pragma("GCC unroll 4") for (int turn = 0; turn < 4; turn++)
	{
		vec y[16];

		EACH(n, 8)
		{
			y[2 * n] = VECTOR(unpacklo_epi8)(x[n], x[n + 8]);
			y[2 * n + 1] = VECTOR(unpackhi_epi8)(x[n], x[n + 8]);
		}
		EACH(n, 16) x[n] = y[n];
	}
}

/* Half of transpose_bytes(): two turns of a quarter of the vectors, in memory.  Both halves of all quarters make it. */
ALWAYS_INLINE void transpose_quarter(vec to[16], const vec from[16], int i)
{
	vec a = VECTOR(unpacklo_epi8)(from[i], from[i + 8]), b = VECTOR(unpackhi_epi8)(from[i], from[i + 8]);
	vec c = VECTOR(unpacklo_epi8)(from[i + 4], from[i + 12]), d = VECTOR(unpackhi_epi8)(from[i + 4], from[i + 12]);

	to[4 * i] = VECTOR(unpacklo_epi8)(a, c);
	to[4 * i + 1] = VECTOR(unpackhi_epi8)(a, c);
	to[4 * i + 2] = VECTOR(unpacklo_epi8)(b, d);
	to[4 * i + 3] = VECTOR(unpackhi_epi8)(b, d);
	__asm__ volatile("" ::: "memory"); /* here and not later */
}

/* Big-endian counters from high:low on, as transpose_bytes() would leave them. */
ALWAYS_INLINE void set_sliced_counters(vec s[16], uint64_t high, uint64_t low)
{
	static const uint64_t lanes[8] = { 0, 0, UINT64_C(0x0101010101010101), UINT64_C(0x0101010101010101),
		UINT64_C(0x0202020202020202), UINT64_C(0x0202020202020202), UINT64_C(0x0303030303030303),
		UINT64_C(0x0303030303030303) };
	const __m128i vectors = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	vec distance = vec_load(lanes) + (vec_broadcast(vectors) << (VECTOR_BYTES == 64 ? 2 : 1));
	uint64_t next = (low | 0xff) + 1, next_high = high + (next == 0);
	vec carry = VECTOR(subs_epu8)(distance, VECTOR(set1_epi8)((char)~low));

	EACH(n, 15)
	s[n] = VECTOR(set1_epi8)((char)(n < 8 ? high >> (56 - 8 * n) : low >> (120 - 8 * n)));
	s[15] = VECTOR(add_epi8)(distance, VECTOR(set1_epi8)((char)low));
	if ((low & 0xff) + 16 * (VECTOR_BYTES / 16) <= 0x100)
		return;
	carry = VECTOR(sub_epi8)(carry ^ carry, VECTOR(min_epu8)(carry, VECTOR(set1_epi8)(1)));
	EACH(n, 15)
	{
		uint8_t changes = (uint8_t)(n < 8 ? (high ^ next_high) >> (56 - 8 * n) : (low ^ next) >> (120 - 8 * n));

		s[n] ^= carry & VECTOR(set1_epi8)((char)changes);
	}
}

/* x += words, of which each has the same byte four times. */
ALWAYS_INLINE void add_words(vec *x, const uint32_t *words, int n_words)
{
	EACH(n, n_words) x[n] ^= EVERY_32(words[n]);
}

#endif
