/*
 * The CPU engine.  AES is libcrypto's, which uses the processor's instructions for it.  The other
 * ciphers are the bitsliced host core's where there are long registers, which beats libcrypto's
 * table look-ups there (docs/performance.md); without them libcrypto's, or the host core's tables.
 *
 * Constant-time: libcrypto's AES where the processor has instructions for it; elsewhere the bitsliced
 * host core.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __aarch64__
#include <sys/auxv.h>
#endif

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "gpucrypt/engine/engine.h"
#include "gpucrypt/crypto/host_core.h"
#include "gpucrypt/engine/host_crypt.h"
#include "gpucrypt/status.h"
#include "gpucrypt/crypto/tag.h"

/* EVP_CipherUpdate takes an int. */
#define MAX_UPDATE_BYTES (1u << 30)

struct engine_of_cpu {
	struct engine engine;
	EVP_CIPHER *evp;               /* NULL: the host core works */
	const struct table_form *form; /* of the host core */
	EVP_CIPHER_CTX *lanes[];       /* one a lane */
};

/* That the processor has AES instructions and nobody told libcrypto not to use them. */
static bool has_aes_instructions(void)
{
#if defined __x86_64__
	return __builtin_cpu_supports("aes") && getenv("OPENSSL_ia32cap") == NULL;
#elif defined __aarch64__
	return (getauxval(AT_HWCAP) & HWCAP_AES) != 0 && getenv("OPENSSL_armcap") == NULL;
#else
	return false;
#endif
}

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
		return constant_time && !has_aes_instructions();
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

bool cpu_takes_libcrypto(const struct suite *suite, bool constant_time)
{
	return !uses_bitsliced(suite, constant_time) && libcrypto_has(suite);
}

void cpu_describe(char *text, size_t n, const struct suite *suite, unsigned threads, bool constant_time)
{
	const char *code = cpu_takes_libcrypto(suite, constant_time) ? "libcrypto"
	                   : uses_bitsliced(suite, constant_time)    ? "bitsliced"
	                                                             : "own code";

	snprintf(text, n, "CPU, %s%s, %u thread%s", code, constant_time ? ", constant-time" : "", threads,
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

/* form: of the host core; NULL: libcrypto works. */
static int open_lanes(struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan,
        const struct table_form *form)
{
	unsigned lanes = plan_threads(plan);
	struct engine_of_cpu *cpu = calloc(1, sizeof(*cpu) + lanes * sizeof(cpu->lanes[0]));

	if (cpu == NULL)
		return fail(GPUCRYPT_OTHER, "out of memory");
	cpu->engine.class = &engine_cpu;
	cpu->engine.suite = *suite;
	cpu->engine.lanes = lanes;
	cpu->engine.tags = true;
	cpu->evp = form == NULL ? fetch_libcrypto(suite) : NULL;
	cpu->form = form != NULL ? form : &suite->cipher->forms[0];
	for (unsigned i = 0; i < lanes; i++) {
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
	const struct table_form *form = uses_bitsliced(suite, plan->constant_time)
	                                        ? cipher_form(suite->cipher, TABLE_BITSLICED)
	                                        : &suite->cipher->forms[0];
	int status = open_lanes(engine, suite, plan, cpu_takes_libcrypto(suite, plan->constant_time) ? NULL : form);

	if (status == GPUCRYPT_OK)
		cpu_describe((*engine)->description, sizeof((*engine)->description), suite, (*engine)->lanes,
		        plan->constant_time);
	return status;
}

/* Where it has the suite; to be compared with. */
static int libcrypto_open(struct engine **engine, const struct suite *suite, const struct gpucrypt_plan *plan)
{
	int status = libcrypto_has(suite) ? open_lanes(engine, suite, plan, NULL)
	                                  : fail(GPUCRYPT_USAGE, "libcrypto has no %s-%u-%s", suite->cipher->name,
	                                            8 * suite->key_bytes, suite->mode->name);

	if (status == GPUCRYPT_OK)
		snprintf((*engine)->description, sizeof((*engine)->description), "libcrypto");
	return status;
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

/* XTS: each unit is a message of its own. */
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

/* libcrypto refuses XTS with two equal keys; raw mode may have been told to accept that. */
static bool equal_xts_keys(const struct suite *suite, const uint8_t *key)
{
	return suite->mode->n_keys == 2 && CRYPTO_memcmp(key, key + suite->key_bytes, suite->key_bytes) == 0;
}

static int crypt_piece(struct engine *engine, unsigned lane, const struct work *work)
{
	struct engine_of_cpu *cpu = (struct engine_of_cpu *)engine;

	if (cpu->evp == NULL || equal_xts_keys(&engine->suite, work->key))
		return host_crypt(&engine->suite, cpu->form, work);
	if (!crypt_evp(cpu, cpu->lanes[lane], work))
		return fail(GPUCRYPT_DEVICE, "libcrypto failed in %s-%s", engine->suite.cipher->name,
		        engine->suite.mode->name);
	return GPUCRYPT_OK;
}

/* One chunk and its tag, while it is in the cache. */
static int crypt_chunk(struct engine *engine, unsigned lane, const struct work *work, size_t i)
{
	bool encrypts = engine->suite.direction == ENCRYPT;
	size_t start = i << work->chunk_log2, left = work->n_bytes - start;
	struct work piece = *work;
	int status = GPUCRYPT_OK;

	piece.in += start;
	piece.out += start;
	piece.first_block += start / BLOCK_BYTES;
	piece.n_bytes = left >> work->chunk_log2 != 0 ? (size_t)1 << work->chunk_log2 : left;
	if (!encrypts)
		status = chunk_tag(work->tags[i], work->tag_r, piece.in, piece.n_bytes);
	if (status == GPUCRYPT_OK)
		status = crypt_piece(engine, lane, &piece);
	if (status == GPUCRYPT_OK && encrypts)
		status = chunk_tag(work->tags[i], work->tag_r, piece.out, piece.n_bytes);
	return status;
}

static int cpu_crypt(struct engine *engine, unsigned lane, const struct work *work)
{
	int status = GPUCRYPT_OK;

	if (work->tag_r == NULL)
		return crypt_piece(engine, lane, work);
	for (size_t i = 0; i << work->chunk_log2 < work->n_bytes && status == GPUCRYPT_OK; i++)
		status = crypt_chunk(engine, lane, work, i);
	return status;
}

const struct engine_class engine_cpu = {
	.name = "cpu", .id = GPUCRYPT_CPU, .open = cpu_open, .crypt = cpu_crypt, .close = cpu_close
};
const struct engine_class engine_libcrypto = {
	.name = "libcrypto", .open = libcrypto_open, .crypt = cpu_crypt, .close = cpu_close
};
