/*
 * The CPU engine.  It computes a suite by the first of these that there is: the cipher's first instruction form that
 * the processor has; libcrypto's AES; the bitsliced implementation if the processor has vectors of 256 bits, with which
 * it is faster than libcrypto's table look-ups; libcrypto; the reference implementation with tables.
 *
 * Constant-time are instruction forms and the bitsliced implementation.
 */
#include <stdio.h>
#include <stdlib.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "gpucrypt/crypto/host_core.h"
#include "gpucrypt/crypto/tag.h"
#include "gpucrypt/engine/kernel_config.h"
#include "gpucrypt/status.h"

struct engine_of_cpu {
	struct engine engine;
	EVP_CIPHER *evp; /* NULL: the core is used */
	const struct host_core *core;
	const uint32_t *const *tables; /* of the core, by direction; NULL: it has none */
};

static bool has_long_registers(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx2");
#else
	return false;
#endif
}

/* libcrypto's implementation of a suite, or NULL. */
static EVP_CIPHER *fetch_libcrypto(const struct suite *suite)
{
	char name[48];

	if (suite->cipher->libcrypto == NULL)
		return NULL;
	snprintf(name, sizeof(name), "%s-%u-%s", suite->cipher->libcrypto, 8 * suite->key_bytes, suite->mode->name);
	return EVP_CIPHER_fetch(NULL, name, NULL);
}

bool libcrypto_has(const struct suite *suite)
{
	EVP_CIPHER *evp = fetch_libcrypto(suite);

	EVP_CIPHER_free(evp);
	return evp != NULL;
}

enum cpu_code cpu_code(const struct suite *suite, bool constant_time)
{
	if (instruction_form_choose(suite->cipher) != NULL)
		return CODE_INSTRUCTIONS;
	if (constant_time || (!suite->cipher->has_instructions && has_long_registers()))
		return CODE_BITSLICED;
	return libcrypto_has(suite) ? CODE_LIBCRYPTO : CODE_TABLES;
}

const struct instruction_form *cpu_form(const struct suite *suite, const struct gpucrypt_plan *plan)
{
	const struct instruction_form *named = instruction_form_by_id(suite->cipher, plan->kernel.table);

	return named != NULL ? named : instruction_form_choose(suite->cipher);
}

void cpu_describe(char *text, size_t n, const struct suite *suite, const struct gpucrypt_plan *plan, unsigned threads)
{
	static const char *const names[] = {
		[CODE_LIBCRYPTO] = "libcrypto", [CODE_BITSLICED] = "bitsliced", [CODE_TABLES] = "own code"
	};
	const struct instruction_form *form = cpu_form(suite, plan);
	const char *code = form != NULL ? form->name : names[cpu_code(suite, plan->constant_time)];

	snprintf(text, n, "CPU, %s%s, %u thread%s", code, plan->constant_time ? ", constant-time" : "", threads,
	        threads == 1 ? "" : "s");
}

static void cpu_close(struct engine *engine)
{
	struct engine_of_cpu *cpu = (struct engine_of_cpu *)engine;

	EVP_CIPHER_free(cpu->evp);
	free(cpu);
}

/* evp: owned by the engine, also if it fails.  The core computes what libcrypto does not: all, or only XTS with two
 * equal keys. */
static int open_lanes(struct engine **engine, const struct engine_class *class, const struct suite *suite,
        unsigned lanes, const struct instruction_form *form, const struct table_form *tables, EVP_CIPHER *evp)
{
	struct engine_of_cpu *cpu = calloc(1, sizeof(*cpu));

	if (cpu == NULL) {
		EVP_CIPHER_free(evp);
		return fail(GPUCRYPT_OTHER, "out of memory");
	}
	cpu->engine = (struct engine){ .class = class, .suite = *suite, .lanes = lanes, .tags = true };
	cpu->evp = evp;
	cpu->core = form != NULL ? form->core : tables->host_core;
	cpu->tables = form != NULL ? NULL : tables->table;
	cpu->engine.code = evp != NULL ? (const void *)&engine_libcrypto : cpu->core;
	*engine = &cpu->engine;
	return GPUCRYPT_OK;
}

static int open_code(
        struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan, enum cpu_code code)
{
	const struct instruction_form *form = cpu_form(suite, plan);
	bool bitsliced = code == CODE_BITSLICED || plan->constant_time;

	if (form != NULL && !instruction_form_is_available(form))
		return fail(GPUCRYPT_DEVICE, "%s form %s: this processor lacks instructions for it",
		        suite->cipher->name, form->name);
	return open_lanes(engine, &engine_cpu, suite, plan_threads(plan), form,
	        bitsliced ? cipher_form(suite->cipher, TABLE_BITSLICED) : &suite->cipher->forms[0],
	        code == CODE_LIBCRYPTO ? fetch_libcrypto(suite) : NULL);
}

static int cpu_open(
        struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan, struct engine *before)
{
	bool by_form = cpu_form(suite, plan) != NULL;
	int status = open_code(engine, suite, plan, by_form ? CODE_INSTRUCTIONS : cpu_code(suite, plan->constant_time));

	(void)before;
	if (status == GPUCRYPT_OK)
		cpu_describe((*engine)->description, sizeof((*engine)->description), suite, plan, (*engine)->lanes);
	return status;
}

/* libcrypto's implementation of the suite, if it has one, for comparison. */
static int libcrypto_open(
        struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan, struct engine *before)
{
	int status = libcrypto_has(suite) ? open_code(engine, suite, plan, CODE_LIBCRYPTO)
	                                  : fail(GPUCRYPT_USAGE, "libcrypto has no %s-%u-%s", suite->cipher->name,
	                                            8 * suite->key_bytes, suite->mode->name);

	(void)before;
	if (status == GPUCRYPT_OK)
		snprintf((*engine)->description, sizeof((*engine)->description), "libcrypto");
	return status;
}

static int host_open(
        struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan, struct engine *before)
{
	struct kernel_config kernel;
	int status =
	        kernel_config_check(&kernel, suite->cipher, plan)
	                ?: open_lanes(engine, &engine_host, suite, 1, NULL, kernel_form(&kernel, suite->cipher), NULL);

	(void)before;
	if (status == GPUCRYPT_OK)
		snprintf((*engine)->description, sizeof((*engine)->description), "reference implementation, table %s",
		        kernel_form(&kernel, suite->cipher)->name);
	return status;
}

/* Working. */

/* Bytes that are encrypted and tagged before the next bytes are read: a multiple of every XTS data unit, and at most
 * half of a first-level cache. */
#define PIECE_BYTES ((size_t)16 << 10)

/* Number of tweaks made at a time: bitsliced cores encrypt hundreds of data unit numbers as fast as one. */
#define WINDOW_BYTES  ((size_t)128 << 10)
#define WINDOW_TWEAKS (WINDOW_BYTES / BLOCK_BYTES / (1 << TWEAK_LOG2) + TWEAKS_SPARE)

/* State that all pieces of one piece of work share; secret. */
struct core_job {
	const struct suite *suite;
	const struct host_core *core; /* NULL: libcrypto computes */
	const uint32_t *tables[2];
	struct core_keys data_keys, tweak_keys;
	block tweaks[WINDOW_TWEAKS];
	EVP_CIPHER_CTX *evp; /* libcrypto's state, which continues from piece to piece; NULL: the core computes */
};

static void set_job(struct core_job *job, const struct suite *suite, const struct host_core *core,
        const uint32_t *const *tables, const uint8_t *key)
{
	job->suite = suite;
	job->core = core;
	job->evp = NULL;
	for (int i = 0; i < 2; i++)
		job->tables[i] = tables != NULL ? tables[i] : NULL;
	core_keys_set(&job->data_keys, core, suite->cipher, key, suite->key_bytes, suite_direction(suite));
	if (suite->mode->has_tweaks)
		core_keys_set(&job->tweak_keys, core, suite->cipher, key + suite->key_bytes, suite->key_bytes, ENCRYPT);
}

static int fail_library(const struct suite *suite)
{
	return fail(GPUCRYPT_DEVICE, "libcrypto failed in %s-%s", suite->cipher->name, suite->mode->name);
}

/* In XTS, each data unit is a separate message. */
static bool crypt_evp(EVP_CIPHER_CTX *evp, const struct span *span, const struct work *piece, bool units)
{
	size_t unit_bytes = units ? (size_t)1 << piece->unit_log2 : PIECE_BYTES;
	uint64_t unit = piece->first_block >> span->unit_log2;
	bool good = true;

	for (size_t done = 0; done < piece->n_bytes && good; done += unit_bytes, unit++) {
		int n = (int)(piece->n_bytes - done < unit_bytes ? piece->n_bytes - done : unit_bytes), got;
		uint8_t iv[16];

		iv_of_number(iv, span, unit * span->step, true);
		good = (!units || EVP_CipherInit_ex2(evp, NULL, NULL, iv, -1, NULL) == 1) &&
		       EVP_CipherUpdate(evp, piece->out + done, &got, piece->in + done, n) == 1 && got == n;
	}
	return good;
}

/* tweaks: those of the piece's first block and of what follows. */
static int crypt_piece(struct core_job *job, const struct work *piece, const block *tweaks)
{
	const struct suite *suite = job->suite;
	struct span span;

	span_of_work(&span, suite, piece);
	if (job->evp != NULL)
		return crypt_evp(job->evp, &span, piece, suite->mode->has_tweaks) ? GPUCRYPT_OK : fail_library(suite);
	span.tweaks = tweaks;
	host_core_crypt(job->core, suite->mode->number, piece->in, piece->out, &span, &job->data_keys,
	        job->tables[suite_direction(suite)]);
	return GPUCRYPT_OK;
}

/* The tag is over the ciphertext: before decryption, which may overwrite it, and after encryption. */
static int crypt_tagged_piece(
        struct core_job *job, struct tagger *tagger, const struct work *piece, const block *tweaks)
{
	bool encrypts = job->suite->direction == ENCRYPT;

	return (tagger != NULL && !encrypts ? tagger_add(tagger, piece->in, piece->n_bytes) : GPUCRYPT_OK)
	        ?: crypt_piece(job, piece, tweaks)
	        ?: (tagger != NULL && encrypts ? tagger_add(tagger, piece->out, piece->n_bytes) : GPUCRYPT_OK);
}

static void set_tweaks(struct core_job *job, const struct work *window)
{
	struct span span;

	if (job->core == NULL || !job->suite->mode->has_tweaks)
		return;
	span_of_work(&span, job->suite, window);
	job->core->tweaks(job->tweaks, units_of_work(window), &span, &job->tweak_keys, job->tables[ENCRYPT]);
}

/* tagger: NULL, or that of a chunk, which is the work. */
static int crypt_pieces(struct core_job *job, struct tagger *tagger, const struct work *work)
{
	int status = GPUCRYPT_OK;

	for (size_t done = 0; done < work->n_bytes && status == GPUCRYPT_OK; done += PIECE_BYTES) {
		struct work piece = work_slice(work, done, PIECE_BYTES), window = work_slice(work, done, WINDOW_BYTES);

		if (done % WINDOW_BYTES == 0)
			set_tweaks(job, &window);
		status = crypt_tagged_piece(
		        job, tagger, &piece, job->tweaks + (done % WINDOW_BYTES / BLOCK_BYTES >> TWEAK_LOG2));
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

		status = tagger_start(&tagger) ?: crypt_pieces(job, &tagger, &chunk)
		        ?: tagger_finish(&tagger, work->tags[i]);
	}
	tagger_close(&tagger);
	return status;
}

static int run_job(struct core_job *job, const struct work *work)
{
	return work->tag_r == NULL ? crypt_pieces(job, NULL, work) : crypt_chunks(job, work);
}

int core_crypt(
        const struct suite *suite, const struct host_core *core, const uint32_t *const *tables, const struct work *work)
{
	struct core_job job;
	int status;

	set_job(&job, suite, core, tables, work->key);
	status = run_job(&job, work);
	wipe(&job, sizeof(job));
	return status;
}

/* libcrypto rejects XTS with two equal keys, which raw mode accepts with --allow-weak-key. */
static bool equal_xts_keys(const struct suite *suite, const uint8_t *key)
{
	return suite->mode->n_keys == 2 && CRYPTO_memcmp(key, key + suite->key_bytes, suite->key_bytes) == 0;
}

static int crypt_by_library(const struct engine_of_cpu *cpu, const struct work *work)
{
	const struct suite *suite = &cpu->engine.suite;
	EVP_CIPHER_CTX *evp = EVP_CIPHER_CTX_new();
	struct core_job job;
	struct span span;
	uint8_t iv[16];
	int status;

	job.suite = suite;
	job.core = NULL;
	job.evp = evp;
	span_of_work(&span, suite, work);
	iv_of_number(iv, &span, work->first_block, false);
	status = evp != NULL &&
	                         EVP_CipherInit_ex2(evp, cpu->evp, work->key, suite->mode->takes_iv ? iv : NULL,
	                                 suite->direction == ENCRYPT, NULL) == 1 &&
	                         EVP_CIPHER_CTX_set_padding(evp, 0) == 1
	                 ? run_job(&job, work)
	                 : fail_library(suite);
	EVP_CIPHER_CTX_free(evp);
	return status;
}

static int cpu_crypt(struct engine *engine, unsigned lane, const struct work *work)
{
	const struct engine_of_cpu *cpu = (struct engine_of_cpu *)engine;

	(void)lane;
	return cpu->evp == NULL || equal_xts_keys(&engine->suite, work->key)
	               ? core_crypt(&engine->suite, cpu->core, cpu->tables, work)
	               : crypt_by_library(cpu, work);
}

const struct engine_class engine_cpu = {
	.name = "cpu", .id = GPUCRYPT_CPU, .open = cpu_open, .crypt = cpu_crypt, .close = cpu_close
};
const struct engine_class engine_libcrypto = {
	.name = "libcrypto", .open = libcrypto_open, .crypt = cpu_crypt, .close = cpu_close
};
const struct engine_class engine_host = { .name = "host", .open = host_open, .crypt = cpu_crypt, .close = cpu_close };
