/* Private keys of OpenSSH: magic, cipher, KDF, public key, and the encrypted part with the private key (PROTOCOL.key).
 */
#include <limits.h>
#include <string.h>

#include <openssl/crypto.h>

#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/status.h"

#define MAGIC                "openssh-key-v1" /* with its terminator */
#define MAX_KEY_BYTES        64
#define IV_BYTES             16
#define TAG_BYTES            16
#define MAX_ROUNDS           2048
#define MAX_PASSPHRASE_BYTES 4096

static const struct ssh_cipher {
	const char *name;
	size_t block_bytes, key_bytes, iv_bytes, tag_bytes;
	const EVP_CIPHER *(*cipher)(void); /* NULL: none */
} ciphers[] = {
	{ "none", 8, 0, 0, 0, NULL },
	{ "aes256-ctr", 16, 32, 16, 0, EVP_aes_256_ctr },
	{ "aes256-cbc", 16, 32, 16, 0, EVP_aes_256_cbc },
	{ "aes256-gcm@openssh.com", 16, 32, 12, TAG_BYTES, EVP_aes_256_gcm },
	{ "chacha20-poly1305@openssh.com", 8, 64, 0, TAG_BYTES, EVP_chacha20 },
};

struct envelope {
	const struct ssh_cipher *cipher;
	struct ssh_reader kdf, options, public, text; /* text: encrypted */
	const uint8_t *tag;
};

static int fail_malformed(void)
{
	return fail(GPUCRYPT_USAGE, "a malformed private key of OpenSSH");
}

static int parse_envelope(struct envelope *envelope, struct ssh_reader reader)
{
	struct ssh_reader cipher;
	const uint8_t *magic;
	uint32_t n_keys;

	if (!ssh_take(&reader, sizeof MAGIC, &magic) || memcmp(magic, MAGIC, sizeof MAGIC) != 0 ||
	        !ssh_take_string(&reader, &cipher) || !ssh_take_string(&reader, &envelope->kdf) ||
	        !ssh_take_string(&reader, &envelope->options) || !ssh_take_number(&reader, &n_keys) || n_keys != 1 ||
	        !ssh_take_string(&reader, &envelope->public) || !ssh_take_string(&reader, &envelope->text))
		return fail_malformed();
	for (size_t i = 0; i < sizeof ciphers / sizeof *ciphers; i++)
		if (ssh_equals(&cipher, ciphers[i].name))
			envelope->cipher = &ciphers[i];
	if (envelope->cipher == NULL)
		return fail(GPUCRYPT_USAGE,
		        "encrypted with '%.*s', which gcrypt cannot read: convert it with ssh-keygen -p -Z aes256-ctr",
		        (int)(cipher.n < 64 ? cipher.n : 64), (const char *)cipher.bytes);
	if (!ssh_equals(&envelope->kdf, envelope->cipher->cipher != NULL ? "bcrypt" : "none") ||
	        envelope->text.n % envelope->cipher->block_bytes != 0 || envelope->text.n > INT_MAX ||
	        !ssh_take(&reader, envelope->cipher->tag_bytes, &envelope->tag) || reader.n != 0)
		return fail_malformed();
	return GPUCRYPT_OK;
}

/* Key and IV from the passphrase, which is asked for. */
static int derive(uint8_t *key, const struct envelope *envelope, const struct pem_question *question)
{
	struct ssh_reader options = envelope->options;
	uint8_t *passphrase = locked_allocate(MAX_PASSPHRASE_BYTES);
	struct ssh_reader salt;
	uint32_t rounds;
	size_t n = 0;
	int status = passphrase != NULL ? GPUCRYPT_OK : fail(GPUCRYPT_OTHER, "out of memory");

	if (status == GPUCRYPT_OK && (!ssh_take_string(&options, &salt) || !ssh_take_number(&options, &rounds) ||
	                                     options.n != 0 || rounds == 0))
		status = fail_malformed();
	if (status == GPUCRYPT_OK && rounds > MAX_ROUNDS)
		status = fail(
		        GPUCRYPT_USAGE, "a private key of OpenSSH with %u rounds: more than %d", rounds, MAX_ROUNDS);
	status = status ?: question->ask(question->self, passphrase, MAX_PASSPHRASE_BYTES, &n)
	                           ?: bcrypt_pbkdf(key, envelope->cipher->key_bytes + envelope->cipher->iv_bytes,
	                                      passphrase, n, salt.bytes, salt.n, rounds);
	locked_free(passphrase, MAX_PASSPHRASE_BYTES);
	return status;
}

/* PROTOCOL.chacha20poly1305 of OpenSSH, for sequence number 0 and no packet length: block 0 of the key stream is the
 * key of Poly1305, and block 1 is the first of the text. */
static bool chacha_authentic(EVP_CIPHER_CTX *context, const struct envelope *envelope)
{
	static const uint8_t zeros[64];
	uint8_t block[sizeof zeros], tag[TAG_BYTES];
	size_t n_tag;
	int n;
	bool good = EVP_DecryptUpdate(context, block, &n, zeros, sizeof zeros) == 1 &&
	            EVP_Q_mac(NULL, "POLY1305", NULL, NULL, NULL, block, 32, envelope->text.bytes, envelope->text.n,
	                    tag, sizeof tag, &n_tag) != NULL &&
	            CRYPTO_memcmp(tag, envelope->tag, sizeof tag) == 0;

	wipe(block, sizeof block);
	return good;
}

static int decrypt_text(uint8_t *plain, EVP_CIPHER_CTX *context, const struct envelope *envelope, const uint8_t *key)
{
	const struct ssh_cipher *cipher = envelope->cipher;
	bool chacha = cipher->cipher == EVP_chacha20;
	int n;

	if (context == NULL || EVP_DecryptInit_ex(context, cipher->cipher(), NULL, key, key + cipher->key_bytes) != 1 ||
	        EVP_CIPHER_CTX_set_padding(context, 0) != 1 ||
	        (cipher->tag_bytes > 0 && !chacha &&
	                EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG_BYTES, (void *)envelope->tag) != 1))
		return libcrypto_failed(cipher->name);
	if ((chacha && !chacha_authentic(context, envelope)) ||
	        EVP_DecryptUpdate(context, plain, &n, envelope->text.bytes, (int)envelope->text.n) != 1 ||
	        EVP_DecryptFinal_ex(context, plain + n, &n) != 1)
		return fail(GPUCRYPT_NO_KEY, "its passphrase is wrong");
	return GPUCRYPT_OK;
}

static int decrypt(uint8_t *plain, const struct envelope *envelope, const struct pem_question *question)
{
	uint8_t key[MAX_KEY_BYTES + IV_BYTES] = { 0 };
	EVP_CIPHER_CTX *context;
	int status;

	if (envelope->cipher->cipher == NULL) {
		memcpy(plain, envelope->text.bytes, envelope->text.n);
		return GPUCRYPT_OK;
	}
	status = derive(key, envelope, question);
	context = EVP_CIPHER_CTX_new();
	status = status ?: decrypt_text(plain, context, envelope, key);
	EVP_CIPHER_CTX_free(context);
	wipe(key, sizeof key);
	return status;
}

/* The private key is the seed, and the public key once more. */
EVP_PKEY *ssh_ed25519_private(struct ssh_reader *text)
{
	struct ssh_reader public, private;
	EVP_PKEY *key = NULL;
	uint8_t own[32];
	size_t n = sizeof own;

	if (ssh_take_string(text, &public) && public.n == 32 && ssh_take_string(text, &private) && private.n == 64)
		key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, private.bytes, 32);
	if (key != NULL &&
	        (EVP_PKEY_get_raw_public_key(key, own, &n) != 1 || memcmp(own, public.bytes, sizeof own) != 0)) {
		EVP_PKEY_free(key);
		key = NULL;
	}
	return key;
}

/* a mod (m - 1); NULL also if a or m is */
static BIGNUM *reduce(const BIGNUM *a, const BIGNUM *m)
{
	BN_CTX *context = BN_CTX_secure_new();
	BIGNUM *less = m != NULL ? BN_dup(m) : NULL, *result = BN_secure_new();
	bool good = a != NULL && context != NULL && less != NULL && result != NULL && BN_sub_word(less, 1) == 1 &&
	            !BN_is_zero(less);

	if (good) {
		BN_set_flags(less, BN_FLG_CONSTTIME);
		good = BN_mod(result, a, less, context) == 1;
	}
	BN_CTX_free(context);
	BN_clear_free(less);
	if (good)
		return result;
	BN_clear_free(result);
	return NULL;
}

/* The format has no exponents for the Chinese remainder theorem. */
EVP_PKEY *ssh_rsa_private(struct ssh_reader *text)
{
	static const uint8_t order[] = { SSH_RSA_N, SSH_RSA_E, SSH_RSA_D, SSH_RSA_QINV, SSH_RSA_P, SSH_RSA_Q };
	BIGNUM *numbers[N_SSH_RSA] = { NULL };

	for (size_t i = 0; i < sizeof order; i++)
		numbers[order[i]] = ssh_take_mpint(text);
	numbers[SSH_RSA_DP] = reduce(numbers[SSH_RSA_D], numbers[SSH_RSA_P]);
	numbers[SSH_RSA_DQ] = reduce(numbers[SSH_RSA_D], numbers[SSH_RSA_Q]);
	return ssh_rsa_key(numbers, true);
}

/* A comment and the padding 1, 2, 3, … follow the key. */
static bool has_end(struct ssh_reader *text)
{
	struct ssh_reader comment;

	if (!ssh_take_string(text, &comment))
		return false;
	for (size_t i = 0; i < text->n; i++)
		if (text->bytes[i] != (uint8_t)(i + 1))
			return false;
	return true;
}

static int parse_text(EVP_PKEY **key, struct ssh_reader text, bool encrypted)
{
	uint32_t check[2];
	struct ssh_reader name;
	const struct ssh_type *type;

	if (!ssh_take_number(&text, &check[0]) || !ssh_take_number(&text, &check[1]))
		return fail_malformed();
	if (check[0] != check[1])
		return encrypted ? fail(GPUCRYPT_NO_KEY, "its passphrase is wrong") : fail_malformed();
	if (!ssh_take_string(&text, &name))
		return fail_malformed();
	type = ssh_type_of(&name);
	if (type == NULL)
		return fail(GPUCRYPT_USAGE, "unknown type of private SSH key (choose from: ssh-ed25519, ssh-rsa)");
	*key = type->read_private(&text);
	return *key != NULL && has_end(&text) ? GPUCRYPT_OK : fail_malformed();
}

EVP_PKEY *ssh_private_public(const uint8_t *bytes, size_t n_bytes)
{
	struct envelope envelope = { 0 };

	if (parse_envelope(&envelope, (struct ssh_reader){ bytes, n_bytes }) == GPUCRYPT_OK)
		return ssh_public_decode(envelope.public, NULL);
	fail_clear();
	return NULL;
}

int ssh_private_parse(EVP_PKEY **key, const uint8_t *bytes, size_t n_bytes, const struct pem_question *question)
{
	struct envelope envelope = { 0 };
	int status = parse_envelope(&envelope, (struct ssh_reader){ bytes, n_bytes });
	uint8_t *plain;

	*key = NULL;
	if (status != GPUCRYPT_OK)
		return status;
	plain = locked_allocate(envelope.text.n + 1);
	status = (plain != NULL ? decrypt(plain, &envelope, question) : fail(GPUCRYPT_OTHER, "out of memory"))
	                 ?: parse_text(key, (struct ssh_reader){ plain, envelope.text.n },
	                            envelope.cipher->cipher != NULL);
	if (status != GPUCRYPT_OK) {
		EVP_PKEY_free(*key);
		*key = NULL;
	}
	locked_free(plain, envelope.text.n + 1);
	return status;
}
