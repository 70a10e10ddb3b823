#include "recheck.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "keys.h"
#include "locked.h"
#include "status.h"
#include "tag.h"

#define ONE_IN_DEFAULT 64

/* One chunk, computed by the CPU. */
struct sample {
	struct engine *cpu;
	unsigned lane;
	size_t start;      /* in the work */
	struct work piece; /* in place, in memory of its own, wiped */
	uint8_t tags[1][TAG_BYTES];
	int status;
};

int recheck_open(struct recheck *recheck, struct engine *engine, const struct gpucrypt_plan *plan,
        unsigned item_log2, unsigned chunk_log2)
{
	unsigned lanes = engine != NULL ? engine->lanes : 0;
	const struct gpucrypt_plan for_cpu = { .threads = lanes,
		.constant_time = plan->constant_time };
	int status;

	*recheck = (struct recheck){ .engine = engine,
		.one_in = plan->recheck != 0 ? plan->recheck : ONE_IN_DEFAULT,
		.item_log2 = item_log2,
		.chunk_log2 = chunk_log2 };
	if (engine == NULL || engine->class == &engine_cpu ||
	        plan->recheck == GPUCRYPT_NO_RECHECK)
		return GPUCRYPT_OK;
	status = random_bytes((uint8_t *)&recheck->seed, sizeof recheck->seed);
	/* Without known answers: if it gave wrong ones the run would stop as well. */
	if (status == GPUCRYPT_OK)
		status = engine_cpu.open(&recheck->cpu, &engine->suite, &for_cpu);
	return status;
}

void recheck_close(struct recheck *recheck)
{
	engine_close(recheck->cpu);
	*recheck = (struct recheck){ 0 };
}

/* A number for each item, the same whichever lane takes it.  Not every 64th item: such might always
 * lie in the same buffer.  (SplitMix64: Steele, Lea, Flood 2014, figure 17.) */
static uint64_t draw(const struct recheck *recheck, uint64_t item)
{
	uint64_t x = recheck->seed + item * 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* The input, before the engine overwrites it. */
static int take(struct sample *sample, const struct recheck *recheck, const struct work *work,
        uint64_t item)
{
	size_t chunk = (size_t)1 << recheck->chunk_log2, n = (work->n_bytes - 1) / chunk + 1,
	       i = draw(recheck, item) / recheck->one_in % n, left = work->n_bytes - i * chunk;
	struct work *piece = &sample->piece;

	sample->start = i * chunk;
	*piece = *work;
	piece->n_bytes = left < chunk ? left : chunk;
	piece->first_block += sample->start / BLOCK_BYTES;
	piece->tags = sample->tags;
	piece->out = malloc(chunk);
	piece->in = piece->out;
	if (piece->out == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	memcpy(piece->out, work->in + sample->start, piece->n_bytes);
	return GPUCRYPT_OK;
}

static void drop(struct sample *sample)
{
	if (sample->piece.out != NULL)
		wipe(sample->piece.out, sample->piece.n_bytes);
	free(sample->piece.out);
}

static int wrong(const struct recheck *recheck, uint64_t item, size_t byte, const char *what)
{
	return fail(GPUCRYPT_DEVICE,
	        "%s: wrong result at byte %" PRIu64 " (group %" PRIu64 "): the CPU computes another %s",
	        recheck->engine->description, (item << recheck->item_log2) + byte, item, what);
}

static int compare(const struct recheck *recheck, const struct sample *sample,
        const struct work *work, uint64_t item)
{
	const uint8_t *got = work->out + sample->start, *right = sample->piece.out;
	size_t i = 0;

	if (memcmp(got, right, sample->piece.n_bytes) != 0) {
		while (got[i] == right[i])
			i++;
		return wrong(recheck, item, sample->start + i, "byte");
	}
	if (work->tag_r != NULL && memcmp(work->tags[sample->start >> recheck->chunk_log2],
	                                   sample->tags[0], TAG_BYTES) != 0)
		return wrong(recheck, item, sample->start, "tag of the chunk");
	return GPUCRYPT_OK;
}

static void *compute(void *argument)
{
	struct sample *sample = argument;

	locked_stack();
	sample->status = engine_crypt(sample->cpu, sample->lane, &sample->piece);
	locked_stack_wipe();
	return NULL;
}

/* The CPU computes while the engine does: a lane is not held longer for it, if the CPU is no slower
 * with its chunk than the engine with its group. */
static int crypt_both(
        struct sample *sample, struct engine *engine, unsigned lane, const struct work *work)
{
	pthread_t thread;
	bool started = pthread_create(&thread, NULL, compute, sample) == 0;
	int status = engine_crypt(engine, lane, work);

	if (started)
		pthread_join(thread, NULL);
	else
		compute(sample);
	if (status == GPUCRYPT_OK && sample->status != GPUCRYPT_OK)
		status = fail(GPUCRYPT_DEVICE, "the CPU cannot check %s", engine->description);
	return status;
}

int recheck_crypt(
        const struct recheck *recheck, unsigned lane, const struct work *work, uint64_t item)
{
	struct sample sample = { .cpu = recheck->cpu, .lane = lane };
	int status;

	if (recheck->cpu == NULL || work->n_bytes == 0 ||
	        (item != 0 && draw(recheck, item) % recheck->one_in != 0))
		return engine_crypt(recheck->engine, lane, work);
	status = take(&sample, recheck, work, item);
	if (status == GPUCRYPT_OK)
		status = crypt_both(&sample, recheck->engine, lane, work);
	if (status == GPUCRYPT_OK)
		status = compare(recheck, &sample, work, item);
	drop(&sample);
	return status;
}
