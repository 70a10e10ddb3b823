/* Camellia (RFC 3713): descriptor and key expansion.  The cores are kernels/ciphers/camellia/camellia.cl and
 * kernels/ciphers/camellia/camellia_slice.cl.  The key expansion uses the latter's gates: it is constant-time. */
#include <string.h>

#include "gen/tables.h"
#include "gpucrypt/bytes.h"
#include "gpucrypt/crypto/cipher.h"
#include "kernels/common/word.cl"
#include "gpucrypt/crypto/keys.h"

#include "kernels/common/slice.cl"
#include "kernels/ciphers/camellia/camellia_gates.cl"

/* Section 2.2: KL, KR, KA, KB; two 64-bit halves each. */
struct key_material {
	uint64_t l[2], r[2], a[2], b[2];
};

static const uint64_t sigma[6] = { 0xa09e667f3bcc908b, 0xb67ae8584caa73b2, 0xc6ef372fe94f82be, 0x54ff53a5f1d36f1c,
	0x10e527fade682d1d, 0xb05688c2b3e6c1fd };

/* S-boxes 1 2 3 4 2 3 4 1 of the bytes of x, all at once by the gates of s1: bit n of slice b is bit b
 * of byte n, rotated for the others (section 2.4.4). */
static void substitute(uint8_t z[8], uint64_t x)
{
	static const uint8_t before[8] = { 0, 0, 0, 1, 0, 0, 1, 0 }, after[8] = { 0, 1, 7, 0, 1, 7, 0, 0 };
	slice in[8] = { 0 }, out[8];

	for (int n = 0; n < 8; n++)
		for (int b = 0; b < 8; b++)
			in[(b + before[n]) % 8] |= (uint32_t)(x >> (56 - 8 * n + b) & 1) << n;
	for (int b = 0; b < 8; b++)
		in[b] ^= 0xc5 >> b & 1 ? 0xff : 0;
	camellia_sbox(out, in);
	for (int n = 0; n < 8; n++) {
		z[n] = 0;
		for (int b = 0; b < 8; b++)
			z[n] |= (uint8_t)((out[b] >> n & 1) << (b + after[n]) % 8);
	}
}

/* Section 2.4.1; P as sixteen additions of bytes. */
static uint64_t f(uint64_t x, uint64_t k)
{
	uint8_t z[8];
	uint64_t result = 0;

	substitute(z, x ^ k);
	for (int i = 0; i < 4; i++)
		z[i] ^= z[4 + (i + 1) % 4];
	for (int i = 0; i < 4; i++)
		z[4 + i] ^= z[(i + 2) % 4];
	for (int i = 0; i < 4; i++)
		z[i] ^= z[4 + (i + 3) % 4];
	for (int i = 0; i < 4; i++)
		z[4 + i] ^= z[(i + 3) % 4];
	for (int i = 0; i < 8; i++)
		result = result << 8 | z[(i + 4) % 8];
	wipe(z, sizeof(z));
	return result;
}

static void two_rounds(uint64_t d[2], uint64_t k0, uint64_t k1)
{
	d[1] ^= f(d[0], k0);
	d[0] ^= f(d[1], k1);
}

static void schedule(struct key_material *m, const uint8_t *key, unsigned key_bytes)
{
	m->l[0] = load_be64(key);
	m->l[1] = load_be64(key + 8);
	m->r[0] = key_bytes > 16 ? load_be64(key + 16) : 0;
	m->r[1] = key_bytes > 24 ? load_be64(key + 24) : key_bytes > 16 ? ~m->r[0] : 0;
	m->a[0] = m->l[0] ^ m->r[0];
	m->a[1] = m->l[1] ^ m->r[1];
	two_rounds(m->a, sigma[0], sigma[1]);
	m->a[0] ^= m->l[0];
	m->a[1] ^= m->l[1];
	two_rounds(m->a, sigma[2], sigma[3]);
	m->b[0] = m->a[0] ^ m->r[0];
	m->b[1] = m->a[1] ^ m->r[1];
	two_rounds(m->b, sigma[4], sigma[5]);
}

/* Section 2.2: which half (0 left, 1 right) of which 128-bit value rotated left by how much, in the
 * order in which encryption uses them. */
struct subkey {
	char from; /* 'l' KL, 'r' KR, 'a' KA, 'b' KB */
	uint8_t rotation, half;
};

static const struct subkey subkeys_128[26] = {
	{ 'l', 0, 0 }, { 'l', 0, 1 }, /* kw1 kw2 */
	{ 'a', 0, 0 }, { 'a', 0, 1 }, { 'l', 15, 0 }, { 'l', 15, 1 }, { 'a', 15, 0 }, { 'a', 15, 1 }, { 'a', 30, 0 },
	{ 'a', 30, 1 }, /* ke1 ke2 */
	{ 'l', 45, 0 }, { 'l', 45, 1 }, { 'a', 45, 0 }, { 'l', 60, 1 }, { 'a', 60, 0 }, { 'a', 60, 1 }, { 'l', 77, 0 },
	{ 'l', 77, 1 }, /* ke3 ke4 */
	{ 'l', 94, 0 }, { 'l', 94, 1 }, { 'a', 94, 0 }, { 'a', 94, 1 }, { 'l', 111, 0 }, { 'l', 111, 1 },
	{ 'a', 111, 0 }, { 'a', 111, 1 }, /* kw3 kw4 */
};

static const struct subkey subkeys_256[34] = {
	{ 'l', 0, 0 }, { 'l', 0, 1 }, /* kw1 kw2 */
	{ 'b', 0, 0 }, { 'b', 0, 1 }, { 'r', 15, 0 }, { 'r', 15, 1 }, { 'a', 15, 0 }, { 'a', 15, 1 }, { 'r', 30, 0 },
	{ 'r', 30, 1 }, /* ke1 ke2 */
	{ 'b', 30, 0 }, { 'b', 30, 1 }, { 'l', 45, 0 }, { 'l', 45, 1 }, { 'a', 45, 0 }, { 'a', 45, 1 }, { 'l', 60, 0 },
	{ 'l', 60, 1 }, /* ke3 ke4 */
	{ 'r', 60, 0 }, { 'r', 60, 1 }, { 'b', 60, 0 }, { 'b', 60, 1 }, { 'l', 77, 0 }, { 'l', 77, 1 }, { 'a', 77, 0 },
	{ 'a', 77, 1 }, /* ke5 ke6 */
	{ 'r', 94, 0 }, { 'r', 94, 1 }, { 'a', 94, 0 }, { 'a', 94, 1 }, { 'l', 111, 0 }, { 'l', 111, 1 },
	{ 'b', 111, 0 }, { 'b', 111, 1 }, /* kw3 kw4 */
};

static uint64_t subkey(const struct key_material *m, const struct subkey *s)
{
	const uint64_t *v = s->from == 'l' ? m->l : s->from == 'r' ? m->r : s->from == 'a' ? m->a : m->b;
	unsigned at = (s->half + s->rotation / 64) % 2, n = s->rotation % 64;

	return n == 0 ? v[at] : v[at] << n | v[1 - at] >> (64 - n);
}

/* Section 2.3.3: decryption uses the subkeys in reverse order, but kw pairs keep theirs. */
static unsigned position(unsigned i, unsigned n, enum direction direction)
{
	if (direction == ENCRYPT)
		return i;
	if (i < 2)
		return n - 2 + i;
	return i < n - 2 ? n - 1 - i : i - (n - 2);
}

static void expand(struct round_keys *keys, const uint8_t *key, unsigned key_bytes, enum direction direction)
{
	const struct subkey *subkeys = key_bytes == 16 ? subkeys_128 : subkeys_256;
	unsigned n = key_bytes == 16 ? 26 : 34;
	struct key_material m;

	schedule(&m, key, key_bytes);
	for (unsigned i = 0; i < n; i++) {
		uint64_t k = subkey(&m, &subkeys[i]);
		unsigned to = 2 * position(i, n, direction);
		keys->word[to] = (uint32_t)(k >> 32);
		keys->word[to + 1] = (uint32_t)k;
	}
	wipe(&m, sizeof(m));
}

extern const struct host_core host_core_camellia_0, host_core_camellia_1, host_core_camellia_4;

static const struct table_form forms[] = {
	{ TABLE_4, "4", 4, "camellia.cl", 1024, { camellia_4, camellia_4 }, &host_core_camellia_4 },
	{ TABLE_1, "1", 1, "camellia.cl", 256, { camellia_1, camellia_1 }, &host_core_camellia_1 },
	{ TABLE_BITSLICED, BITSLICED_NAME, 0, "slice.cl camellia_gates.cl camellia_slice.cl", 0, { NULL, NULL },
	        &host_core_camellia_0 },
};

#ifdef __x86_64__
extern const struct host_core form_camellia_gfni512, form_camellia_gfni256;

static const struct instruction_form instructions[] = {
	{ TABLE_GFNI512, "gfni512", 512, CPU_GFNI | CPU_AVX512, &form_camellia_gfni512 },
	{ TABLE_GFNI256, "gfni256", 256, CPU_GFNI, &form_camellia_gfni256 },
};
#endif

const struct cipher cipher_camellia = {
	.name = "camellia",
	.reference = "RFC 3713",
	.id = 2,
	.libcrypto = "CAMELLIA",
	.round_key_words = { 52, 68, 68 },
	.rounds = { 18, 24, 24 },
	.expand = expand,
	.forms = forms,
	.n_forms = sizeof(forms) / sizeof(forms[0]),
#ifdef __x86_64__
	.instructions = instructions,
	.n_instructions = sizeof(instructions) / sizeof(instructions[0]),
#endif
	/* Six rounds of 10 substitutions and 20 sums, and FL twice, 20 each, between them; 48 before and after. */
	.vector_instructions = { 3 * 180 + 2 * 40 + 48, 4 * 180 + 3 * 40 + 48, 4 * 180 + 3 * 40 + 48 },
	/* RFC 3713 appendix A */
	.known_answers = {
		{ 16, "0123456789abcdeffedcba9876543210", "0123456789abcdeffedcba9876543210",
			"67673138549669730857065648eabe43" },
		{ 24, "0123456789abcdeffedcba98765432100011223344556677",
			"0123456789abcdeffedcba9876543210", "b4993401b3e996f84ee5cee7d79b09b9" },
		{ 32, "0123456789abcdeffedcba987654321000112233445566778899aabbccddeeff",
			"0123456789abcdeffedcba9876543210", "9acc237dff16d76c20ef7c919e3a7509" },
	},
};
