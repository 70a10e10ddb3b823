/*
 * Camellia tables from the cipher's specification (Aoki et al., "Specification of Camellia", 2001,
 * sections 4.5 and 4.6): s1(x) = h(g(f(0xc5 ^ x))) ^ 0x6e with g the inversion in GF(2^8).
 */
#include "kernels/gen/tables.h"

/* GF(2^4) modulo α^4 + α + 1. */
static uint8_t multiply4(uint8_t a, uint8_t b)
{
	uint8_t product = 0;

	for (int i = 0; i < 4; i++) {
		if (b >> i & 1)
			product ^= a;
		a = (uint8_t)(a << 1 & 15) ^ (a & 8 ? 3 : 0);
	}
	return product;
}

/*
 * GF(2^8) as GF(2^4)[β] modulo β^2 + β + δ, low half in bits 0 to 3.  β^8 + β^6 + β^5 + β^3 + 1 = 0
 * and α = β^6 + β^5 + β^3 + β^2 make δ = α^3 + 1 = 9.
 */
static uint8_t multiply8(uint8_t a, uint8_t b)
{
	uint8_t a0 = a & 15, a1 = a >> 4, b0 = b & 15, b1 = b >> 4, high = multiply4(a1, b1);
	uint8_t low = multiply4(a0, b0) ^ multiply4(high, 9);

	return (uint8_t)((multiply4(a0, b1) ^ multiply4(a1, b0) ^ high) << 4 | low);
}

static uint8_t inverse(uint8_t a)
{
	uint8_t power = 1;

	for (int i = 0; i < 254; i++)
		power = multiply8(power, a);
	return power;
}

/* A linear map by rows: output bit 1 (the most significant) first, input bits numbered the same. */
static uint8_t linear(const uint8_t rows[8][3], uint8_t a)
{
	uint8_t b = 0;

	for (int row = 0; row < 8; row++) {
		uint8_t bit = 0;
		for (int i = 0; i < 3 && rows[row][i] != 0; i++)
			bit ^= a >> (8 - rows[row][i]) & 1;
		b |= (uint8_t)(bit << (7 - row));
	}
	return b;
}

static uint8_t s1(uint8_t x)
{
	static const uint8_t f[8][3] = { { 6, 2 }, { 7, 1 }, { 8, 5, 3 }, { 8, 3 }, { 7, 4 }, { 5, 2 }, { 8, 1 },
		{ 6, 4 } };
	static const uint8_t h[8][3] = { { 5, 6, 2 }, { 6, 2 }, { 7, 4 }, { 8, 2 }, { 7, 3 }, { 8, 1 }, { 5, 1 },
		{ 6, 3 } };

	return linear(h, inverse(linear(f, x ^ 0xc5))) ^ 0x6e;
}

static uint8_t rotate8(uint8_t x, int n)
{
	return (uint8_t)(x << n | x >> (8 - n));
}

/* Section 4.5: the four S-boxes. */
static uint8_t sbox(int number, uint8_t x)
{
	switch (number) {
	case 1:
		return s1(x);
	case 2:
		return rotate8(s1(x), 1);
	case 3:
		return rotate8(s1(x), 7);
	default:
		return s1(rotate8(x, 1));
	}
}

/* sp1110, sp0222, sp3033, sp4404: the digit's S-box where it stands, most significant byte first.
 */
static void spread(uint32_t *words)
{
	static const uint32_t pattern[4] = { 0x01010100, 0x00010101, 0x01000101, 0x01010001 };

	for (int number = 1; number <= 4; number++)
		for (int x = 0; x < 256; x++)
			words[256 * (number - 1) + x] = pattern[number - 1] * sbox(number, (uint8_t)x);
}

static void packed(uint32_t *words)
{
	for (int x = 0; x < 256; x++) {
		words[x] = 0;
		for (int number = 1; number <= 4; number++)
			words[x] |= (uint32_t)sbox(number, (uint8_t)x) << (8 * (number - 1));
	}
}

const struct generated_table camellia_tables[] = {
	{ "camellia_1", 256, packed },
	{ "camellia_4", 1024, spread },
	{ 0 },
};
