/*
 * SC2000 (Shimoyama et al., "The Block Cipher SC2000", FSE 2001) by AVX-512 VBMI and GFNI, byte-sliced: vector
 * 4 * q + n holds byte n of word q (a b c d) of each block.  docs/decisions/0021-sc2000-vectors.md says how the cipher
 * came to the instructions.
 *
 * Bytes 0 and 2 are rotated, so that four of a word's six S-box fields are the low bits of its four bytes, where vpermb
 * looks them up as they are; the two others are put together out of the bytes' high bits:
 *
 *   byte  bits 0 to 5 (4)   above
 *   0     field 0 (6 bits)  high 2 bits of field 1
 *   1     field 2 (5 bits)  low 3 bits of field 1
 *   2     field 3 (5 bits)  high 3 bits of field 4
 *   3     field 5 (6 bits)  low 2 bits of field 4
 *
 * Six look-ups make four bytes, of which a 32 × 32 matrix makes the word M(S(x)); the S-boxes' tables are such that
 * four of the matrix's sixteen parts are the identity.
 */
#include "gpucrypt/crypto/x86/vector.h"
#include "gpucrypt/crypto/x86/byte_slice.h"
#include "gpucrypt/crypto/x86/sc2000_matrices.h"
#include "gpucrypt/crypto/cipher.h"

#define BATCH_VECTORS 16
#define MAX_LAYERS    16

/* Rotations of a byte. */
#define RIGHT_2 UINT64_C(0x0408102040800102)
#define RIGHT_3 UINT64_C(0x0810204080010204)
#define LEFT_2  UINT64_C(0x4080010204081020)
#define LEFT_3  UINT64_C(0x2040800102040810)

/* Round keys, each byte in all four places; masks of L, of even rounds and of odd ones. */
struct form_keys {
	uint32_t layer[MAX_LAYERS][16];
	int rounds;
};

static const uint32_t masks[2][4] = { { 0x55555555, 0x55555555, 0xaaaaaaaa, 0x55555555 },
	{ 0xcccccccc, 0x33333333, 0x66666666, 0x33333333 } };

/* Four words: each byte four times, then rotated like the state's. */
static void form_keys_prepare(struct form_keys *to, const struct round_keys *from)
{
	const __m512i places = _mm512_set_epi32(0x0c0c0c0c, 0x0d0d0d0d, 0x0e0e0e0e, 0x0f0f0f0f, 0x08080808, 0x09090909,
	        0x0a0a0a0a, 0x0b0b0b0b, 0x04040404, 0x05050505, 0x06060606, 0x07070707, 0x00000000, 0x01010101,
	        0x02020202, 0x03030303);
	const __m512i rotations = _mm512_broadcast_i32x4(_mm_set_epi32(0, 3, 0, 2));

	to->rounds = from->rounds;
	for (int i = 0; i < 2 * (from->rounds + 1); i++) {
		__m512i k = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)from->word + i));

		k = _mm512_rorv_epi32(_mm512_shuffle_epi8(k, places), rotations);
		_mm512_storeu_si512(to->layer[i], k);
	}
}

/* A function of three vectors, written with A, B and C. */
enum { A = 0xf0, B = 0xcc, C = 0xaa };
#define LOGIC3(x, y, z, function) VECTOR(ternarylogic_epi64)(x, y, z, 0xff & (function))

#if VECTOR_BYTES == 64
#define LOOK_UP(table, x) _mm512_permutexvar_epi8(x, _mm512_load_si512(table))
#else
#define LOOK_UP(table, x)         \
	_mm256_permutex2var_epi8( \
	        _mm256_load_si256((const vec *)(table)), x, _mm256_load_si256((const vec *)(table) + 1))
#endif

/* B on words that lie in the order 0 1 2 3, or 2 3 0 1 (first: 8): the S-box S4, or its inverse. */
ALWAYS_INLINE void substitute(vec s[16], int first, bool inverse)
{
	EACH(n, 4)
	{
		vec a = s[first + n], b = s[first + n + 4], c = s[8 - first + n], d = s[12 - first + n];

		if (inverse) {
			vec t0 = LOGIC3(b, d, c, (~A | B) ^ C), t1 = LOGIC3(b, t0, d, (A | B) ^ C);
			vec t2 = LOGIC3(a, t1, t0, (A & (B ^ C)) ^ B), t3 = LOGIC3(a, d, b, (~A | B) ^ C);
			vec t4 = LOGIC3(t1, d, t3, (A | B) ^ ~C), t6 = SUM3(c, t1, t3);
			vec t8 = LOGIC3(a, t2 ^ d, t6, (~A | B) & C), t9 = LOGIC3(a, t3, t8, A ^ ~(B | C));

			s[n] = t2, s[4 + n] = t8, s[8 + n] = t4, s[12 + n] = t9;
		} else {
			vec g4 = LOGIC3(d, a, c, 0xa6), g5 = LOGIC3(b, g4, d, 0xac), g6 = LOGIC3(d, c, g5, 0xab);
			vec g7 = LOGIC3(g6, b, a, 0x6d), g8 = LOGIC3(d, c, b, 0x8d), g9 = LOGIC3(g8, a, g5, 0x87);
			vec g10 = LOGIC3(d, a, g8, 0xb9), g11 = LOGIC3(g10, b, g7, 0xc1);

			s[n] = g5, s[4 + n] = g9, s[8 + n] = g11, s[12 + n] = g7;
		}
	}
}

/* Byte i of a sum, taken from byte n of M. */
#define PART(p, n, i) (mix_matrix[n][i] == IDENTITY ? (p)[i] : AFFINE((p)[i], mix_matrix[n][i], 0))

/* y = M(S(x)) of a word. */
ALWAYS_INLINE void mix(vec y[4], const vec x[4])
{
	const vec low_3 = EVERY_32(0x07070707), low_2 = EVERY_32(0x03030303);
	vec field_1 = LOGIC3(VECTOR(srli_epi16)(x[1], 5), VECTOR(srli_epi16)(x[0], 3), low_3, (C & A) | (~C & B));
	vec field_4 = LOGIC3(VECTOR(srli_epi16)(x[3], 6), VECTOR(srli_epi16)(x[2], 3), low_2, (C & A) | (~C & B));
	vec s1 = LOOK_UP(look_up_table[1], field_1), s4 = LOOK_UP(look_up_table[4], field_4);
	vec p[4] = { LOOK_UP(look_up_table[0], x[0]) ^ s1, LOOK_UP(look_up_table[2], x[1]) ^ s1,
		LOOK_UP(look_up_table[3], x[2]) ^ s4, LOOK_UP(look_up_table[5], x[3]) ^ s4 };

	EACH(n, 4) y[n] = SUM3(PART(p, n, 0) ^ PART(p, n, 1), PART(p, n, 2), PART(p, n, 3));
}

/* R, and keys: (a, b) += F(c, d) + k. */
ALWAYS_INLINE void add_round(vec ab[8], const vec cd[8], const uint32_t mask[4], const uint32_t k[8])
{
	vec u[4], v[4];

	mix(u, cd);
	mix(v, cd + 4);
	EACH(n, 4)
	{
		vec m = EVERY_32(mask[n]);
		vec a = LOGIC3(ab[n], u[n], m, A ^ (B & C)), b = LOGIC3(ab[4 + n], v[n], m, A ^ (B & ~C));

		ab[n] = SUM3(a, v[n], EVERY_32(k[n]));
		ab[4 + n] = SUM3(b, u[n], EVERY_32(k[4 + n]));
	}
}

/*
 * Rounds I B I R × R.  Decryption takes the layers of keys in the other order.  In R × R the halves change places only
 * by the next B; keys that follow R are added by it.
 */
ALWAYS_INLINE void crypt_bytes(vec x[16], const struct form_keys *keys, bool inverse)
{
	int step = inverse ? -1 : 1, layer = inverse ? 2 * keys->rounds + 1 : 0;
	vec s[16];

	EACH(n, 16) s[n] = x[n];
	EACH(n, 4) s[4 * n] = AFFINE(s[4 * n], RIGHT_2, 0), s[4 * n + 2] = AFFINE(s[4 * n + 2], RIGHT_3, 0);
	add_words(s, keys->layer[layer], 16);
	substitute(s, 0, inverse);
	for (int r = 0; r < keys->rounds; r++) {
		const uint32_t *mask = masks[(inverse ? keys->rounds - 1 - r : r) % 2];

		layer += step;
		add_words(s + 8, keys->layer[layer] + 8, 8);
		add_round(s, s + 8, mask, keys->layer[layer]);
		layer += step;
		add_round(s + 8, s, mask, keys->layer[layer]);
		add_words(s, keys->layer[layer] + 8, 8);
		substitute(s, 8, inverse);
	}
	add_words(s, keys->layer[layer + step], 16);
	EACH(n, 4) s[4 * n] = AFFINE(s[4 * n], LEFT_2, 0), s[4 * n + 2] = AFFINE(s[4 * n + 2], LEFT_3, 0);
	transpose_bytes(s);
	EACH(n, 16) x[n] = s[n];
}

static __attribute__((noinline)) void encrypt_bytes(vec x[16], const struct form_keys *keys)
{
	crypt_bytes(x, keys, false);
}

static __attribute__((noinline)) void decrypt_blocks(vec x[16], const struct form_keys *keys)
{
	transpose_bytes(x);
	crypt_bytes(x, keys, true);
}

ALWAYS_INLINE void crypt_batch(vec x[BATCH_VECTORS], const struct form_keys *keys, bool decrypt)
{
	if (decrypt) {
		decrypt_blocks(x, keys);
	} else {
		transpose_bytes(x);
		encrypt_bytes(x, keys);
	}
}

ALWAYS_INLINE void encrypt_counters(vec x[BATCH_VECTORS], uint64_t high, uint64_t low, const struct form_keys *keys)
{
	set_sliced_counters(x, high, low);
	encrypt_bytes(x, keys);
}

#define FORM_ISSUE(x, k) ((x) ^ (k))
#define FORM_PREPARES_KEYS
#define FORM_SETS_COUNTERS
#include "gpucrypt/crypto/vector_modes.h"
