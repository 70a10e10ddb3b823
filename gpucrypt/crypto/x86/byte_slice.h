/*
 * Byte-sliced forms: 16 vectors, of which vector n holds byte n of each block.  Included after vector.h; needs GFNI.
 *
 * EVERY_32, EVERY_64: a word, or a matrix, in all places of a vector.  AFFINE, AFFINE_INV: a matrix times each byte, or
 * times its inverse in GF(2^8), plus sum.  Byte 7 - i of a matrix is row i, and bit j of a row belongs to bit j of the
 * byte.
 */
#ifndef BYTE_SLICE_H
#define BYTE_SLICE_H

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

/* x += words, of which each has the same byte four times. */
ALWAYS_INLINE void add_words(vec *x, const uint32_t *words, int n_words)
{
	EACH(n, n_words) x[n] ^= EVERY_32(words[n]);
}

#endif
