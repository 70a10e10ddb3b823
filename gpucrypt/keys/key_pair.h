/* Secrets that are keys of libcrypto: what the files of this folder share. */
#ifndef GPUCRYPT_KEYS_KEY_PAIR_H
#define GPUCRYPT_KEYS_KEY_PAIR_H

#include <stdbool.h>

#include <openssl/evp.h>

#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/keys/slot.h"

#define KEY_PAIR_OTHER ((enum gpucrypt_secret_type)0)

/* The ML-KEM half of a secret, where keys are read; no slot has this type. */
#define KEY_PAIR_ML_KEM ((enum gpucrypt_secret_type)0x100)

/* The type of slot that can be made for a key, public or private, or KEY_PAIR_OTHER. */
enum gpucrypt_secret_type key_pair_type(const EVP_PKEY *key);

/* Let libcrypto encode an EC key with the curve's name and an uncompressed point, because the key id is a digest of the
 * encoding. False: libcrypto failed. */
bool key_pair_normalise(EVP_PKEY *key);

/* The secret is a SubjectPublicKeyInfo, or a private key. The caller frees *key. GPUCRYPT_USAGE: another type. */
int key_pair_load(EVP_PKEY **key, const struct gpucrypt_secret *secret);

/* GPUCRYPT_USAGE also for a public key. */
int key_pair_load_private(EVP_PKEY **key, const struct gpucrypt_secret *secret);

/* GPUCRYPT_NO_KEY; clears libcrypto's errors. */
int key_pair_fail_closed(void);

/* GPUCRYPT_DEVICE, with libcrypto's reason: a token that has the key did not compute. */
int key_pair_fail_token(void);

/* GPUCRYPT_USAGE: an RSA key of too few or too many bits. */
int rsa_fail_size(int bits);

/* Ed25519 keys (RFC 8032) as X25519 keys (RFC 7748), as age uses the Ed25519 keys of SSH. */

/* u = (1 + y) / (1 - y) mod 2^255 - 19 (RFC 7748, 4.1) of the point that `public` encodes (RFC 8032, 5.1.2).
 * GPUCRYPT_USAGE: no point of the curve, or the neutral one, which has no u. */
int ed25519_public_u(uint8_t u[32], const uint8_t public[32]);

/* The scalar of RFC 8032, 5.1.5: the first half of SHA-512(seed), clamped. */
int ed25519_private_scalar(uint8_t scalar[32], const uint8_t seed[32]);

/* *key, private or not, becomes the X25519 key; the Ed25519 key is freed, after a failure too, when *key is NULL. */
int ed25519_convert(EVP_PKEY **key);

/* Hybrid slots: an attacker must break both X25519 and ML-KEM-768 (FIPS 203; gcrypt(5), "Keys").  libcrypto has ML-KEM
 * from OpenSSL 3.5 on; earlier ones give GPUCRYPT_USAGE.
 *
 * The bytes of such a secret are those of an X25519 key, then those of an ML-KEM-768 key, both public or both private.
 */
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

/* KEK of a slot, as the sender, who sets the ephemeral key and the ciphertext, and as the recipient.  GPUCRYPT_NO_KEY
 * as agreement_receive(). */
int hybrid_send(uint8_t kek[32], struct key_slot *slot, const struct gpucrypt_secret *recipient,
        const uint8_t file_salt[SALT_BYTES]);
int hybrid_receive(uint8_t kek[32], const struct key_slot *slot, const struct gpucrypt_secret *identity,
        const uint8_t file_salt[SALT_BYTES]);

/* For the sender of an X25519 or P-256 slot: a new ephemeral key, which the caller frees, and the KEK that it gives
 * with a recipient.  One ephemeral key may serve several recipients (Bellare, Boldyreva and Staddon, PKC 2003). */
int agreement_begin(EVP_PKEY **own, uint8_t ephemeral[32], enum gpucrypt_secret_type type);
int agreement_send(uint8_t kek[32], EVP_PKEY *own, const uint8_t ephemeral[32], const struct gpucrypt_secret *recipient,
        const uint8_t file_salt[SALT_BYTES]);

#endif
