/*
 * Known answers.  The cipher's standard gives single blocks; the modes are computed here from the
 * host's block function alone, byte by byte as their definitions say, so that nothing is shared
 * with the sources in kernels/ that are under test but the block cipher, which the standard's
 * answers check first.
 */
#include <string.h>

#include <openssl/crypto.h>

#include "gpucrypt/engine/engine.h"
#include "gpucrypt/crypto/host_core.h"
#include "gpucrypt/crypto/keys.h"
#include "gpucrypt/status.h"

#define UNIT_LOG2       12 /* log2 of the container's data unit size */
#define UNIT_BYTES      ((size_t)1 << UNIT_LOG2)
#define TEST_BYTES      (UNIT_BYTES + 44 * BLOCK_BYTES)
#define MAX_PASS_BYTES  (64u << 20)
#define ALPHA_REDUCTION 0x87 /* x^128 = x^7 + x^2 + x + 1: IEEE 1619-2007 section 5.2 */

/* Encrypt or decrypt with the reference implementation, one block at a time. */

struct block_cipher {
	const struct table_form *form;
	struct core_keys keys;
	enum direction direction;
};

static void block_cipher_set(struct block_cipher *c, const struct cipher *cipher, const uint8_t *key,
        unsigned key_bytes, enum direction direction)
{
	c->form = &cipher->forms[0];
	c->direction = direction;
	core_keys_set(&c->keys, c->form->host_core, cipher, key, key_bytes, direction);
}

static void one_block(const struct block_cipher *c, uint8_t b[BLOCK_BYTES])
{
	const struct span span = { .n_blocks = 1, .decrypt = c->direction == DECRYPT };

	host_core_crypt(c->form->host_core, MODE_ECB, b, b, &span, &c->keys, c->form->table[c->direction]);
}

static void xor_block(uint8_t a[BLOCK_BYTES], const uint8_t b[BLOCK_BYTES])
{
	for (int i = 0; i < BLOCK_BYTES; i++)
		a[i] ^= b[i];
}

/* Modes by definition; p is overwritten. */

static void add_number(uint8_t number[16], uint64_t n, bool big_endian)
{
	for (int i = 0; i < 16; i++) {
		uint8_t *digit = &number[big_endian ? 15 - i : i];

		n += *digit;
		*digit = (uint8_t)n;
		n >>= 8;
	}
}

static void define_ecb(const struct suite *suite, const struct work *work, uint8_t *p)
{
	struct block_cipher c;

	block_cipher_set(&c, suite->cipher, work->key, suite->key_bytes, suite->direction);
	for (size_t i = 0; i < work->n_bytes; i += BLOCK_BYTES)
		one_block(&c, p + i);
}

static void define_ctr(const struct suite *suite, const struct work *work, uint8_t *p)
{
	struct block_cipher c;
	uint8_t counter[16], stream[BLOCK_BYTES];

	block_cipher_set(&c, suite->cipher, work->key, suite->key_bytes, ENCRYPT);
	memcpy(counter, work->iv, 16);
	add_number(counter, work->first_block, true);
	for (size_t i = 0; i < work->n_bytes; i++) {
		if (i % BLOCK_BYTES == 0) {
			memcpy(stream, counter, BLOCK_BYTES);
			one_block(&c, stream);
			add_number(counter, 1, true);
		}
		p[i] ^= stream[i % BLOCK_BYTES];
	}
}

static void times_alpha(uint8_t tweak[16])
{
	uint8_t carry = 0;

	for (int i = 0; i < 16; i++) {
		uint8_t next = tweak[i] >> 7;
		tweak[i] = (uint8_t)(tweak[i] << 1) | carry;
		carry = next;
	}
	if (carry)
		tweak[0] ^= ALPHA_REDUCTION;
}

static void xts_block(const struct block_cipher *c, uint8_t *p, const uint8_t tweak[16])
{
	xor_block(p, tweak);
	one_block(c, p);
	xor_block(p, tweak);
}

/* One data unit: whole blocks, and ciphertext stealing for the rest (sections 5.3.2, 5.4.2). */
static void define_unit(const struct block_cipher *c, uint8_t *p, size_t n, uint8_t tweak[16])
{
	uint8_t last[16], stolen[16];
	size_t rest = n % BLOCK_BYTES;

	for (; n >= 2 * BLOCK_BYTES || n == BLOCK_BYTES; n -= BLOCK_BYTES, p += BLOCK_BYTES) {
		xts_block(c, p, tweak);
		times_alpha(tweak);
	}
	if (rest == 0)
		return;
	memcpy(last, tweak, 16);
	times_alpha(last);
	xts_block(c, p, c->direction == ENCRYPT ? tweak : last);
	memcpy(stolen, p, 16);
	memcpy(p, p + BLOCK_BYTES, rest);
	memcpy(p + BLOCK_BYTES, stolen, rest);
	xts_block(c, p, c->direction == ENCRYPT ? last : tweak);
}

static void define_xts(const struct suite *suite, const struct work *work, uint8_t *p)
{
	struct block_cipher blocks, number;
	size_t unit_bytes = (size_t)1 << work->unit_log2;
	uint64_t unit = work->first_block * BLOCK_BYTES >> work->unit_log2;

	block_cipher_set(&blocks, suite->cipher, work->key, suite->key_bytes, suite->direction);
	block_cipher_set(&number, suite->cipher, work->key + suite->key_bytes, suite->key_bytes, ENCRYPT);
	for (size_t done = 0; done < work->n_bytes; done += unit_bytes, unit++) {
		size_t left = work->n_bytes - done;
		uint8_t tweak[16];
		memcpy(tweak, work->iv, 16);
		add_number(tweak, unit * work->tweak_step, false);
		one_block(&number, tweak);
		define_unit(&blocks, p + done, left < unit_bytes ? left : unit_bytes, tweak);
	}
}

static void (*const definitions[N_MODES])(const struct suite *, const struct work *, uint8_t *) = {
	[MODE_ECB] = define_ecb,
	[MODE_CTR] = define_ctr,
	[MODE_XTS] = define_xts,
};

/* Tests. */

static int fail_wrong(struct engine *engine, const char *what)
{
	engine->wrong = true;
	return fail(GPUCRYPT_DEVICE, "self-test failed: %s %u-bit %s %s on %s: wrong %s", engine->suite.cipher->name,
	        8 * engine->suite.key_bytes, engine->suite.mode->name,
	        engine->suite.direction == ENCRYPT ? "encryption" : "decryption", engine->description, what);
}

/* bytes: an array that has room for the text. */
#define UNHEX(bytes, text) OPENSSL_hexstr2buf_ex(bytes, sizeof(bytes), NULL, text, '\0')

static const struct known_answer *known_answer(const struct suite *suite)
{
	return &suite->cipher->known_answers[suite->key_bytes / 8 - 2];
}

/* Compare the reference implementation's block function with the standard's answer. */
static int test_definition(struct engine *engine)
{
	const struct known_answer *answer = known_answer(&engine->suite);
	uint8_t key[32], plain[16], cipher[16], b[16];
	struct block_cipher c;

	UNHEX(key, answer->key);
	UNHEX(plain, answer->plaintext);
	UNHEX(cipher, answer->ciphertext);
	for (enum direction d = ENCRYPT; d <= DECRYPT; d++) {
		block_cipher_set(&c, engine->suite.cipher, key, answer->key_bytes, d);
		memcpy(b, d == ENCRYPT ? plain : cipher, 16);
		one_block(&c, b);
		if (memcmp(b, d == ENCRYPT ? cipher : plain, 16) != 0)
			return fail_wrong(engine, "block of the host core");
	}
	return GPUCRYPT_OK;
}

/* The standard's answer through the engine: as a block (ECB), or as a counter (CTR). */
static int test_standard(struct engine *engine, uint8_t *buffer)
{
	const struct known_answer *answer = known_answer(&engine->suite);
	bool counter = engine->suite.mode->takes_iv;
	bool encrypt = engine->suite.direction == ENCRYPT || counter;
	uint8_t key[32], in[16], want[16];
	struct work work = { .in = buffer, .out = buffer, .n_bytes = BLOCK_BYTES, .key = key };
	int status;

	UNHEX(key, answer->key);
	UNHEX(in, encrypt ? answer->plaintext : answer->ciphertext);
	UNHEX(want, encrypt ? answer->ciphertext : answer->plaintext);
	memset(buffer, 0, BLOCK_BYTES);
	memcpy(counter ? work.iv : buffer, in, 16);
	status = engine_crypt(engine, 0, &work);
	if (status == GPUCRYPT_OK && memcmp(buffer, want, 16) != 0)
		status = fail_wrong(engine, "known answer of the standard");
	return status;
}

/* Byte sequences without period, the same in every run (a linear congruential generator). */
static void fill_pattern(uint8_t *bytes, size_t n, uint32_t seed)
{
	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		bytes[i] = (uint8_t)(seed >> 24);
	}
}

/* Compute a piece of a buffer by the mode's definition, from a block that starts a data unit. */
static void define_piece(
        const struct suite *suite, const struct work *buffer, size_t from, uint8_t *piece, size_t n_bytes)
{
	const struct work work = work_slice(buffer, from, n_bytes);

	memcpy(piece, work.in, n_bytes);
	definitions[suite->mode->number](suite, &work, piece);
}

/* Compare a buffer with the mode's definition: its first data unit, and the bytes after offset `before`; all bytes
 * between are zeros. */
static int test_bytes(struct engine *engine, uint8_t *buffer, uint64_t first_block, size_t before, size_t n_bytes)
{
	const struct mode *mode = engine->suite.mode;
	uint8_t key[64], first[UNIT_BYTES], last[TEST_BYTES];
	struct work work = {
		.in = buffer, .out = buffer, .n_bytes = before + n_bytes, .first_block = first_block, .key = key
	};
	int status;

	fill_pattern(key, sizeof(key), 1);
	memset(buffer, 0, before);
	fill_pattern(buffer, before > 0 ? UNIT_BYTES : 0, 2);
	fill_pattern(buffer + before, TEST_BYTES, 3);
	/* CTR wraps in the buffer's first blocks; XTS carries out of the low half. */
	memset(work.iv, 0xff, sizeof(work.iv));
	work.unit_log2 = mode->has_tweaks ? UNIT_LOG2 : 0;
	work.tweak_step = mode->has_tweaks;
	define_piece(&engine->suite, &work, 0, first, before > 0 ? UNIT_BYTES : 0);
	define_piece(&engine->suite, &work, before, last, n_bytes);
	status = engine_crypt(engine, 0, &work);
	if (status == GPUCRYPT_OK &&
	        (memcmp(buffer + before, last, n_bytes) != 0 || (before > 0 && memcmp(buffer, first, UNIT_BYTES) != 0)))
		status = fail_wrong(engine, "buffer");
	return status;
}

/* Bytes that make the grid go round once, unless it is too large to be worth it, or as many as the engine wants; in
 * whole units. */
static size_t one_pass(const struct engine *engine)
{
	uint64_t pass = engine->pass_blocks * BLOCK_BYTES, least = engine->test_bytes,
	         bytes = pass > least && pass <= MAX_PASS_BYTES ? pass : least;

	return (bytes + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES;
}

/* In page-locked memory, which is wiped, as for real data; a device that is late may use it later. */
int selftest_engine(struct engine *engine)
{
	/* ECB takes whole blocks, as XTS does on a device; XTS ends with stolen bytes; CTR with part of a block. */
	const struct mode *mode = engine->suite.mode;
	bool whole = mode->pads || (mode->has_tweaks && engine->devices > 0);
	size_t n_bytes = whole ? TEST_BYTES : TEST_BYTES - 11, before = one_pass(engine);
	struct host_buffer buffer;
	int status = test_definition(engine) ?: engine_allocate(engine, &buffer, before + TEST_BYTES);

	if (status != GPUCRYPT_OK)
		return status;
	if (mode->n_keys == 1)
		status = test_standard(engine, buffer.bytes);
	status = status ?: test_bytes(engine, buffer.bytes, 0, 0, n_bytes)
	                ?: test_bytes(engine, buffer.bytes, (uint64_t)1 << 36, before, n_bytes);
	buffer.used_bytes = before + TEST_BYTES;
	engine_release(engine, &buffer);
	engine->tested = status == GPUCRYPT_OK;
	return status;
}
