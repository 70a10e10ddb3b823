/*
 * ChaCha20 for one block of 64 bytes (RFC 8439): additions, rotations and exclusive ors on 16 words; no table and no
 * key schedule.
 *   ppf analyze --function chacha20_encrypt chacha20.c
 */
#include <stdint.h>

#define ROTL32(x, n) ((x) << (n) | (x) >> (32 - (n)))

/* Section 2.1. */
#define QUARTER_ROUND(a, b, c, d)                  \
	do {                                       \
		a += b, d ^= a, d = ROTL32(d, 16); \
		c += d, b ^= c, b = ROTL32(b, 12); \
		a += b, d ^= a, d = ROTL32(d, 8);  \
		c += d, b ^= c, b = ROTL32(b, 7);  \
	} while (0)

/* Section 2.3: quarter rounds on the columns and on the diagonals, ten times. */
static inline void chacha20_rounds(uint32_t x[16])
{
	for (int i = 0; i < 10; i++) {
		QUARTER_ROUND(x[0], x[4], x[8], x[12]);
		QUARTER_ROUND(x[1], x[5], x[9], x[13]);
		QUARTER_ROUND(x[2], x[6], x[10], x[14]);
		QUARTER_ROUND(x[3], x[7], x[11], x[15]);
		QUARTER_ROUND(x[0], x[5], x[10], x[15]);
		QUARTER_ROUND(x[1], x[6], x[11], x[12]);
		QUARTER_ROUND(x[2], x[7], x[8], x[13]);
		QUARTER_ROUND(x[3], x[4], x[9], x[14]);
	}
}

/* Section 2.4 for block `counter`.  The key and the nonce are little-endian words. */
void chacha20_encrypt(
        const uint32_t key[8], const uint32_t nonce[3], uint32_t counter, const uint8_t in[64], uint8_t out[64]);

void chacha20_encrypt(
        const uint32_t key[8], const uint32_t nonce[3], uint32_t counter, const uint8_t in[64], uint8_t out[64])
{
	uint32_t initial[16] = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 };
	uint32_t x[16];

	for (int i = 0; i < 8; i++)
		initial[4 + i] = key[i];
	initial[12] = counter;
	for (int i = 0; i < 3; i++)
		initial[13 + i] = nonce[i];
	for (int i = 0; i < 16; i++)
		x[i] = initial[i];
	chacha20_rounds(x);
	for (int i = 0; i < 16; i++)
		x[i] += initial[i];
	for (int i = 0; i < 64; i++)
		out[i] = in[i] ^ (uint8_t)(x[i / 4] >> 8 * (i % 4));
}
