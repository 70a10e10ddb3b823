#include "gpucrypt/keys/public_key.h"

#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include "gpucrypt/status.h"

#define MIN_RSA_BITS   2048
#define SMALL_DIVISORS 65536

int key_pair_fail_closed(void)
{
	ERR_clear_error();
	return fail(GPUCRYPT_NO_KEY, "the key slot does not open");
}

int key_pair_fail_token(void)
{
	const char *reason = ERR_reason_error_string(ERR_peek_last_error());
	int status = fail(GPUCRYPT_DEVICE, "the token does not compute with this key: %s",
	        reason != NULL ? reason : "no reason given");

	ERR_clear_error();
	return status;
}

int rsa_fail_size(int bits)
{
	return fail(GPUCRYPT_USAGE, "an RSA key of %d bits: it must be from 2048 to 4096", bits);
}

/* By libcrypto's names. */
enum gpucrypt_secret_type key_pair_type(const EVP_PKEY *key)
{
	char group[32] = "";

	if (EVP_PKEY_is_a(key, "EC") && EVP_PKEY_get_group_name(key, group, sizeof group, NULL) == 1)
		return strcmp(group, "prime256v1") == 0 ? GPUCRYPT_P256 : KEY_PAIR_OTHER;
	return EVP_PKEY_is_a(key, "X25519")       ? GPUCRYPT_X25519
	       : EVP_PKEY_is_a(key, "RSA")        ? GPUCRYPT_RSA
	       : EVP_PKEY_is_a(key, "ML-KEM-768") ? KEY_PAIR_ML_KEM
	                                          : KEY_PAIR_OTHER;
}

bool key_pair_normalise(EVP_PKEY *key)
{
	return !EVP_PKEY_is_a(key, "EC") ||
	       (EVP_PKEY_set_utf8_string_param(key, OSSL_PKEY_PARAM_EC_ENCODING, OSSL_PKEY_EC_ENCODING_GROUP) == 1 &&
	               EVP_PKEY_set_utf8_string_param(
	                       key, OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, "uncompressed") == 1);
}

/* The first element of a SubjectPublicKeyInfo is a sequence, that of a private key its version, an integer. */
static bool is_private_der(const struct gpucrypt_secret *secret)
{
	const unsigned char *at = secret->bytes;
	int tag, class;
	long n = 0;
	bool bad = (ASN1_get_object(&at, &n, &tag, &class, (long)secret->length) & 0x80) != 0;

	ERR_clear_error();
	return !bad && n > 0 && *at == V_ASN1_INTEGER;
}

int key_pair_load(EVP_PKEY **key, const struct gpucrypt_secret *secret)
{
	const unsigned char *at = secret->bytes;

	*key = is_private_der(secret) ? d2i_AutoPrivateKey(NULL, &at, (long)secret->length)
	                              : d2i_PUBKEY(NULL, &at, (long)secret->length);
	ERR_clear_error();
	if (*key == NULL && secret->type == KEY_PAIR_ML_KEM && hybrid_available() != GPUCRYPT_OK)
		return GPUCRYPT_USAGE;
	if (*key == NULL || key_pair_type(*key) != secret->type || !key_pair_normalise(*key)) {
		EVP_PKEY_free(*key);
		*key = NULL;
		return fail(GPUCRYPT_USAGE, "not a key of its declared type");
	}
	return GPUCRYPT_OK;
}

int key_pair_load_private(EVP_PKEY **key, const struct gpucrypt_secret *secret)
{
	int status;

	if (secret->held != NULL && EVP_PKEY_up_ref(secret->held) == 1) {
		*key = secret->held;
		return GPUCRYPT_OK;
	}
	status = key_pair_load(key, secret);
	return status == GPUCRYPT_OK && !is_private_der(secret)
	               ? fail(GPUCRYPT_USAGE, "a public key cannot unlock: the private key is needed")
	               : status;
}

/* Add the SubjectPublicKeyInfo of a key to a digest. */
static int digest_key(EVP_MD_CTX *digest, const struct gpucrypt_secret *secret)
{
	unsigned char *der = NULL;
	EVP_PKEY *key;
	int n, status = key_pair_load(&key, secret);

	if (status != GPUCRYPT_OK)
		return status;
	n = i2d_PUBKEY(key, &der);
	status = libcrypto_check(n > 0 && EVP_DigestUpdate(digest, der, (size_t)n) == 1, "key id");
	OPENSSL_free(der);
	EVP_PKEY_free(key);
	return status;
}

int public_key_id(uint8_t id[8], const struct gpucrypt_secret *secret)
{
	struct gpucrypt_secret halves[2] = { *secret };
	bool hybrid = secret->type == GPUCRYPT_X25519_ML_KEM;
	int status = hybrid ? hybrid_split(halves, secret) : GPUCRYPT_OK;
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	uint8_t digest[EVP_MAX_MD_SIZE];

	status = status ?: libcrypto_check(EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1, "key id");
	for (unsigned i = 0; i < (hybrid ? 2 : 1) && status == GPUCRYPT_OK; i++)
		status = digest_key(context, &halves[i]);
	status = status ?: libcrypto_check(EVP_DigestFinal_ex(context, digest, NULL) == 1, "key id");
	if (status == GPUCRYPT_OK)
		memcpy(id, digest, 8);
	EVP_MD_CTX_free(context);
	return status;
}

unsigned public_key_bits(const struct gpucrypt_secret *secret)
{
	EVP_PKEY *key;
	unsigned bits = 0;

	if (secret->type == GPUCRYPT_X25519_ML_KEM)
		return 768;
	if (key_pair_load(&key, secret) == GPUCRYPT_OK)
		bits = secret->type == GPUCRYPT_RSA ? (unsigned)EVP_PKEY_get_bits(key) : 256;
	EVP_PKEY_free(key);
	return bits;
}

/* An exponent of 1 leaves the file key readable, small ones make attacks on the padding easy.  The
 * bounds are those of SP 800-56B, 6.2, and of libcrypto for large moduli. */
static int check_exponent(EVP_PKEY *key)
{
	BIGNUM *e = NULL;
	bool good = EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &e) == 1 && BN_is_odd(e) && BN_num_bits(e) > 16 &&
	            BN_num_bits(e) <= 64;

	BN_free(e);
	return good ? GPUCRYPT_OK
	            : fail(GPUCRYPT_USAGE, "a weak RSA key: its exponent must be odd, from 65537 to 2^64 - 1");
}

/* libcrypto divides by primes up to 751 only. */
static int check_modulus(EVP_PKEY *key)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
	BIGNUM *n = NULL;
	bool good = context != NULL && EVP_PKEY_public_check(context) == 1 &&
	            EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_N, &n) == 1;

	for (BN_ULONG divisor = 3; good && divisor < SMALL_DIVISORS; divisor += 2)
		good = BN_mod_word(n, divisor) != 0;
	BN_free(n);
	EVP_PKEY_CTX_free(context);
	return good ? GPUCRYPT_OK
	            : fail(GPUCRYPT_USAGE,
	                      "a weak RSA key: its modulus fails libcrypto's check or has a divisor below 65536");
}

int recipient_check(const struct gpucrypt_secret *secret)
{
	EVP_PKEY *key;
	int status;

	if (secret->type != GPUCRYPT_RSA)
		return GPUCRYPT_OK;
	status = key_pair_load(&key, secret);
	if (status == GPUCRYPT_OK && EVP_PKEY_get_bits(key) < MIN_RSA_BITS)
		status = fail(GPUCRYPT_USAGE, "a weak RSA key of %d bits: it must have at least %d",
		        EVP_PKEY_get_bits(key), MIN_RSA_BITS);
	status = status ?: check_exponent(key) ?: check_modulus(key);
	EVP_PKEY_free(key);
	ERR_clear_error();
	return status;
}

bool public_key_only(const struct gpucrypt_secret *secret)
{
	return secret->type > GPUCRYPT_KEY_FILE && secret->held == NULL && !is_private_der(secret);
}

/* RSAES-OAEP (RFC 8017, 7.1) with SHA-256 for the label and for MGF1; the label is the format's.  libcrypto frees the
 * label with the context, which the caller frees. */
static int open_oaep(
        EVP_PKEY_CTX **context, const struct gpucrypt_secret *secret, bool decrypt, const uint8_t file_salt[SALT_BYTES])
{
	size_t n_label = sizeof RSA_LABEL - 1 + SALT_BYTES;
	uint8_t *label = OPENSSL_malloc(n_label);
	EVP_PKEY *key = NULL;
	int status = (decrypt ? key_pair_load_private : key_pair_load)(&key, secret);

	*context = status == GPUCRYPT_OK ? EVP_PKEY_CTX_new(key, NULL) : NULL;
	EVP_PKEY_free(key);
	if (label != NULL) {
		memcpy(label, RSA_LABEL, sizeof RSA_LABEL - 1);
		memcpy(label + sizeof RSA_LABEL - 1, file_salt, SALT_BYTES);
	}
	if (*context != NULL && label != NULL &&
	        (decrypt ? EVP_PKEY_decrypt_init : EVP_PKEY_encrypt_init)(*context) == 1 &&
	        EVP_PKEY_CTX_set_rsa_padding(*context, RSA_PKCS1_OAEP_PADDING) == 1 &&
	        EVP_PKEY_CTX_set_rsa_oaep_md(*context, EVP_sha256()) == 1 &&
	        EVP_PKEY_CTX_set_rsa_mgf1_md(*context, EVP_sha256()) == 1 &&
	        EVP_PKEY_CTX_set0_rsa_oaep_label(*context, label, (int)n_label) == 1)
		return GPUCRYPT_OK;
	OPENSSL_free(label);
	return status ?: libcrypto_failed("RSA-OAEP");
}

int rsa_encrypt(uint8_t *body, size_t *n_body, const struct gpucrypt_secret *recipient,
        const uint8_t file_key[FILE_KEY_BYTES], const uint8_t file_salt[SALT_BYTES])
{
	EVP_PKEY_CTX *context;
	int status = open_oaep(&context, recipient, false, file_salt)
	                     ?: libcrypto_check(EVP_PKEY_encrypt(context, body, n_body, file_key, FILE_KEY_BYTES) == 1,
	                                "RSA-OAEP");

	EVP_PKEY_CTX_free(context);
	return status;
}

int rsa_decrypt(uint8_t file_key[FILE_KEY_BYTES], const struct gpucrypt_secret *identity, const uint8_t *body,
        size_t n_body, const uint8_t file_salt[SALT_BYTES])
{
	uint8_t plain[512];
	size_t n_plain = sizeof plain;
	EVP_PKEY_CTX *context;
	int status = open_oaep(&context, identity, true, file_salt);

	if (status == GPUCRYPT_OK && EVP_PKEY_decrypt(context, plain, &n_plain, body, n_body) != 1)
		status = identity->held != NULL ? key_pair_fail_token() : key_pair_fail_closed();
	if (status == GPUCRYPT_OK && n_plain != FILE_KEY_BYTES)
		status = key_pair_fail_closed();
	if (status == GPUCRYPT_OK)
		memcpy(file_key, plain, FILE_KEY_BYTES);
	wipe(plain, sizeof plain);
	EVP_PKEY_CTX_free(context);
	return status;
}
