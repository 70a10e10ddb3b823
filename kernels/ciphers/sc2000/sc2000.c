/*
 * SC2000 tables (Shimoyama et al., FSE 2001): S-boxes and the matrix M are literals of the
 * specification; a table holds M(S(x)) of its fields, for each value of them.
 */
#include "kernels/gen/tables.h"

static const uint8_t S6[64] = { 47, 59, 25, 42, 15, 23, 28, 39, 26, 38, 36, 19, 60, 24, 29, 56, 37, 63, 20, 61, 55, 2,
	30, 44, 9, 10, 6, 22, 53, 48, 51, 11, 62, 52, 35, 18, 14, 46, 0, 54, 17, 40, 27, 4, 31, 8, 5, 12, 3, 16, 41, 34,
	33, 7, 45, 49, 50, 58, 1, 21, 43, 57, 32, 13 };

static const uint8_t S5[32] = { 20, 26, 7, 31, 19, 12, 10, 15, 22, 30, 13, 14, 4, 24, 9, 18, 27, 11, 1, 21, 6, 16, 2,
	28, 23, 5, 8, 3, 0, 17, 29, 25 };

/* M[0] belongs to the most significant bit. */
static const uint32_t M[32] = { 0xd0c19225, 0xa5a2240a, 0x1b84d250, 0xb728a4a1, 0x6a704902, 0x85dddbe6, 0x766ff4a4,
	0xecdfe128, 0xafd13e94, 0xdf837d09, 0xbb27fa52, 0x695059ac, 0x52a1bb58, 0xcc322f1d, 0x1844565b, 0xb4a8acf6,
	0x34235438, 0x6847a851, 0xe48c0cbb, 0xcd181136, 0x9a112a0c, 0x43ec6d0e, 0x87d8d27d, 0x487dc995, 0x90fb9b4b,
	0xa1f63697, 0xfc513ed9, 0x78a37d93, 0x8d16c5df, 0x9e0c8bbe, 0x3c381f7c, 0xe9fb0779 };

static uint32_t s(uint32_t x)
{
	return (uint32_t)S6[x >> 26] << 26 | (uint32_t)S5[x >> 21 & 31] << 21 | (uint32_t)S5[x >> 16 & 31] << 16 |
	       (uint32_t)S5[x >> 11 & 31] << 11 | (uint32_t)S5[x >> 6 & 31] << 6 | S6[x & 63];
}

static uint32_t m(uint32_t x)
{
	uint32_t y = 0;

	for (int i = 0; i < 32; i++)
		if (x >> (31 - i) & 1)
			y ^= M[i];
	return y;
}

/* The field of `bits` bits at `shift`: M is linear, so other fields' S-boxes are masked away. */
static void field(uint32_t *words, int shift, int bits)
{
	uint32_t mask = ((1u << bits) - 1) << shift;

	for (uint32_t v = 0; v < 1u << bits; v++)
		words[v] = m(s(v << shift) & mask);
}

static void constitution(uint32_t *words, const struct generated_table *table)
{
	int shift = 32;

	for (const uint8_t *bits = table->fields; shift > 0; words += 1u << *bits++) {
		shift -= *bits;
		field(words, shift, *bits);
	}
}

const struct generated_table sc2000_tables[] = {
	{ "sc2000_6", 256, constitution, { 6, 5, 5, 5, 5, 6 } },
	{ "sc2000_4", 2176, constitution, { 6, 10, 10, 6 } },
	{ "sc2000_3", 5120, constitution, { 11, 10, 11 } },
	{ "sc2000_2", 131072, constitution, { 16, 16 } },
	{ 0 },
};
