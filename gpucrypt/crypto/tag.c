#include "gpucrypt/crypto/tag.h"

#include <openssl/evp.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/crypto/tagger.h"
#include "gpucrypt/status.h"

/* s_0 ‖ s_1 ‖ …: the AES-256-CTR key stream of the tag key from counter 0. */
static int masks_compute(uint8_t *masks, size_t n_bytes, const uint8_t key[32])
{
	static const uint8_t zeros[MAX_CHUNKS * TAG_BYTES];
	uint8_t counter[16] = { 0 };
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	int n = 0;
	bool good = context != NULL && EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), NULL, key, counter) == 1 &&
	            EVP_EncryptUpdate(context, masks, &n, zeros, (int)n_bytes) == 1;

	EVP_CIPHER_CTX_free(context);
	return libcrypto_check(good, "AES-256-CTR");
}

/* RFC 8439, 2.5.1: a += s, the carry out of 128 bits is lost. */
static void add_mask(uint8_t tag[TAG_BYTES], const uint8_t s[TAG_BYTES])
{
	uint64_t low = load_le64(tag), sum = low + load_le64(s);

	store_le64(tag, sum);
	store_le64(tag + 8, load_le64(tag + 8) + load_le64(s + 8) + (sum < low));
}

static int check_chunks(size_t n_chunks)
{
	return n_chunks <= MAX_CHUNKS ? GPUCRYPT_OK
	                              : fail(GPUCRYPT_OTHER, "a group has more than %d chunks", MAX_CHUNKS);
}

int tags_finish(uint8_t tags[][TAG_BYTES], const struct group_keys *keys, size_t n_chunks)
{
	uint8_t masks[MAX_CHUNKS * TAG_BYTES];
	int status = check_chunks(n_chunks) ?: masks_compute(masks, n_chunks * TAG_BYTES, keys->tag);

	for (size_t i = 0; i < n_chunks && status == GPUCRYPT_OK; i++)
		add_mask(tags[i], masks + i * TAG_BYTES);
	wipe(masks, sizeof masks);
	return status;
}

static size_t chunks_of(size_t n_bytes, unsigned chunk_log2)
{
	return (n_bytes + ((size_t)1 << chunk_log2) - 1) >> chunk_log2;
}

int chunk_tags(
        uint8_t tags[][TAG_BYTES], const uint8_t r[16], const uint8_t *payload, size_t n_bytes, unsigned chunk_log2)
{
	size_t chunk = (size_t)1 << chunk_log2, n_chunks = chunks_of(n_bytes, chunk_log2);
	struct tagger tagger;
	int status = tagger_open(&tagger, r) ?: check_chunks(n_chunks);

	for (size_t i = 0; i < n_chunks && status == GPUCRYPT_OK; i++) {
		size_t left = n_bytes - i * chunk;

		status = tagger_start(&tagger)
		                 ?: tagger_add(&tagger, payload + i * chunk, left < chunk ? left : chunk)
		                 ?: tagger_finish(&tagger, tags[i]);
	}
	tagger_close(&tagger);
	return status;
}

int tags_compute(uint8_t tags[][TAG_BYTES], const struct group_keys *keys, const uint8_t *payload, size_t n_bytes,
        unsigned chunk_log2)
{
	return chunk_tags(tags, keys->r, payload, n_bytes, chunk_log2)
	               ?: tags_finish(tags, keys, chunks_of(n_bytes, chunk_log2));
}
