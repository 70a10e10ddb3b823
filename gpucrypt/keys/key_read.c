/* Reading recipients' keys: as text, which is PEM (RFC 7468), so PKCS#8 and other formats that libcrypto reads, or
 * OpenSSH's; and keys that libcrypto's providers find by URI, of a token (pkcs11:, RFC 7512) or a TPM. */
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/store.h>
#include <openssl/ui.h>
#include <openssl/x509.h>
#include <string.h>

#include "gpucrypt/keys/public_key.h"
#include "gpucrypt/status.h"

/* The pieces of a text. */

static const char *find_text(const char *at, const char *end, const char *text)
{
	return at < end ? memmem(at, (size_t)(end - at), text, strlen(text)) : NULL;
}

/* Find the dashes at which the next PEM block begins, however many dashes there are. Text that only resembles a PEM
 * block is not skipped: parsing rejects it. */
static const char *next_block(const char *at, const char *end)
{
	const char *begin = find_text(at, end, "-BEGIN ");

	while (begin != NULL && begin > at && begin[-1] == '-')
		begin--;
	return begin != NULL ? begin : end;
}

struct key_text key_text_of(const char *text, size_t length)
{
	const char *end = text + length, *block = next_block(text, end);

	return (struct key_text){ .at = text, .end = end, .block = block, .has_blocks = block < end, .line = 1 };
}

static const char *after_line(const char *at, const char *end)
{
	const char *newline = find_text(at, end, "\n");

	return newline != NULL ? newline + 1 : end;
}

/* A block ends with its END line, if it has one, else where the next block begins. */
static const char *block_end(struct key_text *text)
{
	const char *block = text->block, *last;

	text->block = next_block(find_text(block, text->end, "B"), text->end);
	last = find_text(block, text->block, "-----END ");
	return last != NULL ? after_line(last, text->block) : text->block;
}

bool key_text_next(struct key_piece *piece, struct key_text *text)
{
	bool found = false;

	while (!found && text->at < text->end) {
		const char *from = text->at, *to;

		*piece = (struct key_piece){ .text = from, .line = text->line, .block = from == text->block };
		to = piece->block ? block_end(text) : after_line(from, text->block);
		piece->n = (size_t)(to - from);
		piece->private_block = piece->block && find_text(from, after_line(from, to), "PRIVATE KEY") != NULL;
		found = piece->block ||
		        (!ssh_line_empty(from, piece->n) && (!text->has_blocks || ssh_public_line(from, piece->n)));
		for (text->at = to; (from = find_text(from, to, "\n")) != NULL; from++)
			text->line++;
	}
	return found;
}

/* Reading recipients' keys: as text, which is PEM (RFC 7468), so PKCS#8 and other formats that libcrypto reads, or
 * OpenSSH's; and keys that libcrypto's providers find by URI, of a token (pkcs11:, RFC 7512) or a TPM. */

/* The key in a piece. */

#define LEAST_RSA_BYTES 256

/* An Ed25519 key becomes the X25519 key. */
static int encode_key(struct gpucrypt_secret *secret, uint8_t *der, EVP_PKEY **key,
        int (*i2d)(const EVP_PKEY *key, unsigned char **out))
{
	enum gpucrypt_secret_type type;
	unsigned char *at = der;
	int n, status = EVP_PKEY_is_a(*key, "ED25519") ? ed25519_convert(key) : GPUCRYPT_OK;

	if (status != GPUCRYPT_OK)
		return status;
	type = key_pair_type(*key);
	if (type == KEY_PAIR_OTHER || !key_pair_normalise(*key))
		return fail(GPUCRYPT_USAGE,
		        "unknown type of key (choose from: X25519, Ed25519, P-256, RSA, X25519 with ML-KEM-768)");
	if (type == GPUCRYPT_RSA &&
	        (EVP_PKEY_get_size(*key) < LEAST_RSA_BYTES || EVP_PKEY_get_size(*key) > MAX_RSA_BYTES))
		return rsa_fail_size(EVP_PKEY_get_bits(*key));
	n = i2d(*key, NULL);
	if (n <= 0 || n > MAX_KEY_DER_BYTES)
		return fail(GPUCRYPT_USAGE, "a key that cannot be encoded");
	n = i2d(*key, &at);
	*secret = (struct gpucrypt_secret){ .type = type, .bytes = der, .length = (size_t)n };
	return GPUCRYPT_OK;
}

static bool contains(const char *text, size_t n_text, const char *part)
{
	return memmem(text, n_text, part, strlen(part)) != NULL;
}

/* The bytes of the first PEM block, whatever its kind; NULL: there is none.  Freed with OPENSSL_clear_free(). */
static uint8_t *read_block(const char *pem, size_t n_pem, long *n_bytes)
{
	BIO *bio = BIO_new_mem_buf(pem, (int)n_pem);
	char *name = NULL, *header = NULL;
	uint8_t *bytes = NULL;

	if (bio == NULL || PEM_read_bio(bio, &name, &header, &bytes, n_bytes) != 1)
		bytes = NULL;
	OPENSSL_free(name);
	OPENSSL_free(header);
	BIO_free(bio);
	return bytes;
}

/* GPUCRYPT_USAGE: the text is no key, or one for which libcrypto is too old. */
static int fail_not_key(const char *pem, size_t n_pem, const char *what)
{
	long n = 0;
	uint8_t *bytes = read_block(pem, n_pem, &n);
	int status = bytes != NULL && ml_kem_der(bytes, (size_t)n) ? hybrid_available() : GPUCRYPT_OK;

	OPENSSL_clear_free(bytes, (size_t)n);
	return status == GPUCRYPT_OK ? fail(GPUCRYPT_USAGE, "not a %s key in PEM", what) : status;
}

/* Also the numbers of PKCS#1, as ssh-keygen -e -m PEM writes them. */
static EVP_PKEY *read_public_pem(const char *pem, size_t n_pem)
{
	BIO *bio = BIO_new_mem_buf(pem, (int)n_pem);
	EVP_PKEY *key = bio != NULL ? PEM_read_bio_PUBKEY(bio, NULL, NULL, NULL) : NULL;

	BIO_free(bio);
	return key;
}

int public_key_read(struct gpucrypt_secret *secret, uint8_t *der, const char *text, size_t n_text, bool *unusable)
{
	EVP_PKEY *key = NULL;
	int status = GPUCRYPT_OK;

	*unusable = false;
	if (contains(text, n_text, "PRIVATE KEY-----"))
		return fail(GPUCRYPT_USAGE,
		        "a private key: the public key is wanted (openssl pkey -pubout, ssh-keygen -y)");
	if (!contains(text, n_text, "-BEGIN "))
		status = ssh_public_parse(&key, text, n_text, unusable);
	else if ((key = read_public_pem(text, n_text)) == NULL)
		status = fail_not_key(text, n_text, "public");
	status = status ?: encode_key(secret, der, &key, i2d_PUBKEY) ?: recipient_check(secret);
	*unusable |= key != NULL && status != GPUCRYPT_OK;
	ERR_clear_error();
	EVP_PKEY_free(key);
	return status;
}

/* Whether libcrypto requested a passphrase, and the status of the answer. */
struct pem_answer {
	const struct pem_question *question;
	bool asked;
	int status;
};

/* A callback of type pem_password_cb. */
static int pem_ask(char *bytes, int room, int writing, void *self)
{
	struct pem_answer *answer = self;
	size_t length = 0;

	(void)writing;
	answer->asked = true;
	if (answer->question == NULL)
		return -1;
	answer->status = answer->question->ask(answer->question->self, (uint8_t *)bytes, (size_t)room, &length);
	return answer->status == GPUCRYPT_OK ? (int)length : -1;
}

static int read_private_pem(EVP_PKEY **key, const char *pem, size_t n_pem, const struct pem_question *question)
{
	struct pem_answer answer = { .question = question };
	BIO *bio = BIO_new_mem_buf(pem, (int)n_pem);

	*key = bio != NULL ? PEM_read_bio_PrivateKey(bio, NULL, pem_ask, &answer) : NULL;
	BIO_free(bio);
	if (*key != NULL || answer.status != GPUCRYPT_OK)
		return answer.status;
	return answer.asked ? fail(GPUCRYPT_NO_KEY, "its passphrase is wrong") : fail_not_key(pem, n_pem, "private");
}

static int read_private_ssh(EVP_PKEY **key, const char *pem, size_t n_pem, const struct pem_question *question)
{
	long n = 0;
	uint8_t *bytes = read_block(pem, n_pem, &n);
	int status = bytes != NULL ? ssh_private_parse(key, bytes, (size_t)n, question)
	                           : fail(GPUCRYPT_USAGE, "not a private key in PEM");

	OPENSSL_clear_free(bytes, (size_t)n);
	return status;
}

static bool in_ssh_form(const char *pem, size_t n_pem)
{
	return contains(pem, n_pem, "-BEGIN OPENSSH PRIVATE KEY-");
}

bool private_key_public(struct gpucrypt_secret *secret, uint8_t *der, const char *pem, size_t n_pem)
{
	long n = 0;
	uint8_t *bytes = in_ssh_form(pem, n_pem) ? read_block(pem, n_pem, &n) : NULL;
	EVP_PKEY *key = bytes != NULL ? ssh_private_public(bytes, (size_t)n) : NULL;
	bool good = key != NULL && encode_key(secret, der, &key, i2d_PUBKEY) == GPUCRYPT_OK;

	OPENSSL_clear_free(bytes, (size_t)n);
	EVP_PKEY_free(key);
	ERR_clear_error();
	fail_clear();
	return good;
}

int private_key_read(struct gpucrypt_secret *secret, uint8_t *der, const char *pem, size_t n_pem,
        const struct pem_question *question)
{
	EVP_PKEY *key = NULL;
	int status = (in_ssh_form(pem, n_pem) ? read_private_ssh : read_private_pem)(&key, pem, n_pem, question)
	                     ?: encode_key(secret, der, &key, i2d_PrivateKey);

	ERR_clear_error();
	EVP_PKEY_free(key);
	return status;
}

int key_piece_read(
        struct gpucrypt_secret *secret, uint8_t *der, struct key_piece *piece, const struct pem_question *question)
{
	return piece->private_block && question != NULL
	               ? private_key_read(secret, der, piece->text, piece->n, question)
	               : public_key_read(secret, der, piece->text, piece->n, &piece->unusable);
}

/* Keys by URI. */

bool key_store_uri(const char *name)
{
	return strncmp(name, "pkcs11:", strlen("pkcs11:")) == 0 || strncmp(name, "handle:", strlen("handle:")) == 0;
}

/* Of the kind: a private key, a public one, or the public key of a certificate; NULL: another kind. */
static EVP_PKEY *key_of(OSSL_STORE_INFO *info, bool private)
{
	int type = info != NULL ? OSSL_STORE_INFO_get_type(info) : 0;
	X509 *certificate;
	EVP_PKEY *key;

	if (private)
		return type == OSSL_STORE_INFO_PKEY ? OSSL_STORE_INFO_get1_PKEY(info) : NULL;
	if (type != OSSL_STORE_INFO_CERT)
		return type == OSSL_STORE_INFO_PUBKEY ? OSSL_STORE_INFO_get1_PUBKEY(info) : NULL;
	certificate = OSSL_STORE_INFO_get1_CERT(info);
	key = X509_get_pubkey(certificate);
	X509_free(certificate);
	return key;
}

/* GPUCRYPT_USAGE: there are several keys of the kind. */
static int only_key(EVP_PKEY **key, OSSL_STORE_CTX *store, bool private)
{
	int status = GPUCRYPT_OK;

	while (status == GPUCRYPT_OK && OSSL_STORE_eof(store) == 0) {
		OSSL_STORE_INFO *info = OSSL_STORE_load(store);
		EVP_PKEY *next = key_of(info, private);

		OSSL_STORE_INFO_free(info);
		if (*key == NULL) {
			*key = next;
			continue;
		}
		if (next != NULL && EVP_PKEY_eq(*key, next) != 1)
			status = fail(GPUCRYPT_USAGE, "several keys have this URI: name one");
		EVP_PKEY_free(next);
	}
	return status;
}

static int fail_no_key(const struct pem_answer *answer, bool opened)
{
	bool private = answer->question != NULL;

	if (answer->status != GPUCRYPT_OK)
		return answer->status;
	if (!opened)
		return fail(GPUCRYPT_USAGE,
		        "no provider of libcrypto opens it: name one in openssl.cnf (gcrypt(1), KEY SLOTS)");
	if (answer->asked && !private)
		return fail(GPUCRYPT_USAGE, "asks for a PIN: a recipient is a public key (type=public)");
	return fail(answer->asked ? GPUCRYPT_NO_KEY : GPUCRYPT_USAGE, "no %s key there%s",
	        private ? "private" : "public", answer->asked ? ", or the PIN is wrong" : "");
}

static int find_key(EVP_PKEY **key, const char *uri, const struct pem_question *question)
{
	struct pem_answer answer = { .question = question };
	UI_METHOD *ui = UI_UTIL_wrap_read_pem_callback(pem_ask, 0);
	OSSL_STORE_CTX *store = OSSL_STORE_open(uri, ui, &answer, NULL, NULL);
	int status = store != NULL ? only_key(key, store, question != NULL) : GPUCRYPT_OK;

	if (status == GPUCRYPT_OK && *key == NULL)
		status = fail_no_key(&answer, store != NULL);
	OSSL_STORE_close(store);
	UI_destroy_method(ui);
	ERR_clear_error();
	return status;
}

/* Decoded again without the provider, so that the DER is the one that a file would give. */
static int encode_public(struct gpucrypt_secret *secret, uint8_t *der, EVP_PKEY *key)
{
	unsigned char *text = NULL;
	const unsigned char *at;
	int n = i2d_PUBKEY(key, &text), status = GPUCRYPT_OK;
	EVP_PKEY *copy;

	at = text;
	copy = n > 0 ? d2i_PUBKEY(NULL, &at, n) : NULL;
	status = copy != NULL ? encode_key(secret, der, &copy, i2d_PUBKEY)
	                      : fail(GPUCRYPT_USAGE, "a key that cannot be encoded");
	OPENSSL_free(text);
	EVP_PKEY_free(copy);
	return status;
}

int key_store_read(struct gpucrypt_secret *secret, uint8_t *der, const char *uri, const struct pem_question *question)
{
	EVP_PKEY *key = NULL;
	int status = find_key(&key, uri, question) ?: encode_public(secret, der, key);

	if (status == GPUCRYPT_OK && question == NULL)
		status = recipient_check(secret);
	if (status == GPUCRYPT_OK && question != NULL)
		secret->held = key;
	else
		EVP_PKEY_free(key);
	ERR_clear_error();
	return status;
}

void key_store_release(struct gpucrypt_secret *secret)
{
	EVP_PKEY_free(secret->held);
	secret->held = NULL;
}

/* A new pair. */

/* Take the text of a BIO, which is wiped and freed. */
static bool take_text(char pem[MAX_PAIR_PEM_BYTES], BIO *bio)
{
	char *text;
	long n = bio != NULL ? BIO_get_mem_data(bio, &text) : 0;
	bool good = n > 0 && n < MAX_PAIR_PEM_BYTES;

	if (good)
		memcpy(pem, text, (size_t)n);
	pem[good ? n : 0] = '\0';
	if (n > 0)
		wipe(text, (size_t)n);
	BIO_free(bio);
	return good;
}

int key_pair_generate(char private_pem[MAX_PAIR_PEM_BYTES], char public_pem[MAX_PAIR_PEM_BYTES], bool ml_kem)
{
	BIO *private = BIO_new(BIO_s_secmem()), *public = BIO_new(BIO_s_secmem());
	int status = ml_kem ? hybrid_available() : GPUCRYPT_OK;
	bool good = private != NULL && public != NULL;

	for (unsigned i = 0; i < (ml_kem ? 2 : 1) && status == GPUCRYPT_OK && good; i++) {
		EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, i == 0 ? "X25519" : "ML-KEM-768");

		good = key != NULL && PEM_write_bio_PrivateKey(private, key, NULL, NULL, 0, NULL, NULL) == 1 &&
		       PEM_write_bio_PUBKEY(public, key) == 1;
		EVP_PKEY_free(key);
	}
	good = take_text(private_pem, private) && good;
	good = take_text(public_pem, public) && good;
	return status != GPUCRYPT_OK || good ? status : libcrypto_failed("a new key");
}
