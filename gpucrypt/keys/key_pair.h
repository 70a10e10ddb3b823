/* Secrets that are keys of libcrypto: what the files of this folder share. */
#ifndef KEY_PAIR_H
#define KEY_PAIR_H

#include <stdbool.h>

#include <openssl/evp.h>

#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/keys/public_key.h"

#define KEY_PAIR_OTHER ((enum gpucrypt_secret_type)0)

/* The type of slot that can be made for a key, public or private, or KEY_PAIR_OTHER. */
enum gpucrypt_secret_type key_pair_type(const EVP_PKEY *key);

/* Let libcrypto encode an EC key with the curve's name and an uncompressed point, because the key id is a digest of the
 * encoding. False: libcrypto failed. */
bool key_pair_normalise(EVP_PKEY *key);

/* The secret is a SubjectPublicKeyInfo, or a private key. The caller frees *key. GPUCRYPT_USAGE: another type. */
int key_pair_load(EVP_PKEY **key, bool *private, const struct gpucrypt_secret *secret);

/* GPUCRYPT_USAGE also for a public key. */
int key_pair_load_private(EVP_PKEY **key, const struct gpucrypt_secret *secret);

/* GPUCRYPT_NO_KEY; clears libcrypto's errors. */
int key_pair_fail_closed(void);

/* GPUCRYPT_DEVICE, with libcrypto's reason: a token that has the key did not compute. */
int key_pair_fail_token(void);

/* GPUCRYPT_USAGE. */
int key_pair_fail_public(void);

/* A public key as a secret over der, MAX_KEY_DER_BYTES; *key is replaced if it is Ed25519.  GPUCRYPT_USAGE: another
 * algorithm or size. */
int public_key_encode(struct gpucrypt_secret *secret, uint8_t *der, EVP_PKEY **key);

/* For libcrypto's callbacks of type pem_password_cb: whether it asked, and the status of the answer. */
struct pem_answer {
	const struct pem_question *question;
	bool asked;
	int status;
};
int pem_ask(char *bytes, int room, int writing, void *self);

/* For the sender of an X25519 or P-256 slot: a new ephemeral key, which the caller frees, and the KEK that it gives
 * with a recipient.  One ephemeral key may serve several recipients (Bellare, Boldyreva and Staddon, PKC 2003). */
int agreement_begin(EVP_PKEY **own, uint8_t ephemeral[32], enum gpucrypt_secret_type type);
int agreement_send(uint8_t kek[32], EVP_PKEY *own, const uint8_t ephemeral[32], const struct gpucrypt_secret *recipient,
        const uint8_t file_salt[SALT_BYTES]);

#endif
