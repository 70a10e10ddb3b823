/* Ed25519 keys (RFC 8032) as X25519 keys (RFC 7748), as age uses the Ed25519 keys of SSH. */
#ifndef ED25519_H
#define ED25519_H

#include <stdint.h>

#include <openssl/evp.h>

/* u = (1 + y) / (1 - y) mod 2^255 - 19 (RFC 7748, 4.1) of the point that `public` encodes (RFC 8032, 5.1.2).
 * GPUCRYPT_USAGE: no point of the curve, or the neutral one, which has no u. */
int ed25519_public_u(uint8_t u[32], const uint8_t public[32]);

/* The scalar of RFC 8032, 5.1.5: the first half of SHA-512(seed), clamped. */
int ed25519_private_scalar(uint8_t scalar[32], const uint8_t seed[32]);

/* *key, private or not, becomes the X25519 key; the Ed25519 key is freed, after a failure too, when *key is NULL. */
int ed25519_convert(EVP_PKEY **key);

#endif
