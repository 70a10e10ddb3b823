/*
 * Every instruction form that this processor has, in every suite, on random work: against libcrypto where it has
 * the suite, and against the portable core with tables.  And Poly1305 in pieces against libcrypto's.  Of the cases, one
 * in GCRYPT_TEST_ONE_IN.
 */
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/cmocka_all.h"
#include "gpucrypt/bytes.h"
#include "gpucrypt/crypto/cipher.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/crypto/tag.h"
#include "gpucrypt/engine/engine.h"

#define STOP(...) (print_error(__VA_ARGS__), assert_true(false))

#define CASES      100000
#define MAX_BYTES  (160u << 10) /* more than the CPU engine has in one window */
#define ROOM       (MAX_BYTES + 128)
#define CHUNKS     64
#define MAX_FORMS  4 /* of a cipher */
#define GUARD_BYTE 0xa5

/* SplitMix64 (Steele, Lea, Flood 2014): the same cases in every run. */
static uint64_t random_state = 20261125;

static uint64_t next_random(void)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t random_below(uint64_t n)
{
	return next_random() % n;
}

static void fill_random(uint8_t *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i += 8) {
		uint64_t number = next_random();

		memcpy(bytes + i, &number, n_bytes - i < 8 ? n_bytes - i : 8);
	}
}

static unsigned n_cases(void)
{
	return CASES / test_one_in();
}

/* Work. */

static uint8_t plain[ROOM], saved[ROOM], out[ROOM], want[2][ROOM], key[64], tag_r[16], tags[CHUNKS][16];

/* Mostly a few batches; lengths around multiples of a batch; now and then some pieces, or windows. */
static size_t random_blocks(void)
{
	switch (random_below(64)) {
	case 0:
		return 1 + random_below(MAX_BYTES / 16 - 1);
	case 1:
	case 2:
	case 3:
		return 1 + random_below(2100);
	default:
		if (random_below(2))
			return 1 + random_below(80);
		return 8 * (1 + random_below(20)) - 1 + random_below(3);
	}
}

static size_t random_length(const struct mode *mode, unsigned unit_log2)
{
	size_t n_bytes = 16 * random_blocks(), rest;

	if (mode->number == MODE_ECB)
		return n_bytes;
	if (random_below(2))
		n_bytes += random_below(16);
	rest = n_bytes & (((size_t)1 << unit_log2) - 1);
	return mode->has_tweaks && rest > 0 && rest < 16 ? n_bytes - rest + 16 : n_bytes;
}

/* Any number; often one from which the low half, or all of it, soon wraps. */
static void random_number(uint8_t iv[16], bool big_endian)
{
	uint64_t high = next_random(), low = next_random();

	if (random_below(3) == 0) {
		low = UINT64_MAX - random_below(200);
		if (random_below(2))
			high = UINT64_MAX;
	}
	(big_endian ? store_be64 : store_le64)(iv + (big_endian ? 0 : 8), high);
	(big_endian ? store_be64 : store_le64)(iv + (big_endian ? 8 : 0), low);
}

static struct work random_work(const struct suite *suite)
{
	const struct mode *mode = suite->mode;
	struct work work = { .key = key, .tags = tags };

	if (mode->has_tweaks) {
		work.unit_log2 = 9 + (unsigned)random_below(4);
		work.tweak_step = random_below(2) ? 1 : (uint32_t)next_random();
	}
	work.n_bytes = random_length(mode, work.unit_log2);
	if (random_below(2))
		work.first_block =
		        mode->has_tweaks ? random_below(1 << 20) << (work.unit_log2 - 4) : next_random() >> 8;
	random_number(work.iv, mode->takes_iv);
	fill_random(key, sizeof(key));
	if (random_below(4) == 0) {
		work.tag_r = tag_r;
		work.chunk_log2 = 12 + (unsigned)random_below(6);
		fill_random(tag_r, sizeof(tag_r));
	}
	return work;
}

static void print_work(const struct engine *engine, const struct work *work, const char *what)
{
	print_error("%s: %s-%u-%s %s: %zu bytes from block %llu, units of 2^%u: %s\n", engine->description,
	        engine->suite.cipher->name, 8 * engine->suite.key_bytes, engine->suite.mode->name,
	        engine->suite.direction == ENCRYPT ? "encryption" : "decryption", work->n_bytes,
	        (unsigned long long)work->first_block, work->unit_log2, what);
	assert_true(false);
}

/* Tags of all chunks by the tagger, which test_tagger() compares. */
static void compare_tags(const struct engine *engine, const struct work *work, const uint8_t *ciphertext)
{
	size_t chunk_bytes = (size_t)1 << work->chunk_log2;
	struct tagger tagger;
	uint8_t expected[16];

	assert_ok(tagger_open(&tagger, tag_r));
	for (size_t i = 0; i * chunk_bytes < work->n_bytes; i++) {
		size_t left = work->n_bytes - i * chunk_bytes;

		assert_ok(tagger_start(&tagger));
		assert_ok(tagger_add(&tagger, ciphertext + i * chunk_bytes, left < chunk_bytes ? left : chunk_bytes));
		assert_ok(tagger_finish(&tagger, expected));
		if (memcmp(expected, tags[i], 16) != 0)
			print_work(engine, work, "wrong tag");
	}
	tagger_close(&tagger);
}

/* Run a form on a case that the references have computed, at any alignment, in place or not. */
static void compare_form(struct engine *form, struct engine *const references[2], struct work work, uint8_t *in)
{
	size_t n_room = (work.n_bytes + 15) & ~(size_t)15;
	uint8_t *to = random_below(2) ? in : out + random_below(64);

	memcpy(in, saved, n_room);
	memset(to == in ? to + n_room : to, GUARD_BYTE, to == in ? 16 : n_room + 16);
	work.in = in;
	work.out = to;
	if (engine_crypt(form, 0, &work) != GPUCRYPT_OK)
		STOP("%s\n", gpucrypt_error());
	for (int i = 0; i < 2 && references[i] != NULL; i++)
		if (memcmp(to, want[i], work.n_bytes) != 0)
			print_work(form, &work, references[i]->description);
	for (size_t i = 0; i < 16; i++)
		if (to[n_room + i] != GUARD_BYTE)
			print_work(form, &work, "wrote behind the last block");
	if (work.tag_r != NULL)
		compare_tags(form, &work, form->suite.direction == ENCRYPT ? want[0] : saved);
}

/* One case: computed once by each of the references, which take longest, then by each form. */
static void compare_case(struct engine *const forms[], struct engine *const references[2])
{
	struct work work = random_work(&references[0]->suite), untagged = work;

	fill_random(saved, (work.n_bytes + 15) & ~(size_t)15);
	untagged.tag_r = NULL;
	untagged.in = saved;
	for (int i = 0; i < 2 && references[i] != NULL; i++) {
		untagged.out = want[i];
		assert_ok(engine_crypt(references[i], 0, &untagged));
	}
	for (; *forms != NULL; forms++)
		compare_form(*forms, references, work, plain + random_below(64));
}

static struct engine *open_engine(const struct engine_class *class, const struct suite *suite, enum table_id table)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = 1, .kernel.table = table };
	struct engine *engine;

	if (engine_open_tested(&engine, class, suite, &plan, NULL) != GPUCRYPT_OK)
		STOP("%s\n", gpucrypt_error());
	return engine;
}

static void compare_suite(const struct suite *suite, unsigned n)
{
	struct engine *forms[MAX_FORMS + 1] = { NULL },
	                                 *references[2] = { open_engine(&engine_host, suite, TABLE_OPEN) };
	unsigned n_forms = 0;

	for (unsigned i = 0; i < suite->cipher->n_instructions; i++) {
		const struct instruction_form *form = &suite->cipher->instructions[i];

		assert_in_range(n_forms, 0, MAX_FORMS - 1);
		if (instruction_form_is_available(form))
			forms[n_forms++] = open_engine(&engine_cpu, suite, form->id);
	}
	if (libcrypto_has(suite))
		references[1] = open_engine(&engine_libcrypto, suite, TABLE_OPEN);
	for (unsigned i = 0; i < n && n_forms > 0; i++)
		compare_case(forms, references);
	engine_close(references[1]);
	engine_close(references[0]);
	while (n_forms > 0)
		engine_close(forms[--n_forms]);
}

/* Every key size, mode and direction. */
TEST(each_form_against_libcrypto)
{
	const unsigned n_suites = 3 * N_MODES * 2, n = (n_cases() + n_suites - 1) / n_suites;

	for (const struct cipher *const *c = ciphers; *c != NULL; c++) {
		for (unsigned i = 0; i < n_suites; i++)
			compare_suite(&(struct suite){ *c, &modes[i / 6], 16 + 8 * (i / 2 % 3),
			                      i % 2 == 0 ? ENCRYPT : DECRYPT },
			        n);
		for (unsigned i = 0; i < (*c)->n_instructions; i++) {
			const struct instruction_form *form = &(*c)->instructions[i];

			print_message("%s, form %s: %u cases\n", (*c)->name, form->name,
			        instruction_form_is_available(form) ? n * n_suites : 0);
		}
	}
}

/* The features that a form needs decide, and nothing else does. */
TEST(choice_of_a_form)
{
	for (const struct cipher *const *c = ciphers; *c != NULL; c++) {
		const struct instruction_form *best = instruction_form_choose(*c);

		for (unsigned i = 0; i < (*c)->n_instructions; i++) {
			const struct instruction_form *form = &(*c)->instructions[i];

			assert_ptr_equal(instruction_form_by_id(*c, form->id), form);
			assert_int_equal(instruction_form_is_available(form), (form->needs & ~cpu_features()) == 0);
			if (instruction_form_is_available(form))
				assert_true(best != NULL && best <= form);
		}
		assert_null(instruction_form_by_id(*c, TABLE_BITSLICED));
	}
}

/* Poly1305. */

static void libcrypto_tag(uint8_t tag[16], EVP_MAC_CTX *context, const uint8_t r[16], size_t n_bytes)
{
	uint8_t one_time_key[32] = { 0 };
	size_t n_tag;

	memcpy(one_time_key, r, 16);
	assert_int_equal(EVP_MAC_init(context, one_time_key, 32, NULL), 1);
	assert_int_equal(EVP_MAC_update(context, plain, n_bytes), 1);
	assert_int_equal(EVP_MAC_final(context, tag, &n_tag, 16), 1);
}

/* Any bytes; often such as make sums come near 2^130 - 5, and limbs full. */
static void random_message(size_t n_bytes)
{
	switch (random_below(4)) {
	case 0:
		memset(plain, 0xff, n_bytes);
		break;
	case 1:
		memset(plain, 0, n_bytes);
		plain[random_below(n_bytes)] = (uint8_t)next_random();
		break;
	default:
		fill_random(plain, n_bytes);
	}
}

static void tag_in_pieces(uint8_t tag[16], struct tagger *tagger, size_t n_bytes)
{
	assert_ok(tagger_start(tagger));
	for (size_t done = 0, n; done < n_bytes; done += n) {
		n = random_below(2) ? n_bytes - done : 16 * (1 + random_below(64));
		if (n > n_bytes - done)
			n = n_bytes - done;
		assert_ok(tagger_add(tagger, plain + done, n));
	}
	assert_ok(tagger_finish(tagger, tag));
}

TEST(poly1305_against_libcrypto)
{
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "POLY1305", NULL);
	EVP_MAC_CTX *context = EVP_MAC_CTX_new(mac);
	uint8_t tag[16], expected[16];

	for (unsigned i = 0; i < n_cases(); i++) {
		size_t n_bytes = 1 + random_below(random_below(32) ? 1100 : 20000);
		struct tagger tagger;

		random_message(n_bytes);
		fill_random(tag_r, sizeof(tag_r));
		if (random_below(4) == 0)
			memset(tag_r, 0xff, sizeof(tag_r));
		assert_ok(tagger_open(&tagger, tag_r));
		tag_in_pieces(tag, &tagger, n_bytes);
		tagger_close(&tagger);
		libcrypto_tag(expected, context, tag_r, n_bytes);
		assert_memory_equal(tag, expected, 16);
	}
	EVP_MAC_CTX_free(context);
	EVP_MAC_free(mac);
}
