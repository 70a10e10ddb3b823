#include <openssl/bn.h>
#include <string.h>

#include "gpucrypt/keys/key_pair.h"
#include "gpucrypt/status.h"

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
	if (status == GPUCRYPT_OK)
		status = private ? ed25519_private_scalar(to, from) : ed25519_public_u(to, from);
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
