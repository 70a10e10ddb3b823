/* Raw mode with any options: it decrypts its own output, and where the length is known it rejects input before the
 * first write. */
#include "tests/fuzz/input.h"

#include "gpucrypt/container/raw.h"

#define MAX_BYTES 70000

struct memory_sink {
	struct sink sink;
	uint8_t bytes[MAX_BYTES];
	size_t n_bytes;
};

static int keep(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct memory_sink *memory = (struct memory_sink *)self;

	MUST(offset == memory->n_bytes && offset + n_bytes <= MAX_BYTES);
	memcpy(memory->bytes + offset, bytes, n_bytes);
	memory->n_bytes += n_bytes;
	return GPUCRYPT_OK;
}

static bool run(struct memory_sink *out, struct suite *suite, enum direction direction,
        const struct raw_options *options, const uint8_t *bytes, size_t n_bytes)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = 1 };
	struct source source;

	suite->direction = direction;
	out->sink = (struct sink){ .write = keep };
	out->n_bytes = 0;
	source_open_memory(&source, bytes, n_bytes, n_bytes);
	if (succeeded(raw_crypt(&source, &out->sink, suite, &plan, options, NULL, NULL)))
		return true;
	MUST(direction == DECRYPT || out->n_bytes == 0);
	return false;
}

static void take_suite(struct suite *suite, struct fuzz_input *input)
{
	const struct gpucrypt_plan plan = { .cipher = GPUCRYPT_AES + take_byte(input) % 3,
		.mode = modes[take_byte(input) % N_MODES].id,
		.key_bits = 128 + 64 * (take_byte(input) % 3) };

	MUST(suite_of_plan(suite, &plan, ENCRYPT) == GPUCRYPT_OK);
}

static void take_options(struct raw_options *options, struct fuzz_input *input, uint8_t key[64])
{
	unsigned flags = take_byte(input);

	take(input, key, 64);
	*options = (struct raw_options){ .key = key,
		.key_length = take_byte(input) % 65,
		.have_iv = flags & 1,
		.have_iv_start = flags & 2,
		.iv_large_sectors = flags & 4,
		.allow_weak_key = flags & 8,
		.no_padding = flags & 16,
		.sector_bytes = flags & 32 ? take_pair(input) : 0,
		.offset = flags & 64 ? take_pair(input) : 0,
		.length = flags & 128 ? take_pair(input) : UINT64_MAX };
	take(input, options->iv, sizeof options->iv);
	take(input, &options->iv_start, sizeof options->iv_start);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	static struct memory_sink cipher, plain;
	static uint8_t data[MAX_BYTES];
	struct fuzz_input input = { bytes, n_bytes };
	struct raw_options options;
	struct suite suite;
	uint8_t key[64];
	size_t n, expected;

	take_suite(&suite, &input);
	take_options(&options, &input, key);
	n = take_pair(&input) % (MAX_BYTES - 32);
	take(&input, data, n);
	if (!run(&cipher, &suite, ENCRYPT, &options, data, n))
		return 0;
	expected = options.length < n - options.offset ? options.length : n - options.offset;
	options.length = UINT64_MAX;
	bytes = data + options.offset;
	options.offset = 0;
	MUST(run(&plain, &suite, DECRYPT, &options, cipher.bytes, cipher.n_bytes));
	MUST(plain.n_bytes == expected && memcmp(plain.bytes, bytes, expected) == 0);
	return 0;
}
