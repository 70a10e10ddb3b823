/* What RSA slots are made of when many are made at once: the numbers of a public key, and OAEP by
 * itself, for which libcrypto 3 has no function that it does not call deprecated. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "gpucrypt/keys/public_key.h"

#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include "gpucrypt/engine/opencl/rsa_device.h"
#include "gpucrypt/status.h"

static bool numbers_of(struct rsa_key *key, const EVP_PKEY *public)
{
	BIGNUM *n = NULL, *e = NULL;
	bool good = EVP_PKEY_get_bn_param(public, OSSL_PKEY_PARAM_RSA_N, &n) == 1 &&
	            EVP_PKEY_get_bn_param(public, OSSL_PKEY_PARAM_RSA_E, &e) == 1 && BN_num_bits(n) <= MAX_RSA_BITS &&
	            BN_num_bits(n) % 1024 == 0 && BN_num_bits(e) > 1 && BN_num_bits(e) <= 64 && BN_is_odd(e);

	if (good) {
		key->bits = (unsigned)BN_num_bits(n);
		key->exponent = BN_get_word(e);
		good = BN_bn2binpad(n, key->modulus, (int)key->bits / 8) > 0;
	}
	BN_free(n);
	BN_free(e);
	return good;
}

int rsa_numbers(struct rsa_key *key, const struct gpucrypt_secret *recipient)
{
	const unsigned char *at = recipient->bytes;
	EVP_PKEY *public = recipient->type == GPUCRYPT_RSA ? d2i_PUBKEY(NULL, &at, (long)recipient->length) : NULL;
	bool good = public != NULL && numbers_of(key, public);

	EVP_PKEY_free(public);
	ERR_clear_error();
	return good ? GPUCRYPT_OK : fail(GPUCRYPT_USAGE, "not an RSA key whose slots are made in batches");
}

int rsa_pad(
        uint8_t *padded, size_t n_bytes, const uint8_t file_key[FILE_KEY_BYTES], const uint8_t file_salt[SALT_BYTES])
{
	uint8_t label[sizeof RSA_LABEL - 1 + SALT_BYTES];

	memcpy(label, RSA_LABEL, sizeof RSA_LABEL - 1);
	memcpy(label + sizeof RSA_LABEL - 1, file_salt, SALT_BYTES);
	return RSA_padding_add_PKCS1_OAEP_mgf1(padded, (int)n_bytes, file_key, FILE_KEY_BYTES, label, sizeof label,
	               EVP_sha256(), EVP_sha256()) == 1
	               ? GPUCRYPT_OK
	               : libcrypto_failed("RSA-OAEP");
}
