/*
 * CLEFIA-128 for one block (RFC 6114), a generalised Feistel network of four lines; state in
 * big-endian words.  Table look-ups: not constant-time.
 *
 * Tables: 8 of 256 words, S-box and diffusion matrix merged.  Table n of the first four is what
 * byte n (0: most significant) of the word contributes to F0, of the last four to F1.
 * Round keys in order of use: WK0 WK1, RK0 … RK35, WK2 WK3.
 */
#include <stdint.h>

typedef uint32_t word;
typedef const word *tables;
typedef const word *keys;

static inline word clefia_f(word x, tables t)
{
	return t[x >> 24] ^ (t + 256)[x >> 16 & 0xff] ^ (t + 512)[x >> 8 & 0xff] ^ (t + 768)[x & 0xff];
}

/* Section 4.3: in each round two words change, and all move on by one place.  Here the places move
 * on instead: callers name the words. */
static inline void clefia_round(word *t1, word *t3, word t0, word t2, keys rk, tables t)
{
	*t1 ^= clefia_f(t0 ^ rk[0], t);
	*t3 ^= clefia_f(t2 ^ rk[1], t + 1024);
}

void clefia_encrypt(word s[4], keys k, tables t);

void clefia_encrypt(word s[4], keys k, tables t)
{
	word y;

	s[1] ^= k[0];
	s[3] ^= k[1];
	for (int r = 0; r < 18; r++)
		clefia_round(&s[(r + 1) & 3], &s[(r + 3) & 3], s[r & 3], s[(r + 2) & 3], k + 2 + 2 * r, t);
	/* They have moved 18 times, and the last time does not count: 17 = 1 (mod 4). */
	y = s[0], s[0] = s[1], s[1] = s[2], s[2] = s[3], s[3] = y;
	s[1] ^= k[38];
	s[3] ^= k[39];
}
