#include "gpucrypt/crypto/tag.h"

#include <immintrin.h>
#include <string.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/crypto/keys.h"

#define MASK_44 ((UINT64_C(1) << 44) - 1)
#define MASK_42 ((UINT64_C(1) << 42) - 1)

/* 2^132 = 20 modulo p = 2^130 - 5: what a product beyond the three limbs comes back with. */
#define BEYOND 20

#define STEP_BYTES 256

typedef unsigned __int128 wide;

/* One number at a time. */

static void add_limbs(uint64_t h[3], uint64_t low, uint64_t high, uint64_t bit_128)
{
	h[0] += low & MASK_44;
	h[1] += (low >> 44 | high << 20) & MASK_44;
	h[2] += high >> 24 | bit_128 << 40;
}

/* product = a · b; limbs of a up to 2^46, those of b reduced; the result is reduced but for a carry into limb 1. */
static void multiply(uint64_t product[3], const uint64_t a[3], const uint64_t b[3])
{
	wide d0 = (wide)a[0] * b[0] + (wide)a[1] * (BEYOND * b[2]) + (wide)a[2] * (BEYOND * b[1]);
	wide d1 = (wide)a[0] * b[1] + (wide)a[1] * b[0] + (wide)a[2] * (BEYOND * b[2]);
	wide d2 = (wide)a[0] * b[2] + (wide)a[1] * b[1] + (wide)a[2] * b[0];

	d1 += (uint64_t)(d0 >> 44);
	d2 += (uint64_t)(d1 >> 44);
	product[0] = ((uint64_t)d0 & MASK_44) + 5 * (uint64_t)(d2 >> 42);
	product[1] = ((uint64_t)d1 & MASK_44) + (product[0] >> 44);
	product[2] = (uint64_t)d2 & MASK_42;
	product[0] &= MASK_44;
}

static void add_block(uint64_t h[3], const struct poly1305_key *key, const uint8_t block[16], uint64_t bit_128)
{
	add_limbs(h, load_le64(block), load_le64(block + 8), bit_128);
	multiply(h, h, key->r);
}

void poly1305_ifma_set_key(struct poly1305_key *key, const uint8_t r[16])
{
	/* load_blocks() has blocks 0 4 1 5 2 6 3 7 in its lanes; block 7 is times r, block 0 times r^8. */
	static const uint8_t lane_of_power[8] = { 7, 5, 3, 1, 6, 4, 2, 0 };
	uint64_t power[3];

	memset(key->r, 0, sizeof(key->r));
	add_limbs(key->r, load_le64(r) & UINT64_C(0x0ffffffc0fffffff), load_le64(r + 8) & UINT64_C(0x0ffffffc0ffffffc),
	        0);
	memcpy(power, key->r, sizeof(power));
	for (int n = 1; n <= 8; n++) {
		for (int i = 0; i < 3; i++)
			key->powers[i][lane_of_power[n - 1]] = power[i];
		if (n < 8)
			multiply(power, power, key->r);
	}
	memcpy(key->power_8, power, sizeof(power));
	multiply(key->power_16, power, power);
	wipe(power, sizeof(power));
}

/* Eight numbers at a time. */

typedef __m512i vec;

struct limbs {
	vec limb[3];
};

/* A multiplier, and its limbs for products beyond the third limb. */
struct multiplier {
	vec r[3], s[3];
};

/* A sum of products: limb i is low[i] + 2^52 · high[i]. */
struct products {
	vec low[3], high[3];
};

#define INLINE static inline __attribute__((always_inline))

INLINE struct multiplier multiplier_of(vec limb_0, vec limb_1, vec limb_2)
{
	struct multiplier m = { .r = { limb_0, limb_1, limb_2 } };

	for (int i = 0; i < 3; i++)
		m.s[i] = (m.r[i] << 4) + (m.r[i] << 2);
	return m;
}

INLINE struct multiplier multiplier_broadcast(const uint64_t limbs[3])
{
	return multiplier_of(_mm512_set1_epi64((long long)limbs[0]), _mm512_set1_epi64((long long)limbs[1]),
	        _mm512_set1_epi64((long long)limbs[2]));
}

/* products += a · m; limbs of a and m below 2^52. */
INLINE void add_product(struct products *to, const struct limbs *a, const struct multiplier *m)
{
	_Pragma("GCC unroll 3") for (int j = 0; j < 3; j++)
	{
		_Pragma("GCC unroll 3") for (int i = 0; i < 3; i++)
		{
			vec b = i >= j ? m->r[i - j] : m->s[3 + i - j];

			to->low[i] = _mm512_madd52lo_epu64(to->low[i], a->limb[j], b);
			to->high[i] = _mm512_madd52hi_epu64(to->high[i], a->limb[j], b);
		}
	}
}

/* Reduced but for a carry into limb 1. */
INLINE struct limbs reduce(const struct products *p)
{
	const vec mask_44 = _mm512_set1_epi64(MASK_44), mask_42 = _mm512_set1_epi64(MASK_42);
	vec d1 = p->low[1] + _mm512_srli_epi64(p->low[0], 44) + (p->high[0] << 8);
	vec d2 = p->low[2] + _mm512_srli_epi64(d1, 44) + (p->high[1] << 8);
	vec back = _mm512_srli_epi64(d2, 42) + (p->high[2] << 10);
	vec d0 = (p->low[0] & mask_44) + back + (back << 2);

	return (struct limbs){ { d0 & mask_44, (d1 & mask_44) + _mm512_srli_epi64(d0, 44), d2 & mask_42 } };
}

/* Eight blocks, as poly1305_ifma_set_key() orders the powers. */
INLINE struct limbs load_blocks(const uint8_t *bytes)
{
	const vec mask_44 = _mm512_set1_epi64(MASK_44), bit_128 = _mm512_set1_epi64(INT64_C(1) << 40);
	vec a = _mm512_loadu_si512(bytes), b = _mm512_loadu_si512(bytes + 64);
	vec low = _mm512_unpacklo_epi64(a, b), high = _mm512_unpackhi_epi64(a, b);

	return (struct limbs){ { low & mask_44, _mm512_shrdi_epi64(low, high, 44) & mask_44,
		_mm512_srli_epi64(high, 24) | bit_128 } };
}

/* lanes = lanes · r^16 + 8 blocks · r^8 + 8 blocks, over and over. */
static void add_steps(uint64_t lanes[3][8], const struct poly1305_key *key, const uint8_t *bytes, size_t n_steps)
{
	const struct multiplier power_8 = multiplier_broadcast(key->power_8),
	                        power_16 = multiplier_broadcast(key->power_16);
	struct limbs h;

	for (int i = 0; i < 3; i++)
		h.limb[i] = _mm512_loadu_si512(lanes[i]);
	for (; n_steps > 0; n_steps--, bytes += STEP_BYTES) {
		struct limbs first = load_blocks(bytes), second = load_blocks(bytes + STEP_BYTES / 2);
		struct products p = { .low = { second.limb[0], second.limb[1], second.limb[2] } };

		add_product(&p, &first, &power_8);
		add_product(&p, &h, &power_16);
		h = reduce(&p);
	}
	for (int i = 0; i < 3; i++)
		_mm512_storeu_si512(lanes[i], h.limb[i]);
}

/* h = the sum of the lanes, each times its power of r. */
static void fold(struct poly1305_sum *sum, const struct poly1305_key *key)
{
	const struct multiplier powers = multiplier_of(_mm512_loadu_si512(key->powers[0]),
	        _mm512_loadu_si512(key->powers[1]), _mm512_loadu_si512(key->powers[2]));
	static const uint64_t one[3] = { 1, 0, 0 };
	struct products p = { 0 };
	struct limbs h;

	for (int i = 0; i < 3; i++)
		h.limb[i] = _mm512_loadu_si512(sum->lanes[i]);
	add_product(&p, &h, &powers);
	h = reduce(&p);
	for (int i = 0; i < 3; i++)
		sum->h[i] = (uint64_t)_mm512_reduce_add_epi64(h.limb[i]);
	multiply(sum->h, sum->h, one);
	sum->folded = true;
}

void poly1305_ifma_add(struct poly1305_sum *sum, const struct poly1305_key *key, const uint8_t *bytes, size_t n_bytes)
{
	if (!sum->folded) {
		size_t n_steps = n_bytes / STEP_BYTES;

		add_steps(sum->lanes, key, bytes, n_steps);
		bytes += n_steps * STEP_BYTES;
		n_bytes %= STEP_BYTES;
		if (n_bytes > 0)
			fold(sum, key);
	}
	for (; n_bytes >= 16; n_bytes -= 16, bytes += 16)
		add_block(sum->h, key, bytes, 1);
	if (n_bytes > 0) {
		uint8_t last[16] = { 0 };

		memcpy(last, bytes, n_bytes);
		last[n_bytes] = 1;
		add_block(sum->h, key, last, 0);
		wipe(last, sizeof(last));
	}
}

void poly1305_ifma_finish(struct poly1305_sum *sum, const struct poly1305_key *key, uint8_t tag[16])
{
	uint64_t *h = sum->h, g[3], mask;

	if (!sum->folded)
		fold(sum, key);
	/* All carries; twice, since the first time they may come back to limb 0. */
	for (int i = 0; i < 2; i++) {
		h[1] += h[0] >> 44, h[0] &= MASK_44;
		h[2] += h[1] >> 44, h[1] &= MASK_44;
		h[0] += 5 * (h[2] >> 42), h[2] &= MASK_42;
	}
	h[1] += h[0] >> 44, h[0] &= MASK_44;
	/* h or h - p, whichever is in [0, p), chosen without a branch. */
	g[0] = h[0] + 5;
	g[1] = h[1] + (g[0] >> 44);
	g[2] = h[2] + (g[1] >> 44);
	mask = 0 - (g[2] >> 42);
	for (int i = 0; i < 3; i++)
		h[i] = (h[i] & ~mask) | (g[i] & (i == 2 ? MASK_42 : MASK_44) & mask);
	store_le64(tag, h[0] | h[1] << 44);
	store_le64(tag + 8, h[1] >> 20 | h[2] << 24);
}
