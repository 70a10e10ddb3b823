/*
 * Camellia at an early stage, pattern 1 of section 6.5.4: six rounds of F′.
 *
 * F′ (figure 6.11) is F with "additional Camellia's tables" behind it: one more layer of eight
 * parallel substitutions, as the text says.  Read so, with a look-up for each of F's eight output
 * bytes, a round has 16 look-ups and N_tbl is 96.  The dissertation prints 72, 12 in a round.
 *
 * Four more tables of 256 words stand behind the others, with a byte of an S-box in each word.
 */
#ifndef CAMELLIA_STAGE_H
#include "camellia_stage.h"
#endif

#define S1 1024
#define S2 1280
#define S3 1536
#define S4 1792

INLINE word more_tables(word x, tables t)
{
	return LOOKUP(t, S1, x, 24, 8) << 24 | LOOKUP(t, S2, x, 16, 8) << 16 | LOOKUP(t, S3, x, 8, 8) << 8 |
	       LOOKUP(t, S4, x, 0, 8);
}

INLINE void f_prime(word *y0, word *y1, word x0, word x1, keys k, int first, tables t)
{
	word made[2];

	stage_substitute(made, x0, x1, k, first, t);
	*y0 ^= more_tables(made[0], t);
	*y1 ^= more_tables(made[1], t);
}

INLINE void encrypt_block(word s[4], keys k, tables t)
{
	PRAGMA_UNROLL
	for (int r = 0; r < 12; r += 4) {
		f_prime(&s[2], &s[3], s[0], s[1], k, r, t);
		f_prime(&s[0], &s[1], s[2], s[3], k, r + 2, t);
	}
}
