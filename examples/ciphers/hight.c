/*
 * HIGHT for one block of 64 bits (ISO/IEC 18033-3; D. Hong et al., CHES 2006): 32 rounds of additions, exclusive ors
 * and rotations of single bytes, without tables.
 *   ppf analyze --function hight_encrypt hight.c
 * Byte 0 of the key and of the block is the rightmost one in the specification.
 */
#include <stdint.h>

#define HIGHT_ROUNDS 32

struct hight {
	uint8_t wk[8]; /* whitening keys */
	uint8_t sk[4 * HIGHT_ROUNDS];
};

static inline uint8_t hight_rotate(uint8_t x, int n)
{
	return (uint8_t)(x << n | x >> (8 - n));
}

/* The auxiliary functions F0 and F1. */
static inline uint8_t hight_f0(uint8_t x)
{
	return hight_rotate(x, 1) ^ hight_rotate(x, 2) ^ hight_rotate(x, 7);
}

static inline uint8_t hight_f1(uint8_t x)
{
	return hight_rotate(x, 3) ^ hight_rotate(x, 4) ^ hight_rotate(x, 6);
}

/* The key schedule.  Its constants are states of a shift register with x^7 + x^3 + 1. */
void hight_expand_key(struct hight *context, const uint8_t key[16]);

void hight_expand_key(struct hight *context, const uint8_t key[16])
{
	uint8_t delta = 0x5a;

	for (int i = 0; i < 8; i++)
		context->wk[i] = key[(i + 12) % 16];
	for (int i = 0; i < 4 * HIGHT_ROUNDS; i++) {
		int upper = i & 8; /* eight subkeys from the lower half of the key, eight from the upper one */

		context->sk[i] = (uint8_t)(key[((i - i / 16) & 7) + upper] + delta);
		delta = (uint8_t)(delta >> 1 | ((delta >> 3 ^ delta) & 1) << 6);
	}
}

/* Each round moves every byte up by one.  Here bytes stay, and the names a to h of the bytes 0 to 7 move. */
void hight_encrypt(const struct hight *context, const uint8_t in[8], uint8_t out[8]);

void hight_encrypt(const struct hight *context, const uint8_t in[8], uint8_t out[8])
{
	const uint8_t *wk = context->wk, *sk = context->sk;
	uint8_t x[8] = { (uint8_t)(in[0] + wk[0]), in[1], in[2] ^ wk[1], in[3], (uint8_t)(in[4] + wk[2]), in[5],
		in[6] ^ wk[3], in[7] };

	for (int i = 0; i < HIGHT_ROUNDS; i++, sk += 4) {
		uint8_t *a = &x[-i & 7], *b = &x[(1 - i) & 7], *c = &x[(2 - i) & 7], *d = &x[(3 - i) & 7];
		uint8_t *e = &x[(4 - i) & 7], *f = &x[(5 - i) & 7], *g = &x[(6 - i) & 7], *h = &x[(7 - i) & 7];

		*b += hight_f1(*a) ^ sk[0];
		*d ^= hight_f0(*c) + sk[1];
		*f += hight_f1(*e) ^ sk[2];
		*h ^= hight_f0(*g) + sk[3];
	}
	/* After 32 rounds the places are as at the start; the final transformation takes the last move back. */
	out[0] = (uint8_t)(x[1] + wk[4]);
	out[1] = x[2];
	out[2] = x[3] ^ wk[5];
	out[3] = x[4];
	out[4] = (uint8_t)(x[5] + wk[6]);
	out[5] = x[6];
	out[6] = x[7] ^ wk[7];
	out[7] = x[0];
}
