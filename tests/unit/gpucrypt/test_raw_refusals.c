/* Everything that raw mode must refuse; in which words: tests/cli/refusals.tsv. */
#include "tests/unit/raw_runs.h"

/* Changes of what would be right for AES-128 in a mode, with n bytes of input. */
struct refusal {
	const char *mode;
	enum direction direction;
	size_t n_bytes;
	int status;
	int more_key_bytes;
	bool no_key, no_iv, iv, iv_start, no_padding, large_sectors, equal_keys, weak_key;
	unsigned sector_bytes;
};

static void change_options(struct raw_options *options, const struct refusal *refusal)
{
	options->key_length += (size_t)refusal->more_key_bytes;
	options->key = refusal->no_key ? NULL : options->key;
	options->have_iv = (options->have_iv && !refusal->no_iv) || refusal->iv;
	options->have_iv_start = (options->have_iv_start && !refusal->no_iv) || refusal->iv_start;
	options->no_padding = refusal->no_padding;
	options->sector_bytes = refusal->sector_bytes;
	options->iv_large_sectors = refusal->large_sectors;
	options->iv_start = refusal->large_sectors ? 12 : options->iv_start;
	options->allow_weak_key = refusal->weak_key;
	if (refusal->equal_keys)
		memcpy(key + 16, key, 16);
}

static const struct refusal refusals[] = {
	{ "ctr", ENCRYPT, 5, GPUCRYPT_OK, .no_key = false },
	{ "ctr", ENCRYPT, 5, GPUCRYPT_USAGE, .more_key_bytes = -1 },
	{ "ctr", ENCRYPT, 5, GPUCRYPT_USAGE, .more_key_bytes = 1 },
	{ "ctr", DECRYPT, 5, GPUCRYPT_USAGE, .no_key = true },
	{ "ctr", DECRYPT, 5, GPUCRYPT_USAGE, .no_iv = true },
	{ "ctr", ENCRYPT, 5, GPUCRYPT_USAGE, .iv_start = true },
	{ "ctr", ENCRYPT, 5, GPUCRYPT_USAGE, .sector_bytes = 512 },
	{ "ctr", ENCRYPT, 5, GPUCRYPT_USAGE, .no_padding = true },
	{ "ecb", ENCRYPT, 5, GPUCRYPT_USAGE, .iv = true },
	{ "ecb", ENCRYPT, 17, GPUCRYPT_USAGE, .no_padding = true },
	{ "ecb", DECRYPT, 17, GPUCRYPT_USAGE, .no_padding = true },
	{ "ecb", DECRYPT, 16, GPUCRYPT_OK, .no_padding = true },
	{ "ecb", DECRYPT, 17, GPUCRYPT_CORRUPT, .no_key = false },
	{ "ecb", DECRYPT, 16, GPUCRYPT_CORRUPT, .no_key = false }, /* the decrypted last block has no valid padding */
	{ "ecb", DECRYPT, 0, GPUCRYPT_CORRUPT, .no_key = false },
	{ "xts", ENCRYPT, 16, GPUCRYPT_OK, .no_key = false },
	{ "xts", ENCRYPT, 16, GPUCRYPT_USAGE, .no_iv = true },
	{ "xts", ENCRYPT, 16, GPUCRYPT_USAGE, .iv = true },
	{ "xts", ENCRYPT, 16, GPUCRYPT_USAGE, .sector_bytes = 768 },
	{ "xts", ENCRYPT, 16, GPUCRYPT_USAGE, .sector_bytes = 4096, .large_sectors = true },
	{ "xts", ENCRYPT, 16, GPUCRYPT_USAGE, .more_key_bytes = -1 },
	{ "xts", ENCRYPT, 16, GPUCRYPT_USAGE, .equal_keys = true },
	{ "xts", ENCRYPT, 16, GPUCRYPT_OK, .equal_keys = true, .weak_key = true },
	{ "xts", DECRYPT, 16, GPUCRYPT_OK, .equal_keys = true },
	{ "xts", ENCRYPT, 1, GPUCRYPT_USAGE, .no_key = false },
	{ "xts", DECRYPT, 15, GPUCRYPT_USAGE, .no_key = false },
	{ "xts", ENCRYPT, 512 + 15, GPUCRYPT_USAGE, .no_key = false },
	{ "xts", DECRYPT, 1024 + 1, GPUCRYPT_USAGE, .no_key = false },
};

TEST(refused)
{
	uint8_t *bytes = plaintext_make(2000);

	for (size_t i = 0; i < 2 * N_OF(refusals); i++) {
		const struct refusal *refusal = &refusals[i / 2];
		struct suite suite = suite_make("aes", refusal->mode, 128, refusal->direction);
		struct raw_options options = options_make(&suite);
		struct buffer out;

		change_options(&options, refusal);
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
