/* AES (FIPS 197): descriptor and key expansion.  The cores are kernels/ciphers/aes/aes.cl and
 * kernels/ciphers/aes/aes_slice.cl.  The key expansion uses an instruction or the latter's gates: it is constant-time.
 */
#include <string.h>

#include "gen/tables.h"
#include "gpucrypt/bytes.h"
#include "gpucrypt/crypto/cipher.h"
#include "kernels/common/word.cl"
#include "kernels/common/slice.cl"
#include "kernels/ciphers/aes/aes_gates.cl"

#ifdef __x86_64__
uint32_t aes_sub_word_by_instruction(uint32_t w); /* x86/aes.c; for processors with CPU_AES */
#endif

/* Bit n of slice b is bit b of byte n. */
static uint32_t sub_word(uint32_t w)
{
	slice x[8] = { 0 }, s[8];
	uint32_t result = 0;

#ifdef __x86_64__
	if (cpu_features() & CPU_AES)
		return aes_sub_word_by_instruction(w);
#endif
	for (int i = 0; i < 32; i++)
		x[i % 8] |= (w >> i & 1) << i / 8;
	aes_sbox(s, x);
	for (int i = 0; i < 32; i++)
		result |= (s[i % 8] >> i / 8 & 1) << i;
	return result ^ 0x63636363;
}

/* Each byte times 2 in GF(2^8). */
static uint32_t twice(uint32_t w)
{
	return (w & 0x7f7f7f7f) << 1 ^ (w >> 7 & 0x01010101) * 0x1b;
}

/* Section 5.3.3, as MixColumns of a column that 4 times the sum of every other byte is added to. */
static uint32_t inverse_mix_column(uint32_t w)
{
	uint32_t prepared = w ^ twice(twice(w ^ (w >> 16 | w << 16)));
	uint32_t next = prepared >> 8 | prepared << 24, sum = prepared ^ next;

	return twice(sum) ^ next ^ (sum >> 16 | sum << 16);
}

/* Section 5.2, on little-endian words: RotWord is a rotation to the right. */
static void expand_encrypt(struct round_keys *keys, const uint8_t *key, unsigned n)
{
	unsigned total = 4 * ((unsigned)keys->rounds + 1);
	uint32_t *w = keys->word, round_constant = 1;

	for (unsigned i = 0; i < n; i++)
		w[i] = load_le32(key + 4 * i);
	for (unsigned i = n, place = 0; i < total; i++, place = place + 1 < n ? place + 1 : 0) { /* place: i % n */
		uint32_t next = w[i - 1];
		if (place == 0) {
			next = sub_word(next >> 8 | next << 24) ^ round_constant;
			round_constant = round_constant << 1 ^ (round_constant & 0x80 ? 0x11b : 0);
		} else if (n > 6 && place == 4) {
			next = sub_word(next);
		}
		w[i] = w[i - n] ^ next;
	}
}

/* Section 5.3.5: reverse order; the inner keys through InvMixColumns. */
static void expand_decrypt(struct round_keys *keys)
{
	int rounds = keys->rounds;

	for (int i = 0; i < 4; i++)
		for (int r = 0; r < rounds - r; r++) {
			uint32_t w = keys->word[4 * r + i];
			keys->word[4 * r + i] = keys->word[4 * (rounds - r) + i];
			keys->word[4 * (rounds - r) + i] = w;
		}
	for (int i = 4; i < 4 * rounds; i++)
		keys->word[i] = inverse_mix_column(keys->word[i]);
}

static void expand(struct round_keys *keys, const uint8_t *key, unsigned key_bytes, enum direction direction)
{
	expand_encrypt(keys, key, key_bytes / 4);
	if (direction == DECRYPT)
		expand_decrypt(keys);
}

extern const struct host_core host_core_aes_0, host_core_aes_1, host_core_aes_4;

static const struct table_form forms[] = {
	{ TABLE_4, "4", 4, "aes.cl", 1024, { aes_encrypt_4, aes_decrypt_4 }, &host_core_aes_4 },
	{ TABLE_1, "1", 1, "aes.cl", 256, { aes_encrypt_1, aes_decrypt_1 }, &host_core_aes_1 },
	{ TABLE_BITSLICED, BITSLICED_NAME, 0, "slice.cl aes_gates.cl aes_slice.cl", 0, { NULL, NULL },
	        &host_core_aes_0 },
};

#ifdef __x86_64__
extern const struct host_core form_aes_vaes512, form_aes_vaes256, form_aes_aesni;

static const struct instruction_form instructions[] = {
	{ TABLE_VAES512, "vaes512", 512, CPU_VAES | CPU_AVX512, &form_aes_vaes512 },
	{ TABLE_VAES256, "vaes256", 256, CPU_VAES, &form_aes_vaes256 },
	{ TABLE_AESNI, "aesni", 128, CPU_AES, &form_aes_aesni },
};
#define INSTRUCTIONS
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
extern const struct host_core form_aes_armv8;

static const struct instruction_form instructions[] = {
	{ TABLE_ARMV8, "armv8", 128, CPU_AES, &form_aes_armv8 },
};
#define INSTRUCTIONS
#endif

const struct cipher cipher_aes = {
	.name = "aes",
	.reference = "FIPS 197",
	.id = 1,
	.libcrypto = "AES",
	.has_instructions = true,
	.round_key_words = { 44, 52, 60 },
	.rounds = { 10, 12, 14 },
	.expand = expand,
	.forms = forms,
	.n_forms = sizeof(forms) / sizeof(forms[0]),
#ifdef INSTRUCTIONS
	.instructions = instructions,
	.n_instructions = sizeof(instructions) / sizeof(instructions[0]),
#endif
	.vector_instructions = { 16 * 10, 16 * 12, 16 * 14 }, /* a round each */
	/* FIPS 197 appendix C */
	.known_answers = {
		{ 16, "000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff",
			"69c4e0d86a7b0430d8cdb78070b4c55a" },
		{ 24, "000102030405060708090a0b0c0d0e0f1011121314151617",
			"00112233445566778899aabbccddeeff", "dda97ca4864cdfe06eaf70a0ec0d7191" },
		{ 32, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
			"00112233445566778899aabbccddeeff", "8ea2b7ca516745bfeafc49904b496089" },
	},
};
