/* Key agreement for slots: X25519 (RFC 7748), and ECDH on P-256 (SP 800-56A, 5.7.1.2), whose points are sent as their x
 * coordinates (SEC 1, 2.3.4): the shared secret is the same for both points with one x. */
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>

#include "gpucrypt/keys/key_pair.h"
#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/status.h"

struct curve {
	enum gpucrypt_secret_type type;
	const char *name;
	const char *label; /* before the file salt */
	EVP_PKEY *(*generate)(void);
	bool (*coordinate)(uint8_t x[32], EVP_PKEY *key);
	EVP_PKEY *(*point)(const uint8_t x[32]); /* NULL: no point has this coordinate */
};

static EVP_PKEY *x25519_new(void)
{
	return EVP_PKEY_Q_keygen(NULL, NULL, "X25519");
}

static bool x25519_coordinate(uint8_t x[32], EVP_PKEY *key)
{
	size_t n = 32;

	return EVP_PKEY_get_raw_public_key(key, x, &n) == 1 && n == 32;
}

static EVP_PKEY *x25519_point(const uint8_t x[32])
{
	return EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, x, 32);
}

static EVP_PKEY *p256_new(void)
{
	return EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
}

static bool p256_coordinate(uint8_t x[32], EVP_PKEY *key)
{
	BIGNUM *number = NULL;
	bool good =
	        EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_EC_PUB_X, &number) == 1 && BN_bn2binpad(number, x, 32) == 32;

	BN_free(number);
	return good;
}

/* The point whose y is even. */
static EVP_PKEY *p256_point(const uint8_t x[32])
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
	EVP_PKEY *key = NULL;
	char group[] = "prime256v1";
	uint8_t bytes[33] = { POINT_CONVERSION_COMPRESSED };
	OSSL_PARAM parameters[] = { OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0),
		OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, bytes, sizeof bytes),
		OSSL_PARAM_construct_end() };

	memcpy(bytes + 1, x, 32);
	if (context == NULL || EVP_PKEY_fromdata_init(context) != 1 ||
	        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
		key = NULL;
	EVP_PKEY_CTX_free(context);
	return key;
}

static const struct curve curves[] = {
	{ GPUCRYPT_X25519, "X25519", "gcrypt/1 x25519", x25519_new, x25519_coordinate, x25519_point },
	{ GPUCRYPT_P256, "P-256", "gcrypt/1 p256", p256_new, p256_coordinate, p256_point },
};

static const struct curve *curve_of(enum gpucrypt_secret_type type)
{
	return &curves[type == GPUCRYPT_P256];
}

/* The KEK from the coordinate that own and peer agree on.  An X25519 peer of small order gives zero, which is rejected
 * (RFC 7748, 6.1). */
static int agree_kek(uint8_t kek[32], const struct curve *curve, EVP_PKEY *own, bool held, EVP_PKEY *peer,
        const uint8_t ephemeral[32], const uint8_t recipient[32], const uint8_t file_salt[SALT_BYTES])
{
	static const uint8_t zero[32];
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(own, NULL);
	uint8_t shared[32];
	size_t n = sizeof shared;
	int status;

	if (context == NULL || EVP_PKEY_derive_init(context) != 1)
		status = libcrypto_failed(curve->name);
	else if (EVP_PKEY_derive_set_peer(context, peer) != 1 || EVP_PKEY_derive(context, shared, &n) != 1 ||
	         n != sizeof shared)
		status = held ? key_pair_fail_token() : key_pair_fail_closed();
	else if (CRYPTO_memcmp(shared, zero, sizeof shared) == 0)
		status = key_pair_fail_closed();
	else
		status = kek_from_agreement(kek, shared, ephemeral, recipient, curve->label, file_salt);
	EVP_PKEY_CTX_free(context);
	wipe(shared, sizeof shared);
	return status;
}

int agreement_begin(EVP_PKEY **own, uint8_t ephemeral[32], enum gpucrypt_secret_type type)
{
	const struct curve *curve = curve_of(type);

	*own = curve->generate();
	if (*own != NULL && curve->coordinate(ephemeral, *own))
		return GPUCRYPT_OK;
	EVP_PKEY_free(*own);
	*own = NULL;
	return libcrypto_failed(curve->name);
}

int agreement_send(uint8_t kek[32], EVP_PKEY *own, const uint8_t ephemeral[32], const struct gpucrypt_secret *recipient,
        const uint8_t file_salt[SALT_BYTES])
{
	const struct curve *curve = curve_of(recipient->type);
	EVP_PKEY *peer;
	uint8_t public[32];
	bool private;
	int status = key_pair_load(&peer, &private, recipient);

	if (status == GPUCRYPT_OK && !curve->coordinate(public, peer))
		status = libcrypto_failed(curve->name);
	if (status == GPUCRYPT_OK)
		status = agree_kek(kek, curve, own, false, peer, ephemeral, public, file_salt);
	if (status == GPUCRYPT_NO_KEY) {
		fail_clear();
		status = fail(GPUCRYPT_USAGE, "a recipient's %s key of small order", curve->name);
	}
	EVP_PKEY_free(peer);
	return status;
}

int agreement_receive(uint8_t kek[32], const struct gpucrypt_secret *identity, const uint8_t ephemeral[32],
        const uint8_t file_salt[SALT_BYTES])
{
	const struct curve *curve = curve_of(identity->type);
	EVP_PKEY *own, *half, *peer = NULL;
	uint8_t public[32];
	bool private;
	int status = key_pair_load(&half, &private, identity);

	/* For a key in a token, bytes hold the public key, and held refers to the private one. */
	own = half;
	if (status == GPUCRYPT_OK && identity->held != NULL)
		status = key_pair_load_private(&own, identity);
	else if (status == GPUCRYPT_OK && !private)
		status = key_pair_fail_public();
	if (status == GPUCRYPT_OK && !curve->coordinate(public, half))
		status = libcrypto_failed(curve->name);
	if (status == GPUCRYPT_OK && (peer = curve->point(ephemeral)) == NULL)
		status = key_pair_fail_closed();
	if (status == GPUCRYPT_OK)
		status = agree_kek(kek, curve, own, identity->held != NULL, peer, ephemeral, public, file_salt);
	EVP_PKEY_free(peer);
	if (own != half)
		EVP_PKEY_free(own);
	EVP_PKEY_free(half);
	ERR_clear_error();
	return status;
}
