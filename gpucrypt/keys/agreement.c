/* Key agreement for slots: X25519 (RFC 7748), and ECDH on P-256 (SP 800-56A, 5.7.1.2), whose points are sent as their x
 * coordinates (SEC 1, 2.3.4): the shared secret is the same for both points with one x. */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>

#include "gpucrypt/keys/key_pair.h"
#include "gpucrypt/status.h"

static const struct curve {
	enum gpucrypt_secret_type type;
	const char *name, *algorithm; /* name: also the group of the algorithm EC */
	const char *label;            /* before the file salt */
} curves[] = {
	{ GPUCRYPT_X25519, "X25519", "X25519", "gcrypt/1 x25519" },
	{ GPUCRYPT_P256, "P-256", "EC", "gcrypt/1 p256" },
};

static const struct curve *curve_of(enum gpucrypt_secret_type type)
{
	return &curves[type == GPUCRYPT_P256];
}

/* Of a public or private key.  A point of P-256 is encoded with a byte before its x coordinate. */
static bool read_coordinate(uint8_t x[32], EVP_PKEY *key)
{
	unsigned char *point = NULL;
	size_t n = EVP_PKEY_get1_encoded_public_key(key, &point);

	if (n >= 32)
		memcpy(x, point + (n > 32), 32);
	OPENSSL_free(point);
	return n >= 32;
}

/* The public key with this coordinate; on P-256 the point whose y is even.  NULL: no point has the coordinate. */
static EVP_PKEY *point_of(const uint8_t x[32], const struct curve *curve)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, curve->algorithm, NULL);
	bool compressed = curve->type == GPUCRYPT_P256;
	EVP_PKEY *key = NULL;
	char group[] = "prime256v1";
	uint8_t bytes[33] = { POINT_CONVERSION_COMPRESSED };
	OSSL_PARAM parameters[] = { OSSL_PARAM_construct_octet_string(
		                            OSSL_PKEY_PARAM_PUB_KEY, bytes + !compressed, 32 + compressed),
		OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0), OSSL_PARAM_construct_end() };

	memcpy(bytes + 1, x, 32);
	if (!compressed)
		parameters[1] = OSSL_PARAM_construct_end();
	if (context == NULL || EVP_PKEY_fromdata_init(context) != 1 ||
	        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
		key = NULL;
	EVP_PKEY_CTX_free(context);
	return key;
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

	*own = EVP_PKEY_Q_keygen(NULL, NULL, curve->algorithm, curve->name);
	if (*own != NULL && read_coordinate(ephemeral, *own))
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
	int status = key_pair_load(&peer, recipient);

	if (status == GPUCRYPT_OK && !read_coordinate(public, peer))
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
	EVP_PKEY *own, *half = NULL, *peer = NULL;
	uint8_t public[32];
	int status = key_pair_load_private(&own, identity);

	/* For a key in a token, bytes hold the public key, and held refers to the private one. */
	if (status == GPUCRYPT_OK && identity->held != NULL)
		status = key_pair_load(&half, identity);
	if (status == GPUCRYPT_OK && !read_coordinate(public, half != NULL ? half : own))
		status = libcrypto_failed(curve->name);
	if (status == GPUCRYPT_OK && (peer = point_of(ephemeral, curve)) == NULL)
		status = key_pair_fail_closed();
	if (status == GPUCRYPT_OK)
		status = agree_kek(kek, curve, own, identity->held != NULL, peer, ephemeral, public, file_salt);
	EVP_PKEY_free(peer);
	EVP_PKEY_free(own);
	EVP_PKEY_free(half);
	ERR_clear_error();
	return status;
}
