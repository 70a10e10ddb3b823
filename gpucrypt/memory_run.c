#include "memory_run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "container.h"
#include "keys.h"
#include "status.h"

/* More than the caches hold; and so much of it random, which is enough for tables to be looked up
 * at random in ECB and XTS. */
#define MOST_BYTES   ((size_t)256 << 20)
#define RANDOM_BYTES ((size_t)1 << 20)

int memory_run_open(struct memory_run *run, uint64_t most)
{
	int status;

	*run = (struct memory_run){ .n_bytes = most < MOST_BYTES ? (size_t)most : MOST_BYTES };
	if (run->n_bytes < RANDOM_BYTES)
		run->n_bytes = RANDOM_BYTES;
	run->bytes = malloc(run->n_bytes);
	if (run->bytes == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	status = random_bytes(run->bytes, RANDOM_BYTES);
	for (size_t done = RANDOM_BYTES; done < run->n_bytes;) {
		size_t n = run->n_bytes - done < done ? run->n_bytes - done : done;

		memcpy(run->bytes + done, run->bytes, n);
		done += n;
	}
	return status;
}

void memory_run_close(struct memory_run *run)
{
	free(run->bytes);
	*run = (struct memory_run){ 0 };
}

static int discard(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	(void)self, (void)bytes, (void)n_bytes, (void)offset;
	return GPUCRYPT_OK;
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int memory_run(const struct memory_run *run, const struct gpucrypt_plan *plan, uint64_t n_bytes,
        double *seconds)
{
	uint8_t key[32];
	const struct gpucrypt_secret secret = { GPUCRYPT_KEY_FILE, key, sizeof key };
	struct sink sink = { .write = discard, .any_order = true };
	struct source source;
	int status = random_bytes(key, sizeof key);

	if (run->bytes != NULL)
		source_open_memory(&source, run->bytes, run->n_bytes, n_bytes);
	else
		source_open_in_place(&source, n_bytes);
	*seconds = now_s();
	if (status == GPUCRYPT_OK)
		status = container_encrypt(&source, &sink, plan, &secret, NULL, NULL);
	*seconds = now_s() - *seconds;
	wipe(key, sizeof key);
	return status;
}
