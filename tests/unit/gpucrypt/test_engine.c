/*
 * Engines against libcrypto and libgcrypt on random keys, numbers and lengths, against themselves (chunked = whole,
 * any first block), and constant-time ones against the reference with tables at lengths around a work-item's blocks.
 * With GCRYPT_TEST_LARGE_GIB, only one buffer of that size goes through the first GPU in one launch.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcrypt.h>
#include <openssl/evp.h>

#include "tests/unit/cmocka_all.h"
#include "gpucrypt/device/device.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/engine/opencl/engine_opencl.h"
#include "gpucrypt/crypto/keys.h"

#define MAX_BYTES (2 * 1024 * 16 + 512)

/* Oracles. */

/* libcrypto's answer; false where it has no such cipher. */
static bool libcrypto(const struct suite *suite, const struct work *work, uint8_t *out)
{
	char name[48];
	EVP_CIPHER_CTX *evp = EVP_CIPHER_CTX_new();
	EVP_CIPHER *cipher;
	int n = 0;

	if (suite->cipher->libcrypto == NULL)
		return EVP_CIPHER_CTX_free(evp), false;
	snprintf(name, sizeof(name), "%s-%u-%s", suite->cipher->libcrypto, 8 * suite->key_bytes, suite->mode->name);
	cipher = EVP_CIPHER_fetch(NULL, name, NULL);
	if (cipher == NULL)
		return EVP_CIPHER_CTX_free(evp), false;
	assert_int_equal(EVP_CipherInit_ex2(evp, cipher, work->key, work->iv, suite->direction == ENCRYPT, NULL), 1);
	EVP_CIPHER_CTX_set_padding(evp, 0);
	assert_int_equal(EVP_CipherUpdate(evp, out, &n, work->in, (int)work->n_bytes), 1);
	assert_int_equal(n, work->n_bytes);
	EVP_CIPHER_free(cipher);
	EVP_CIPHER_CTX_free(evp);
	return true;
}

/* libgcrypt's answer in XTS (units are given one by one). */
static bool libgcrypt(const struct suite *suite, const struct work *work, uint8_t *out)
{
	char name[32];
	gcry_cipher_hd_t h;
	int algorithm;

	snprintf(name, sizeof(name), "%s%u", suite->cipher->name, 8 * suite->key_bytes);
	algorithm = gcry_cipher_map_name(name);
	if (algorithm == 0 || gcry_cipher_open(&h, algorithm, GCRY_CIPHER_MODE_XTS, 0) != 0)
		return false;
	assert_int_equal(gcry_cipher_setkey(h, work->key, 2 * suite->key_bytes), 0);
	assert_int_equal(gcry_cipher_setiv(h, work->iv, 16), 0);
	if (suite->direction == ENCRYPT)
		assert_int_equal(gcry_cipher_encrypt(h, out, work->n_bytes, work->in, work->n_bytes), 0);
	else
		assert_int_equal(gcry_cipher_decrypt(h, out, work->n_bytes, work->in, work->n_bytes), 0);
	gcry_cipher_close(h);
	return true;
}

static bool oracle(const struct suite *suite, const struct work *work, uint8_t *out)
{
	return libcrypto(suite, work, out) || (suite->mode->has_tweaks && libgcrypt(suite, work, out));
}

/* Random work. */

struct sample {
	uint8_t key[64], in[MAX_BYTES + 16], out[MAX_BYTES + 16], want[MAX_BYTES + 16];
	struct work work;
};

/* A length the mode can take, one XTS unit at the most. */
static size_t any_length(const struct suite *suite)
{
	size_t n = (size_t)rand() % (suite->mode->has_tweaks ? 4096 - 16 : 5000);

	if (suite->mode->number == MODE_ECB)
		return n / 16 * 16;
	return suite->mode->has_tweaks ? n + 16 : n;
}

static void any_work(struct sample *s, const struct suite *suite)
{
	random_bytes(s->key, sizeof(s->key));
	random_bytes(s->in, sizeof(s->in));
	memset(&s->work, 0, sizeof(s->work));
	random_bytes(s->work.iv, 16);
	s->work.in = s->in;
	s->work.out = s->out;
	s->work.key = s->key;
	s->work.n_bytes = any_length(suite);
	s->work.unit_log2 = suite->mode->has_tweaks ? 12 : 0;
	s->work.tweak_step = suite->mode->has_tweaks;
}

static unsigned long n_compared;

static void compare_with_oracle(struct engine *engine)
{
	static struct sample s;

	for (int i = 0; i < 40; i++) {
		any_work(&s, &engine->suite);
		if (engine->suite.cipher == &cipher_sc2000) /* no library has it */
			return;
		assert_true(oracle(&engine->suite, &s.work, s.want));
		assert_ok(engine_crypt(engine, 0, &s.work));
		if (memcmp(s.out, s.want, s.work.n_bytes) != 0)
			fail_msg("%s differs from the oracle: %s-%u-%s, %zu bytes", engine->description,
			        engine->suite.cipher->name, 8 * engine->suite.key_bytes, engine->suite.mode->name,
			        s.work.n_bytes);
		n_compared++;
	}
}

/* A buffer in two parts, in place, far into the stream = the same in one part, copied. */
static void compare_split(struct engine *engine)
{
	static struct sample s;
	uint64_t first_block = ((uint64_t)1 << 32) + 64 * (unsigned)(rand() % 1000);
	size_t cut = 512 * (1 + (size_t)rand() % 4);
	struct work part;

	any_work(&s, &engine->suite);
	s.work.n_bytes = 4096;
	s.work.first_block = first_block;
	s.work.unit_log2 = engine->suite.mode->has_tweaks ? 9 : 0;
	memset(s.work.iv, 0xff, 12);
	assert_ok(engine_crypt(engine, 0, &s.work));
	part = s.work;
	part.out = s.in;
	part.n_bytes = cut;
	assert_ok(engine_crypt(engine, 0, &part));
	part.in = part.out = s.in + cut;
	part.n_bytes = 4096 - cut;
	part.first_block += cut / 16;
	assert_ok(engine_crypt(engine, engine->lanes - 1, &part));
	assert_memory_equal(s.in, s.out, 4096);
}

/* A length around one or two groups of 256, 512 or 1024 blocks; or any. */
static size_t some_length(const struct mode *mode, int i)
{
	static const size_t blocks[] = { 1, 2, 31, 32, 33, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2048 };
	size_t n = i < 15 ? 16 * blocks[i] : 16 + (size_t)rand() % (MAX_BYTES - 16);

	if (mode->number == MODE_ECB)
		return n / 16 * 16;
	/* One unit's tail has to be at least a block. */
	if (i < 15)
		n += (size_t)rand() % 16;
	return mode->has_tweaks && n % 512 < 16 ? n / 512 * 512 + 16 : n;
}

/* Copied and in place, where counters wrap and carries go far. */
static void compare_with_tables(struct engine *engine, struct engine *reference)
{
	static struct sample s;
	const struct mode *mode = engine->suite.mode;

	for (int i = 0; i < 25; i++) {
		any_work(&s, &engine->suite);
		s.work.n_bytes = some_length(mode, i);
		s.work.unit_log2 = mode->has_tweaks ? 9 : 0;
		s.work.tweak_step = mode->has_tweaks ? 1 + 7 * (i % 2) : 0;
		s.work.first_block = 32 * (uint64_t)(unsigned)rand();
		if (i % 2 == 0)
			memset(s.work.iv, 0xff, 15);
		assert_ok(engine_crypt(engine, 0, &s.work));
		s.work.out = s.want;
		assert_ok(engine_crypt(reference, 0, &s.work));
		if (memcmp(s.out, s.want, s.work.n_bytes) != 0)
			fail_msg("%s: %s-%u-%s %d: %zu bytes differ from those of %s", engine->description,
			        engine->suite.cipher->name, 8 * engine->suite.key_bytes, mode->name,
			        engine->suite.direction, s.work.n_bytes, reference->description);
		s.work.in = s.work.out = s.in;
		assert_ok(engine_crypt(engine, 0, &s.work));
		assert_memory_equal(s.in, s.want, s.work.n_bytes);
	}
}

/* A device builds a program for each suite: there, every core in both directions and every mode in
 * both directions, each once. */
static bool is_tried(const struct engine_class *class, const struct cipher *cipher, int m_d)
{
	static const struct {
		const struct cipher *cipher;
		int m_d;
	} tried[] = { { &cipher_aes, 2 * MODE_ECB }, { &cipher_aes, 2 * MODE_XTS + 1 },
		{ &cipher_camellia, 2 * MODE_CTR }, { &cipher_camellia, 2 * MODE_ECB + 1 },
		{ &cipher_sc2000, 2 * MODE_XTS }, { &cipher_sc2000, 2 * MODE_ECB + 1 } };
	bool found = class != &engine_opencl;

	for (size_t i = 0; i < N_OF(tried); i++)
		found |= tried[i].cipher == cipher && tried[i].m_d == m_d;
	return found;
}

/* Each cipher × key size × mode × direction on each engine, opened once: opening takes longest. */
TEST(test_suites)
{
	static const struct engine_class *const classes[] = { &engine_host, &engine_cpu, &engine_opencl };
	const struct gpucrypt_plan plan = { .threads = 1, .strict_device = true };

	for (int e = 0; e < 3; e++)
		for (const struct cipher *const *c = ciphers; *c != NULL; c++)
			for (int i = 0; i < 3 * 2 * N_MODES; i++) {
				struct suite suite = { *c, &modes[i / 6], 16 + 8 * (i / 2 % 3),
					i % 2 == 0 ? ENCRYPT : DECRYPT };
				struct engine *engine;

				assert_ok(engine_open_tested(&engine, classes[e], &suite, &plan, NULL));
				compare_with_oracle(engine);
				compare_split(engine);
				engine_close(engine);
			}
	print_message("compared with libcrypto and libgcrypt: %lu buffers\n", n_compared);
	assert_int_equal(n_compared, 3 * 2 * 3 * 2 * N_MODES * 40); /* engines, ciphers, key sizes */
}

TEST(constant_time)
{
	static const struct engine_class *const classes[] = { &engine_host, &engine_cpu, &engine_opencl };
	const struct gpucrypt_plan constant = { .threads = 1, .constant_time = true, .strict_device = true },
	                           table = { .threads = 1 };
	unsigned n = 0;

	for (const struct cipher *const *c = ciphers; *c != NULL; c++)
		for (int m_d = 0; m_d < 2 * N_MODES; m_d++)
			for (int e = 0; e < 3; e++) {
				struct suite suite = { *c, &modes[m_d / 2], 16 + 8 * (n++ % 3),
					m_d % 2 == 0 ? ENCRYPT : DECRYPT };
				struct engine *engine, *reference = NULL;

				if (!is_tried(classes[e], *c, m_d))
					continue;
				assert_ok(engine_open_tested(&engine, classes[e], &suite, &constant, NULL));
				assert_ok(engine_open_tested(&reference, &engine_host, &suite, &table, NULL));
				compare_with_tables(engine, reference);
				engine_close(reference);
				engine_close(engine);
			}
}

TEST(test_plans)
{
	struct gpucrypt_plan plan = { .constant_time = true };
	struct kernel_config kernel;

	for (const struct cipher *const *c = ciphers; *c != NULL; c++) {
		plan.kernel.table = TABLE_OPEN;
		assert_ok(kernel_config_check(&kernel, *c, &plan));
		assert_true(kernel_is_sliced(&kernel));
		plan.kernel.table = TABLE_BITSLICED;
		assert_ok(kernel_config_check(&kernel, *c, &plan));
		plan.kernel.table = (*c)->forms[0].id;
		assert_status(kernel_config_check(&kernel, *c, &plan), GPUCRYPT_USAGE);
	}
}

/*
 * CTR with counters that share their first rounds = the CPU engine, which has other code: any last byte
 * of the counter and any length, within a group of 256 and over several, where the low half of the
 * counter wraps; the grid goes round several times; fewer work-items than neighbours.
 */
static void test_counters_of(const struct cipher *cipher, unsigned counters, unsigned work_items)
{
	static struct sample s;
	struct suite suite = { cipher, &modes[MODE_CTR], 16, ENCRYPT };
	struct gpucrypt_plan plan = { .kernel.table = cipher->forms[1].id,
		.kernel.blocks_per_item = counters,
		.kernel.work_items = work_items,
		.kernel.work_groups = 3,
		.threads = 1,
		.strict_device = true };
	struct engine *other, *shared;

	assert_ok(engine_open_tested(&shared, &engine_opencl, &suite, &plan, NULL));
	plan.constant_time = true, plan.kernel.table = TABLE_OPEN;
	assert_ok(engine_open_tested(&other, &engine_cpu, &suite, &plan, NULL));
	assert_true(shared->pass_blocks == 3ull * work_items * counters);
	assert_non_null(strstr(shared->description, " blocks"));
	for (int i = 0; i < 60; i++) {
		any_work(&s, &suite);
		memset(s.work.iv + 1, i % 2 == 0 ? 0xff : 0, 14);
		s.work.first_block = i % 3 == 0 ? 0 : (uint64_t)rand() << 8 | (rand() & 255);
		s.work.n_bytes = i % 4 == 0 ? 1 + (size_t)rand() % 64 : s.work.n_bytes + 1;
		s.work.out = s.want;
		assert_ok(engine_crypt(other, 0, &s.work));
		s.work.out = s.out;
		assert_ok(engine_crypt(shared, 0, &s.work));
		assert_memory_equal(s.out, s.want, s.work.n_bytes);
	}
	engine_close(other);
	engine_close(shared);
}

TEST(test_counters)
{
	for (const struct cipher *const *c = ciphers; *c != NULL; c++)
		test_counters_of(*c, 8, 64);
	test_counters_of(&cipher_aes, 256, 2);
	test_counters_of(&cipher_aes, 8, 16);
}

/* One launch over more blocks than 32 bits of bytes can count; the CPU engine is the oracle for
 * pieces at the start, around 4 GiB and at the end. */
static int large(unsigned gib)
{
	struct gpucrypt_plan plan = { .cipher = GPUCRYPT_CAMELLIA, .key_bits = 128, .engine = GPUCRYPT_OPENCL };
	size_t n_bytes = (size_t)gib << 30, piece = 1 << 20;
	const size_t at[] = { 0, ((size_t)4 << 30) - piece / 2, n_bytes - piece };
	uint8_t *b = malloc(n_bytes), *want = malloc(piece), key[32] = { 1 };
	struct work work = { .in = b, .out = b, .n_bytes = n_bytes, .key = key };
	struct engine *gpu = NULL, *cpu = NULL;
	struct suite suite;
	int wrong = 0;

	for (size_t i = 0; b != NULL && i < n_bytes / 8; i++)
		((uint64_t *)b)[i] = i;
	if (b == NULL || want == NULL || suite_of_plan(&suite, &plan, ENCRYPT) || engine_open(&gpu, &suite, &plan) ||
	        engine_crypt(gpu, 0, &work) || engine_open_tested(&cpu, &engine_cpu, &suite, &plan, NULL)) {
		printf("large buffer: %s\n", gpucrypt_error());
		return 1;
	}
	for (int p = 0; p < 3; p++) {
		struct work check = {
			.in = want, .out = want, .n_bytes = piece, .key = key, .first_block = at[p] / 16
		};
		for (size_t i = 0; i < piece / 8; i++)
			((uint64_t *)want)[i] = at[p] / 8 + i;
		wrong += engine_crypt(cpu, 0, &check) != 0 || memcmp(want, b + at[p], piece) != 0;
	}
	printf("large buffer: %u GiB in one launch, %s: %s\n", gib, gpu->description, wrong ? "WRONG" : "right");
	engine_close(gpu);
	engine_close(cpu);
	free(b);
	free(want);
	return wrong;
}

void program_set_up(void)
{
	srand(20261121);
	gcry_check_version(NULL);
	gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
	if (getenv("GCRYPT_TEST_LARGE_GIB") != NULL)
		exit(large((unsigned)atoi(getenv("GCRYPT_TEST_LARGE_GIB"))));
}
