/* Keys in OpenSSH's forms: lines of authorized_keys (RFC 4253, 6.6; RFC 8709) and private keys ("openssh-key-v1",
 * PROTOCOL.key of OpenSSH), of the types ssh-ed25519 and ssh-rsa. */
#ifndef GPUCRYPT_KEYS_SSH_KEY_H
#define GPUCRYPT_KEYS_SSH_KEY_H

#include <openssl/bn.h>
#include <openssl/evp.h>

#include "gpucrypt/keys/public_key.h"

/* Does the line contain an SSH key type, known or not, as its first word or after options, or a key anywhere? */
bool ssh_public_line(const char *line, size_t n_line);

/* Is the line blank, or a comment? */
bool ssh_line_empty(const char *line, size_t n_line);

/* The key in a line of authorized_keys; the caller frees the key.  GPUCRYPT_USAGE: the key is malformed, or if
 * *unusable, of another type, or the line has no key. */
int ssh_public_parse(EVP_PKEY **key, const char *line, size_t n_line, bool *unusable);

/* The key in the bytes of a PEM block OPENSSH PRIVATE KEY.  A protected one is asked for its passphrase:
 * GPUCRYPT_NO_KEY if that is wrong.  GPUCRYPT_USAGE as above, and for an unsupported cipher. */
int ssh_private_parse(EVP_PKEY **key, const uint8_t *bytes, size_t n_bytes, const struct pem_question *question);

/* The public key in such bytes, which no passphrase protects or authenticates; NULL: malformed. */
EVP_PKEY *ssh_private_public(const uint8_t *bytes, size_t n_bytes);

/* What the readers of public and private keys share: the encodings of RFC 4251, 5. */

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

/* A type of keys; the readers return NULL for a malformed key. */
struct ssh_type {
	const char *name;
	EVP_PKEY *(*read_public)(struct ssh_reader *blob);
	EVP_PKEY *(*read_private)(struct ssh_reader *text);
};

EVP_PKEY *ssh_ed25519_private(struct ssh_reader *text);
EVP_PKEY *ssh_rsa_private(struct ssh_reader *text);

/* NULL: an unknown type. */
const struct ssh_type *ssh_type_of(const struct ssh_reader *name);

/* The public key in a blob (RFC 4253, 6.6) of this type; type NULL: any type.  Returns NULL for another type or a
 * malformed blob. */
EVP_PKEY *ssh_public_decode(struct ssh_reader blob, const struct ssh_type *type);

/* Numbers of an RSA key; a public one has the first two. */
enum { SSH_RSA_N, SSH_RSA_E, SSH_RSA_D, SSH_RSA_P, SSH_RSA_Q, SSH_RSA_DP, SSH_RSA_DQ, SSH_RSA_QINV, N_SSH_RSA };

/* The key of the numbers, which are freed.  NULL: one of the numbers is NULL, or libcrypto rejects them. */
EVP_PKEY *ssh_rsa_key(BIGNUM *const numbers[N_SSH_RSA], bool private);

#endif
