/* Raw mode against libcrypto, one unit at a time.  What it rejects: tests/cli/refusals.tsv. */
#include "tests/unit/raw_runs.h"

#include <sys/mman.h>
#include <unistd.h>

#include "gpucrypt/bytes.h"

#define SEGMENT ((size_t)8 << 20)

/* Both directions, from a file and from a pipe. */
static void check(const struct suite *suite, const struct raw_options *options, const uint8_t *plain, size_t n_plain,
        const uint8_t *expected, size_t n_expected)
{
	struct suite back = *suite;
	struct buffer out;

	back.direction = DECRYPT;
	for (unsigned pipe = 0; pipe < 2; pipe++) {
		assert_ok(run(&out, suite, options, plain, n_plain, pipe));
		assert_bytes(&out, expected, n_expected);
		buffer_free(&out);
		assert_ok(run(&out, &back, options, expected, n_expected, pipe));
		assert_bytes(&out, plain, n_plain);
		buffer_free(&out);
	}
}

#define PIECE ((size_t)256 << 10) /* what the CPU reads and computes at a time */
static const size_t lengths[] = { 0, 1, 15, 16, 17, 511, 512, 4097, PIECE - 1, PIECE, PIECE + 17, SEGMENT - 1, SEGMENT,
	SEGMENT + 1, 2 * SEGMENT + 16 };

/* The counter wraps at 2^128 within these lengths. */
TEST(ctr)
{
	uint8_t *plain = plaintext_make(2 * SEGMENT + 16), *expected = kept_allocate(2 * SEGMENT + 32);
	struct suite aes = suite_make("aes", "ctr", 128, ENCRYPT);
	struct suite camellia = suite_make("camellia", "ctr", 128, ENCRYPT);
	struct raw_options options = options_make(&aes);

	memset(options.iv, 0xff, 15);
	for (size_t i = 0; i < N_OF(lengths); i++) {
		libcrypto("AES-128-CTR", options.iv, false, expected, plain, lengths[i]);
		check(&aes, &options, plain, lengths[i], expected, lengths[i]);
		if (lengths[i] > 5000)
			continue;
		libcrypto("CAMELLIA-128-CTR", options.iv, false, expected, plain, lengths[i]);
		check(&camellia, &options, plain, lengths[i], expected, lengths[i]);
	}
}

TEST(ecb)
{
	uint8_t *plain = plaintext_make(2 * SEGMENT + 16), *expected = kept_allocate(2 * SEGMENT + 32);
	struct suite suite = suite_make("aes", "ecb", 192, ENCRYPT);
	struct raw_options options = options_make(&suite);

	for (size_t i = 0; i < N_OF(lengths); i++) {
		size_t n = libcrypto("AES-192-ECB", NULL, true, expected, plain, lengths[i]);

		assert_int_equal(n, lengths[i] / 16 * 16 + 16);
		check(&suite, &options, plain, lengths[i], expected, n);
		options.no_padding = true;
		if (lengths[i] % 16 == 0)
			check(&suite, &options, plain, lengths[i], expected, lengths[i]);
		options.no_padding = false;
	}
}

/* Every unit is a message with its number as IV. */
static void units_of(
        const char *name, uint8_t *out, const uint8_t *in, size_t n_bytes, size_t unit, uint64_t first, uint64_t step)
{
	uint8_t iv[16] = { 0 };

	for (size_t start = 0; start < n_bytes; start += unit, first += step) {
		store_le64(iv, first);
		libcrypto(name, iv, false, out + start, in + start, n_bytes - start < unit ? n_bytes - start : unit);
	}
}

static void units(uint8_t *out, const uint8_t *in, size_t n_bytes, size_t unit, uint64_t first, uint64_t step)
{
	units_of("AES-256-XTS", out, in, n_bytes, unit, first, step);
}

TEST(xts)
{
	static const size_t edges[] = { 0, 16, 17, 31, 511, 512, 528, 1023, 4096, 4096 + 16, 3 * 4096 + 2100,
		PIECE + 16, SEGMENT, SEGMENT + 17 };
	uint8_t *plain = plaintext_make(SEGMENT + 32), *expected = kept_allocate(SEGMENT + 32);
	struct suite suite = suite_make("aes", "xts", 256, ENCRYPT);
	struct raw_options options = options_make(&suite);

	for (unsigned sector = 512; sector <= 4096; sector *= 2) {
		for (size_t i = 0; i < N_OF(edges); i++) {
			if (edges[i] >= PIECE && sector != 4096)
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
}

TEST(offset_and_length)
{
	uint8_t *plain = plaintext_make(20000), expected[20016];
	struct suite suite = suite_make("aes", "xts", 256, ENCRYPT);
	struct raw_options options = options_make(&suite);
	struct buffer out;

	options.iv_start = 0;
	for (unsigned pipe = 0; pipe < 2; pipe++) {
		options.offset = 5001;
		options.length = 1024 + 33;
		units(expected, plain + 5001, 1057, 512, 0, 1);
		assert_ok(run(&out, &suite, &options, plain, 20000, pipe));
		assert_bytes(&out, expected, 1057);
		options.length = UINT64_MAX;
		units(expected, plain + 5001, 14999, 512, 0, 1);
		assert_ok(run(&out, &suite, &options, plain, 20000, pipe));
		assert_bytes(&out, expected, 14999);
		options.offset = 20000;
		options.length = 0;
		assert_ok(run(&out, &suite, &options, plain, 20000, pipe));
		assert_int_equal(out.n_bytes, 0);
		options.length = 1;
		options.offset = 20001;
		assert_status(run(&out, &suite, &options, plain, 20000, pipe), GPUCRYPT_USAGE);
		options.length = 16;
		options.offset = 19985;
		assert_status(run(&out, &suite, &options, plain, 20000, pipe), pipe ? GPUCRYPT_IO : GPUCRYPT_USAGE);
		assert_int_equal(out.n_bytes, 0);
	}
}

/* From one volume to another in one pass: other keys and ciphers, sectors and first tweaks. */
TEST(recrypt)
{
	static const struct {
		const char *from, *to, *from_name, *to_name;
		unsigned from_bits, to_bits;
		enum gpucrypt_engine engine;
	} cases[] = { { "aes", "aes", "AES-256-XTS", "AES-256-XTS", 256, 256, GPUCRYPT_CPU },
		{ "aes", "aes", "AES-256-XTS", "AES-128-XTS", 256, 128, GPUCRYPT_OPENCL } };
	static const size_t edges[] = { 0, 512, 528, 4096 + 17, SEGMENT, SEGMENT + 1024 };
	uint8_t *plain = plaintext_make(SEGMENT + 2048), *old = kept_allocate(SEGMENT + 4096),
	        *expected = kept_allocate(SEGMENT + 2048);
	uint8_t old_key[64];

	count_up(old_key, sizeof old_key, 0x91);
	for (size_t c = 0; c < N_OF(cases); c++) {
		struct suite from = suite_make(cases[c].from, "xts", cases[c].from_bits, DECRYPT);
		struct suite to = suite_make(cases[c].to, "xts", cases[c].to_bits, ENCRYPT);
		const struct gpucrypt_plan plan = { .engine = cases[c].engine, .threads = 2 };
		struct raw_options before = options_make(&from), options = options_make(&to);
		const struct raw_before first = { .suite = &from, .plan = &plan, .options = &before };

		before.key = old_key;
		before.sector_bytes = 4096;
		before.iv_start = 8;
		before.offset = options.offset = 1000;
		options.before = &first;
		for (size_t i = 0; i < N_OF(edges); i++) {
			struct buffer out = buffer_make();
			struct source source;
			int fd, status;

			memcpy(key, old_key, sizeof key);
			units_of(cases[c].from_name, old + 1000, plain, edges[i], 4096, 8, 8);
			count_up(key, sizeof key, 0x30);
			units_of(cases[c].to_name, expected, plain, edges[i], 512, 7 << 8, 1);
			fd = memory_file(old, 1000 + edges[i]);
			source_open(&source, fd, "in");
			fail_clear();
			status = raw_crypt(&source, &out.sink, &to, &plan, &options, NULL, NULL);
			kept_close(fd);
			if (status == GPUCRYPT_DEVICE) /* there is none */
				break;
			assert_int_equal(status, GPUCRYPT_OK);
			assert_int_equal(out.n_bytes, edges[i]);
			assert_memory_equal(edges[i] > 0 ? out.bytes : expected, expected, edges[i]);
			buffer_free(&out);
		}
	}
}

TEST(recrypt_refusals)
{
	struct suite from = suite_make("aes", "ecb", 128, DECRYPT), to = suite_make("aes", "xts", 128, ENCRYPT);
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = 1 };
	struct raw_options before = options_make(&from), options = options_make(&to);
	const struct raw_before first = { .suite = &from, .plan = &plan, .options = &before };
	struct buffer out = buffer_make();
	struct source source;
	uint8_t zeros[512] = { 0 };

	options.before = &first;
	source_open_memory(&source, zeros, sizeof zeros, sizeof zeros);
	assert_status(raw_crypt(&source, &out.sink, &to, &plan, &options, NULL, NULL), GPUCRYPT_USAGE);
	before.no_padding = true;
	before.key_length--;
	assert_status(raw_crypt(&source, &out.sink, &to, &plan, &options, NULL, NULL), GPUCRYPT_USAGE);
	assert_int_equal(out.n_bytes, 0);
}

/* A file that grows or shrinks under the reader. */
TEST(source_changes)
{
	struct suite suite = suite_make("aes", "ctr", 128, ENCRYPT);
	struct raw_options options = options_make(&suite);
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = 1 };

	for (int by = -1; by <= 1; by++) {
		struct buffer out = buffer_make();
		int fd = memory_file(key, sizeof key);
		struct source source;

		source_open(&source, fd, "in");
		source.size_bytes = (uint64_t)((int)source.size_bytes + by);
		assert_status(raw_crypt(&source, &out.sink, &suite, &plan, &options, NULL, NULL),
		        by == 0 ? GPUCRYPT_OK : GPUCRYPT_IO);
	}
}

/* PKCS#7 makes it longer, and taking it off shorter: what does not fit is reported before anything is written. */
TEST(room)
{
	static const struct {
		enum direction direction;
		bool no_padding;
		size_t n_bytes;
		int status;
	} cases[] = { { ENCRYPT, false, 511, GPUCRYPT_OK }, { ENCRYPT, false, 512, GPUCRYPT_IO },
		{ ENCRYPT, true, 512, GPUCRYPT_OK }, { ENCRYPT, true, 528, GPUCRYPT_IO },
		{ DECRYPT, false, 528, GPUCRYPT_OK }, { DECRYPT, false, 544, GPUCRYPT_IO },
		{ DECRYPT, true, 512, GPUCRYPT_OK }, { DECRYPT, true, 528, GPUCRYPT_IO } };
	uint8_t plain[512] = { 1 }, ciphertext[544 + 16];
	struct suite suite = suite_make("aes", "ecb", 192, ENCRYPT);
	struct raw_options options = options_make(&suite);

	libcrypto("AES-192-ECB", NULL, true, ciphertext, plain, sizeof plain);
	for (size_t i = 0; i < N_OF(cases); i++) {
		struct buffer out = buffer_make();

		out.sink.room_bytes = 512;
		suite.direction = cases[i].direction;
		options.no_padding = cases[i].no_padding;
		assert_status(run_fd(memory_file(ciphertext, cases[i].n_bytes), &out, &suite, &options, false),
		        cases[i].status);
		assert_true(cases[i].status == GPUCRYPT_OK || out.n_bytes == 0);
	}
}

static uint64_t written[4];
static size_t n_written;

static int note_offset(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	(void)self, (void)bytes, (void)n_bytes;
	written[n_written++] = offset;
	return GPUCRYPT_OK;
}

/* Only wanted segments and the last one are written; nothing behind the array is read, which ends where memory does. */
TEST(wanted_segments)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n_bytes = 3 * SEGMENT;
	uint8_t *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool *wanted = (bool *)(pages + page) - 3;
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = 8 };
	struct suite suite = suite_make("aes", "xts", 128, ENCRYPT);
	struct raw_options options = options_make(&suite);
	struct sink sink = { .write = note_offset };
	struct source source;

	assert_true(pages != MAP_FAILED);
	assert_true(mprotect(pages + page, page, PROT_NONE) == 0);
	memcpy(wanted, (const bool[]){ true, false, false }, 3);
	options.wanted = wanted;
	assert_ok(source_open(&source, memory_file(plaintext_make(n_bytes), n_bytes), "in"));
	for (unsigned i = 0; i < 8; i++) { /* threads in different orders */
		n_written = 0;
		assert_ok(source_rewind(&source));
		assert_ok(raw_crypt(&source, &sink, &suite, &plan, &options, NULL, NULL));
		assert_true(n_written == 2 && written[0] == 0 && written[1] == 2 * SEGMENT);
	}
	munmap(pages, 2 * page);
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
