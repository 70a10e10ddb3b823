/* ARIA tables from RFC 5794 section 2.4.2: S1 is that of AES, S2(x) = B·x^247 + 0xe2, X1 and X2 are their
 * inverses. */
#include "kernels/gen/field.h"
#include "kernels/gen/tables.h"

/* A linear map: bit i of the result is the parity of the bits in row i. */
static uint8_t linear(const uint8_t rows[8], uint8_t x)
{
	uint8_t y = 0;

	for (int i = 0; i < 8; i++)
		y |= (uint8_t)(__builtin_parity(rows[i] & x) << i);
	return y;
}

static uint8_t s1(uint8_t x)
{
	static const uint8_t a[8] = { 0xf1, 0xe3, 0xc7, 0x8f, 0x1f, 0x3e, 0x7c, 0xf8 };

	return linear(a, power(x, 254)) ^ 0x63;
}

static uint8_t s2(uint8_t x)
{
	static const uint8_t b[8] = { 0x7a, 0xbc, 0xeb, 0xb9, 0x34, 0x81, 0xba, 0xcb };

	return linear(b, power(x, 247)) ^ 0xe2;
}

static void boxes(uint8_t box[4][256])
{
	for (int x = 0; x < 256; x++) {
		box[0][x] = s1((uint8_t)x);
		box[1][x] = s2((uint8_t)x);
		box[2][box[0][x]] = box[3][box[1][x]] = (uint8_t)x;
	}
}

static void packed(uint32_t *words, const struct generated_table *table)
{
	uint8_t box[4][256];

	(void)table;
	boxes(box);
	for (int x = 0; x < 256; x++)
		words[x] = box[0][x] | box[1][x] << 8 | box[2][x] << 16 | (uint32_t)box[3][x] << 24;
}

/* Each S-box where it adds to the other three bytes of its word: kernels/ciphers/aria/aria.cl. */
static void spread(uint32_t *words, const struct generated_table *table)
{
	static const uint32_t pattern[4] = { 0x00010101, 0x01000101, 0x01010001, 0x01010100 };
	uint8_t box[4][256];

	(void)table;
	boxes(box);
	for (int i = 0; i < 4; i++)
		for (int x = 0; x < 256; x++)
			words[256 * i + x] = pattern[i] * box[i][x];
}

const struct generated_table aria_tables[] = {
	{ "aria_1", 256, packed, { 0 } },
	{ "aria_4", 1024, spread, { 0 } },
	{ 0 },
};
