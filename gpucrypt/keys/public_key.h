/* Recipients' keys: X25519 (RFC 7748), P-256 (FIPS 186) and RSA-OAEP (RFC 8017), in DER inside the library and in PEM
 * in files, all by libcrypto.  A secret of these types holds a public key, which only makes slots, or a
 * private one. */
#ifndef GPUCRYPT_KEYS_PUBLIC_KEY_H
#define GPUCRYPT_KEYS_PUBLIC_KEY_H

#include <openssl/bn.h>
#include <openssl/evp.h>
#include <stdbool.h>

#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/keys/header.h"

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

/* Secrets that are keys of libcrypto: what the files of this folder share. */

#define KEY_PAIR_OTHER ((enum gpucrypt_secret_type)0)

/* The ML-KEM half of a secret, where keys are read; no slot has this type. */
#define KEY_PAIR_ML_KEM ((enum gpucrypt_secret_type)0x100)

/* The type of slot that can be made for a key, public or private, or KEY_PAIR_OTHER. */
enum gpucrypt_secret_type key_pair_type(const EVP_PKEY *key);

/* Let libcrypto encode an EC key with the curve's name and an uncompressed point, because the key id is a digest of the
 * encoding. False: libcrypto failed. */
bool key_pair_normalise(EVP_PKEY *key);

/* The secret is a SubjectPublicKeyInfo, or a private key. The caller frees *key. GPUCRYPT_USAGE: another type. */
int key_pair_load(EVP_PKEY **key, const struct gpucrypt_secret *secret);

/* GPUCRYPT_USAGE also for a public key. */
int key_pair_load_private(EVP_PKEY **key, const struct gpucrypt_secret *secret);

/* GPUCRYPT_NO_KEY; clears libcrypto's errors. */
int key_pair_fail_closed(void);

/* GPUCRYPT_DEVICE, with libcrypto's reason: a token that has the key did not compute. */
int key_pair_fail_token(void);

/* GPUCRYPT_USAGE: an RSA key of too few or too many bits. */
int rsa_fail_size(int bits);

/* Ed25519 keys (RFC 8032) as X25519 keys (RFC 7748), as age uses the Ed25519 keys of SSH. */

/* u = (1 + y) / (1 - y) mod 2^255 - 19 (RFC 7748, 4.1) of the point that `public` encodes (RFC 8032, 5.1.2).
 * GPUCRYPT_USAGE: no point of the curve, or the neutral one, which has no u. */
int ed25519_public_u(uint8_t u[32], const uint8_t public[32]);

/* The scalar of RFC 8032, 5.1.5: the first half of SHA-512(seed), clamped. */
int ed25519_private_scalar(uint8_t scalar[32], const uint8_t seed[32]);

/* *key, private or not, becomes the X25519 key; the Ed25519 key is freed, after a failure too, when *key is NULL. */
int ed25519_convert(EVP_PKEY **key);

/* Hybrid slots: an attacker must break both X25519 and ML-KEM-768 (FIPS 203; gcrypt(5), "Keys").  libcrypto has ML-KEM
 * from OpenSSL 3.5 on; earlier ones give GPUCRYPT_USAGE.
 *
 * The bytes of such a secret are those of an X25519 key, then those of an ML-KEM-768 key, both public or both private.
 */
#define ML_KEM_CIPHERTEXT 1088
#define HYBRID_BODY_BYTES (ML_KEM_CIPHERTEXT + WRAPPED_BYTES)

/* GPUCRYPT_USAGE if libcrypto has no ML-KEM-768. */
int hybrid_available(void);

/* Does the DER of a key, public or private, say ML-KEM-768? */
bool ml_kem_der(const uint8_t *der, size_t n_der);

/* The X25519 key and the ML-KEM key of a secret, over its bytes. */
int hybrid_split(struct gpucrypt_secret halves[2], const struct gpucrypt_secret *secret);

/* Put the ML-KEM key behind the X25519 key in der, which has room for MAX_KEY_DER_BYTES.  GPUCRYPT_USAGE: they do not
 * make a pair. */
int hybrid_join(struct gpucrypt_secret *first, uint8_t *der, const struct gpucrypt_secret *second);

/* KEK of a slot, as the sender, who sets the ephemeral key and the ciphertext, and as the recipient.  GPUCRYPT_NO_KEY
 * as agreement_receive(). */
int hybrid_send(uint8_t kek[32], struct key_slot *slot, const struct gpucrypt_secret *recipient,
        const uint8_t file_salt[SALT_BYTES]);
int hybrid_receive(uint8_t kek[32], const struct key_slot *slot, const struct gpucrypt_secret *identity,
        const uint8_t file_salt[SALT_BYTES]);

/* KEK of an X25519 or P-256 slot, as the sender, who sets the ephemeral key, and as the recipient.
 * GPUCRYPT_NO_KEY: no point has the ephemeral coordinate, or the shared secret is zero. */
int agreement_send(uint8_t kek[32], struct key_slot *slot, const struct gpucrypt_secret *recipient,
        const uint8_t file_salt[SALT_BYTES]);
int agreement_receive(uint8_t kek[32], const struct key_slot *slot, const struct gpucrypt_secret *identity,
        const uint8_t file_salt[SALT_BYTES]);

/* For several recipients: a new ephemeral key, which the caller frees, and the KEK that it gives with each.  One
 * ephemeral key may serve several recipients (Bellare, Boldyreva and Staddon, PKC 2003). */
int agreement_begin(EVP_PKEY **own, uint8_t ephemeral[32], enum gpucrypt_secret_type type);
int agreement_add(uint8_t kek[32], EVP_PKEY *own, const uint8_t ephemeral[32], const struct gpucrypt_secret *recipient,
        const uint8_t file_salt[SALT_BYTES]);

/* Keys in OpenSSH's forms: lines of authorized_keys (RFC 4253, 6.6; RFC 8709) and private keys ("openssh-key-v1",
 * PROTOCOL.key of OpenSSH), of the types ssh-ed25519 and ssh-rsa. */

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
