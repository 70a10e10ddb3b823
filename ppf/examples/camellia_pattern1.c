/*
 * Camellia at an early stage, pattern 1 of section 6.5.4: six rounds of F′.
 *
 * F′ (figure 6.11) is F with "additional Camellia's tables" behind it: one more layer of eight
 * parallel substitutions, as the text says.  Read so, with a look-up for each of F's eight output
 * bytes, a round has 16 look-ups and N_tbl is 96.  The dissertation prints 72, 12 in a round.
 */
#include "camellia_stage.h"

extern const word tbl_s1[256], tbl_s2[256], tbl_s3[256], tbl_s4[256]; /* a byte each */

static inline word more_tables(word x)
{
	return tbl_s1[(x >> 24) & 0xff] << 24 | tbl_s2[(x >> 16) & 0xff] << 16 |
	       tbl_s3[(x >> 8) & 0xff] << 8 | tbl_s4[x & 0xff];
}

static inline void f_prime(word *y0, word *y1, word x0, word x1, const word *rkey)
{
	word made[2];

	stage_substitute(made, x0, x1, rkey);
	*y0 ^= more_tables(made[0]);
	*y1 ^= more_tables(made[1]);
}

void encrypt_block(word s[4], const word *rkey);

void encrypt_block(word s[4], const word *rkey)
{
	for (int r = 0; r < 6; r += 2) {
		f_prime(&s[2], &s[3], s[0], s[1], rkey + 2 * r);
		f_prime(&s[0], &s[1], s[2], s[3], rkey + 2 * r + 2);
	}
}
