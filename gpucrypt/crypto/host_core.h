/* The reference implementation: the ciphers and modes of kernels/, compiled by the C compiler. */
#ifndef GPUCRYPT_CRYPTO_HOST_CORE_H
#define GPUCRYPT_CRYPTO_HOST_CORE_H

#include "gpucrypt/crypto/cipher.h"
#include "kernels/common/word.cl"

#define FORM_KEY_BYTES 2048

/* Round keys as a core reads them: made once for a job by core_keys_set(), secret, wiped by the caller. */
struct core_keys {
	struct round_keys round;
	_Alignas(64) uint8_t form[FORM_KEY_BYTES]; /* of cores with .prepare: what it makes of the round keys */
};

/* One cipher in one implementation: a table form (not constant-time) or bitsliced (host_core.c), or by instructions
 * (x86/, arm/). */
struct host_core {
	/* By mode number: encrypt or decrypt the whole blocks of a span. */
	void (*crypt[N_MODES])(const block *in, block *out, const struct span *span, const struct core_keys *keys,
	        const uint32_t *table);
	/* XTS: encrypted numbers of n_units data units. */
	void (*tweaks)(block *tweaks, uint64_t n_units, const struct span *span, const struct core_keys *keys,
	        const uint32_t *table);
	/* Set keys->form; NULL: the core reads keys->round. */
	void (*prepare)(struct core_keys *keys);
	/* NULL, or of an instruction form: execute n instructions of a kind that bounds its speed, of which none waits
	 * for another.  AES: a round; byte-sliced: XOR. */
	void (*issue)(unsigned n);
};

/* Keys for a direction of a cipher's core. */
void core_keys_set(struct core_keys *keys, const struct host_core *core, const struct cipher *cipher,
        const uint8_t *key, unsigned key_bytes, enum direction direction);

/* Encrypt or decrypt a whole span, with ciphertext stealing if it ends with a part of a block. */
void host_core_crypt(const struct host_core *core, enum mode_number mode, const uint8_t *in, uint8_t *out,
        const struct span *span, const struct core_keys *keys, const uint32_t *table);

#endif
