#include "gpucrypt/engine/engine.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpucrypt/clock.h"
#include "gpucrypt/crypto/locked.h"
#include "gpucrypt/status.h"
#include "gpucrypt/crypto/tag.h"

/* Of so many groups one is checked. */
#define ONE_IN        64
#define ONE_IN_NO_ECC 16

/* One chunk, computed by the CPU. */
struct sample {
	struct engine *cpu;
	unsigned lane;
	size_t start;            /* offset in the work */
	size_t offset;           /* of the work in its slot */
	uint8_t *bytes;          /* owned; wiped */
	struct recryption piece; /* in place, in bytes */
	uint8_t old_tags[1][TAG_BYTES], tags[1][TAG_BYTES];
	int status;
};

int recheck_open(struct recheck *recheck, struct engine *engine, const struct gpucrypt_plan *plan, unsigned item_log2,
        unsigned chunk_log2)
{
	*recheck = (struct recheck){ .engine = engine,
		.one_in = plan->recheck != 0                 ? plan->recheck
		          : engine != NULL && engine->no_ecc ? ONE_IN_NO_ECC
		                                             : ONE_IN,
		.item_log2 = item_log2,
		.chunk_log2 = chunk_log2 };
	if (engine == NULL || engine->class == &engine_cpu || plan->recheck == GPUCRYPT_NO_RECHECK)
		return GPUCRYPT_OK;
	/* No self-test of the CPU is needed: its wrong result stops the work as well. */
	return random_bytes((uint8_t *)&recheck->seed, sizeof recheck->seed)
	               ?: engine_open_cpu_for(&recheck->cpu, engine, plan->constant_time);
}

void recheck_close(struct recheck *recheck)
{
	if (recheck->cpu != NULL)
		engine_close(recheck->cpu->before);
	engine_close(recheck->cpu);
	*recheck = (struct recheck){ 0 };
}

/* A random number for each item, the same on every lane.  Every 64th item would not do: these might always
 * lie in the same buffer.  (SplitMix64: Steele, Lea, Flood 2014, figure 17.) */
static uint64_t random_of_item(const struct recheck *recheck, uint64_t item)
{
	uint64_t x = recheck->seed + item * 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* The input, before the engine overwrites it or after an exchange. */
static int sample_copy(
        struct sample *sample, const struct recheck *recheck, const struct recryption *recryption, uint64_t item)
{
	size_t chunk = (size_t)1 << recheck->chunk_log2, n = (recryption->plain_bytes - 1) / chunk + 1,
	       i = random_of_item(recheck, item) / recheck->one_in % n;
	struct recryption *piece = &sample->piece;

	sample->start = i * chunk;
	sample->bytes = malloc(chunk);
	if (sample->bytes == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	*piece = recryption_piece(recryption, sample->start, chunk);
	memcpy(sample->bytes, piece->decrypt.in, piece->decrypt.n_bytes);
	piece->decrypt.in = piece->decrypt.out = sample->bytes;
	piece->encrypt.in = piece->encrypt.out = sample->bytes;
	piece->decrypt.slot = piece->encrypt.slot = NULL;
	piece->decrypt.tags = sample->old_tags;
	piece->encrypt.tags = sample->tags;
	return GPUCRYPT_OK;
}

static int fail_wrong(const struct recheck *recheck, uint64_t item, size_t byte, const char *what)
{
	return fail(GPUCRYPT_DEVICE,
	        "%s: wrong result at byte %" PRIu64 " (group %" PRIu64 "): the CPU computes another %s",
	        recheck->engine->description, (item << recheck->item_log2) + byte, item, what);
}

static bool tag_wrong(const struct recheck *recheck, const struct sample *sample, const struct work *work,
        const uint8_t right[TAG_BYTES])
{
	return work->tag_r != NULL && memcmp(work->tags[sample->start >> recheck->chunk_log2], right, TAG_BYTES) != 0;
}

static int sample_compare(
        const struct recheck *recheck, const struct sample *sample, const struct recryption *recryption, uint64_t item)
{
	const struct work *work = &recryption->encrypt;
	const uint8_t *got = work_result(work, sample->offset) + sample->start, *right = sample->bytes;
	size_t i = 0;

	if (memcmp(got, right, sample->piece.encrypt.n_bytes) != 0) {
		while (got[i] == right[i])
			i++;
		return fail_wrong(recheck, item, sample->start + i, "byte");
	}
	if (tag_wrong(recheck, sample, work, sample->tags[0]) ||
	        (!recryption->alone && tag_wrong(recheck, sample, &recryption->decrypt, sample->old_tags[0])))
		return fail_wrong(recheck, item, sample->start, "tag of the chunk");
	return GPUCRYPT_OK;
}

static void *compute_sample(void *argument)
{
	struct sample *sample = argument;
	void *locked = locked_stack();

	sample->status = engine_recrypt(sample->cpu, sample->lane, &sample->piece);
	locked_stack_release(locked);
	return NULL;
}

/* The CPU computes at the same time as the engine, so that the lane takes no longer, if the CPU is no slower
 * with a chunk than the engine with a group. */
static int crypt_beside(struct sample *sample, struct engine *engine, unsigned lane, struct recryption *recryption)
{
	pthread_t thread;
	bool started = pthread_create(&thread, NULL, compute_sample, sample) == 0;
	int status = engine_recrypt(engine, lane, recryption);

	if (started)
		pthread_join(thread, NULL);
	else
		sample->status = engine_recrypt(sample->cpu, sample->lane, &sample->piece);
	if (status == GPUCRYPT_OK && sample->status != GPUCRYPT_OK)
		status = fail(GPUCRYPT_DEVICE, "the CPU cannot check %s", engine->description);
	return status;
}

/* An engine that is faster than it can be, and has exchanged the slot's buffer: the input is still there. */
static int check_rate(struct sample *sample, const struct recheck *recheck, const struct recryption *recryption,
        uint64_t item, double seconds)
{
	const struct work *work = &recryption->encrypt;
	double most = seconds * recheck->engine->most_bytes_per_s;
	int status = GPUCRYPT_OK;

	if (most > 0 && (double)work->n_bytes > most && work_result(work, sample->offset) != work->out)
		status = sample_copy(sample, recheck, recryption, item);
	if (sample->bytes != NULL && status == GPUCRYPT_OK)
		status = engine_recrypt(sample->cpu, sample->lane, &sample->piece);
	return status;
}

int recheck_recrypt(const struct recheck *recheck, unsigned lane, struct recryption *recryption, uint64_t item)
{
	struct sample sample = { .cpu = recheck->cpu, .lane = lane, .offset = work_offset(&recryption->encrypt) };
	double start_s = clock_seconds(CLOCK_MONOTONIC);
	int status;

	if (recheck->cpu == NULL || recryption->plain_bytes == 0)
		return engine_recrypt(recheck->engine, lane, recryption);
	if (item == 0 || random_of_item(recheck, item) % recheck->one_in == 0) {
		status = sample_copy(&sample, recheck, recryption, item)
		                 ?: crypt_beside(&sample, recheck->engine, lane, recryption);
	} else {
		status = engine_recrypt(recheck->engine, lane, recryption)
		                 ?: check_rate(&sample, recheck, recryption, item,
		                            clock_seconds(CLOCK_MONOTONIC) - start_s);
	}
	if (status == GPUCRYPT_OK && sample.bytes != NULL)
		status = sample_compare(recheck, &sample, recryption, item);
	if (sample.bytes != NULL)
		wipe(sample.bytes, (size_t)1 << recheck->chunk_log2);
	free(sample.bytes);
	return status;
}

int recheck_crypt(const struct recheck *recheck, unsigned lane, const struct work *work, uint64_t item)
{
	struct recryption only = { .decrypt = *work, .encrypt = *work, .plain_bytes = work->n_bytes, .alone = true };

	return recheck_recrypt(recheck, lane, &only, item);
}
