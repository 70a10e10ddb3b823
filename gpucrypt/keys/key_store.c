/* Keys that libcrypto's providers find by URI: of a token (pkcs11:, RFC 7512), of a TPM. */
#include "gpucrypt/keys/public_key.h"

#include <string.h>

#include <openssl/err.h>
#include <openssl/store.h>
#include <openssl/ui.h>
#include <openssl/x509.h>

#include "gpucrypt/keys/key_pair.h"
#include "gpucrypt/status.h"

static const char *const schemes[] = { "pkcs11:", "handle:" };

bool key_store_uri(const char *name)
{
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
		if (strncmp(name, schemes[i], strlen(schemes[i])) == 0)
			return true;
	return false;
}

/* Of the kind: a private key, a public one, or the public key of a certificate; NULL: another kind. */
static EVP_PKEY *key_of(OSSL_STORE_INFO *info, bool private)
{
	int type = info != NULL ? OSSL_STORE_INFO_get_type(info) : 0;
	EVP_PKEY *key = NULL;

	if (private && type == OSSL_STORE_INFO_PKEY)
		key = OSSL_STORE_INFO_get1_PKEY(info);
	if (!private && type == OSSL_STORE_INFO_PUBKEY)
		key = OSSL_STORE_INFO_get1_PUBKEY(info);
	if (!private && type == OSSL_STORE_INFO_CERT) {
		X509 *certificate = OSSL_STORE_INFO_get1_CERT(info);

		key = X509_get_pubkey(certificate);
		X509_free(certificate);
	}
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
	status = copy != NULL ? public_key_encode(secret, der, &copy)
	                      : fail(GPUCRYPT_USAGE, "a key that cannot be encoded");
	OPENSSL_free(text);
	EVP_PKEY_free(copy);
	return status;
}

int key_store_read(struct gpucrypt_secret *secret, uint8_t *der, const char *uri, const struct pem_question *question)
{
	EVP_PKEY *key = NULL;
	int status = find_key(&key, uri, question);

	if (status == GPUCRYPT_OK)
		status = encode_public(secret, der, key);
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
