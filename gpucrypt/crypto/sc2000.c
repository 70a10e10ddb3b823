/* SC2000 (Shimoyama et al., FSE 2001): descriptor and key expansion.  The cores are
 * kernels/ciphers/sc2000/sc2000.cl and sc2000_slice.cl.  The key expansion uses the latter's gates: it is
 * constant-time. */
#include "gen/tables.h"
#include "gpucrypt/bytes.h"
#include "gpucrypt/crypto/cipher.h"
#include "kernels/common/word.cl"
#include "gpucrypt/crypto/keys.h"

#include "kernels/common/slice.cl"
#include "kernels/ciphers/sc2000/sc2000_gates.cl"

static uint32_t rotate1(uint32_t x)
{
	return x << 1 | x >> 31;
}

/* M(S(x)), with one bit in each slice. */
static uint32_t ms(uint32_t x)
{
	slice bits[32], s[32], y[32];
	uint32_t result = 0;

	for (int i = 0; i < 32; i++)
		bits[i] = x >> i & 1;
	for (int i = 0; i < 32; i += 26)
		sc2000_s6(s + i, bits + i);
	for (int i = 6; i < 26; i += 5)
		sc2000_s5(s + i, bits + i);
	sc2000_m(y, s);
	for (int i = 0; i < 32; i++)
		result |= (y[i] & 1) << i;
	return result;
}

/* Step 2 of the key schedule: im[group a to d][0 to 2]. */
static void intermediate(uint32_t im[4][3], const uint32_t user[8])
{
	for (uint32_t j = 0; j < 4; j++)
		for (uint32_t i = 0; i < 3; i++)
			im[j][i] = ms((ms(user[2 * j]) + ms(4 * i + j)) ^ ((i + 1) * ms(user[2 * j + 1])));
}

/* Step 3: which groups and which of their three words each round key takes. */
static uint32_t round_key(uint32_t im[4][3], unsigned n)
{
	static const char order[12][5] = { "abcd", "badc", "cdab", "dcba", "acdb", "bdca", "cabd", "dbac", "adbc",
		"bcad", "cbda", "dacb" };
	static const char index[9][5] = { "0000", "1111", "2222", "0101", "1212", "2020", "0202", "1010", "2121" };
	const char *groups = order[(n + n / 36) % 12], *words = index[n % 9];
	uint32_t x = im[groups[0] - 'a'][words[0] - '0'], y = im[groups[1] - 'a'][words[1] - '0'];
	uint32_t z = im[groups[2] - 'a'][words[2] - '0'], w = im[groups[3] - 'a'][words[3] - '0'];

	return (rotate1(x) + y) ^ rotate1(rotate1(z) - w);
}

/* Decryption uses the same keys; its core walks them backwards. */
static void expand(struct round_keys *keys, const uint8_t *key, unsigned key_bytes, enum direction direction)
{
	uint32_t user[8], im[4][3];

	(void)direction;
	/* Step 1: a short key is repeated from its start. */
	for (unsigned i = 0; i < 8; i++)
		user[i] = load_be32(key + 4 * i % key_bytes);
	intermediate(im, user);
	for (unsigned n = 0; n < 8 * ((unsigned)keys->rounds + 1); n++)
		keys->word[n] = round_key(im, n);
	wipe(user, sizeof(user));
	wipe(im, sizeof(im));
}

extern const struct host_core host_core_sc2000_0, host_core_sc2000_2, host_core_sc2000_3, host_core_sc2000_4,
        host_core_sc2000_6;

static const struct table_form forms[] = {
	{ TABLE_11_10_11, "11,10,11", 3, "sc2000.cl", 5120, { sc2000_3, sc2000_3 }, &host_core_sc2000_3 },
	{ TABLE_6_5_5_5_5_6, "6,5,5,5,5,6", 6, "sc2000.cl", 256, { sc2000_6, sc2000_6 }, &host_core_sc2000_6 },
	{ TABLE_6_10_10_6, "6,10,10,6", 4, "sc2000.cl", 2176, { sc2000_4, sc2000_4 }, &host_core_sc2000_4 },
	{ TABLE_16_16, "16,16", 2, "sc2000.cl", 131072, { sc2000_2, sc2000_2 }, &host_core_sc2000_2 },
	{ TABLE_BITSLICED, BITSLICED_NAME, 0, "slice.cl sc2000_gates.cl sc2000_slice.cl", 0, { NULL, NULL },
	        &host_core_sc2000_0 },
};

#ifdef __x86_64__
extern const struct host_core form_sc2000_vbmi512, form_sc2000_vbmi256;

static const struct instruction_form instructions[] = {
	{ TABLE_VBMI512, "vbmi512", 512, CPU_GFNI | CPU_AVX512 | CPU_VBMI, &form_sc2000_vbmi512 },
	{ TABLE_VBMI256, "vbmi256", 256, CPU_GFNI | CPU_AVX512 | CPU_VBMI, &form_sc2000_vbmi256 },
};
#endif

const struct cipher cipher_sc2000 = {
	.name = "sc2000",
	.reference = "Shimoyama et al., FSE 2001",
	.id = 3,
	.only_named = true,
	.libcrypto = NULL,
	.round_key_words = { 56, 64, 64 },
	.rounds = { 6, 7, 7 },
	.expand = expand,
	.forms = forms,
	.n_forms = sizeof(forms) / sizeof(forms[0]),
#ifdef __x86_64__
	.instructions = instructions,
	.n_instructions = sizeof(instructions) / sizeof(instructions[0]),
#endif
	/* I B I R × R: 228; one more I B I, and rotations of bytes, 80. */
	.vector_instructions = { 6 * 228 + 80, 7 * 228 + 80, 7 * 228 + 80 },
	/* NESSIE test vectors, set 1 */
	.known_answers = {
		{ 16, "80000000000000000000000000000000", "00000000000000000000000000000000",
			"3fcb3bc9dbe00a8bf28d69d7f67102a7" },
		{ 24, "400000000000000000000000000000000000000000000000",
			"00000000000000000000000000000000", "ba071f9ad0bd07a76b2a9ee7d1757367" },
		{ 32, "4000000000000000000000000000000000000000000000000000000000000000",
			"00000000000000000000000000000000", "ae9f721862e547f45a9a47258f9365d6" },
	},
};
