/* AES T-tables from FIPS 197: the S-box is the inverse in GF(2^8) and an affine map (5.1.1). */
#include "kernels/gen/field.h"
#include "kernels/gen/tables.h"

static uint8_t sbox(uint8_t a)
{
	uint8_t b = power(a, 254), s = 0x63; /* a^254 = a^-1, and 0 for 0 */

	for (int i = 0; i < 5; i++)
		s ^= (uint8_t)(b << i | b >> (8 - i));
	return s;
}

static uint32_t column(uint8_t s, const uint8_t factors[4])
{
	uint32_t word = 0;

	for (int row = 0; row < 4; row++)
		word |= (uint32_t)multiply(s, factors[row]) << (8 * row);
	return word;
}

static uint32_t rotate(uint32_t w, int n)
{
	return n == 0 ? w : w << n | w >> (32 - n);
}

/* The first column of MixColumns (5.1.3) and InvMixColumns (5.3.3). */
static void encrypt(uint32_t *words, const struct generated_table *table)
{
	static const uint8_t mix[4] = { 2, 1, 1, 3 };

	for (unsigned i = 0; i < table->words; i++)
		words[i] = rotate(column(sbox((uint8_t)i), mix), (int)(i / 256) * 8);
}

static void decrypt(uint32_t *words, const struct generated_table *table)
{
	static const uint8_t mix[4] = { 14, 9, 13, 11 };

	for (unsigned i = 0; i < table->words; i++)
		words[(i & ~255u) + sbox((uint8_t)i)] = rotate(column((uint8_t)i, mix), (int)(i / 256) * 8);
}

const struct generated_table aes_tables[] = {
	{ "aes_encrypt_1", 256, encrypt, { 0 } },
	{ "aes_encrypt_4", 1024, encrypt, { 0 } },
	{ "aes_decrypt_1", 256, decrypt, { 0 } },
	{ "aes_decrypt_4", 1024, decrypt, { 0 } },
	{ 0 },
};
