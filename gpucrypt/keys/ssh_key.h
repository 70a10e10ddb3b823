/* Keys in OpenSSH's forms: lines of authorized_keys (RFC 4253, 6.6; RFC 8709) and private keys ("openssh-key-v1",
 * PROTOCOL.key of OpenSSH), of the types ssh-ed25519 and ssh-rsa. */
#ifndef SSH_KEY_H
#define SSH_KEY_H

#include <stdbool.h>
#include <stddef.h>

#include <openssl/evp.h>

#include "gpucrypt/keys/public_key.h"

/* Is the first word of the line, or the word after options, the name of a type of SSH keys, known or not? */
bool ssh_public_line(const char *line, size_t n_line);

/* The key of such a line; the caller frees it.  GPUCRYPT_USAGE: another type, or malformed. */
int ssh_public_parse(EVP_PKEY **key, const char *line, size_t n_line);

/* The key in the bytes of a PEM block OPENSSH PRIVATE KEY.  A protected one is asked for its passphrase:
 * GPUCRYPT_NO_KEY if that is wrong.  GPUCRYPT_USAGE as above, and for an unsupported cipher. */
int ssh_private_parse(EVP_PKEY **key, const uint8_t *bytes, size_t n_bytes, const struct pem_question *question);

/* The public key in such bytes, which no passphrase protects or authenticates; NULL: malformed. */
EVP_PKEY *ssh_private_public(const uint8_t *bytes, size_t n_bytes);

#endif
