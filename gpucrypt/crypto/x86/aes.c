/*
 * AES (FIPS 197) by the processor's instructions for it, compiled once for each width of vectors: VAES on 64 or 32
 * bytes, AES-NI on 16.  Round keys are those of gpucrypt/crypto/aes.c: for decryption, of the equivalent inverse
 * cipher (section 5.3.5).
 */
#include "gpucrypt/crypto/x86/vector.h"
#include "gpucrypt/crypto/cipher.h"

#define BATCH_VECTORS 8
#define form_keys     round_keys

#define FORM_ISSUE(x, k) VECTOR_128(aesenc)(x, k)

ALWAYS_INLINE vec round_key(const struct round_keys *keys, int round)
{
	return vec_broadcast(_mm_loadu_si128((const __m128i *)keys->word + round));
}

ALWAYS_INLINE void crypt_batch(vec x[BATCH_VECTORS], const struct round_keys *keys, bool decrypt)
{
	vec k = round_key(keys, 0);

	EACH_VECTOR(v)
	x[v] ^= k;
	for (int round = 1; round < keys->rounds; round++) {
		k = round_key(keys, round);
		EACH_VECTOR(v)
		x[v] = decrypt ? VECTOR_128(aesdec)(x[v], k) : VECTOR_128(aesenc)(x[v], k);
	}
	k = round_key(keys, keys->rounds);
	EACH_VECTOR(v)
	x[v] = decrypt ? VECTOR_128(aesdeclast)(x[v], k) : VECTOR_128(aesenclast)(x[v], k);
}

#include "gpucrypt/crypto/vector_modes.h"

#if VECTOR_BYTES == 16
/* Section 5.2: the instruction has SubWord of words 1 and 3 in words 0 and 2 of its result. */
uint32_t aes_sub_word_by_instruction(uint32_t w);
uint32_t aes_sub_word_by_instruction(uint32_t w)
{
	return (uint32_t)_mm_cvtsi128_si32(_mm_aeskeygenassist_si128(_mm_set1_epi32((int)w), 0));
}
#endif
