#include "gpucrypt/clock.h"
#include "gpucrypt/container/container.h"

#include <stdlib.h>
#include <string.h>

#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/status.h"

/* More than the caches hold.  RANDOM_BYTES of it are random: enough for random table look-ups in ECB and XTS. */
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
	status = random_bytes(run->bytes, RANDOM_BYTES) ?: random_bytes(run->key, sizeof run->key);
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
	free(run->container.bytes);
	wipe(run->key, sizeof run->key);
	*run = (struct memory_run){ 0 };
}

static int discard(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	(void)self, (void)bytes, (void)n_bytes, (void)offset;
	return GPUCRYPT_OK;
}

static struct gpucrypt_secret secret_of(const struct memory_run *run)
{
	return (struct gpucrypt_secret){ .type = GPUCRYPT_KEY_FILE, .bytes = run->key, .length = sizeof run->key };
}

static void open_source(const struct memory_run *run, struct source *source, uint64_t n_bytes)
{
	if (run->bytes != NULL)
		source_open_memory(source, run->bytes, run->n_bytes, n_bytes);
	else
		source_open_unfilled(source, n_bytes);
}

int memory_run(const struct memory_run *run, const struct gpucrypt_plan *plan, uint64_t n_bytes, double *seconds)
{
	const struct gpucrypt_secret secret = secret_of(run);
	struct sink sink = { .write = discard };
	struct source source;
	int status;

	open_source(run, &source, n_bytes);
	*seconds = clock_seconds(CLOCK_MONOTONIC);
	status = container_encrypt(&source, &sink, plan, &secret, NULL, run->report);
	*seconds = clock_seconds(CLOCK_MONOTONIC) - *seconds;
	return status;
}

struct memory_sink {
	struct sink sink;
	uint8_t *bytes;
	size_t n_bytes;
};

static int store_bytes(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct memory_sink *sink = (struct memory_sink *)self;

	if (offset > sink->n_bytes || n_bytes > sink->n_bytes - offset)
		return fail(GPUCRYPT_OTHER, "the container is longer than computed");
	memcpy(sink->bytes + offset, bytes, n_bytes);
	return GPUCRYPT_OK;
}

/* n_bytes are whole blocks. */
static size_t container_length(const struct gpucrypt_plan *plan, uint64_t n_bytes)
{
	struct gpucrypt_plan complete = *plan;

	container_sizes(&complete);
	return (size_t)layout_container_bytes(complete.group_log2, true, n_bytes);
}

static bool is_made(const struct memory_run *run, const struct suite *suite, uint64_t n_bytes)
{
	const struct suite *made = &run->container.suite;

	return run->container.bytes != NULL && made->cipher == suite->cipher && made->mode == suite->mode &&
	       made->key_bytes == suite->key_bytes && run->container.plaintext_bytes == n_bytes;
}

static int make_container(
        struct memory_run *run, const struct suite *suite, const struct gpucrypt_plan *plan, uint64_t n_bytes)
{
	const struct gpucrypt_secret secret = secret_of(run);
	struct memory_sink sink = { { .write = store_bytes }, NULL, container_length(plan, n_bytes) };
	struct source source;

	free(run->container.bytes);
	run->container.bytes = sink.bytes = malloc(sink.n_bytes);
	if (sink.bytes == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory for a container of %zu bytes", sink.n_bytes);
	run->container.n_bytes = sink.n_bytes;
	run->container.suite = *suite;
	run->container.plaintext_bytes = n_bytes;
	open_source(run, &source, n_bytes);
	return container_encrypt(&source, &sink.sink, plan, &secret, NULL, NULL);
}

int memory_run_decrypt(struct memory_run *run, const struct gpucrypt_plan *plan, uint64_t n_bytes, double *seconds)
{
	const struct gpucrypt_secret secret = secret_of(run);
	struct sink sink = { .write = discard };
	struct source source;
	struct suite suite;
	int status = suite_of_plan(&suite, plan, DECRYPT);

	n_bytes -= n_bytes % BLOCK_BYTES; /* whole blocks: the length is the same in all modes */
	if (status == GPUCRYPT_OK && !is_made(run, &suite, n_bytes))
		status = make_container(run, &suite, plan, n_bytes);
	if (status != GPUCRYPT_OK) {
		free(run->container.bytes);
		run->container.bytes = NULL;
		return status;
	}
	source_open_memory(&source, run->container.bytes, run->container.n_bytes, run->container.n_bytes);
	*seconds = clock_seconds(CLOCK_MONOTONIC);
	status = container_decrypt(&source, &sink, plan, &secret, NULL, run->report);
	*seconds = clock_seconds(CLOCK_MONOTONIC) - *seconds;
	return status;
}
