/*
 * The example of ppf(1), PREPARING YOUR SOURCE: bytes, a context structure and a block of 64 bits.  Do not use this as
 * a cipher: the S-box is incomplete, because its values do not change the counts.
 *   ppf analyze --function feistel64_encrypt --set rounds=16 feistel64.c
 */
#include <stdint.h>

static const uint8_t sbox[256] = { 0x63, 0x7c, 0x77, 0x7b /* ... */ };

struct feistel64 {
	int rounds;
	uint32_t round_key[32];
};

static uint32_t load(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void store(uint8_t *p, uint32_t x)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(x >> (24 - 8 * i));
}

void feistel64_encrypt(const struct feistel64 *c, const uint8_t in[8], uint8_t out[8]);

void feistel64_encrypt(const struct feistel64 *c, const uint8_t in[8], uint8_t out[8])
{
	uint32_t left = load(in), right = load(in + 4);

	for (int i = 0; i < c->rounds; i++) {
		uint32_t x = right ^ c->round_key[i], y = 0;

		for (int j = 0; j < 32; j += 8)
			y |= (uint32_t)sbox[x >> j & 0xff] << j;
		y = left ^ (y << 11 | y >> 21);
		left = right;
		right = y;
	}
	store(out, right);
	store(out + 4, left);
}
