/* The sampled re-check: an engine that errs is noticed, one that does not is left alone. */
#include "tests/unit/erring.h"
#include "tests/unit/raw_runs.h"

#include "gpucrypt/engine/engine.h"

#define CHUNK ((size_t)4096)

static int try_encrypt(const struct gpucrypt_plan *plan, const uint8_t *bytes, size_t n_bytes, struct buffer *out)
{
	const struct buffer plain = bytes_of(bytes, n_bytes);

	return run_command(ENC, plan, &plain, out);
}

static const char *const cipher_words[] = { "aes", "camellia", "sc2000" };

/* Every group of every suite, with tags of the engine's and without. */
TEST(right_results_pass)
{
	static const size_t lengths[] = { 0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 8 * CHUNK + 5, 40 * CHUNK + 17 };
	uint8_t *bytes = plaintext_make(50 * CHUNK);

	sound();
	for (size_t i = 0; i < N_OF(cipher_words) * N_MODES * N_OF(lengths) * 2; i++) {
		struct gpucrypt_plan plan = plan_make(cipher_words[i % 3], modes[i / 3 % N_MODES].name);
		size_t n_bytes = lengths[i / 9 % N_OF(lengths)];
		struct buffer container, plain;

		fault.no_tags = i / 9 / N_OF(lengths) == 1;
		plan.key_bits = 128 + 64 * (unsigned)(i % 3);
		plan.group_log2 = 15;
		plan.threads = 3;
		plan.recheck = 1;
		assert_ok(try_encrypt(&plan, bytes, n_bytes, &container));
		assert_ok(run_command(DEC, &plan, &container, &plain));
		assert_bytes(&plain, bytes, n_bytes);
	}
	fault.no_tags = false;
}

/* Zeros behind a hole's zero tag: what the engine makes of them is thrown away. */
TEST(holes)
{
	struct gpucrypt_plan plan = plan_make("aes", "ctr");
	uint8_t *bytes = kept_allocate(3 * CHUNK);
	struct buffer plain;
	struct forge forge;

	sound();
	plan.group_log2 = 14;
	forge_open(&forge, encrypt_bytes(&plan, bytes, 3 * CHUNK));
	for (unsigned hole = 0; hole < 3; hole++) {
		forge_hole(&forge, hole, CHUNK);
		plan.recheck = 1;
		assert_ok(run_command(DEC, &plan, &forge.container, &plain));
		assert_memory_equal(plain.bytes, bytes, 3 * CHUNK);
	}
}

/* One byte of one group, wherever it is: the run stops, and what came before is all that left. */
TEST(a_wrong_byte)
{
	static const size_t places[] = { 0, 15, 2048, CHUNK - 1 };
	uint8_t *bytes = plaintext_make(6 * CHUNK);
	char where[128];

	for (size_t i = 0; i < N_OF(cipher_words) * N_MODES * N_OF(places); i++) {
		struct gpucrypt_plan plan = plan_make(cipher_words[i % 3], modes[i / 3 % N_MODES].name);
		size_t byte = places[i / 9];
		unsigned group = (unsigned)(i % 5);
		struct buffer good, container, plain;

		plan.recheck = 1;
		sound();
		assert_ok(try_encrypt(&plan, bytes, 5 * CHUNK + 99, &good));
		err(group, group, byte, false);
		assert_status(try_encrypt(&plan, bytes, 5 * CHUNK + 99, &container), GPUCRYPT_DEVICE);
		assert_int_equal(container.n_bytes, PAGES_START + group * (PAGE_BYTES + CHUNK));
		snprintf(where, sizeof where,
		        "Erring: wrong result at byte %zu (group %u): the CPU computes another byte",
		        group * CHUNK + byte, group);
		assert_string_equal(gpucrypt_error(), where);
		assert_status(run_command(DEC, &plan, &good, &plain), GPUCRYPT_DEVICE);
		assert_int_equal(plain.n_bytes, group * CHUNK);
		assert_string_equal(gpucrypt_error(), where);
	}
}

/* Decryption finds the engine at fault, not the container. */
TEST(a_wrong_tag)
{
	struct gpucrypt_plan plan = plan_make("camellia", "ctr");
	uint8_t *bytes = plaintext_make(4 * CHUNK);
	struct buffer good, container, plain;

	plan.recheck = 1;
	sound();
	assert_ok(try_encrypt(&plan, bytes, 4 * CHUNK, &good));
	for (size_t byte = 0; byte < 16; byte += 5) {
		err(2, 2, byte, true);
		assert_fails(try_encrypt(&plan, bytes, 4 * CHUNK, &container), GPUCRYPT_DEVICE,
		        "Erring: wrong result at byte 8192 (group 2): the CPU computes another tag "
		        "of the chunk");
		assert_status(run_command(DEC, &plan, &good, &plain), GPUCRYPT_DEVICE);
		assert_int_equal(plain.n_bytes, 2 * CHUNK);
		assert_non_null(strstr(gpucrypt_error(), "another tag"));
	}
}

/* The first group always, others at the rate asked for, and any chunk of them; damage in a container
 * stays damage. */
TEST(what_is_sampled)
{
	struct gpucrypt_plan plan = plan_make("aes", "ctr");
	uint8_t *bytes = plaintext_make(4096 * CHUNK);
	struct buffer out, plain;

	err(0, 0, 0, false);
	plan.recheck = 1u << 30;
	assert_status(try_encrypt(&plan, bytes, 9 * CHUNK, &out), GPUCRYPT_DEVICE);
	err(1, 8, 0, false);
	assert_ok(try_encrypt(&plan, bytes, 9 * CHUNK, &out));
	err(0, 8, 0, false);
	plan.recheck = GPUCRYPT_NO_RECHECK;
	assert_ok(try_encrypt(&plan, bytes, 9 * CHUNK, &out));
	/* One in 64 of 4095: chance misses all of them in one of 10^28 runs. */
	err(1, UINT32_MAX, 0, false);
	plan.recheck = 0;
	assert_status(try_encrypt(&plan, bytes, 4096 * CHUNK, &out), GPUCRYPT_DEVICE);
	/* The sixth of eight chunks in one of 512 groups. */
	err(0, UINT32_MAX, 5 * CHUNK, false);
	plan.recheck = 1;
	plan.group_log2 = 15;
	assert_status(try_encrypt(&plan, bytes, 4096 * CHUNK, &out), GPUCRYPT_DEVICE);
	sound();
	assert_ok(try_encrypt(&plan, bytes, 4 * CHUNK, &out));
	out.bytes[PAGES_START + PAGE_BYTES + 3] ^= 1;
	assert_status(run_command(DEC, &plan, &out, &plain), GPUCRYPT_CORRUPT);
}

/* Decrypted and encrypted in one go: a wrong byte or tag of either engine. */
TEST(rekeyed)
{
	static const size_t n_bytes = 5 * CHUNK + 99;
	uint8_t *bytes = plaintext_make(6 * CHUNK);

	for (size_t i = 0; i < N_OF(cipher_words) * N_MODES * 2; i++) {
		struct gpucrypt_plan from = plan_make(cipher_words[(i + 1) % 3], "xts"),
		                     to = plan_make(cipher_words[i % 3], modes[i / 3 % N_MODES].name);
		unsigned group = (unsigned)(i % 5);
		struct buffer in, out;

		sound();
		fault.no_tags = i / 9 == 1;
		to.recheck = 1;
		in = encrypt_bytes(&from, bytes, n_bytes);
		assert_ok(run_command(REKEY, &to, &in, &out));
		fault.right[i % 4 / 2 == 0 ? ENCRYPT : DECRYPT] = true;
		err(group, group, 5, i / 9 == 0 && i % 2);
		assert_status(run_command(REKEY, &to, &in, &out), GPUCRYPT_DEVICE);
		assert_int_equal(out.n_bytes, PAGES_START + group * (PAGE_BYTES + CHUNK));
		assert_non_null(strstr(gpucrypt_error(), "wrong result"));
		fault.right[ENCRYPT] = fault.right[DECRYPT] = false;
	}
	fault.no_tags = false;
}

#define SEGMENT   ((size_t)8 << 20)
#define RAW_CHUNK ((size_t)128 << 10)

static int try_raw(struct suite *suite, const struct raw_options *options, enum direction direction,
        const struct buffer *in, struct buffer *out)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = 2, .recheck = 1 };
	int fd = memory_file(in->bytes, in->n_bytes), status;
	struct source source;

	*out = buffer_make();
	source_open(&source, fd, "in");
	suite->direction = direction;
	status = raw_crypt(&source, &out->sink, suite, &plan, options, NULL, NULL);
	kept_close(fd);
	return status;
}

/* Raw mode: padding (ECB), a stolen tail (XTS), a partial block (CTR). */
TEST(raw_mode)
{
	static const size_t lengths[] = { 0, 1, 16, 4096 + 17, RAW_CHUNK - 1, RAW_CHUNK, RAW_CHUNK + 17, SEGMENT + 31 };
	struct buffer in = { .bytes = plaintext_make(SEGMENT + 31) }, out, back;

	for (size_t i = 0; i < N_OF(cipher_words) * N_MODES * N_OF(lengths); i++) {
		struct suite suite = suite_make(cipher_words[i % 3], modes[i / 3 % N_MODES].name, 256, ENCRYPT);
		struct raw_options options = options_make(&suite);

		in.n_bytes = lengths[i / 9];
		if (suite.mode->has_tweaks && in.n_bytes % 512 > 0 && in.n_bytes % 512 < 16)
			continue;
		if (in.n_bytes > SEGMENT && i % 3 != 0)
			continue;
		sound();
		assert_ok(try_raw(&suite, &options, ENCRYPT, &in, &out));
		assert_ok(try_raw(&suite, &options, DECRYPT, &out, &back));
		assert_int_equal(back.n_bytes, in.n_bytes);
		assert_memory_equal(back.bytes != NULL ? back.bytes : in.bytes, in.bytes, in.n_bytes);
		buffer_free(&back);
		/* In the last block, where all is one chunk. */
		if (out.n_bytes > 0 && out.n_bytes <= RAW_CHUNK) {
			err(0, 0, out.n_bytes - 1, false);
			assert_status(try_raw(&suite, &options, DECRYPT, &out, &back), GPUCRYPT_DEVICE);
			assert_int_equal(back.n_bytes, 0);
			buffer_free(&out);
			assert_status(try_raw(&suite, &options, ENCRYPT, &in, &out), GPUCRYPT_DEVICE);
			assert_int_equal(out.n_bytes, 0);
			assert_non_null(strstr(gpucrypt_error(), " (group 0): "));
		}
		buffer_free(&out);
	}
}

TEST(more_without_error_correction)
{
	const struct gpucrypt_plan open = { .threads = 1 }, given = { .recheck = 5 };
	struct engine engine = { .class = &engine_cpu };
	struct recheck recheck;

	assert_ok(recheck_open(&recheck, &engine, &open, 23, 17));
	assert_int_equal(recheck.one_in, 64);
	engine.no_ecc = true;
	assert_ok(recheck_open(&recheck, &engine, &open, 23, 17));
	assert_int_equal(recheck.one_in, 16);
	assert_ok(recheck_open(&recheck, &engine, &given, 23, 17));
	assert_int_equal(recheck.one_in, 5);
}
