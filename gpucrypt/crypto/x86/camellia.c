/*
 * Camellia (RFC 3713) by GFNI, byte-sliced: vector n of a batch holds byte n of each block.  Compiled once for each
 * width of vectors.
 *
 * s1 is an affine map, the inversion in GF(2^8) and an affine map.  The whole state stays in the basis in which the
 * first map is the identity, so that s1, s2 and s3 are one gf2p8affineinvqb each, and s4, which rotates its input,
 * has one gf2p8affineqb before.  FL and its inverse are affine maps of bytes that depend on the key.  Round keys are
 * added to the output of an earlier round, where a sum of three has room: what a vector holds beside the state is
 * called its offset.
 */
#include "gpucrypt/crypto/x86/vector.h"
#include "gpucrypt/crypto/x86/byte_slice.h"
#include "gpucrypt/crypto/x86/camellia_matrices.h"
#include "gpucrypt/crypto/cipher.h"
#include "gpucrypt/crypto/keys.h"

#define BATCH_VECTORS 32
#define MAX_GROUPS    4

/* FL or its inverse, for byte n of a word. */
struct fl_keys {
	uint64_t rotated[4], carried[4], kept[4]; /* matrices */
	uint32_t sum[8];                          /* the first four */
};

/* Sums have each byte four times. */
struct form_keys {
	uint32_t first[8], last[8];
	struct group {
		uint32_t sum[6][8];
		struct fl_keys fl, fl_inverse; /* not after the last six rounds */
	} group[MAX_GROUPS];
	int n_groups;
};

/* Keys. */

/* Eight bytes, the first one in the high bits, in the basis of the state. */
static void set_sums(uint32_t sum[8], uint64_t bytes)
{
	const __m256i places =
	        _mm256_set_epi64x(0x0707070706060606, 0x0505050504040404, 0x0303030302020202, 0x0101010100000000);
	__m256i b = _mm256_set1_epi64x((long long)__builtin_bswap64(bytes));

	b = _mm256_gf2p8affine_epi64_epi8(b, _mm256_set1_epi64x((long long)TO_BASIS), 0);
	_mm256_storeu_si256((__m256i *)sum, _mm256_shuffle_epi8(b, places));
}

/* The map of each byte of a word that ands it with the mask's byte, then applies map, seen in the basis of the state.
 */
static void set_maps(uint64_t maps[4], uint64_t map, uint32_t mask)
{
	const __m256i places = _mm256_set_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
	__m256i rows = _mm256_shuffle_epi8(_mm256_set1_epi32((int)mask), places);

	rows &= _mm256_set1_epi64x((long long)map);
	rows = _mm256_gf2p8affine_epi64_epi8(rows, _mm256_set1_epi64x((long long)FROM_BASIS_TRANSPOSED), 0);
	_mm256_storeu_si256((__m256i *)maps, rows);
}

/* key: the word that is anded, then the one that is ored; offsets of the left word before and after, of the right one.
 */
static void fl_keys_set(struct fl_keys *fl, uint64_t key, uint32_t before, uint32_t after, uint32_t right)
{
	uint32_t anded = (uint32_t)(key >> 32), ored = (uint32_t)key;

	set_maps(fl->rotated, SHIFTED_TO_BASIS, anded);
	set_maps(fl->carried, CARRY_TO_BASIS, anded);
	set_maps(fl->kept, TO_BASIS, ~ored);
	set_sums(fl->sum, (uint64_t)(before ^ after ^ ored ^ (right & ~ored)) << 32);
}

static uint64_t key_at(const struct round_keys *keys, int i)
{
	return (uint64_t)keys->word[i] << 32 | keys->word[i + 1];
}

/* The offset that makes the input of the S-boxes: the round key and s1's own, which s4 adds itself. */
static uint64_t round_offset(const struct round_keys *keys, int group, int round)
{
	return key_at(keys, 4 + 16 * group + 2 * round) ^ UINT64_C(0xc5c5c500c5c500c5);
}

static void form_keys_prepare(struct form_keys *to, const struct round_keys *from)
{
	uint64_t right = key_at(from, 2); /* offset of the right half */
	uint64_t left = round_offset(from, 0, 0);

	to->n_groups = from->rounds / 6;
	set_sums(to->first, key_at(from, 0) ^ left);
	for (int g = 0; g < to->n_groups; g++) {
		struct group *group = &to->group[g];
		uint64_t offset[6], fl = key_at(from, 16 * g + 16), fl_inverse = key_at(from, 16 * g + 18);

		for (int r = 0; r < 6; r++)
			offset[r] = round_offset(from, g, r);
		set_sums(group->sum[0], right ^ offset[1]);
		for (int r = 1; r < 5; r++)
			set_sums(group->sum[r], offset[r - 1] ^ offset[r + 1]);
		if (g == to->n_groups - 1) {
			set_sums(group->sum[5], offset[4] ^ fl_inverse);
			set_sums(to->last, offset[5] ^ fl);
		} else {
			left = round_offset(from, g + 1, 0);
			right = (uint32_t)offset[5];
			set_sums(group->sum[5], offset[4] ^ (uint32_t)left);
			fl_keys_set(&group->fl, fl, 0, (uint32_t)(left >> 32), (uint32_t)left);
			fl_keys_set(&group->fl_inverse, fl_inverse, (uint32_t)(offset[5] >> 32), 0, (uint32_t)right);
		}
		wipe(offset, sizeof(offset));
	}
}

/* Blocks. */

/* y += F(x) + sum: section 2.4.1. */
ALWAYS_INLINE void add_round(vec y[8], const vec x[8], const uint32_t sum[8])
{
	vec a = AFFINE(x[3], ROTATED, S_INPUT), b = AFFINE(x[6], ROTATED, S_INPUT), t[4];
	vec l[4] = { AFFINE_INV(x[0], S1, S1_SUM), AFFINE_INV(x[1], S2, S2_SUM), AFFINE_INV(x[2], S3, S3_SUM),
		AFFINE_INV(a, S1, S1_SUM) };
	vec r[4] = { AFFINE_INV(x[4], S2, S2_SUM), AFFINE_INV(x[5], S3, S3_SUM), AFFINE_INV(b, S1, S1_SUM),
		AFFINE_INV(x[7], S1, S1_SUM) };

	add_words(y, sum, 4);
	EACH(n, 4) t[n] = SUM3(r[n], l[(n + 2) % 4], r[(n + 3) % 4]);
	EACH(n, 4) l[n] = SUM3(l[n], r[(n + 1) % 4], t[(n + 3) % 4]);
	EACH(n, 4) y[n] = SUM3(y[n], t[n], l[(n + 3) % 4]);
	EACH(n, 4) y[4 + n] = SUM3(y[4 + n], l[n], EVERY_32(sum[4 + n]));
}

/* The two steps of FL, whose inverse has them in the other order: sections 2.4.2 and 2.4.3. */
ALWAYS_INLINE void add_anded(vec x[8], const struct fl_keys *k)
{
	EACH(n, 4)
	x[4 + n] = SUM3(x[4 + n], AFFINE(x[n], k->rotated[n], 0), AFFINE(x[(n + 1) % 4], k->carried[(n + 1) % 4], 0));
}

ALWAYS_INLINE void add_ored(vec x[8], const struct fl_keys *k)
{
	EACH(n, 4) x[n] = SUM3(x[n], AFFINE(x[4 + n], k->kept[n], 0), EVERY_32(k->sum[n]));
}

/* Six rounds.  Between the first four, a quarter of other vectors each is half transposed: that needs a port of the
 * processor which rounds leave idle. */
ALWAYS_INLINE void add_group(vec s[16], const struct group *group, vec *to, const vec *from)
{
	_Pragma("GCC unroll 6") for (int r = 0; r < 6; r++)
	{
		add_round(s + (r % 2 == 0 ? 8 : 0), s + (r % 2 == 0 ? 0 : 8), group->sum[r]);
		if (from != NULL && r < 4)
			transpose_quarter(to, from, r);
	}
}

ALWAYS_INLINE void add_fl(vec s[16], const struct group *group)
{
	add_anded(s, &group->fl);
	add_ored(s, &group->fl);
	add_ored(s + 8, &group->fl_inverse);
	add_anded(s + 8, &group->fl_inverse);
}

/* 16 vectors of bytes in place; other ones beside them are transposed, unless NULL. */
ALWAYS_INLINE void crypt_bytes(vec x[16], const struct form_keys *keys, vec *other)
{
	const struct group *group = keys->group, *last = group + keys->n_groups - 1;
	vec s[16], spare[16];

	EACH(n, 16) s[n] = AFFINE(x[n], TO_BASIS, 0);
	add_words(s, keys->first, 8);
	if (other != NULL) {
		add_group(s, group, spare, other);
		add_fl(s, group++);
		add_group(s, group, other, spare);
		add_fl(s, group++);
	}
	for (; group < last; group++) {
		add_group(s, group, NULL, NULL);
		add_fl(s, group);
	}
	add_group(s, group, NULL, NULL);
	add_words(s + 8, keys->last, 8);
	EACH(n, 16) x[n] = AFFINE(s[(n + 8) % 16], FROM_BASIS, 0);
}

static __attribute__((noinline)) void crypt_alone(vec x[16], const struct form_keys *keys)
{
	crypt_bytes(x, keys, NULL);
}

static __attribute__((noinline)) void crypt_beside(vec x[16], const struct form_keys *keys, vec other[16])
{
	crypt_bytes(x, keys, other);
}

/* Two batches of 16 vectors: the transposition of one overlaps with the rounds of the other.  Decryption is the same
 * with the round keys in reverse order (section 2.3.3). */
ALWAYS_INLINE void crypt_batch(vec x[BATCH_VECTORS], const struct form_keys *keys, bool decrypt)
{
	(void)decrypt;
	transpose_bytes(x);
	crypt_beside(x, keys, x + 16);
	crypt_beside(x + 16, keys, x);
	transpose_bytes(x + 16);
}

ALWAYS_INLINE void encrypt_counters(vec x[BATCH_VECTORS], uint64_t high, uint64_t low, const struct form_keys *keys)
{
	uint64_t second = low + 16 * (VECTOR_BYTES / BLOCK_BYTES);

	set_sliced_counters(x, high, low);
	crypt_alone(x, keys);
	set_sliced_counters(x + 16, high + (second < low), second);
	crypt_beside(x + 16, keys, x);
	transpose_bytes(x + 16);
}

#define FORM_ISSUE(x, k) ((x) ^ (k))
#define FORM_PREPARES_KEYS
#define FORM_SETS_COUNTERS
#include "gpucrypt/crypto/vector_modes.h"
