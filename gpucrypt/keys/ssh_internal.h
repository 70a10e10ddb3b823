/* What the readers of public and private SSH keys share: the encodings of RFC 4251, 5. */
#ifndef SSH_INTERNAL_H
#define SSH_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/bn.h>
#include <openssl/evp.h>

/* Bytes that are not read yet; or a string. */
struct ssh_reader {
	const uint8_t *bytes;
	size_t n;
};

/* False: the input is too short. */
bool ssh_take(struct ssh_reader *reader, size_t n, const uint8_t **bytes);
bool ssh_take_number(struct ssh_reader *reader, uint32_t *number);
bool ssh_take_string(struct ssh_reader *reader, struct ssh_reader *string);

/* NULL: too short, too long, or negative.  The caller frees it with BN_clear_free(). */
BIGNUM *ssh_take_mpint(struct ssh_reader *reader);

bool ssh_equals(const struct ssh_reader *string, const char *text);

/* The public key in a blob (RFC 4253, 6.6) of this type; type NULL: any type.  Returns NULL for another type or a
 * malformed blob. */
EVP_PKEY *ssh_public_decode(struct ssh_reader blob, const struct ssh_reader *type);

/* d and what follows are NULL for a public key. */
struct ssh_rsa {
	BIGNUM *n, *e, *d, *p, *q, *dp, *dq, *qinv;
};

/* NULL: n or e is NULL, or libcrypto rejects the numbers. */
EVP_PKEY *ssh_rsa_key(const struct ssh_rsa *numbers);

#endif
