/* Chunk tags against libcrypto's Poly1305, with masks from AES-256-ECB. */
#include "tests/unit/cmocka_all.h"

#include <openssl/evp.h>
#include <stdlib.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/engine/engine.h"
#include "gpucrypt/crypto/tag.h"

static void poly1305(uint8_t tag[16], const uint8_t key[32], const uint8_t *bytes, size_t n_bytes)
{
	size_t n_tag;

	assert_non_null(EVP_Q_mac(NULL, "POLY1305", NULL, NULL, NULL, key, 32, bytes, n_bytes, tag, 16, &n_tag));
	assert_int_equal(n_tag, 16);
}

/* s_i = AES-256(tag key, be128 i) */
static void mask(uint8_t s[16], const uint8_t key[32], unsigned i)
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	uint8_t block[16] = { 0 };
	int n;

	store_be32(block + 12, i);
	assert_int_equal(EVP_EncryptInit_ex(context, EVP_aes_256_ecb(), NULL, key, NULL), 1);
	EVP_CIPHER_CTX_set_padding(context, 0);
	assert_int_equal(EVP_EncryptUpdate(context, s, &n, block, 16), 1);
	EVP_CIPHER_CTX_free(context);
}

static void check_length(size_t n_bytes, unsigned chunk_log2)
{
	size_t chunk = (size_t)1 << chunk_log2, n_chunks = (n_bytes + chunk - 1) / chunk;
	uint8_t tags[MAX_CHUNKS + 1][TAG_BYTES], *payload = kept_allocate(n_bytes + 1);
	uint8_t key[32], expected[16];
	struct group_keys keys;

	count_up(keys.r, 16, 0x77);
	count_up(keys.tag, 32, 0x10);
	for (size_t i = 0; i < n_bytes; i++)
		payload[i] = (uint8_t)(i * 167 + (i >> 8) * 13);
	memset(tags, 0xee, sizeof tags);
	assert_ok(tags_compute(tags, &keys, payload, n_bytes, chunk_log2));
	for (unsigned i = 0; i < n_chunks; i++) {
		size_t left = n_bytes - i * chunk;

		memcpy(key, keys.r, 16);
		mask(key + 16, keys.tag, i);
		poly1305(expected, key, payload + i * chunk, left < chunk ? left : chunk);
		assert_memory_equal(tags[i], expected, 16);
	}
	for (size_t i = 0; i < TAG_BYTES; i++)
		assert_int_equal(tags[n_chunks][i], 0xee);
	kept_free(payload);
}

TEST(lengths)
{
	static const size_t edges[] = { 0, 1, 15, 16, 17, 31, 4095, 4096, 4097, 3 * 4096 + 5, 128 * 4096 - 1,
		128 * 4096 };

	for (size_t i = 0; i < N_OF(edges); i++)
		check_length(edges[i], 12);
	check_length(((size_t)1 << 17) + 1, 17);
}

TEST(too_many_chunks)
{
	uint8_t tags[MAX_CHUNKS + 1][TAG_BYTES], *payload = kept_allocate(129 * 4096);
	struct group_keys keys = { .r = { 1 } };

	assert_status(tags_compute(tags, &keys, payload, 128 * 4096 + 1, 12), GPUCRYPT_OTHER);
}

/* For each length, the device computes the same tags, and nothing is written after the payload. */
static void check_device(struct engine *engine, size_t n_bytes, unsigned chunk_log2)
{
	static const uint8_t zeros[MAX_CHUNKS * TAG_BYTES];
	size_t end = (n_bytes + 15) / 16 * 16;
	size_t n_chunks = (n_bytes + ((size_t)1 << chunk_log2) - 1) >> chunk_log2;
	uint8_t tags[MAX_CHUNKS][TAG_BYTES], expected[MAX_CHUNKS][TAG_BYTES], key[64] = { 1 };
	uint8_t *payload = kept_allocate(end + sizeof zeros);
	struct group_keys keys;
	struct work work = { .in = payload,
		.out = payload,
		.n_bytes = n_bytes,
		.key = key,
		.tag_r = keys.r,
		.tags = tags,
		.chunk_log2 = chunk_log2 };

	random_bytes((uint8_t *)&keys, sizeof keys);
	random_bytes(payload, n_bytes);
	if (n_bytes % 3 == 0) {
		memset(payload, 0xff, n_bytes);
		memset(keys.r, 0xff, sizeof keys.r);
	}
	if (engine->suite.direction == DECRYPT)
		tags_compute(expected, &keys, payload, n_bytes, chunk_log2);
	assert_ok(engine_crypt(engine, 0, &work));
	if (engine->suite.direction == ENCRYPT)
		tags_compute(expected, &keys, payload, n_bytes, chunk_log2);
	assert_ok(tags_finish(tags, &keys, (unsigned)n_chunks));
	assert_memory_equal(tags, expected, n_chunks * TAG_BYTES);
	assert_memory_equal(payload + end, zeros, sizeof zeros);
	kept_free(payload);
}

TEST(on_device)
{
	static const size_t edges[] = { 1, 15, 16, 17, 31, 4095, 4096, 4097, 3 * 4096 + 5, 128 * 4096 - 1, 128 * 4096 };
	struct gpucrypt_plan plan = { .tags = TAGS_ON_DEVICE, .key_bits = 128, .strict_device = true };
	struct engine *engine;
	struct suite suite;

	for (enum direction d = ENCRYPT; d <= DECRYPT; d++) {
		assert_ok(suite_of_plan(&suite, &plan, d));
		assert_ok(engine_open_tested(&engine, &engine_opencl, &suite, &plan, NULL));
		assert_true(engine->tags);
		for (size_t i = 0; i < N_OF(edges); i++)
			check_device(engine, edges[i], 12);
		for (size_t i = 0; i < 40; i++)
			check_device(engine, 1 + (size_t)rand() % (1 << 20), 17);
		check_device(engine, ((size_t)1 << 20) + 1, 20);
		engine_close(engine);
	}
}
