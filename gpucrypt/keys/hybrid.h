/* Hybrid slots: an attacker must break both X25519 and ML-KEM-768 (FIPS 203; gcrypt(5), "Keys").  libcrypto has ML-KEM
 * from OpenSSL 3.5 on; earlier ones give GPUCRYPT_USAGE.
 *
 * The bytes of such a secret are those of an X25519 key, then those of an ML-KEM-768 key, both public or both private.
 */
#ifndef HYBRID_H
#define HYBRID_H

#include "gpucrypt/keys/key_pair.h"

#define KEY_PAIR_ML_KEM                                                                                              \
	((enum gpucrypt_secret_type)0x100) /* the ML-KEM half of a secret, inside this folder only; no slot has this \
	                                      type */
#define ML_KEM_CIPHERTEXT 1088
#define HYBRID_BODY_BYTES (ML_KEM_CIPHERTEXT + WRAPPED_BYTES)

/* GPUCRYPT_USAGE if libcrypto has no ML-KEM-768. */
int hybrid_available(void);

/* Does the DER of a key, public or private, say ML-KEM-768? */
bool ml_kem_der(const uint8_t *der, size_t n_der);

/* The X25519 key and the ML-KEM key of a secret, over its bytes. */
int hybrid_split(struct gpucrypt_secret halves[2], const struct gpucrypt_secret *secret);

/* Put the ML-KEM key behind the X25519 key in der, which has room for MAX_KEY_DER_BYTES.  GPUCRYPT_USAGE: they do not
 * make a pair. */
int hybrid_join(struct gpucrypt_secret *first, uint8_t *der, const struct gpucrypt_secret *second);

/* KEK of a slot, as the sender and as the recipient.  GPUCRYPT_NO_KEY as agreement_receive(). */
int hybrid_send(uint8_t kek[32], uint8_t ephemeral[32], uint8_t ciphertext[ML_KEM_CIPHERTEXT],
        const struct gpucrypt_secret *recipient, const uint8_t file_salt[SALT_BYTES]);
int hybrid_receive(uint8_t kek[32], const struct gpucrypt_secret *identity, const uint8_t ephemeral[32],
        const uint8_t ciphertext[ML_KEM_CIPHERTEXT], const uint8_t file_salt[SALT_BYTES]);

#endif
