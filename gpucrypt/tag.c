#include "tag.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <string.h>

#include "status.h"

/* s_0 ‖ s_1 ‖ …: the AES-256-CTR key stream of the tag key from counter 0. */
static int masks_compute(uint8_t *masks, size_t n_bytes, const uint8_t key[32])
{
	static const uint8_t zeros[MAX_CHUNKS * TAG_BYTES];
	uint8_t counter[16] = { 0 };
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	int n = 0, status = GPUCRYPT_OK;

	if (context == NULL ||
	        EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), NULL, key, counter) != 1 ||
	        EVP_EncryptUpdate(context, masks, &n, zeros, (int)n_bytes) != 1)
		status = libcrypto_failed("AES-256-CTR");
	EVP_CIPHER_CTX_free(context);
	return status;
}

/* Poly1305 (RFC 8439, 2.5) with the one-time key r ‖ s; libcrypto clamps r. */
static int poly1305(uint8_t tag[TAG_BYTES], EVP_MAC_CTX *context, const uint8_t key[32],
        const uint8_t *bytes, size_t n_bytes)
{
	size_t n_tag = 0;

	if (EVP_MAC_init(context, key, 32, NULL) != 1 ||
	        EVP_MAC_update(context, bytes, n_bytes) != 1 ||
	        EVP_MAC_final(context, tag, &n_tag, TAG_BYTES) != 1 || n_tag != TAG_BYTES)
		return libcrypto_failed("Poly1305");
	return GPUCRYPT_OK;
}

int tags_compute(uint8_t tags[][TAG_BYTES], const struct group_keys *keys, const uint8_t *payload,
        size_t n_bytes, unsigned chunk_log2)
{
	size_t chunk = (size_t)1 << chunk_log2, n_chunks = (n_bytes + chunk - 1) >> chunk_log2, n;
	uint8_t masks[MAX_CHUNKS * TAG_BYTES], key[32];
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "POLY1305", NULL);
	EVP_MAC_CTX *context = mac != NULL ? EVP_MAC_CTX_new(mac) : NULL;
	int status = GPUCRYPT_OK;

	if (context == NULL)
		status = libcrypto_failed("Poly1305");
	else if (n_chunks > MAX_CHUNKS)
		status = fail(GPUCRYPT_OTHER, "a group has more than %d chunks", MAX_CHUNKS);
	else
		status = masks_compute(masks, n_chunks * TAG_BYTES, keys->tag);
	memcpy(key, keys->r, sizeof keys->r);
	for (size_t i = 0; i < n_chunks && status == GPUCRYPT_OK; i++) {
		n = n_bytes - i * chunk < chunk ? n_bytes - i * chunk : chunk;
		memcpy(key + 16, masks + i * TAG_BYTES, TAG_BYTES);
		status = poly1305(tags[i], context, key, payload + i * chunk, n);
	}
	EVP_MAC_CTX_free(context);
	EVP_MAC_free(mac);
	wipe(masks, sizeof masks);
	wipe(key, sizeof key);
	return status;
}
