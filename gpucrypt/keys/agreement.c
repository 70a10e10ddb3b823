/* Key agreement for slots: X25519 (RFC 7748), and ECDH on P-256 (SP 800-56A, 5.7.1.2), whose points are sent as their x
 * coordinates (SEC 1, 2.3.4): the shared secret is the same for both points with one x. */
#include <string.h>

#include <openssl/asn1.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>

#include "gpucrypt/keys/public_key.h"
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

int agreement_add(uint8_t kek[32], EVP_PKEY *own, const uint8_t ephemeral[32], const struct gpucrypt_secret *recipient,
        const uint8_t file_salt[SALT_BYTES])
{
	const struct curve *curve = curve_of(recipient->type);
	EVP_PKEY *peer;
	uint8_t public[32];
	int status = key_pair_load(&peer, recipient)
	                     ?: libcrypto_check(read_coordinate(public, peer), curve->name)
	                     ?: agree_kek(kek, curve, own, false, peer, ephemeral, public, file_salt);
	if (status == GPUCRYPT_NO_KEY) {
		fail_clear();
		status = fail(GPUCRYPT_USAGE, "a recipient's %s key of small order", curve->name);
	}
	EVP_PKEY_free(peer);
	return status;
}

int agreement_send(uint8_t kek[32], struct key_slot *slot, const struct gpucrypt_secret *recipient,
        const uint8_t file_salt[SALT_BYTES])
{
	EVP_PKEY *own;
	int status = agreement_begin(&own, slot->salt, recipient->type)
	                     ?: agreement_add(kek, own, slot->salt, recipient, file_salt);

	EVP_PKEY_free(own);
	return status;
}

int agreement_receive(uint8_t kek[32], const struct key_slot *slot, const struct gpucrypt_secret *identity,
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
	if (status == GPUCRYPT_OK && (peer = point_of(slot->salt, curve)) == NULL)
		status = key_pair_fail_closed();
	status = status ?: agree_kek(kek, curve, own, identity->held != NULL, peer, slot->salt, public, file_salt);
	EVP_PKEY_free(peer);
	EVP_PKEY_free(own);
	EVP_PKEY_free(half);
	ERR_clear_error();
	return status;
}

/* Hybrid agreement. */

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
	return libcrypto_check(EVP_PKEY_get_raw_public_key(key, both + ML_KEM_CIPHERTEXT, &n) == 1 &&
	                               n == ML_KEM_KEY_BYTES &&
	                               EVP_Digest(both, sizeof both, digest, NULL, EVP_sha256(), NULL) == 1,
	               "ML-KEM-768")
	               ?: kek_from_hybrid(kek, x25519_kek, shared, digest, file_salt);
}

static int encapsulate(uint8_t ciphertext[ML_KEM_CIPHERTEXT], uint8_t shared[ML_KEM_SECRET_BYTES], EVP_PKEY *key)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
	size_t n_ciphertext = ML_KEM_CIPHERTEXT, n_shared = ML_KEM_SECRET_BYTES;
	bool good = context != NULL && EVP_PKEY_encapsulate_init(context, NULL) == 1 &&
	            EVP_PKEY_encapsulate(context, ciphertext, &n_ciphertext, shared, &n_shared) == 1 &&
	            n_ciphertext == ML_KEM_CIPHERTEXT && n_shared == ML_KEM_SECRET_BYTES;

	EVP_PKEY_CTX_free(context);
	return libcrypto_check(good, "ML-KEM-768");
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
	EVP_PKEY *key = NULL;
	int status = hybrid_split(halves, recipient)
	                     ?: key_pair_load(&key, &halves[1])
	                     ?: agreement_send(x25519_kek, slot, &halves[0], file_salt)
	                     ?: encapsulate(slot->body, shared, key)
	                     ?: combine(kek, x25519_kek, shared, key, slot->body, file_salt);

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
	                     ?: agreement_receive(x25519_kek, slot, &halves[0], file_salt)
	                     ?: decapsulate(shared, key, slot->body)
	                     ?: combine(kek, x25519_kek, shared, key, slot->body, file_salt);

	EVP_PKEY_free(key);
	wipe(x25519_kek, sizeof x25519_kek);
	wipe(shared, sizeof shared);
	ERR_clear_error();
	return status;
}

/* Ed25519 keys as X25519 keys. */

#define MONTGOMERY_A 486662 /* of Curve25519: v^2 = u^3 + A u^2 + u */

/* Has the curve a point with this u?  Half of all values belong to its twist. */
static bool on_curve(const BIGNUM *u, const BIGNUM *p, BN_CTX *numbers)
{
	BIGNUM *square = BN_CTX_get(numbers);
	bool good = square != NULL && BN_copy(square, u) != NULL && BN_add_word(square, MONTGOMERY_A) == 1 &&
	            BN_mod_mul(square, square, u, p, numbers) == 1 && BN_add_word(square, 1) == 1 &&
	            BN_mod_mul(square, square, u, p, numbers) == 1;
	int symbol = good ? BN_kronecker(square, p, numbers) : -1;

	return symbol == 0 || symbol == 1;
}

/* The highest bit of the encoding is the sign of x, which u does not depend on. */
static bool map_point(uint8_t u[32], const uint8_t public[32], BN_CTX *numbers)
{
	BIGNUM *p = BN_CTX_get(numbers), *y = BN_CTX_get(numbers), *above = BN_CTX_get(numbers),
	       *below = BN_CTX_get(numbers);

	/* p = 2^255 - 19 */
	if (below == NULL || BN_set_bit(p, 255) != 1 || BN_sub_word(p, 19) != 1 || BN_lebin2bn(public, 32, y) == NULL)
		return false;
	BN_clear_bit(y, 255);
	return BN_cmp(y, p) < 0 && !BN_is_one(y) && BN_copy(above, y) != NULL && BN_add_word(above, 1) == 1 &&
	       BN_mod_sub(below, BN_value_one(), y, p, numbers) == 1 &&
	       BN_mod_inverse(below, below, p, numbers) != NULL && BN_mod_mul(above, above, below, p, numbers) == 1 &&
	       on_curve(above, p, numbers) && BN_bn2lebinpad(above, u, 32) == 32;
}

int ed25519_public_u(uint8_t u[32], const uint8_t public[32])
{
	BN_CTX *numbers = BN_CTX_new();
	bool good;

	if (numbers == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	BN_CTX_start(numbers);
	good = map_point(u, public, numbers);
	BN_CTX_end(numbers);
	BN_CTX_free(numbers);
	return good ? GPUCRYPT_OK : fail(GPUCRYPT_USAGE, "not an Ed25519 public key: no point of its curve");
}

int ed25519_private_scalar(uint8_t scalar[32], const uint8_t seed[32])
{
	uint8_t digest[EVP_MAX_MD_SIZE];

	if (EVP_Digest(seed, 32, digest, NULL, EVP_sha512(), NULL) != 1)
		return libcrypto_failed("SHA-512");
	memcpy(scalar, digest, 32);
	scalar[0] &= 248;
	scalar[31] = (uint8_t)((scalar[31] & 127) | 64);
	wipe(digest, sizeof digest);
	return GPUCRYPT_OK;
}

int ed25519_convert(EVP_PKEY **key)
{
	uint8_t from[32], to[32];
	size_t n = sizeof from;
	bool private = EVP_PKEY_get_raw_private_key(*key, from, &n) == 1;
	EVP_PKEY *converted = NULL;
	int status = GPUCRYPT_OK;

	n = sizeof from;
	if (!private && EVP_PKEY_get_raw_public_key(*key, from, &n) != 1)
		status = libcrypto_failed("Ed25519");
	status = status ?: private ? ed25519_private_scalar(to, from) : ed25519_public_u(to, from);
	if (status == GPUCRYPT_OK) {
		converted = private ? EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, to, sizeof to)
		                    : EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, to, sizeof to);
		status = converted != NULL ? GPUCRYPT_OK : libcrypto_failed("X25519");
	}
	EVP_PKEY_free(*key);
	*key = converted;
	wipe(from, sizeof from);
	wipe(to, sizeof to);
	return status;
}
