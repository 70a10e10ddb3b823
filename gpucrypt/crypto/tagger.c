#include "gpucrypt/crypto/tagger.h"

#include <openssl/evp.h>
#include <pthread.h>
#include <string.h>

#include "gpucrypt/crypto/cpu.h"
#include "gpucrypt/crypto/keys.h"
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
