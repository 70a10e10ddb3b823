/*
 * PRESENT-80 for one block of 64 bits (ISO/IEC 29192-2; A. Bogdanov et al., CHES 2007): 31 rounds of 4-bit S-boxes and
 * a permutation of single bits, in place.
 *   ppf analyze --function present80_encrypt present80.c
 * Words of 32 bits, the lower one first: bit i of the state is bit i % 32 of word i / 32.
 * Table look-ups: not constant-time.
 */
#include <stdint.h>

#define PRESENT_ROUNDS 31

/* sBoxLayer's S-box. */
static const uint8_t present_sbox[16] = { 12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2 };

static inline uint32_t present_substitute(uint32_t x)
{
	uint32_t substituted = 0;

	for (int i = 0; i < 32; i += 4)
		substituted |= (uint32_t)present_sbox[x >> i & 0xf] << i;
	return substituted;
}

/* pLayer moves bit i to 16 i modulo 63, and bit 63 not: bit i of the result is bit 4 i modulo 63. */
static inline uint32_t present_permute(uint32_t low, uint32_t high, int first)
{
	uint32_t permuted = 0;

	for (int i = 0; i < 32; i++) {
		int from = first + i < 63 ? (first + i) * 4 % 63 : 63;

		permuted |= ((from < 32 ? low : high) >> from % 32 & 1) << i;
	}
	return permuted;
}

/* The key register of 80 bits: its upper 64 bits are the round key, then come the low 16. */
void present80_expand_key(uint32_t rk[PRESENT_ROUNDS + 1][2], const uint8_t key[10]);

void present80_expand_key(uint32_t rk[PRESENT_ROUNDS + 1][2], const uint8_t key[10])
{
	uint64_t high = 0, low = (uint64_t)key[8] << 8 | key[9];

	for (int i = 0; i < 8; i++)
		high = high << 8 | key[i];
	for (uint64_t round = 1; round <= PRESENT_ROUNDS + 1; round++) {
		uint64_t rotated = high << 61 | low << 45 | high >> 19; /* the register, by 61 bits to the left */

		rk[round - 1][0] = (uint32_t)high;
		rk[round - 1][1] = (uint32_t)(high >> 32);
		low = (high >> 3 & 0xffff) ^ (round & 1) << 15; /* the round's number: into bits 19 to 15 */
		high = rotated ^ round >> 1;
		high = (uint64_t)present_sbox[high >> 60] << 60 | (high & UINT64_MAX >> 4);
	}
}

void present80_encrypt(const uint32_t rk[PRESENT_ROUNDS + 1][2], uint32_t block[2]);

void present80_encrypt(const uint32_t rk[PRESENT_ROUNDS + 1][2], uint32_t block[2])
{
	uint32_t low = block[0], high = block[1];

	for (int round = 0; round < PRESENT_ROUNDS; round++) {
		uint32_t s0 = present_substitute(low ^ rk[round][0]), s1 = present_substitute(high ^ rk[round][1]);

		low = present_permute(s0, s1, 0);
		high = present_permute(s0, s1, 32);
	}
	block[0] = low ^ rk[PRESENT_ROUNDS][0];
	block[1] = high ^ rk[PRESENT_ROUNDS][1];
}
