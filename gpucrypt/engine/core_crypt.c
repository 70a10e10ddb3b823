#include "gpucrypt/engine/core_crypt.h"

#include "gpucrypt/crypto/host_core.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/crypto/tagger.h"
#include "gpucrypt/status.h"

/* Bytes that are encrypted and tagged before the next bytes are read: a multiple of every XTS data unit, and at most
 * half of a first-level cache. */
#define PIECE_BYTES ((size_t)16 << 10)

/* Number of tweaks made at a time: bitsliced cores encrypt hundreds of data unit numbers as fast as one. */
#define WINDOW_BYTES  ((size_t)128 << 10)
#define WINDOW_TWEAKS (WINDOW_BYTES / BLOCK_BYTES / (1 << TWEAK_LOG2) + TWEAKS_SPARE)

/* State that all pieces of one piece of work share; secret. */
struct core_job {
	const struct suite *suite;
	const struct host_core *core;
	const uint32_t *tables[2];
	struct core_keys data_keys, tweak_keys;
	block tweaks[WINDOW_TWEAKS];
};

static void set_job(struct core_job *job, const struct suite *suite, const struct host_core *core,
        const uint32_t *const *tables, const uint8_t *key)
{
	job->suite = suite;
	job->core = core;
	for (int i = 0; i < 2; i++)
		job->tables[i] = tables != NULL ? tables[i] : NULL;
	core_keys_set(&job->data_keys, core, suite->cipher, key, suite->key_bytes, suite_direction(suite));
	if (suite->mode->has_tweaks)
		core_keys_set(&job->tweak_keys, core, suite->cipher, key + suite->key_bytes, suite->key_bytes, ENCRYPT);
}

/* tweaks: those of the piece's first block and of what follows. */
static void crypt_piece(struct core_job *job, const struct work *piece, const block *tweaks)
{
	const struct suite *suite = job->suite;
	struct span span;

	span_of_work(&span, suite, piece);
	span.tweaks = tweaks;
	job->core->crypt[suite->mode->number]((const block *)piece->in, (block *)piece->out, &span, &job->data_keys,
	        job->tables[suite_direction(suite)]);
}

/* The tag is over the ciphertext: before decryption, which may overwrite it, and after encryption. */
static int crypt_tagged_piece(
        struct core_job *job, struct tagger *tagger, const struct work *piece, const block *tweaks)
{
	bool encrypts = job->suite->direction == ENCRYPT;
	int status = tagger != NULL && !encrypts ? tagger_add(tagger, piece->in, piece->n_bytes) : GPUCRYPT_OK;

	if (status != GPUCRYPT_OK)
		return status;
	crypt_piece(job, piece, tweaks);
	return tagger != NULL && encrypts ? tagger_add(tagger, piece->out, piece->n_bytes) : GPUCRYPT_OK;
}

static int crypt_window(struct core_job *job, struct tagger *tagger, const struct work *window)
{
	int status = GPUCRYPT_OK;
	struct span span;

	span_of_work(&span, job->suite, window);
	if (job->suite->mode->has_tweaks)
		job->core->tweaks(job->tweaks, units_of_work(window), &span, &job->tweak_keys, job->tables[ENCRYPT]);
	for (size_t done = 0; done < window->n_bytes && status == GPUCRYPT_OK; done += PIECE_BYTES) {
		struct work piece = work_slice(window, done, PIECE_BYTES);

		status = crypt_tagged_piece(job, tagger, &piece, job->tweaks + (done / BLOCK_BYTES >> TWEAK_LOG2));
	}
	return status;
}

/* tagger: NULL, or that of a chunk, which is the work. */
static int crypt_windows(struct core_job *job, struct tagger *tagger, const struct work *work)
{
	int status = GPUCRYPT_OK;

	for (size_t done = 0; done < work->n_bytes && status == GPUCRYPT_OK; done += WINDOW_BYTES) {
		struct work window = work_slice(work, done, WINDOW_BYTES);

		status = crypt_window(job, tagger, &window);
	}
	return status;
}

static int crypt_chunks(struct core_job *job, const struct work *work)
{
	const size_t chunk_bytes = (size_t)1 << work->chunk_log2;
	struct tagger tagger;
	int status = tagger_open(&tagger, work->tag_r);

	for (size_t i = 0; i * chunk_bytes < work->n_bytes && status == GPUCRYPT_OK; i++) {
		struct work chunk = work_slice(work, i * chunk_bytes, chunk_bytes);

		status = tagger_start(&tagger) ?: crypt_windows(job, &tagger, &chunk)
		        ?: tagger_finish(&tagger, work->tags[i]);
	}
	tagger_close(&tagger);
	return status;
}

int core_crypt(
        const struct suite *suite, const struct host_core *core, const uint32_t *const *tables, const struct work *work)
{
	struct core_job job;
	int status;

	set_job(&job, suite, core, tables, work->key);
	status = work->tag_r == NULL ? crypt_windows(&job, NULL, work) : crypt_chunks(&job, work);
	wipe(&job, sizeof(job));
	return status;
}
