#include "gpucrypt/crypto/keys.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/status.h"

#define LABEL_HEADER    "gcrypt/1 header"
#define LABEL_ROOT      "gcrypt/1 root"
#define LABEL_GROUP     "gcrypt/1 group"
#define LABEL_VOLUME    "gcrypt/1 volume"
#define LABEL_KEYS      "gcrypt/1 keys"
#define LABEL_KEY_FILE  "gcrypt/1 keyfile"
#define MAX_LABEL_BYTES 32

_Static_assert(sizeof(struct group_keys) == 144, "HKDF output is written over the struct");

#undef libcrypto_failed /* see status.h */
int libcrypto_failed(const char *what)
{
	const char *reason = ERR_reason_error_string(ERR_peek_last_error());
	int status =
	        fail(GPUCRYPT_OTHER, "%s: libcrypto failed: %s", what, reason != NULL ? reason : "no reason given");

	ERR_clear_error();
	return status;
}

void wipe(void *bytes, size_t n_bytes)
{
	if (bytes != NULL)
		OPENSSL_cleanse(bytes, n_bytes);
}

int random_bytes(uint8_t *bytes, size_t n_bytes)
{
	return libcrypto_check(n_bytes <= INT_MAX && RAND_bytes(bytes, (int)n_bytes) == 1, "random numbers");
}

struct octets {
	const void *bytes;
	size_t n_bytes;
};

static OSSL_PARAM octets_param(const char *name, struct octets octets)
{
	return OSSL_PARAM_construct_octet_string(name, (void *)octets.bytes, octets.n_bytes);
}

/* HKDF with SHA-256 (RFC 5869) and the info label ‖ more, or one of the two steps of HKDF.  The first step ignores
 * info, the second step ignores salt. */
static int hkdf(uint8_t *out, size_t n_bytes, int step, struct octets key, struct octets salt, const char *label,
        struct octets more)
{
	EVP_KDF *kdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
	EVP_KDF_CTX *context = kdf != NULL ? EVP_KDF_CTX_new(kdf) : NULL;
	uint8_t info[MAX_LABEL_BYTES + HEADER_P_BYTES];
	size_t n_label = strlen(label);
	char digest[] = "SHA256";
	OSSL_PARAM params[6], *next = params;
	bool good;

	memcpy(info, label, n_label);
	memcpy(info + n_label, more.bytes, more.n_bytes);
	*next++ = OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &step);
	*next++ = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0);
	*next++ = octets_param(OSSL_KDF_PARAM_KEY, key);
	if (step != EVP_KDF_HKDF_MODE_EXPAND_ONLY)
		*next++ = octets_param(OSSL_KDF_PARAM_SALT, salt);
	if (step != EVP_KDF_HKDF_MODE_EXTRACT_ONLY)
		*next++ = octets_param(OSSL_KDF_PARAM_INFO, (struct octets){ info, n_label + more.n_bytes });
	*next = OSSL_PARAM_construct_end();
	good = context != NULL && EVP_KDF_derive(context, out, n_bytes, params) == 1;
	EVP_KDF_CTX_free(context);
	EVP_KDF_free(kdf);
	return libcrypto_check(good, "HKDF");
}

static const struct octets none = { "", 0 };

static int expand(uint8_t *out, size_t n_bytes, const uint8_t key[32], const char *label, struct octets more)
{
	return hkdf(out, n_bytes, EVP_KDF_HKDF_MODE_EXPAND_ONLY, (struct octets){ key, 32 }, none, label, more);
}

/* gcrypt(5), "Keys": PRK, K_hdr, K_root, K_grp, and K_vol if P has the detached layout. */
int file_keys_derive(struct file_keys *keys, const uint8_t file_key[FILE_KEY_BYTES], const uint8_t p[HEADER_P_BYTES])
{
	uint8_t prk[32];
	struct octets all = { p, HEADER_P_BYTES };
	int status;

	status = hkdf(prk, sizeof prk, EVP_KDF_HKDF_MODE_EXTRACT_ONLY, (struct octets){ file_key, FILE_KEY_BYTES },
	                 (struct octets){ p + HEADER_P_SALT, SALT_BYTES }, "", none)
	                 ?: expand(keys->header, sizeof keys->header, prk, LABEL_HEADER, all)
	                 ?: expand(keys->root, sizeof keys->root, prk, LABEL_ROOT, all)
	                 ?: expand(keys->group, sizeof keys->group, prk, LABEL_GROUP, all);
	memcpy(keys->file, file_key, sizeof keys->file);
	keys->detached = p[HEADER_P_LAYOUT] == LAYOUT_DETACHED;
	if (status == GPUCRYPT_OK && keys->detached)
		status = expand(keys->volume, sizeof keys->volume, prk, LABEL_VOLUME, all);
	wipe(prk, sizeof prk);
	return status;
}

int bound_key_derive(uint8_t key[32], const uint8_t kek[32], const char *label)
{
	return expand(key, 32, kek, label, none);
}

/* gcrypt(5), "Keys": 144 bytes for a group. */
int group_keys_derive(
        struct group_keys *keys, const struct file_keys *file, uint64_t group, const uint8_t salt[GROUP_SALT_BYTES])
{
	uint8_t more[8 + GROUP_SALT_BYTES];
	int status;

	store_le64(more, group);
	memcpy(more + 8, salt, GROUP_SALT_BYTES);
	status = expand((uint8_t *)keys, sizeof *keys, file->group, LABEL_KEYS, (struct octets){ more, sizeof more });
	if (status == GPUCRYPT_OK && file->detached)
		memcpy(keys->cipher, file->volume, sizeof keys->cipher);
	return status;
}

/* scrypt (RFC 7914) needs little more than 128·r·(N + p) bytes; libcrypto's default limit is 32 MiB. */
int kek_from_passphrase(uint8_t kek[32], const uint8_t *passphrase, size_t n_bytes, const uint8_t salt[SALT_BYTES],
        unsigned log2_n, unsigned p)
{
	uint64_t n = UINT64_C(1) << log2_n, memory = 128 * SCRYPT_R * (n + p + 2) + (1 << 20);
	int good = EVP_PBE_scrypt((const char *)passphrase, n_bytes, salt, SALT_BYTES, n, SCRYPT_R, p, memory, kek, 32);

	return libcrypto_check(good == 1, "scrypt");
}

static int kek_from(uint8_t kek[32], struct octets secret, struct octets salt, const char *label,
        const uint8_t file_salt[SALT_BYTES])
{
	return hkdf(kek, 32, EVP_KDF_HKDF_MODE_EXTRACT_AND_EXPAND, secret, salt, label,
	        (struct octets){ file_salt, SALT_BYTES });
}

int kek_from_key_file(uint8_t kek[32], const uint8_t key_file[32], const uint8_t salt[SALT_BYTES],
        const uint8_t file_salt[SALT_BYTES])
{
	return kek_from(
	        kek, (struct octets){ key_file, 32 }, (struct octets){ salt, SALT_BYTES }, LABEL_KEY_FILE, file_salt);
}

int kek_from_agreement(uint8_t kek[32], const uint8_t shared[32], const uint8_t ephemeral[32],
        const uint8_t recipient[32], const char *label, const uint8_t file_salt[SALT_BYTES])
{
	uint8_t both[64];

	memcpy(both, ephemeral, 32);
	memcpy(both + 32, recipient, 32);
	return kek_from(kek, (struct octets){ shared, 32 }, (struct octets){ both, sizeof both }, label, file_salt);
}

int kek_from_hybrid(uint8_t kek[32], const uint8_t x25519_kek[32], const uint8_t shared[32], const uint8_t digest[32],
        const uint8_t file_salt[SALT_BYTES])
{
	uint8_t both[64];
	int status;

	memcpy(both, x25519_kek, 32);
	memcpy(both + 32, shared, 32);
	status = kek_from(kek, (struct octets){ both, sizeof both }, (struct octets){ digest, 32 },
	        "gcrypt/1 x25519-ml-kem-768", file_salt);
	wipe(both, sizeof both);
	return status;
}

/* One call of AES-256 key wrap (RFC 3394, with its default initial value). Errors: GPUCRYPT_NO_KEY if the integrity
 * check of an unwrapped key fails. */
static int wrap_cipher(uint8_t *out, size_t n_out, const uint8_t *in, size_t n_in, const uint8_t kek[32], int encrypt)
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	int n = 0, status = GPUCRYPT_OK;

	if (context != NULL)
		EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
	if (context == NULL || EVP_CipherInit_ex(context, EVP_aes_256_wrap(), NULL, kek, NULL, encrypt) != 1)
		status = libcrypto_failed("AES key wrap");
	else if (EVP_CipherUpdate(context, out, &n, in, (int)n_in) != 1 || n != (int)n_out)
		status = encrypt ? libcrypto_failed("AES key wrap")
		                 : fail(GPUCRYPT_NO_KEY, "the key slot does not open");
	EVP_CIPHER_CTX_free(context);
	ERR_clear_error();
	return status;
}

int key_wrap(uint8_t wrapped[WRAPPED_BYTES], const uint8_t key[FILE_KEY_BYTES], const uint8_t kek[32])
{
	return wrap_cipher(wrapped, WRAPPED_BYTES, key, FILE_KEY_BYTES, kek, 1);
}

int key_unwrap(uint8_t key[FILE_KEY_BYTES], const uint8_t wrapped[WRAPPED_BYTES], const uint8_t kek[32])
{
	uint8_t out[WRAPPED_BYTES]; /* libcrypto uses more than the key's bytes on the way */
	int status = wrap_cipher(out, FILE_KEY_BYTES, wrapped, WRAPPED_BYTES, kek, 0);

	if (status == GPUCRYPT_OK)
		memcpy(key, out, FILE_KEY_BYTES);
	wipe(out, sizeof out);
	return status;
}

int hmac_sha256(uint8_t mac[MAC_BYTES], const uint8_t key[32], const uint8_t *bytes, size_t n_bytes)
{
	unsigned n_mac = 0;

	return libcrypto_check(HMAC(EVP_sha256(), key, 32, bytes, n_bytes, mac, &n_mac) != NULL, "HMAC");
}

int running_hmac_start(struct running_hmac *hmac, const uint8_t key[32])
{
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	char digest[] = "SHA256";
	OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
		OSSL_PARAM_construct_end() };

	hmac->context = mac != NULL ? EVP_MAC_CTX_new(mac) : NULL;
	EVP_MAC_free(mac);
	return libcrypto_check(hmac->context != NULL && EVP_MAC_init(hmac->context, key, 32, params) == 1, "HMAC");
}

int running_hmac_add(struct running_hmac *hmac, const uint8_t *bytes, size_t n_bytes)
{
	return libcrypto_check(EVP_MAC_update(hmac->context, bytes, n_bytes) == 1, "HMAC");
}

int running_hmac_finish(struct running_hmac *hmac, uint8_t mac[MAC_BYTES])
{
	size_t n_mac = 0;

	return libcrypto_check(EVP_MAC_final(hmac->context, mac, &n_mac, MAC_BYTES) == 1 && n_mac == MAC_BYTES, "HMAC");
}

void running_hmac_free(struct running_hmac *hmac)
{
	EVP_MAC_CTX_free(hmac->context);
	hmac->context = NULL;
}
