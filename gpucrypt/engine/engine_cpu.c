/*
 * The CPU engine.  It computes a suite by the first of these that there is: the cipher's first instruction form that
 * the processor has; libcrypto's AES; the bitsliced implementation if the processor has vectors of 256 bits, with which
 * it is faster than libcrypto's table look-ups; libcrypto; the reference implementation with tables.
 *
 * Constant-time are instruction forms and the bitsliced implementation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "gpucrypt/engine/engine.h"
#include "gpucrypt/crypto/host_core.h"
#include "gpucrypt/engine/core_crypt.h"
#include "gpucrypt/engine/kernel_config.h"
#include "gpucrypt/status.h"
#include "gpucrypt/crypto/tag.h"

/* EVP_CipherUpdate takes an int. */
#define MAX_UPDATE_BYTES (1u << 30)

struct engine_of_cpu {
	struct engine engine;
	EVP_CIPHER *evp; /* NULL: the core is used */
	const struct host_core *core;
	const uint32_t *const *tables; /* of the core, by direction; NULL: it has none */
	EVP_CIPHER_CTX *lanes[];       /* one a lane */
};

static bool has_long_registers(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx2");
#else
	return false;
#endif
}

static bool uses_bitsliced(const struct suite *suite, bool constant_time)
{
	if (suite->cipher->has_instructions)
		return constant_time;
	return constant_time || has_long_registers();
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
	if (uses_bitsliced(suite, constant_time))
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

	for (unsigned i = 0; i < engine->lanes; i++)
		EVP_CIPHER_CTX_free(cpu->lanes[i]);
	EVP_CIPHER_free(cpu->evp);
	free(cpu);
}

/* The core computes what libcrypto does not: all, or only XTS with two equal keys. */
static void set_core(struct engine_of_cpu *cpu, const struct instruction_form *form, bool bitsliced)
{
	const struct cipher *cipher = cpu->engine.suite.cipher;
	const struct table_form *tables = bitsliced ? cipher_form(cipher, TABLE_BITSLICED) : &cipher->forms[0];

	cpu->core = form != NULL ? form->core : tables->host_core;
	cpu->tables = form != NULL ? NULL : tables->table;
}

static int allocate_engine(
        struct engine_of_cpu **cpu, const struct engine_class *class, const struct suite *suite, unsigned lanes)
{
	*cpu = calloc(1, sizeof(**cpu) + lanes * sizeof((*cpu)->lanes[0]));
	if (*cpu == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	(*cpu)->engine = (struct engine){ .class = class, .suite = *suite, .lanes = lanes };
	return GPUCRYPT_OK;
}

static int open_lanes(
        struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan, enum cpu_code code)
{
	const struct instruction_form *form = cpu_form(suite, plan);
	struct engine_of_cpu *cpu;

	if (form != NULL && !instruction_form_is_available(form))
		return fail(GPUCRYPT_DEVICE, "%s form %s: this processor lacks instructions for it",
		        suite->cipher->name, form->name);
	if (allocate_engine(&cpu, &engine_cpu, suite, plan_threads(plan)) != GPUCRYPT_OK)
		return GPUCRYPT_OTHER;
	cpu->engine.tags = true;
	cpu->evp = code == CODE_LIBCRYPTO ? fetch_libcrypto(suite) : NULL;
	set_core(cpu, form, code == CODE_BITSLICED || plan->constant_time);
	cpu->engine.code = cpu->evp != NULL ? (const void *)&engine_libcrypto : cpu->core;
	for (unsigned i = 0; i < cpu->engine.lanes; i++) {
		cpu->lanes[i] = EVP_CIPHER_CTX_new();
		if (cpu->lanes[i] == NULL) {
			cpu_close(&cpu->engine);
			return fail(GPUCRYPT_OTHER, "out of memory");
		}
	}
	*engine = &cpu->engine;
	return GPUCRYPT_OK;
}

static int cpu_open(struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan)
{
	bool by_form = cpu_form(suite, plan) != NULL;
	int status =
	        open_lanes(engine, suite, plan, by_form ? CODE_INSTRUCTIONS : cpu_code(suite, plan->constant_time));

	if (status == GPUCRYPT_OK)
		cpu_describe((*engine)->description, sizeof((*engine)->description), suite, plan, (*engine)->lanes);
	return status;
}

/* libcrypto's implementation of the suite, if it has one, for comparison. */
static int libcrypto_open(struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan)
{
	int status = libcrypto_has(suite) ? open_lanes(engine, suite, plan, CODE_LIBCRYPTO)
	                                  : fail(GPUCRYPT_USAGE, "libcrypto has no %s-%u-%s", suite->cipher->name,
	                                            8 * suite->key_bytes, suite->mode->name);

	if (status == GPUCRYPT_OK)
		snprintf((*engine)->description, sizeof((*engine)->description), "libcrypto");
	return status;
}

static int host_open(struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan)
{
	struct kernel_config kernel;
	const struct table_form *form;
	struct engine_of_cpu *cpu;
	int status = kernel_config_check(&kernel, suite->cipher, plan) ?: allocate_engine(&cpu, &engine_host, suite, 1);

	if (status != GPUCRYPT_OK)
		return status;
	form = kernel_form(&kernel, suite->cipher);
	cpu->core = form->host_core;
	cpu->tables = form->table;
	snprintf(cpu->engine.description, sizeof(cpu->engine.description), "reference implementation, table %s",
	        form->name);
	*engine = &cpu->engine;
	return GPUCRYPT_OK;
}

static bool crypt_evp_bytes(EVP_CIPHER_CTX *evp, const uint8_t *in, uint8_t *out, size_t n_bytes)
{
	while (n_bytes > 0) {
		int n = (int)(n_bytes < MAX_UPDATE_BYTES ? n_bytes : MAX_UPDATE_BYTES), got;
		if (EVP_CipherUpdate(evp, out, &got, in, n) != 1 || got != n)
			return false;
		in += n;
		out += n;
		n_bytes -= (size_t)n;
	}
	return true;
}

/* In XTS, each data unit is a separate message. */
static bool crypt_evp_units(EVP_CIPHER_CTX *evp, const struct span *span, const struct work *work)
{
	size_t unit_bytes = (size_t)1 << work->unit_log2;
	uint64_t unit = work->first_block >> span->unit_log2;
	uint8_t iv[16];

	for (size_t done = 0; done < work->n_bytes; done += unit_bytes, unit++) {
		size_t left = work->n_bytes - done;
		iv_of_number(iv, span, unit * span->step, true);
		if (EVP_CipherInit_ex2(evp, NULL, NULL, iv, -1, NULL) != 1 ||
		        !crypt_evp_bytes(evp, work->in + done, work->out + done, left < unit_bytes ? left : unit_bytes))
			return false;
	}
	return true;
}

static bool crypt_evp(struct engine_of_cpu *cpu, EVP_CIPHER_CTX *evp, const struct work *work)
{
	const struct suite *suite = &cpu->engine.suite;
	struct span span;
	uint8_t iv[16];
	bool good;

	span_of_work(&span, suite, work);
	iv_of_number(iv, &span, work->first_block, false);
	good = EVP_CipherInit_ex2(evp, cpu->evp, work->key, suite->mode->takes_iv ? iv : NULL,
	               suite->direction == ENCRYPT, NULL) == 1 &&
	       EVP_CIPHER_CTX_set_padding(evp, 0) == 1;
	if (good && suite->mode->has_tweaks)
		good = crypt_evp_units(evp, &span, work);
	else if (good)
		good = crypt_evp_bytes(evp, work->in, work->out, work->n_bytes);
	EVP_CIPHER_CTX_reset(evp);
	return good;
}

/* libcrypto rejects XTS with two equal keys, which raw mode accepts with --allow-weak-key. */
static bool equal_xts_keys(const struct suite *suite, const uint8_t *key)
{
	return suite->mode->n_keys == 2 && CRYPTO_memcmp(key, key + suite->key_bytes, suite->key_bytes) == 0;
}

static int crypt_by_library(struct engine *engine, unsigned lane, const struct work *work)
{
	struct engine_of_cpu *cpu = (struct engine_of_cpu *)engine;

	if (!crypt_evp(cpu, cpu->lanes[lane], work))
		return fail(GPUCRYPT_DEVICE, "libcrypto failed in %s-%s", engine->suite.cipher->name,
		        engine->suite.mode->name);
	return GPUCRYPT_OK;
}

/* One chunk and its tag, while it is in the cache. */
static int crypt_chunk(struct engine *engine, unsigned lane, const struct work *chunk)
{
	bool encrypts = engine->suite.direction == ENCRYPT;

	return (encrypts ? GPUCRYPT_OK : chunk_tag(*chunk->tags, chunk->tag_r, chunk->in, chunk->n_bytes))
	        ?: crypt_by_library(engine, lane, chunk)
	        ?: (encrypts ? chunk_tag(*chunk->tags, chunk->tag_r, chunk->out, chunk->n_bytes) : GPUCRYPT_OK);
}

static int cpu_crypt(struct engine *engine, unsigned lane, const struct work *work)
{
	const struct engine_of_cpu *cpu = (struct engine_of_cpu *)engine;
	size_t chunk_bytes = (size_t)1 << work->chunk_log2;
	int status = GPUCRYPT_OK;

	if (cpu->evp == NULL || equal_xts_keys(&engine->suite, work->key))
		return core_crypt(&engine->suite, cpu->core, cpu->tables, work);
	if (work->tag_r == NULL)
		return crypt_by_library(engine, lane, work);
	for (size_t start = 0; start < work->n_bytes && status == GPUCRYPT_OK; start += chunk_bytes) {
		struct work chunk = work_slice(work, start, chunk_bytes);

		status = crypt_chunk(engine, lane, &chunk);
	}
	return status;
}

const struct engine_class engine_cpu = {
	.name = "cpu", .id = GPUCRYPT_CPU, .open = cpu_open, .crypt = cpu_crypt, .close = cpu_close
};
const struct engine_class engine_libcrypto = {
	.name = "libcrypto", .open = libcrypto_open, .crypt = cpu_crypt, .close = cpu_close
};
const struct engine_class engine_host = { .name = "host", .open = host_open, .crypt = cpu_crypt, .close = cpu_close };
