/*
 * Constants of the instruction forms of Camellia and SC2000 against the ciphers' tables, without the instructions, so
 * on every processor.  test_forms.c tests the forms themselves.
 */
#include <stdbool.h>

#include "tests/unit/cmocka_all.h"
#include "gen/tables.h"
#include "gpucrypt/crypto/x86/camellia_matrices.h"
#include "gpucrypt/crypto/x86/sc2000_matrices.h"
#include "kernels/gen/field.h"

/* gf2p8affineqb on one byte, without its constant. */
static uint8_t affine(uint64_t matrix, uint8_t x)
{
	uint8_t y = 0;

	for (int i = 0; i < 8; i++)
		y |= (uint8_t)(__builtin_parity((uint8_t)(matrix >> 8 * (7 - i)) & x) << i);
	return y;
}

/* S-box of a byte in its own basis. */
static uint8_t camellia_s(uint8_t x, uint64_t matrix, uint8_t sum, bool rotated)
{
	uint8_t t = affine(TO_BASIS, x);

	t = (rotated ? affine(ROTATED, t) : t) ^ S_INPUT;
	return affine(FROM_BASIS, affine(matrix, power(t, 254)) ^ sum);
}

TEST(camellia_s_boxes)
{
	for (int x = 0; x < 256; x++) {
		uint8_t b = (uint8_t)x;

		assert_int_equal(camellia_s(b, S1, S1_SUM, false), camellia_1[x] & 0xff);
		assert_int_equal(camellia_s(b, S2, S2_SUM, false), camellia_1[x] >> 8 & 0xff);
		assert_int_equal(camellia_s(b, S3, S3_SUM, false), camellia_1[x] >> 16 & 0xff);
		assert_int_equal(camellia_s(b, S1, S1_SUM, true), camellia_1[x] >> 24);
	}
}

/* FL takes bytes to the basis after a shift. */
TEST(camellia_shifts)
{
	for (int x = 0; x < 256; x++) {
		uint8_t b = (uint8_t)x;

		assert_int_equal(affine(FROM_BASIS, affine(TO_BASIS, b)), x);
		assert_int_equal(affine(SHIFTED_TO_BASIS, b), affine(TO_BASIS, (uint8_t)(b << 1)));
		assert_int_equal(affine(CARRY_TO_BASIS, b), affine(TO_BASIS, b >> 7));
		for (int y = 0; y < 8; y++)
			assert_int_equal(affine(FROM_BASIS, (uint8_t)(1 << y)) >> (x % 8) & 1,
			        affine(FROM_BASIS_TRANSPOSED, (uint8_t)(1 << x % 8)) >> y & 1);
	}
}

static uint8_t rotate_left8(uint8_t x, int n)
{
	return (uint8_t)(x << n | x >> (8 - n));
}

/* M of the four bytes that the look-ups make. */
static uint32_t sc2000_mix(const uint8_t p[4])
{
	uint8_t y[4] = { 0 };

	for (int n = 0; n < 4; n++)
		for (int i = 0; i < 4; i++)
			y[n] ^= affine(mix_matrix[n][i], p[i]);
	return (uint32_t)rotate_left8(y[0], 2) << 24 | (uint32_t)y[1] << 16 | (uint32_t)rotate_left8(y[2], 3) << 8 |
	       y[3];
}

TEST(sc2000_m_of_s)
{
	/* Entries; the first one in sc2000_6; the bytes that the look-up is added to. */
	static const int fields[6][4] = { { 64, 0, 0, 0 }, { 32, 64, 0, 1 }, { 32, 96, 1, 1 }, { 32, 128, 2, 2 },
		{ 32, 160, 2, 3 }, { 64, 192, 3, 3 } };

	for (int f = 0; f < 6; f++)
		for (int x = 0; x < 64; x++) {
			uint8_t p[4] = { 0 };

			p[fields[f][2]] = p[fields[f][3]] = look_up_table[f][x];
			assert_int_equal(sc2000_mix(p), sc2000_6[fields[f][1] + x % fields[f][0]]);
		}
}
