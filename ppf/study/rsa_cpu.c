#include "ppf/study/rsa_cpu.h"

#include <pthread.h>

#include <openssl/bn.h>

#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/status.h"

#define MAX_THREADS 256

/* One thread's numbers. */
struct part {
	const struct rsa_key *key;
	uint8_t *numbers;
	size_t n;
	bool good;
};

static bool power(
        const struct part *part, const BIGNUM *modulus, const BIGNUM *exponent, BN_CTX *memory, BN_MONT_CTX *montgomery)
{
	int n_bytes = (int)part->key->bits / 8;
	BIGNUM *x = BN_new();
	bool good = x != NULL;

	for (size_t i = 0; i < part->n && good; i++) {
		uint8_t *number = part->numbers + i * (size_t)n_bytes;

		good = BN_bin2bn(number, n_bytes, x) != NULL &&
		       BN_mod_exp_mont(x, x, exponent, modulus, memory, montgomery) == 1 &&
		       BN_bn2binpad(x, number, n_bytes) == n_bytes;
	}
	BN_clear_free(x);
	return good;
}

static void *run_thread(void *argument)
{
	struct part *part = argument;
	BN_CTX *memory = BN_CTX_secure_new();
	BN_MONT_CTX *montgomery = BN_MONT_CTX_new();
	BIGNUM *modulus = BN_bin2bn(part->key->modulus, (int)part->key->bits / 8, NULL);
	BIGNUM *exponent = BN_new();

	part->good = memory != NULL && montgomery != NULL && modulus != NULL && exponent != NULL &&
	             BN_set_word(exponent, part->key->exponent) == 1 &&
	             BN_MONT_CTX_set(montgomery, modulus, memory) == 1 &&
	             power(part, modulus, exponent, memory, montgomery);
	BN_free(exponent);
	BN_free(modulus);
	BN_MONT_CTX_free(montgomery);
	BN_CTX_free(memory);
	return NULL;
}

int rsa_cpu(const struct rsa_key *key, uint8_t *numbers, size_t n, unsigned threads)
{
	struct part parts[MAX_THREADS];
	pthread_t ids[MAX_THREADS];
	bool apart[MAX_THREADS], good = true;
	size_t done = 0;

	threads = threads > MAX_THREADS ? MAX_THREADS : threads > n ? (unsigned)n : threads;
	for (unsigned i = 0; i < threads; i++) {
		size_t end = (i + 1) * n / threads;

		parts[i] = (struct part){ key, numbers + done * (key->bits / 8), end - done, false };
		done = end;
		/* Without one more thread this one does its part. */
		apart[i] = i + 1 < threads && pthread_create(&ids[i], NULL, run_thread, &parts[i]) == 0;
		if (!apart[i])
			run_thread(&parts[i]);
	}
	for (unsigned i = 0; i < threads; i++) {
		if (apart[i])
			pthread_join(ids[i], NULL);
		good &= parts[i].good;
	}
	return good ? GPUCRYPT_OK : libcrypto_failed("RSA");
}
