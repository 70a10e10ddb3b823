/* ARIA (RFC 5794): descriptor and key expansion.  The cores are kernels/ciphers/aria/aria.cl and aria_slice.cl.
 * The key expansion uses the latter's gates: it is constant-time. */
#include <string.h>

#include "gen/tables.h"
#include "gpucrypt/bytes.h"
#include "gpucrypt/crypto/cipher.h"
#include "kernels/common/word.cl"
#include "gpucrypt/crypto/keys.h"

#include "kernels/common/slice.cl"
#include "kernels/ciphers/aria/aria_gates.cl"

struct value {
	uint8_t byte[16];
};

static struct value sum(struct value a, const struct value *b)
{
	for (int n = 0; n < 16; n++)
		a.byte[n] ^= b->byte[n];
	return a;
}

/* Bit n of slice b is bit b of byte n; every S-box for all bytes, of which a quarter counts.  first: 0
 * for SL1, 2 for SL2 (section 2.4.2). */
static struct value substitute(const struct value *x, int first)
{
	struct value result = { { 0 } };
	slice in[8] = { 0 }, out[8];

	for (int i = 0; i < 128; i++)
		in[i % 8] |= (uint32_t)(x->byte[i / 8] >> i % 8 & 1) << i / 8;
	for (int number = 0; number < 4; number++) {
		aria_sbox(out, in, number);
		for (int n = number ^ first; n < 16; n += 4)
			for (int b = 0; b < 8; b++)
				result.byte[n] |= (uint8_t)((out[b] >> n & 1) << b);
	}
	return result;
}

/* Section 2.4.3: each output byte is the sum of seven input bytes; bit n of a row selects byte n. */
static struct value diffuse(const struct value *x)
{
	static const uint16_t rows[16] = { 0x6358, 0x93a4, 0x9c52, 0x6ca1, 0xc925, 0xc61a, 0x3685, 0x394a, 0xa493,
		0x5863, 0xa16c, 0x529c, 0x1ac6, 0x25c9, 0x4a39, 0x8536 };
	struct value y = { { 0 } };

	for (int n = 0; n < 16; n++)
		for (int m = 0; m < 16; m++)
			y.byte[n] ^= rows[n] >> m & 1 ? x->byte[m] : 0;
	return y;
}

/* FO with first 0, FE with first 2. */
static struct value f(const struct value *x, const struct value *key, int first)
{
	struct value added = sum(*x, key), substituted = substitute(&added, first);

	return diffuse(&substituted);
}

/* To the right by n bits, in big-endian order. */
static struct value rotated(const struct value *x, int n)
{
	struct value y;

	for (int i = 0; i < 16; i++) {
		int from = (i + 16 - n / 8) % 16, before = (from + 15) % 16;

		y.byte[i] = (uint8_t)((x->byte[before] << 8 | x->byte[from]) >> n % 8);
	}
	return y;
}

/* Section 2.2: the constants, in the order of 128-bit keys. */
static const struct value constants[3] = {
	{ { 0x51, 0x7c, 0xc1, 0xb7, 0x27, 0x22, 0x0a, 0x94, 0xfe, 0x13, 0xab, 0xe8, 0xfa, 0x9a, 0x6e, 0xe0 } },
	{ { 0x6d, 0xb1, 0x4a, 0xcc, 0x9e, 0x21, 0xc8, 0x20, 0xff, 0x28, 0xb1, 0xd5, 0xef, 0x5d, 0xe2, 0xb0 } },
	{ { 0xdb, 0x92, 0x37, 0x1d, 0x21, 0x26, 0xe9, 0x70, 0x03, 0x24, 0x97, 0x75, 0x04, 0xe8, 0xc9, 0x0e } }
};

static void schedule(struct value w[4], const uint8_t *key, unsigned key_bytes)
{
	const struct value *ck[3];
	struct value right = { { 0 } };
	unsigned first = (key_bytes - 16) / 8;

	for (unsigned i = 0; i < 3; i++)
		ck[i] = &constants[(first + i) % 3];
	memcpy(w[0].byte, key, 16);
	memcpy(right.byte, key + 16, key_bytes - 16);
	w[1] = sum(f(&w[0], ck[0], 0), &right);
	w[2] = sum(f(&w[1], ck[1], 2), &w[0]);
	w[3] = sum(f(&w[2], ck[2], 0), &w[1]);
	wipe(&right, sizeof right);
}

/* Round key number i from 0: two of the four values, one of them rotated. */
static struct value round_key(const struct value w[4], int i)
{
	static const uint8_t rotations[5] = { 19, 31, 128 - 61, 128 - 31, 128 - 19 };
	int plain = i % 4, turned = (i + 1) % 4;
	struct value key = rotated(&w[turned], rotations[i / 4]);

	return sum(key, &w[plain]);
}

static void expand(struct round_keys *keys, const uint8_t *key, unsigned key_bytes, enum direction direction)
{
	int n = keys->rounds;
	struct value w[4], k;

	schedule(w, key, key_bytes);
	for (int i = 0; i <= n; i++) {
		k = round_key(w, direction == ENCRYPT ? i : n - i);
		if (direction == DECRYPT && i > 0 && i < n)
			k = diffuse(&k);
		for (int j = 0; j < 4; j++)
			keys->word[4 * i + j] = load_be32(k.byte + 4 * j);
	}
	wipe(w, sizeof w);
	wipe(&k, sizeof k);
}

extern const struct host_core host_core_aria_0, host_core_aria_1, host_core_aria_4;

static const struct table_form forms[] = {
	{ TABLE_4, "4", 4, "aria.cl", 1024, { aria_4, aria_4 }, &host_core_aria_4 },
	{ TABLE_1, "1", 1, "aria.cl", 256, { aria_1, aria_1 }, &host_core_aria_1 },
	{ TABLE_BITSLICED, BITSLICED_NAME, 0, "slice.cl aes_gates.cl aria_gates.cl aria_slice.cl", 0, { NULL, NULL },
	        &host_core_aria_0 },
};

const struct cipher cipher_aria = {
	.name = "aria",
	.reference = "RFC 5794",
	.id = 4,
	.libcrypto = NULL, /* libcrypto has ARIA too; this example shows the library's own cores */
	.round_key_words = { 52, 60, 68 },
	.rounds = { 12, 14, 16 },
	.only_named = true,
	.expand = expand,
	.forms = forms,
	.n_forms = sizeof(forms) / sizeof(forms[0]),
	/* RFC 5794 appendix A */
	.known_answers = {
		{ 16, "000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff",
			"d718fbd6ab644c739da95f3be6451778" },
		{ 24, "000102030405060708090a0b0c0d0e0f1011121314151617",
			"00112233445566778899aabbccddeeff", "26449c1805dbe7aa25a468ce263a9e79" },
		{ 32, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
			"00112233445566778899aabbccddeeff", "f92bd7c79fb72e2f2b8f80c1972d24fc" },
	},
};
