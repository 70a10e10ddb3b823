#include "gpucrypt/crypto/tag.h"

#include <openssl/evp.h>
#include <pthread.h>
#include <string.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/crypto/cipher.h"
#include "gpucrypt/status.h"

/* Looked up once: the look-up takes libcrypto as long as some chunks. */
static struct {
	pthread_mutex_t mutex; /* protects the other member */
	EVP_MAC *mac;
} poly1305 = { .mutex = PTHREAD_MUTEX_INITIALIZER };

void tagger_release(void)
{
	pthread_mutex_lock(&poly1305.mutex);
	EVP_MAC_free(poly1305.mac);
	poly1305.mac = NULL;
	pthread_mutex_unlock(&poly1305.mutex);
}

static int open_context(struct tagger *tagger)
{
	EVP_MAC *mac;

	pthread_mutex_lock(&poly1305.mutex);
	if (poly1305.mac == NULL)
		poly1305.mac = EVP_MAC_fetch(NULL, "POLY1305", NULL);
	mac = poly1305.mac;
	pthread_mutex_unlock(&poly1305.mutex);
	tagger->context = mac != NULL ? EVP_MAC_CTX_new(mac) : NULL;
	return libcrypto_check(tagger->context != NULL, "Poly1305");
}

int tagger_open(struct tagger *tagger, const uint8_t r[16])
{
	memset(tagger, 0, sizeof(*tagger));
	memcpy(tagger->key, r, 16);
#ifdef __x86_64__
	tagger->by_ifma = (cpu_features() & CPU_IFMA) != 0;
	if (tagger->by_ifma) {
		poly1305_ifma_set_key(&tagger->powers, r);
		return GPUCRYPT_OK;
	}
#endif
	return open_context(tagger);
}

void tagger_close(struct tagger *tagger)
{
	EVP_MAC_CTX_free(tagger->context);
	wipe(tagger, sizeof(*tagger));
}

int tagger_start(struct tagger *tagger)
{
#ifdef __x86_64__
	if (tagger->by_ifma) {
		memset(&tagger->sum, 0, sizeof(tagger->sum));
		return GPUCRYPT_OK;
	}
#endif
	return libcrypto_check(EVP_MAC_init(tagger->context, tagger->key, sizeof(tagger->key), NULL) == 1, "Poly1305");
}

int tagger_add(struct tagger *tagger, const uint8_t *bytes, size_t n_bytes)
{
#ifdef __x86_64__
	if (tagger->by_ifma) {
		poly1305_ifma_add(&tagger->sum, &tagger->powers, bytes, n_bytes);
		return GPUCRYPT_OK;
	}
#endif
	return libcrypto_check(EVP_MAC_update(tagger->context, bytes, n_bytes) == 1, "Poly1305");
}

int tagger_finish(struct tagger *tagger, uint8_t tag[16])
{
	size_t n_bytes = 0;

#ifdef __x86_64__
	if (tagger->by_ifma) {
		poly1305_ifma_finish(&tagger->sum, &tagger->powers, tag);
		return GPUCRYPT_OK;
	}
#endif
	return libcrypto_check(EVP_MAC_final(tagger->context, tag, &n_bytes, 16) == 1 && n_bytes == 16, "Poly1305");
}

/* Tags. */

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
