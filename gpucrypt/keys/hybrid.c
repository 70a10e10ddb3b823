#include "gpucrypt/keys/key_pair.h"

#include <string.h>

#include <openssl/asn1.h>
#include <openssl/err.h>

#include "gpucrypt/status.h"

#define ML_KEM_KEY_BYTES    1184 /* FIPS 203, table 3 */
#define ML_KEM_SECRET_BYTES 32

int hybrid_available(void)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "ML-KEM-768", NULL);
	bool there = context != NULL;

	EVP_PKEY_CTX_free(context);
	ERR_clear_error();
	return there ? GPUCRYPT_OK : fail(GPUCRYPT_USAGE, "ML-KEM-768 needs OpenSSL 3.5 or later");
}

/* id-alg-ml-kem-768, 2.16.840.1.101.3.4.4.2, in the algorithm identifier, which is in the first bytes. */
bool ml_kem_der(const uint8_t *der, size_t n_der)
{
	static const uint8_t oid[] = { 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x04, 0x02 };

	return memmem(der, n_der < 32 ? n_der : 32, oid, sizeof oid) != NULL;
}

int hybrid_split(struct gpucrypt_secret halves[2], const struct gpucrypt_secret *secret)
{
	const unsigned char *at = secret->bytes;
	int tag, class;
	long n = 0;
	size_t first;

	if (ASN1_get_object(&at, &n, &tag, &class, (long)secret->length) & 0x80)
		n = 0;
	ERR_clear_error();
	first = (size_t)(at - secret->bytes) + (size_t)n;
	if (n == 0 || first >= secret->length)
		return fail(GPUCRYPT_USAGE, "not a key of its declared type");
	halves[0] = (struct gpucrypt_secret){ .type = GPUCRYPT_X25519, .bytes = secret->bytes, .length = first };
	halves[1] = (struct gpucrypt_secret){
		.type = KEY_PAIR_ML_KEM, .bytes = secret->bytes + first, .length = secret->length - first
	};
	return GPUCRYPT_OK;
}

int hybrid_join(struct gpucrypt_secret *first, uint8_t *der, const struct gpucrypt_secret *second)
{
	if (first == NULL || first->type != GPUCRYPT_X25519 || public_key_only(first) != public_key_only(second))
		return fail(GPUCRYPT_USAGE, "an ML-KEM-768 key must stand behind an X25519 key of the same owner");
	if (first->length + second->length > MAX_KEY_DER_BYTES)
		return fail(GPUCRYPT_USAGE, "a key that is too long");
	memcpy(der + first->length, second->bytes, second->length);
	first->type = GPUCRYPT_X25519_ML_KEM;
	first->length += second->length;
	return GPUCRYPT_OK;
}

/* The digest adds the ML-KEM ciphertext and public key, which the X25519 KEK does not depend on. */
static int combine(uint8_t kek[32], const uint8_t x25519_kek[32], const uint8_t shared[ML_KEM_SECRET_BYTES],
        EVP_PKEY *key, const uint8_t ciphertext[ML_KEM_CIPHERTEXT], const uint8_t file_salt[SALT_BYTES])
{
	uint8_t both[ML_KEM_CIPHERTEXT + ML_KEM_KEY_BYTES], digest[EVP_MAX_MD_SIZE];
	size_t n = ML_KEM_KEY_BYTES;

	memcpy(both, ciphertext, ML_KEM_CIPHERTEXT);
	if (EVP_PKEY_get_raw_public_key(key, both + ML_KEM_CIPHERTEXT, &n) != 1 || n != ML_KEM_KEY_BYTES ||
	        EVP_Digest(both, sizeof both, digest, NULL, EVP_sha256(), NULL) != 1)
		return libcrypto_failed("ML-KEM-768");
	return kek_from_hybrid(kek, x25519_kek, shared, digest, file_salt);
}

static int encapsulate(uint8_t ciphertext[ML_KEM_CIPHERTEXT], uint8_t shared[ML_KEM_SECRET_BYTES], EVP_PKEY *key)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
	size_t n_ciphertext = ML_KEM_CIPHERTEXT, n_shared = ML_KEM_SECRET_BYTES;
	bool good = context != NULL && EVP_PKEY_encapsulate_init(context, NULL) == 1 &&
	            EVP_PKEY_encapsulate(context, ciphertext, &n_ciphertext, shared, &n_shared) == 1 &&
	            n_ciphertext == ML_KEM_CIPHERTEXT && n_shared == ML_KEM_SECRET_BYTES;

	EVP_PKEY_CTX_free(context);
	return good ? GPUCRYPT_OK : libcrypto_failed("ML-KEM-768");
}

/* A ciphertext that nobody made for the key gives a secret that nobody knows (FIPS 203, algorithm 18). */
static int decapsulate(uint8_t shared[ML_KEM_SECRET_BYTES], EVP_PKEY *key, const uint8_t ciphertext[ML_KEM_CIPHERTEXT])
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
	size_t n = ML_KEM_SECRET_BYTES;
	bool good = context != NULL && EVP_PKEY_decapsulate_init(context, NULL) == 1 &&
	            EVP_PKEY_decapsulate(context, shared, &n, ciphertext, ML_KEM_CIPHERTEXT) == 1 &&
	            n == ML_KEM_SECRET_BYTES;

	EVP_PKEY_CTX_free(context);
	return good ? GPUCRYPT_OK : key_pair_fail_closed();
}

int hybrid_send(uint8_t kek[32], struct key_slot *slot, const struct gpucrypt_secret *recipient,
        const uint8_t file_salt[SALT_BYTES])
{
	uint8_t x25519_kek[32], shared[ML_KEM_SECRET_BYTES];
	struct gpucrypt_secret halves[2];
	EVP_PKEY *own = NULL, *key = NULL;
	int status = hybrid_split(halves, recipient)
	                     ?: key_pair_load(&key, &halves[1])
	                     ?: agreement_begin(&own, slot->salt, GPUCRYPT_X25519)
	                     ?: agreement_send(x25519_kek, own, slot->salt, &halves[0], file_salt)
	                     ?: encapsulate(slot->body, shared, key)
	                     ?: combine(kek, x25519_kek, shared, key, slot->body, file_salt);

	EVP_PKEY_free(own);
	EVP_PKEY_free(key);
	wipe(x25519_kek, sizeof x25519_kek);
	wipe(shared, sizeof shared);
	return status;
}

int hybrid_receive(uint8_t kek[32], const struct key_slot *slot, const struct gpucrypt_secret *identity,
        const uint8_t file_salt[SALT_BYTES])
{
	uint8_t x25519_kek[32], shared[ML_KEM_SECRET_BYTES];
	struct gpucrypt_secret halves[2];
	EVP_PKEY *key = NULL;
	int status = hybrid_split(halves, identity)
	                     ?: key_pair_load_private(&key, &halves[1])
	                     ?: agreement_receive(x25519_kek, &halves[0], slot->salt, file_salt)
	                     ?: decapsulate(shared, key, slot->body)
	                     ?: combine(kek, x25519_kek, shared, key, slot->body, file_salt);

	EVP_PKEY_free(key);
	wipe(x25519_kek, sizeof x25519_kek);
	wipe(shared, sizeof shared);
	ERR_clear_error();
	return status;
}
