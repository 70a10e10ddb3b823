/*
 * CLEFIA-128 for one block (RFC 6114), a generalised Feistel network of four lines; state in
 * big-endian words.  Table look-ups: not constant-time.
 *   ppf analyze --function clefia_encrypt clefia.c
 *
 * Tables: 8 of 256 words, S-box and diffusion matrix merged.  Table n of the first four is what
 * byte n (0: most significant) of the word contributes to F0, of the last four to F1.
 * Round keys in order of use: WK0 WK1, RK0 … RK35, WK2 WK3.
 */
#include <stdint.h>

typedef uint32_t word;
typedef const word *tables;
typedef const word *keys;

/* Section 4.4.1: S0 out of four 4-bit S-boxes. */
static const uint8_t clefia_ss[4][16] = {
	{ 14, 6, 12, 10, 8, 7, 2, 15, 11, 1, 4, 0, 5, 9, 13, 3 },
	{ 6, 4, 0, 13, 2, 11, 10, 3, 9, 12, 14, 15, 8, 7, 5, 1 },
	{ 11, 8, 5, 14, 10, 6, 4, 12, 15, 7, 2, 3, 1, 0, 13, 9 },
	{ 10, 2, 6, 13, 3, 4, 5, 14, 0, 7, 8, 9, 11, 15, 12, 1 },
};

/* Section 4.4.2: S1. */
/* clang-format off */
static const uint8_t clefia_s1[256] = {
	0x6c, 0xda, 0xc3, 0xe9, 0x4e, 0x9d, 0x0a, 0x3d, 0xb8, 0x36, 0xb4, 0x38, 0x13, 0x34, 0x0c, 0xd9,
	0xbf, 0x74, 0x94, 0x8f, 0xb7, 0x9c, 0xe5, 0xdc, 0x9e, 0x07, 0x49, 0x4f, 0x98, 0x2c, 0xb0, 0x93,
	0x12, 0xeb, 0xcd, 0xb3, 0x92, 0xe7, 0x41, 0x60, 0xe3, 0x21, 0x27, 0x3b, 0xe6, 0x19, 0xd2, 0x0e,
	0x91, 0x11, 0xc7, 0x3f, 0x2a, 0x8e, 0xa1, 0xbc, 0x2b, 0xc8, 0xc5, 0x0f, 0x5b, 0xf3, 0x87, 0x8b,
	0xfb, 0xf5, 0xde, 0x20, 0xc6, 0xa7, 0x84, 0xce, 0xd8, 0x65, 0x51, 0xc9, 0xa4, 0xef, 0x43, 0x53,
	0x25, 0x5d, 0x9b, 0x31, 0xe8, 0x3e, 0x0d, 0xd7, 0x80, 0xff, 0x69, 0x8a, 0xba, 0x0b, 0x73, 0x5c,
	0x6e, 0x54, 0x15, 0x62, 0xf6, 0x35, 0x30, 0x52, 0xa3, 0x16, 0xd3, 0x28, 0x32, 0xfa, 0xaa, 0x5e,
	0xcf, 0xea, 0xed, 0x78, 0x33, 0x58, 0x09, 0x7b, 0x63, 0xc0, 0xc1, 0x46, 0x1e, 0xdf, 0xa9, 0x99,
	0x55, 0x04, 0xc4, 0x86, 0x39, 0x77, 0x82, 0xec, 0x40, 0x18, 0x90, 0x97, 0x59, 0xdd, 0x83, 0x1f,
	0x9a, 0x37, 0x06, 0x24, 0x64, 0x7c, 0xa5, 0x56, 0x48, 0x08, 0x85, 0xd0, 0x61, 0x26, 0xca, 0x6f,
	0x7e, 0x6a, 0xb6, 0x71, 0xa0, 0x70, 0x05, 0xd1, 0x45, 0x8c, 0x23, 0x1c, 0xf0, 0xee, 0x89, 0xad,
	0x7a, 0x4b, 0xc2, 0x2f, 0xdb, 0x5a, 0x4d, 0x76, 0x67, 0x17, 0x2d, 0xf4, 0xcb, 0xb1, 0x4a, 0xa8,
	0xb5, 0x22, 0x47, 0x3a, 0xd5, 0x10, 0x4c, 0x72, 0xcc, 0x00, 0xf9, 0xe0, 0xfd, 0xe2, 0xfe, 0xae,
	0xf8, 0x5f, 0xab, 0xf1, 0x1b, 0x42, 0x81, 0xd6, 0xbe, 0x44, 0x29, 0xa6, 0x57, 0xb9, 0xaf, 0xf2,
	0xd4, 0x75, 0x66, 0xbb, 0x68, 0x9f, 0x50, 0x02, 0x01, 0x3c, 0x7f, 0x8d, 0x1a, 0x88, 0xbd, 0xac,
	0xf7, 0xe4, 0x79, 0x96, 0xa2, 0xfc, 0x6d, 0xb2, 0x6b, 0x03, 0xe1, 0x2e, 0x7d, 0x14, 0x95, 0x1d,
};
/* clang-format on */

/* The product in the field of 2^bits elements with that polynomial. */
static unsigned clefia_times(unsigned factor, unsigned x, unsigned bits, unsigned polynomial)
{
	unsigned product = 0;

	for (; factor != 0; factor >>= 1, x = x << 1 ^ (x >> (bits - 1) & 1 ? polynomial : 0))
		product ^= factor & 1 ? x : 0;
	return product;
}

static unsigned clefia_s0(unsigned x)
{
	unsigned t0 = clefia_ss[0][x >> 4], t1 = clefia_ss[1][x & 15];

	return (unsigned)clefia_ss[2][t0 ^ clefia_times(2, t1, 4, 0x13)] << 4 |
	       clefia_ss[3][clefia_times(2, t0, 4, 0x13) ^ t1];
}

/* Section 4.4: F0 has S0 S1 S0 S1 and M0, F1 has S1 S0 S1 S0 and M1. */
void clefia_make_tables(word table[8 * 256]);

void clefia_make_tables(word table[8 * 256])
{
	static const uint8_t m[2][4] = { { 1, 2, 4, 6 }, { 1, 8, 2, 10 } };

	for (unsigned i = 0; i < 8 * 256; i++) {
		unsigned f = i / 1024, n = i / 256 % 4, s = (f + n) % 2 == 0 ? clefia_s0(i % 256) : clefia_s1[i % 256];

		table[i] = 0;
		for (unsigned row = 0; row < 4; row++) /* M is Hadamard-type: entry row ^ column */
			table[i] |= clefia_times(m[f][row ^ n], s, 8, 0x11d) << (24 - 8 * row);
	}
}

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

/* Section 4.2: DoubleSwap. */
static void clefia_double_swap(word l[4])
{
	uint64_t high = (uint64_t)l[0] << 32 | l[1], low = (uint64_t)l[2] << 32 | l[3];
	uint64_t new_high = high << 7 | (low & 127), new_low = high >> 57 << 57 | low >> 7;

	l[0] = (word)(new_high >> 32), l[1] = (word)new_high;
	l[2] = (word)(new_low >> 32), l[3] = (word)new_low;
}

/* Section 5.3: the next two constants, and the state for those that follow. */
static unsigned clefia_constants(word con[2], unsigned t)
{
	unsigned inverted = ~t & 0xffff;

	con[0] = (t ^ 0xb7e1) << 16 | (inverted << 1 & 0xffff) | inverted >> 15;
	con[1] = (inverted ^ 0x243f) << 16 | (t << 8 & 0xffff) | t >> 8;
	return (t & 1 ? t ^ 0x1a831 : t) >> 1;
}

/* Section 5.1: L is the key after twelve rounds with constants as keys. */
void clefia_expand_key(word k[40], const word key[4], tables t);

void clefia_expand_key(word k[40], const word key[4], tables t)
{
	word con[4], l[4] = { key[3], key[0], key[1], key[2] }; /* one place further: the last round moves no word */
	unsigned state = 0x428a;

	for (int r = 0; r < 12; r++) {
		state = clefia_constants(con, state);
		clefia_round(&l[(r + 2) & 3], &l[r & 3], l[(r + 1) & 3], l[(r + 3) & 3], con, t);
	}
	k[0] = key[0], k[1] = key[1], k[38] = key[2], k[39] = key[3];
	for (int i = 0; i < 9; i++) {
		state = clefia_constants(con + 2, clefia_constants(con, state));
		for (int j = 0; j < 4; j++)
			k[2 + 4 * i + j] = l[j] ^ con[j] ^ (i % 2 ? key[j] : 0);
		clefia_double_swap(l);
	}
}
