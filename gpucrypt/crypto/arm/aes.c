/*
 * AES (FIPS 197) by the Cryptographic Extension of ARMv8: AESE and AESD add the round key before SubBytes, so that
 * the key of the next round comes with each.  Round keys are those of gpucrypt/crypto/aes.c: for decryption, of the
 * equivalent inverse cipher (section 5.3.5).
 */
#include "gpucrypt/crypto/arm/vector.h"
#include "gpucrypt/crypto/cipher.h"

#define BATCH_VECTORS 8
#define VECTOR_BYTES  16
#define form_keys     round_keys

/* A pair, which processors issue as one. */
#define FORM_ISSUE(x, k) vreinterpretq_u64_u8(vaesmcq_u8(vaeseq_u8(vreinterpretq_u8_u64(x), vreinterpretq_u8_u64(k))))

ALWAYS_INLINE uint8x16_t round_key(const struct round_keys *keys, int round)
{
	return vld1q_u8((const uint8_t *)(keys->word + 4 * round));
}

/* SubBytes, ShiftRows and AddRoundKey of the round before, or their inverse. */
ALWAYS_INLINE uint8x16_t part_round(vec x, uint8x16_t k, bool decrypt)
{
	return decrypt ? vaesdq_u8(vreinterpretq_u8_u64(x), k) : vaeseq_u8(vreinterpretq_u8_u64(x), k);
}

ALWAYS_INLINE void crypt_batch(vec x[BATCH_VECTORS], const struct round_keys *keys, bool decrypt)
{
	const vec last = vreinterpretq_u64_u8(round_key(keys, keys->rounds));
	uint8x16_t k;

	for (int round = 0; round < keys->rounds - 1; round++) {
		k = round_key(keys, round);
		EACH_VECTOR(v)
		{
			uint8x16_t y = part_round(x[v], k, decrypt);

			x[v] = vreinterpretq_u64_u8(decrypt ? vaesimcq_u8(y) : vaesmcq_u8(y));
		}
	}
	k = round_key(keys, keys->rounds - 1);
	EACH_VECTOR(v)
	x[v] = vreinterpretq_u64_u8(part_round(x[v], k, decrypt)) ^ last;
}

#include "gpucrypt/crypto/vector_modes.h"
