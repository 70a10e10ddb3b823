#include "gpucrypt/crypto/tag.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <string.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/status.h"

/* s_0 ‖ s_1 ‖ …: the AES-256-CTR key stream of the tag key from counter 0. */
static int masks_compute(uint8_t *masks, size_t n_bytes, const uint8_t key[32])
{
	static const uint8_t zeros[MAX_CHUNKS * TAG_BYTES];
	uint8_t counter[16] = { 0 };
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	int n = 0, status = GPUCRYPT_OK;

	if (context == NULL || EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), NULL, key, counter) != 1 ||
	        EVP_EncryptUpdate(context, masks, &n, zeros, (int)n_bytes) != 1)
		status = libcrypto_failed("AES-256-CTR");
	EVP_CIPHER_CTX_free(context);
	return status;
}

/* Poly1305 (RFC 8439, 2.5) with the one-time key r ‖ s; libcrypto clamps r. */
static int poly1305(
        uint8_t tag[TAG_BYTES], EVP_MAC_CTX *context, const uint8_t key[32], const uint8_t *bytes, size_t n_bytes)
{
	size_t n_tag = 0;

	if (EVP_MAC_init(context, key, 32, NULL) != 1 || EVP_MAC_update(context, bytes, n_bytes) != 1 ||
	        EVP_MAC_final(context, tag, &n_tag, TAG_BYTES) != 1 || n_tag != TAG_BYTES)
		return libcrypto_failed("Poly1305");
	return GPUCRYPT_OK;
}

/* RFC 8439, 2.5.1: a += s, the carry out of 128 bits is lost. */
static void add_mask(uint8_t tag[TAG_BYTES], const uint8_t s[TAG_BYTES])
{
	uint64_t low = load_le64(tag), sum = low + load_le64(s);

	store_le64(tag, sum);
	store_le64(tag + 8, load_le64(tag + 8) + load_le64(s + 8) + (sum < low));
}

static int fail_too_many_chunks(void)
{
	return fail(GPUCRYPT_OTHER, "a group has more than %d chunks", MAX_CHUNKS);
}

int tags_finish(uint8_t tags[][TAG_BYTES], const struct group_keys *keys, unsigned n_chunks)
{
	uint8_t masks[MAX_CHUNKS * TAG_BYTES];
	int status;

	if (n_chunks > MAX_CHUNKS)
		return fail_too_many_chunks();
	status = masks_compute(masks, n_chunks * TAG_BYTES, keys->tag);
	for (unsigned i = 0; i < n_chunks && status == GPUCRYPT_OK; i++)
		add_mask(tags[i], masks + i * TAG_BYTES);
	wipe(masks, sizeof masks);
	return status;
}

/* Found once: to look it up in libcrypto takes as long as some chunks. */
static EVP_MAC *poly1305_mac;

static void fetch_poly1305(void)
{
	poly1305_mac = EVP_MAC_fetch(NULL, "POLY1305", NULL);
}

int chunk_tag(uint8_t tag[TAG_BYTES], const uint8_t r[16], const uint8_t *bytes, size_t n_bytes)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint8_t key[32] = { 0 };
	EVP_MAC_CTX *context;
	int status;

	pthread_once(&once, fetch_poly1305);
	context = poly1305_mac != NULL ? EVP_MAC_CTX_new(poly1305_mac) : NULL;
	memcpy(key, r, 16);
	status = context == NULL ? libcrypto_failed("Poly1305") : poly1305(tag, context, key, bytes, n_bytes);
	EVP_MAC_CTX_free(context);
	wipe(key, sizeof key);
	return status;
}

int chunk_tags(
        uint8_t tags[][TAG_BYTES], const uint8_t r[16], const uint8_t *payload, size_t n_bytes, unsigned chunk_log2)
{
	size_t chunk = (size_t)1 << chunk_log2;
	int status = GPUCRYPT_OK;

	for (size_t i = 0; i * chunk < n_bytes && status == GPUCRYPT_OK; i++) {
		size_t left = n_bytes - i * chunk;

		status = chunk_tag(tags[i], r, payload + i * chunk, left < chunk ? left : chunk);
	}
	return status;
}

int tags_compute(uint8_t tags[][TAG_BYTES], const struct group_keys *keys, const uint8_t *payload, size_t n_bytes,
        unsigned chunk_log2)
{
	size_t n_chunks = (n_bytes + ((size_t)1 << chunk_log2) - 1) >> chunk_log2;
	int status = n_chunks > MAX_CHUNKS ? fail_too_many_chunks()
	                                   : chunk_tags(tags, keys->r, payload, n_bytes, chunk_log2);

	return status == GPUCRYPT_OK ? tags_finish(tags, keys, (unsigned)n_chunks) : status;
}
