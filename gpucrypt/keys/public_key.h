/* Recipients' keys: X25519 (RFC 7748), P-256 (FIPS 186) and RSA-OAEP (RFC 8017), in DER inside the library and in PEM
 * in files, all by libcrypto.  A secret of these types holds a public key, which only makes slots, or a
 * private one. */
#ifndef GPUCRYPT_KEYS_PUBLIC_KEY_H
#define GPUCRYPT_KEYS_PUBLIC_KEY_H

#include <stdbool.h>

#include "gpucrypt/crypto/keys.h"

#define RSA_LABEL         "gcrypt/1 rsa" /* before the file salt */
#define MAX_KEY_DER_BYTES 4096           /* a private RSA key of 4096 bits has 2.4 KB */

/* First 8 bytes of SHA-256(SubjectPublicKeyInfo).  GPUCRYPT_USAGE: bytes hold no key of the type. */
int public_key_id(uint8_t id[8], const struct gpucrypt_secret *secret);

/* Of the modulus, or of the curve's field; 0: bytes hold no key of the type. */
unsigned public_key_bits(const struct gpucrypt_secret *secret);

/* GPUCRYPT_USAGE: an RSA key that a key slot would protect nothing with: fewer than 2048 bits, a
 * small exponent, a modulus that libcrypto's check or trial division finds fault with.  Takes 10 ms
 * or more. Private keys that only open are not checked: containers for weak ones exist. */
int recipient_check(const struct gpucrypt_secret *secret);

/* True if the secret is a public key; a public key cannot open slots. */
bool public_key_only(const struct gpucrypt_secret *secret);

/* KEK of an X25519 or P-256 slot, for the recipient.
 * GPUCRYPT_NO_KEY: no point has the ephemeral coordinate, or the shared secret is zero. */
int agreement_receive(uint8_t kek[32], const struct gpucrypt_secret *identity, const uint8_t ephemeral[32],
        const uint8_t file_salt[SALT_BYTES]);

/* *n_body: room, then the modulus' bytes.  GPUCRYPT_NO_KEY where it does not decrypt. */
int rsa_encrypt(uint8_t *body, size_t *n_body, const struct gpucrypt_secret *recipient,
        const uint8_t file_key[FILE_KEY_BYTES], const uint8_t file_salt[SALT_BYTES]);
int rsa_decrypt(uint8_t file_key[FILE_KEY_BYTES], const struct gpucrypt_secret *identity, const uint8_t *body,
        size_t n_body, const uint8_t file_salt[SALT_BYTES]);

/* Asks for the passphrase of a protected PEM text, of at most `room` bytes; returns a status. */
struct pem_question {
	int (*ask)(void *self, uint8_t *bytes, size_t room, size_t *length);
	void *self;
};

/* Read the key in a PEM block, or the public key in a line of authorized_keys, as a secret over der, MAX_KEY_DER_BYTES.
 * An Ed25519 key is converted to X25519; an ML-KEM-768 key is half a secret (key_pair.h). GPUCRYPT_USAGE, without the
 * file's name: another form, algorithm or size, or a damaged key.  *unusable: the text is no key, or an intact key of
 * another algorithm or size. */
int public_key_read(struct gpucrypt_secret *secret, uint8_t *der, const char *text, size_t n_text, bool *unusable);
int private_key_read(struct gpucrypt_secret *secret, uint8_t *der, const char *pem, size_t n_pem,
        const struct pem_question *question);

/* A piece of a text with keys: a PEM block, or a line of authorized_keys outside of PEM blocks. */
struct key_piece {
	const char *text;
	size_t n;
	unsigned line; /* of the text, from 1: the piece's first line */
	bool block, private_block;
	bool unusable; /* set by key_piece_read(), see public_key_read() */
};

/* The unread rest of a text with keys; the text is not owned. */
struct key_text {
	const char *at, *end, *block; /* block: the next PEM block, or end */
	bool has_blocks;
	unsigned line; /* at `at` */
};

struct key_text key_text_of(const char *text, size_t length);

/* Find the next piece.  False: the text has ended.  Skips blank lines and comments (#), and in a text with PEM blocks
 * also all lines without an SSH key, because programs write explanations around PEM blocks. */
bool key_text_next(struct key_piece *piece, struct key_text *text);

/* public_key_read() of a piece, or private_key_read() if there is a question. */
int key_piece_read(
        struct gpucrypt_secret *secret, uint8_t *der, struct key_piece *piece, const struct pem_question *question);

/* The public key of a protected private key, if the format has it in the clear.  Nothing authenticates it: use it only
 * to choose the passphrase to ask for.  False: another format, or malformed. */
bool private_key_public(struct gpucrypt_secret *secret, uint8_t *der, const char *pem, size_t n_pem);

/* Is the name the URI of a key that a provider of libcrypto holds, as of a token?  To name a file that starts with
 * pkcs11: or handle:, write ./ before it. */
bool key_store_uri(const char *name);

/* That key, as a secret over der: the private one, which libcrypto holds until key_store_release(), with a question for
 * the PIN; or with NULL the public one.  GPUCRYPT_USAGE: no provider, no key or several, another algorithm;
 * GPUCRYPT_NO_KEY: a wrong PIN, or no key behind it. */
int key_store_read(struct gpucrypt_secret *secret, uint8_t *der, const char *uri, const struct pem_question *question);
void key_store_release(struct gpucrypt_secret *secret);

/* A new X25519 pair in PEM, on request with an ML-KEM-768 pair behind it: PKCS#8 and SubjectPublicKeyInfo, with a
 * terminator.  GPUCRYPT_USAGE: libcrypto has no ML-KEM. */
#define MAX_PAIR_PEM_BYTES 4096
int key_pair_generate(char private_pem[MAX_PAIR_PEM_BYTES], char public_pem[MAX_PAIR_PEM_BYTES], bool ml_kem);

#endif
