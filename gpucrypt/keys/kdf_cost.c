#include "gpucrypt/clock.h"
#include "gpucrypt/keys/kdf_cost.h"

#include <unistd.h>

#include "gpucrypt/status.h"

#define TRIAL_LOG2_N 14 /* some 50 ms, 16 MiB */
#define BYTES_PER_N  (128 * SCRYPT_R)

unsigned kdf_cost_for(unsigned trial_log2_n, double trial_s, uint64_t memory_bytes)
{
	unsigned log2_n = SCRYPT_LOG2_N_MIN;
	double seconds = trial_s;

	for (unsigned i = trial_log2_n; i > log2_n; i--)
		seconds /= 2;
	/* By ratio, double the time is further from the target than the time itself if that is over 1/√2 of it. */
	while (log2_n < SCRYPT_LOG2_N_MAX && 2 * seconds * seconds < KDF_TARGET_S * KDF_TARGET_S &&
	        (uint64_t)BYTES_PER_N << (log2_n + 1) <= memory_bytes / 2) {
		log2_n++;
		seconds *= 2;
	}
	return log2_n;
}

static int measure_cost(unsigned *log2_n)
{
	static const uint8_t salt[SALT_BYTES];
	uint64_t memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	/* Use the CPU time of this thread, so that other load does not count as cost. */
	double start = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
	uint8_t kek[32];
	int status = kek_from_passphrase(kek, salt, sizeof salt, salt, TRIAL_LOG2_N, 1);

	*log2_n = kdf_cost_for(TRIAL_LOG2_N, clock_seconds(CLOCK_THREAD_CPUTIME_ID) - start, memory_bytes);
	return status;
}

int kdf_cost(unsigned *log2_n, const struct gpucrypt_secret *secret)
{
	*log2_n = secret->scrypt_log2_n != 0 ? secret->scrypt_log2_n : SCRYPT_LOG2_N_DEFAULT;
	return secret->type == GPUCRYPT_PASSPHRASE && *log2_n == KDF_AUTO ? measure_cost(log2_n) : GPUCRYPT_OK;
}

bool kdf_allowed(const struct gpucrypt_secret *secret, unsigned log2_n, unsigned p, uint64_t *spent)
{
	uint64_t bytes = secret->max_kdf_bytes != 0 ? secret->max_kdf_bytes : MAX_KDF_BYTES_DEFAULT;
	uint64_t n = UINT64_C(1) << log2_n, most = bytes / BYTES_PER_N;

	if (n > most || n * p > 2 * most - *spent)
		return false;
	*spent += n * p;
	return true;
}
