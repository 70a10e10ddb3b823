/* Raw mode against libcrypto, one unit at a time, and everything it must refuse. */
#include "tests/containers.h"

#include <openssl/evp.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/raw.h"

#define SEGMENT ((size_t)16 << 20)

static uint8_t key[64];

static struct suite suite_make(
        const char *cipher, const char *mode, unsigned bits, enum direction direction)
{
	struct gpucrypt_plan plan = { .cipher = cipher, .mode = mode, .key_bits = bits };
	struct suite suite;

	assert_int_equal(suite_of_plan(&suite, &plan, direction), GPUCRYPT_OK);
	return suite;
}

static struct raw_options options_make(const struct suite *suite)
{
	struct raw_options options = { .key = key,
		.key_length = suite->key_bytes * suite->mode->n_keys,
		.length = UINT64_MAX };

	count_up(key, sizeof key, 0x30);
	options.have_iv = suite->mode->number == MODE_CTR;
	count_up(options.iv, 16, 0xf0);
	options.have_iv_start = suite->mode->number == MODE_XTS;
	options.iv_start = 7 << 8;
	return options;
}

static int run_fd(int fd, struct buffer *out, const struct suite *suite,
        const struct raw_options *options, bool pipe)
{
	const struct gpucrypt_plan plan = { .engine = "cpu", .threads = 2 };
	struct source source;

	fail_clear();
	assert_int_equal(source_open(&source, fd, "in"), GPUCRYPT_OK);
	if (pipe)
		source.size_bytes = UINT64_MAX;
	return raw_crypt(&source, &out->sink, suite, &plan, options, NULL, NULL);
}

/* From a file, or as if its size were not known. */
static int run(struct buffer *out, const struct suite *suite, const struct raw_options *options,
        const uint8_t *bytes, size_t n_bytes, bool pipe)
{
	int fd = memory_file(bytes, n_bytes), status;

	*out = buffer_make();
	status = run_fd(fd, out, suite, options, pipe);
	close(fd);
	return status;
}

static size_t libcrypto(const char *name, const uint8_t *iv, bool padding, uint8_t *out,
        const uint8_t *in, size_t n_bytes)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, NULL);
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	int n = 0, last = 0;

	assert_int_equal(EVP_EncryptInit_ex2(context, cipher, key, iv, NULL), 1);
	EVP_CIPHER_CTX_set_padding(context, padding);
	assert_int_equal(EVP_EncryptUpdate(context, out, &n, in, (int)n_bytes), 1);
	assert_int_equal(EVP_EncryptFinal_ex(context, out + n, &last), 1);
	EVP_CIPHER_CTX_free(context);
	EVP_CIPHER_free(cipher);
	return (size_t)(n + last);
}

/* Both directions, from a file and from a pipe. */
static void check(const struct suite *suite, const struct raw_options *options,
        const uint8_t *plain, size_t n_plain, const uint8_t *expected, size_t n_expected)
{
	struct suite back = *suite;
	struct buffer out;

	back.direction = DECRYPT;
	for (unsigned pipe = 0; pipe < 2; pipe++) {
		assert_int_equal(run(&out, suite, options, plain, n_plain, pipe), GPUCRYPT_OK);
		assert_int_equal(out.n_bytes, n_expected);
		assert_memory_equal(out.n_bytes > 0 ? out.bytes : expected, expected, n_expected);
		buffer_free(&out);
		assert_int_equal(
		        run(&out, &back, options, expected, n_expected, pipe), GPUCRYPT_OK);
		assert_int_equal(out.n_bytes, n_plain);
		assert_memory_equal(out.n_bytes > 0 ? out.bytes : plain, plain, n_plain);
		buffer_free(&out);
	}
}

static const size_t lengths[] = { 0, 1, 15, 16, 17, 511, 512, 4097, SEGMENT - 1, SEGMENT,
	SEGMENT + 1, 2 * SEGMENT + 16 };

/* The counter wraps at 2^128 within these lengths. */
static void ctr(void **state)
{
	uint8_t *plain = plaintext_make(2 * SEGMENT + 16), *expected = malloc(2 * SEGMENT + 32);
	struct suite aes = suite_make("aes", "ctr", 128, ENCRYPT);
	struct suite camellia = suite_make("camellia", "ctr", 128, ENCRYPT);
	struct raw_options options = options_make(&aes);

	(void)state;
	memset(options.iv, 0xff, 15);
	for (size_t i = 0; i < N_OF(lengths); i++) {
		libcrypto("AES-128-CTR", options.iv, false, expected, plain, lengths[i]);
		check(&aes, &options, plain, lengths[i], expected, lengths[i]);
		if (lengths[i] > 5000)
			continue;
		libcrypto("CAMELLIA-128-CTR", options.iv, false, expected, plain, lengths[i]);
		check(&camellia, &options, plain, lengths[i], expected, lengths[i]);
	}
	free(plain);
	free(expected);
}

static void ecb(void **state)
{
	uint8_t *plain = plaintext_make(2 * SEGMENT + 16), *expected = malloc(2 * SEGMENT + 32);
	struct suite suite = suite_make("aes", "ecb", 192, ENCRYPT);
	struct raw_options options = options_make(&suite);

	(void)state;
	for (size_t i = 0; i < N_OF(lengths); i++) {
		size_t n = libcrypto("AES-192-ECB", NULL, true, expected, plain, lengths[i]);

		assert_int_equal(n, lengths[i] / 16 * 16 + 16);
		check(&suite, &options, plain, lengths[i], expected, n);
		options.no_padding = true;
		if (lengths[i] % 16 == 0)
			check(&suite, &options, plain, lengths[i], expected, lengths[i]);
		options.no_padding = false;
	}
	free(plain);
	free(expected);
}

/* Every unit is a message with its number as IV. */
static void units(
        uint8_t *out, const uint8_t *in, size_t n_bytes, size_t unit, uint64_t first, uint64_t step)
{
	uint8_t iv[16] = { 0 };

	for (size_t start = 0; start < n_bytes; start += unit, first += step) {
		store_le64(iv, first);
		libcrypto("AES-256-XTS", iv, false, out + start, in + start,
		        n_bytes - start < unit ? n_bytes - start : unit);
	}
}

static void xts(void **state)
{
	static const size_t edges[] = { 0, 16, 17, 31, 511, 512, 528, 1023, 4096, 4096 + 16,
		3 * 4096 + 2100, SEGMENT, SEGMENT + 17 };
	uint8_t *plain = plaintext_make(SEGMENT + 32), *expected = malloc(SEGMENT + 32);
	struct suite suite = suite_make("aes", "xts", 256, ENCRYPT);
	struct raw_options options = options_make(&suite);

	(void)state;
	for (unsigned sector = 512; sector <= 4096; sector *= 2) {
		for (size_t i = 0; i < N_OF(edges); i++) {
			if (edges[i] >= SEGMENT && sector != 4096)
				continue;
			options.sector_bytes = sector;
			units(expected, plain, edges[i], sector, 7 << 8, sector / 512);
			check(&suite, &options, plain, edges[i], expected, edges[i]);
			if (i > 6)
				continue;
			options.iv_large_sectors = true;
			units(expected, plain, edges[i], sector, (7 << 8) / (sector / 512), 1);
			check(&suite, &options, plain, edges[i], expected, edges[i]);
			options.iv_large_sectors = false;
		}
	}
	/* The tweak of the first unit as it is; 512 is the default. */
	options.sector_bytes = 0;
	options.have_iv = true;
	options.have_iv_start = false;
	memset(options.iv, 0, 16);
	options.iv[1] = 9;
	units(expected, plain, 5000, 512, 9 << 8, 1);
	check(&suite, &options, plain, 5000, expected, 5000);
	free(plain);
	free(expected);
}

static void offset_and_length(void **state)
{
	uint8_t *plain = plaintext_make(20000), expected[20016];
	struct suite suite = suite_make("aes", "xts", 256, ENCRYPT);
	struct raw_options options = options_make(&suite);
	struct buffer out;

	(void)state;
	options.iv_start = 0;
	for (unsigned pipe = 0; pipe < 2; pipe++) {
		options.offset = 5001;
		options.length = 1024 + 33;
		units(expected, plain + 5001, 1057, 512, 0, 1);
		assert_int_equal(run(&out, &suite, &options, plain, 20000, pipe), GPUCRYPT_OK);
		assert_int_equal(out.n_bytes, 1057);
		assert_memory_equal(out.bytes, expected, 1057);
		buffer_free(&out);
		options.length = UINT64_MAX;
		units(expected, plain + 5001, 14999, 512, 0, 1);
		assert_int_equal(run(&out, &suite, &options, plain, 20000, pipe), GPUCRYPT_OK);
		assert_int_equal(out.n_bytes, 14999);
		assert_memory_equal(out.bytes, expected, 14999);
		buffer_free(&out);
		options.offset = 20000;
		options.length = 0;
		assert_int_equal(run(&out, &suite, &options, plain, 20000, pipe), GPUCRYPT_OK);
		assert_int_equal(out.n_bytes, 0);
		options.length = 1;
		options.offset = 20001;
		assert_int_equal(run(&out, &suite, &options, plain, 20000, pipe), GPUCRYPT_USAGE);
		options.length = 16;
		options.offset = 19985;
		assert_int_equal(run(&out, &suite, &options, plain, 20000, pipe),
		        pipe ? GPUCRYPT_IO : GPUCRYPT_USAGE);
		assert_int_equal(out.n_bytes, 0);
	}
	free(plain);
}

/* One change of what would be right for AES-128 in a mode, with n bytes of input. */
struct refusal {
	const char *mode;
	enum direction direction;
	size_t n_bytes;
	int status;
	void (*change)(struct raw_options *options);
};

static void nothing(struct raw_options *options)
{
	(void)options;
}

static void brief_key(struct raw_options *options)
{
	options->key_length--;
}

static void long_key(struct raw_options *options)
{
	options->key_length++;
}

static void no_key(struct raw_options *options)
{
	options->key = NULL;
}

static void no_iv(struct raw_options *options)
{
	options->have_iv = options->have_iv_start = false;
}

static void iv(struct raw_options *options)
{
	options->have_iv = true;
}

static void iv_start(struct raw_options *options)
{
	options->have_iv_start = true;
}

static void sector_size(struct raw_options *options)
{
	options->sector_bytes = 512;
}

static void odd_sector(struct raw_options *options)
{
	options->sector_bytes = 768;
}

static void no_padding(struct raw_options *options)
{
	options->no_padding = true;
}

static void large_sectors(struct raw_options *options)
{
	options->sector_bytes = 4096;
	options->iv_large_sectors = true;
	options->iv_start = 12;
}

static void equal_keys(struct raw_options *options)
{
	(void)options;
	memcpy(key + 16, key, 16);
}

static void equal_keys_allowed(struct raw_options *options)
{
	equal_keys(options);
	options->allow_weak_key = true;
}

static const struct refusal refusals[] = {
	{ "ctr", ENCRYPT, 5, GPUCRYPT_OK, nothing },
	{ "ctr", ENCRYPT, 5, GPUCRYPT_USAGE, brief_key },
	{ "ctr", ENCRYPT, 5, GPUCRYPT_USAGE, long_key },
	{ "ctr", DECRYPT, 5, GPUCRYPT_USAGE, no_key },
	{ "ctr", DECRYPT, 5, GPUCRYPT_USAGE, no_iv },
	{ "ctr", ENCRYPT, 5, GPUCRYPT_USAGE, iv_start },
	{ "ctr", ENCRYPT, 5, GPUCRYPT_USAGE, sector_size },
	{ "ctr", ENCRYPT, 5, GPUCRYPT_USAGE, no_padding },
	{ "ecb", ENCRYPT, 5, GPUCRYPT_USAGE, iv },
	{ "ecb", ENCRYPT, 17, GPUCRYPT_USAGE, no_padding },
	{ "ecb", DECRYPT, 17, GPUCRYPT_USAGE, no_padding },
	{ "ecb", DECRYPT, 16, GPUCRYPT_OK, no_padding },
	{ "ecb", DECRYPT, 17, GPUCRYPT_CORRUPT, nothing },
	{ "ecb", DECRYPT, 16, GPUCRYPT_CORRUPT, nothing }, /* what it decrypts to is no padding */
	{ "ecb", DECRYPT, 0, GPUCRYPT_CORRUPT, nothing },
	{ "xts", ENCRYPT, 16, GPUCRYPT_OK, nothing },
	{ "xts", ENCRYPT, 16, GPUCRYPT_USAGE, no_iv },
	{ "xts", ENCRYPT, 16, GPUCRYPT_USAGE, iv },
	{ "xts", ENCRYPT, 16, GPUCRYPT_USAGE, odd_sector },
	{ "xts", ENCRYPT, 16, GPUCRYPT_USAGE, large_sectors },
	{ "xts", ENCRYPT, 16, GPUCRYPT_USAGE, brief_key },
	{ "xts", ENCRYPT, 16, GPUCRYPT_USAGE, equal_keys },
	{ "xts", ENCRYPT, 16, GPUCRYPT_OK, equal_keys_allowed },
	{ "xts", DECRYPT, 16, GPUCRYPT_OK, equal_keys },
	{ "xts", ENCRYPT, 1, GPUCRYPT_USAGE, nothing },
	{ "xts", DECRYPT, 15, GPUCRYPT_USAGE, nothing },
	{ "xts", ENCRYPT, 512 + 15, GPUCRYPT_USAGE, nothing },
	{ "xts", DECRYPT, 1024 + 1, GPUCRYPT_USAGE, nothing },
};

static void refused(void **state)
{
	uint8_t *bytes = plaintext_make(2000);

	(void)state;
	for (size_t i = 0; i < 2 * N_OF(refusals); i++) {
		const struct refusal *refusal = &refusals[i / 2];
		struct suite suite = suite_make("aes", refusal->mode, 128, refusal->direction);
		struct raw_options options = options_make(&suite);
		struct buffer out;

		refusal->change(&options);
		assert_int_equal(run(&out, &suite, &options, bytes, refusal->n_bytes, i % 2),
		        refusal->status);
		if (refusal->status != GPUCRYPT_OK) {
			assert_int_equal(out.n_bytes, 0);
			assert_string_not_equal(gpucrypt_error(), "");
		}
		buffer_free(&out);
	}
	free(bytes);
}

/* Every byte of the padding counts, and more than a block is none. */
static void bad_padding(void **state)
{
	static const char *const blocks[] = { "00000000000000000000000505050505",
		"00000000000000000000000504050505", "00000000000000000000000000000000",
		"11111111111111111111111111111111", "10101010101010101010101010101010" };
	struct suite suite = suite_make("aes", "ecb", 128, DECRYPT);
	struct raw_options options = options_make(&suite);
	uint8_t block[16], stored[16];
	struct buffer out;

	(void)state;
	for (size_t i = 0; i < N_OF(blocks); i++) {
		bool good = i == 0 || i == 4;

		from_hex(block, 16, blocks[i]);
		libcrypto("AES-128-ECB", NULL, false, stored, block, 16);
		assert_int_equal(run(&out, &suite, &options, stored, 16, false),
		        good ? GPUCRYPT_OK : GPUCRYPT_CORRUPT);
		assert_int_equal(out.n_bytes, i == 0 ? 11 : 0);
		buffer_free(&out);
	}
}

static void texts(void **state)
{
	struct suite suite = suite_make("aes", "xts", 192, ENCRYPT);
	struct raw_options options = options_make(&suite);
	struct buffer out;

	(void)state;
	options.key_length = 24;
	run(&out, &suite, &options, key, 16, false);
	assert_string_equal(gpucrypt_error(),
	        "aes-192-xts needs a key of 48 bytes (96 hexadecimal digits), not 24");
	options.key_length = 48;
	run(&out, &suite, &options, key, 5, false);
	assert_string_equal(gpucrypt_error(),
	        "in: 5 bytes leave a last sector of 5: XTS needs at least 16 bytes in it");
}

/* A file that grows or shrinks under the reader. */
static void source_changes(void **state)
{
	struct suite suite = suite_make("aes", "ctr", 128, ENCRYPT);
	struct raw_options options = options_make(&suite);
	const struct gpucrypt_plan plan = { .engine = "cpu", .threads = 1 };

	(void)state;
	for (int by = -1; by <= 1; by++) {
		struct buffer out = buffer_make();
		int fd = memory_file(key, sizeof key);
		struct source source;

		source_open(&source, fd, "in");
		source.size_bytes = (uint64_t)((int)source.size_bytes + by);
		fail_clear();
		assert_int_equal(raw_crypt(&source, &out.sink, &suite, &plan, &options, NULL, NULL),
		        by == 0 ? GPUCRYPT_OK : GPUCRYPT_IO);
		close(fd);
		buffer_free(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ctr),
		cmocka_unit_test(ecb),
		cmocka_unit_test(xts),
		cmocka_unit_test(offset_and_length),
		cmocka_unit_test(refused),
		cmocka_unit_test(bad_padding),
		cmocka_unit_test(texts),
		cmocka_unit_test(source_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
