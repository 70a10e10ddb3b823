/* bcrypt_pbkdf, OpenBSD's key derivation for private keys in OpenSSH's format: a form of PBKDF2 whose function is
 * bcrypt (N. Provos and D. Mazieres, "A Future-Adaptable Password Scheme", USENIX 1999) over SHA-512 digests. */
#ifndef GPUCRYPT_CRYPTO_BCRYPT_PBKDF_H
#define GPUCRYPT_CRYPTO_BCRYPT_PBKDF_H

#include <stddef.h>
#include <stdint.h>

#define BCRYPT_MAX_KEY_BYTES 64

/* n_key: 1 to BCRYPT_MAX_KEY_BYTES; rounds: from 1. A round takes about 7 ms for 33 to 64 bytes. Time and memory
 * accesses depend on the passphrase, as bcrypt defines. */
int bcrypt_pbkdf(uint8_t *key, size_t n_key, const uint8_t *passphrase, size_t n_passphrase, const uint8_t *salt,
        size_t n_salt, unsigned rounds);

#endif
