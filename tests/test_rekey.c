/* Containers under a new file key, in memory: what comes out, and what a failure of either side does. */
#include "tests/containers.h"

#include "gpucrypt/rekey.h"

#define N_BYTES 50000

static const uint8_t new_key[32] = { 9, 8, 7 };
static const struct gpucrypt_secret new_secret = {
	.type = GPUCRYPT_KEY_FILE, .bytes = new_key, .length = 32
};

/* Takes so many bytes, then fails. */
struct failing_sink {
	struct sink sink;
	uint64_t room;
};

static int fail_late(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct failing_sink *sink = (struct failing_sink *)self;

	(void)bytes;
	return offset + n_bytes <= sink->room ? GPUCRYPT_OK
	                                      : fail(GPUCRYPT_IO, "out: cannot be written");
}

static int rekey(int fd, struct sink *sink, const char *cipher, const char *mode,
        const struct gpucrypt_secret *with, struct header_state *old)
{
	const struct gpucrypt_plan decrypt = { .engine = "cpu", .threads = 2 };
	struct gpucrypt_plan encrypt = plan_make(cipher, mode);
	struct source source;
	struct rekey terms = { .source = &source,
		.sink = sink,
		.decrypt = &decrypt,
		.encrypt = &encrypt,
		.secret = with,
		.secrets = &new_secret };

	encrypt.group_log2 = 14;
	encrypt.threads = 2;
	fail_clear();
	assert_int_equal(source_open(&source, fd, "x.gcr"), GPUCRYPT_OK);
	return container_rekey(&terms, old, NULL);
}

static struct buffer container(size_t n_bytes, uint8_t **plain)
{
	const struct gpucrypt_plan plan = plan_make("aes", "ctr");

	*plain = plaintext_make(n_bytes);
	return encrypt(&plan, *plain, n_bytes);
}

/* Sizes around those of both containers' groups; every suite. */
static void same_plaintext(void **state)
{
	static const size_t sizes[] = { 0, 1, 4095, 4096, 4097, 16383, 16384, 16385, N_BYTES };
	static const char *const suites[][2] = { { "aes", "ctr" }, { "camellia", "xts" },
		{ "sc2000", "ecb" } };

	(void)state;
	for (size_t i = 0; i < N_OF(sizes) * N_OF(suites); i++) {
		const char *const *suite = suites[i % N_OF(suites)];
		size_t n = sizes[i / N_OF(suites)];
		struct buffer out = buffer_make(), back = buffer_make();
		struct header_state old, made;
		uint8_t *plain;
		struct buffer from = container(n, &plain);
		int fd = memory_file(from.bytes, from.n_bytes), made_fd;

		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
		assert_int_equal(
		        rekey(fd, &out.sink, suite[0], suite[1], &a_secret, &old), GPUCRYPT_OK);
		assert_int_equal(old.slot, 0);
		assert_int_equal(header_examine(&made, out.bytes), GPUCRYPT_OK);
		assert_int_equal(made.header.plaintext_bytes, n);
		assert_memory_not_equal(made.header.file_salt, old.header.file_salt, SALT_BYTES);
		made_fd = memory_file(out.bytes, out.n_bytes);
		assert_int_equal(decrypt_fd(made_fd, &back, &new_secret, NULL), GPUCRYPT_OK);
		assert_int_equal(back.n_bytes, n);
		assert_memory_equal(back.bytes, plain, n);
		assert_int_equal(lseek(made_fd, 0, SEEK_SET), 0);
		assert_int_equal(decrypt_fd(made_fd, NULL, &a_secret, NULL), GPUCRYPT_NO_KEY);
		close(made_fd);
		close(fd);
		free(plain);
		buffer_free(&from);
		buffer_free(&out);
		buffer_free(&back);
	}
}

/* From a pipe the length is not known, and stays so; the content is kept. */
static void header_is_kept(void **state)
{
	const struct gpucrypt_plan plan = plan_make("aes", "ctr");
	struct buffer from = buffer_make(), out = buffer_make();
	struct header_state old, made;
	struct source source;
	uint8_t *plain = plaintext_make(9000);
	int ends[2], fd;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], plain, 9000), 9000);
	close(ends[1]);
	assert_int_equal(source_open(&source, ends[0], "pipe"), GPUCRYPT_OK);
	source.content = CONTENT_PAX;
	assert_int_equal(
	        container_encrypt(&source, &from.sink, &plan, &a_secret, NULL, NULL), GPUCRYPT_OK);
	close(ends[0]);
	fd = memory_file(from.bytes, from.n_bytes);
	assert_int_equal(rekey(fd, &out.sink, "aes", "ctr", &a_secret, &old), GPUCRYPT_OK);
	assert_int_equal(header_examine(&made, out.bytes), GPUCRYPT_OK);
	assert_true(made.header.plaintext_bytes == LENGTH_UNKNOWN);
	assert_int_equal(made.header.content, CONTENT_PAX);
	close(fd);
	free(plain);
	buffer_free(&from);
	buffer_free(&out);
}

/* A damaged group: what was before it may have been written, the rest is not, and the status and text
 * are those of the damage, not of what came of it. */
static void damaged_source(void **state)
{
	uint8_t *plain;
	struct buffer from = container(N_BYTES, &plain);
	struct header_state old;

	(void)state;
	for (size_t at = PAGES_START + 100; at < from.n_bytes; at += 3333) {
		struct buffer out = buffer_make();
		int fd;

		from.bytes[at] ^= 1;
		fd = memory_file(from.bytes, from.n_bytes);
		assert_int_equal(
		        rekey(fd, &out.sink, "aes", "ctr", &a_secret, &old), GPUCRYPT_CORRUPT);
		assert_non_null(strstr(gpucrypt_error(), "x.gcr: corrupt at byte"));
		assert_true(out.n_bytes < from.n_bytes - PAGE_BYTES);
		close(fd);
		buffer_free(&out);
		from.bytes[at] ^= 1;
	}
	/* The last page is missing. */
	{
		struct buffer out = buffer_make();
		int fd = memory_file(from.bytes, PAGES_START + 2 * (PAGE_BYTES + 4096));

		assert_int_equal(
		        rekey(fd, &out.sink, "aes", "ctr", &a_secret, &old), GPUCRYPT_CORRUPT);
		close(fd);
		buffer_free(&out);
	}
	free(plain);
	buffer_free(&from);
}

static void sink_fails(void **state)
{
	uint8_t *plain;
	struct buffer from = container(N_BYTES, &plain);
	struct header_state old;

	(void)state;
	for (uint64_t room = 0; room < 60000; room += 7001) {
		struct failing_sink out = { { .write = fail_late }, room };
		int fd = memory_file(from.bytes, from.n_bytes);

		assert_int_equal(rekey(fd, &out.sink, "aes", "ctr", &a_secret, &old), GPUCRYPT_IO);
		assert_string_equal(gpucrypt_error(), "out: cannot be written");
		close(fd);
	}
	free(plain);
	buffer_free(&from);
}

static void wrong_secret(void **state)
{
	uint8_t *plain;
	struct buffer from = container(100, &plain), out = buffer_make();
	struct header_state old;
	int fd = memory_file(from.bytes, from.n_bytes);

	(void)state;
	assert_int_equal(rekey(fd, &out.sink, "aes", "ctr", &new_secret, &old), GPUCRYPT_NO_KEY);
	assert_int_equal(out.n_bytes, 0);
	close(fd);
	free(plain);
	buffer_free(&from);
	buffer_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_plaintext),
		cmocka_unit_test(header_is_kept),
		cmocka_unit_test(damaged_source),
		cmocka_unit_test(sink_fails),
		cmocka_unit_test(wrong_secret),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
