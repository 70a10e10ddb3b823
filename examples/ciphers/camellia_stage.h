/*
 * Parts of Camellia's design stages (dissertation, section 6.5.4), in the manner of figure 6.2.
 * Stages have no whitening keys.  Nothing here is to be used as a cipher.
 *
 * Tables of 256 words, one after the other: SP1110 SP0222 SP3033 SP4404.
 */
#ifndef CAMELLIA_STAGE_H
#define CAMELLIA_STAGE_H

#ifndef LOOKUP /* as a kernel it has these from kernels/, where tables and keys lie anywhere */
typedef unsigned int word;
typedef const word *tables, *keys;
#define INLINE static inline
#define PRAGMA_UNROLL
#define LOOKUP(t, base, w, shift, bits) ((t) + (base))[((w) >> (shift)) & ((1u << (bits)) - 1u)]
#define KEY(k, i)                       ((k)[i])
#endif

#define SP1110 0
#define SP0222 256
#define SP3033 512
#define SP4404 768

/* F of the half (x0, x1); the left word of the result is made[0]. */
INLINE void stage_substitute(word made[2], word x0, word x1, keys k, int first, tables t)
{
	word ir = LOOKUP(t, SP1110, x1, 0, 8) ^ LOOKUP(t, SP0222, x1, 24, 8) ^ LOOKUP(t, SP3033, x1, 16, 8) ^
	          LOOKUP(t, SP4404, x1, 8, 8);
	word il = LOOKUP(t, SP1110, x0, 24, 8) ^ LOOKUP(t, SP0222, x0, 16, 8) ^ LOOKUP(t, SP3033, x0, 8, 8) ^
	          LOOKUP(t, SP4404, x0, 0, 8);

	il ^= KEY(k, first);
	ir ^= KEY(k, first + 1);
	ir ^= il;
	il = (il >> 8) + (il << 24);
	il ^= ir;
	made[0] = ir;
	made[1] = il;
}

/* F, and the exclusive or with the other half. */
INLINE void stage_f(word *y0, word *y1, word x0, word x1, keys k, int first, tables t)
{
	word made[2];

	stage_substitute(made, x0, x1, k, first, t);
	*y0 ^= made[0];
	*y1 ^= made[1];
}

INLINE void stage_six_f(word s[4], keys k, int first, tables t)
{
	PRAGMA_UNROLL
	for (int r = 0; r < 12; r += 4) {
		stage_f(&s[2], &s[3], s[0], s[1], k, first + r, t);
		stage_f(&s[0], &s[1], s[2], s[3], k, first + r + 2, t);
	}
}

/* FL on the left half and its inverse on the right one; rotated: as in Camellia, 0: FL′. */
INLINE void stage_fl(word s[4], keys k, int first, int rotated)
{
	word a = s[0] & KEY(k, first), d;

	s[1] ^= rotated ? (a << 1) + (a >> 31) : a;
	s[0] ^= s[1] | KEY(k, first + 1);
	s[2] ^= s[3] | KEY(k, first + 3);
	d = s[2] & KEY(k, first + 2);
	s[3] ^= rotated ? (d << 1) + (d >> 31) : d;
}

#endif
