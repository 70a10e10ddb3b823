/* Everything that raw mode must refuse, and in which words. */
#include "tests/unit/raw_runs.h"

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
	{ "ecb", DECRYPT, 16, GPUCRYPT_CORRUPT, nothing }, /* the decrypted last block has no valid padding */
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

TEST(refused)
{
	uint8_t *bytes = plaintext_make(2000);

	for (size_t i = 0; i < 2 * N_OF(refusals); i++) {
		const struct refusal *refusal = &refusals[i / 2];
		struct suite suite = suite_make("aes", refusal->mode, 128, refusal->direction);
		struct raw_options options = options_make(&suite);
		struct buffer out;

		refusal->change(&options);
		assert_status(run(&out, &suite, &options, bytes, refusal->n_bytes, i % 2), refusal->status);
		if (refusal->status != GPUCRYPT_OK) {
			assert_int_equal(out.n_bytes, 0);
			assert_string_not_equal(gpucrypt_error(), "");
		}
	}
}

/* Every byte of the padding counts, and more than a block is none. */
TEST(bad_padding)
{
	static const char *const blocks[] = { "00000000000000000000000505050505", "00000000000000000000000504050505",
		"00000000000000000000000000000000", "11111111111111111111111111111111",
		"10101010101010101010101010101010" };
	struct suite suite = suite_make("aes", "ecb", 128, DECRYPT);
	struct raw_options options = options_make(&suite);
	uint8_t block[16], stored[16];
	struct buffer out;

	for (size_t i = 0; i < N_OF(blocks); i++) {
		bool good = i == 0 || i == 4;

		from_hex(block, 16, blocks[i]);
		libcrypto("AES-128-ECB", NULL, false, stored, block, 16);
		assert_status(run(&out, &suite, &options, stored, 16, false), good ? GPUCRYPT_OK : GPUCRYPT_CORRUPT);
		assert_int_equal(out.n_bytes, i == 0 ? 11 : 0);
	}
}

TEST(texts)
{
	struct suite suite = suite_make("aes", "xts", 192, ENCRYPT);
	struct raw_options options = options_make(&suite);
	struct buffer out;

	options.key_length = 24;
	run(&out, &suite, &options, key, 16, false);
	assert_string_equal(gpucrypt_error(), "aes-192-xts needs a key of 48 bytes (96 hexadecimal digits), not 24");
	options.key_length = 48;
	run(&out, &suite, &options, key, 5, false);
	assert_string_equal(
	        gpucrypt_error(), "in: 5 bytes leave a last sector of 5: XTS needs at least 16 bytes in it");
}
