/*
 * SPECK-128/128 for one block (R. Beaulieu et al., "The SIMON and SPECK Families of Lightweight Block Ciphers", 2013;
 * ISO/IEC 29167-22): additions, rotations and exclusive ors on words of 64 bits, in place.
 *   ppf analyze --function speck128_encrypt speck128.c
 * block[0] and key[0] are the words that the paper writes on the right, y and k_0.
 */
#include <stdint.h>

#define SPECK128_ROUNDS 32

#define ROTL64(x, n) ((x) << (n) | (x) >> (64 - (n)))
#define ROTR64(x, n) ((x) >> (n) | (x) << (64 - (n)))

/* Section 4.1: the round function with alpha = 8 and beta = 3. */
static inline void speck128_round(uint64_t *x, uint64_t *y, uint64_t k)
{
	*x = (ROTR64(*x, 8) + *y) ^ k;
	*y = ROTL64(*y, 3) ^ *x;
}

/* Section 4.2: the round function makes the round keys, with the round's number as its key. */
void speck128_expand_key(uint64_t rk[SPECK128_ROUNDS], const uint64_t key[2]);

void speck128_expand_key(uint64_t rk[SPECK128_ROUNDS], const uint64_t key[2])
{
	uint64_t k = key[0], l = key[1];

	for (uint64_t i = 0; i < SPECK128_ROUNDS; i++) {
		rk[i] = k;
		speck128_round(&l, &k, i);
	}
}

void speck128_encrypt(const uint64_t rk[SPECK128_ROUNDS], uint64_t block[2]);

void speck128_encrypt(const uint64_t rk[SPECK128_ROUNDS], uint64_t block[2])
{
	uint64_t x = block[1], y = block[0];

	for (int i = 0; i < SPECK128_ROUNDS; i++)
		speck128_round(&x, &y, rk[i]);
	block[1] = x;
	block[0] = y;
}
