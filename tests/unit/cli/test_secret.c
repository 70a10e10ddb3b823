/* Sources of passphrases and keys, and rejected ones (gcrypt(5), "Keys"). */
#include "tests/unit/cmocka_all.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/files/input.h"
#include "cli/secrets/secret.h"

static char name[] = "/tmp/gcrypt-test-secret-XXXXXX";

void program_set_up(void)
{
	assert_true(mkstemp(name) >= 0);
}

void program_tear_down(void)
{
	assert_int_equal(unlink(name), 0);
}

static void put(const void *bytes, size_t n_bytes)
{
	int fd = open(name, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0 && write(fd, bytes, n_bytes) == (ssize_t)n_bytes && close(fd) == 0);
}

static int read_from(struct secret *secret, const char *source)
{
	const struct options options = { .opening.passphrase = source };

	*secret = (struct secret){ 0 };
	return secret_read(secret, &options, &options.opening, KEY_FILE_BYTES, "file", true);
}

static void assert_passphrase(const char *source, const char *expected, size_t length)
{
	struct secret secret;

	assert_ok(read_from(&secret, source));
	assert_int_equal(secret.secret.type, GPUCRYPT_PASSPHRASE);
	assert_int_equal(secret.secret.length, length);
	assert_memory_equal(secret.secret.bytes, expected, length);
	secret_wipe(&secret);
	assert_null(secret.bytes);
}

static void assert_refused(const char *source, int status)
{
	struct secret secret;

	assert_int_equal(read_from(&secret, source), status);
	secret_wipe(&secret);
}

/* The variable is gone, and overwritten where it stood. */
TEST(environment)
{
	char variable[] = "GCRYPT_TEST_P=secret\n";

	assert_int_equal(putenv(variable), 0);
	assert_passphrase("env:GCRYPT_TEST_P", "secret\n", 7);
	assert_null(getenv("GCRYPT_TEST_P"));
	assert_string_equal(variable, "GCRYPT_TEST_P=");
	assert_refused("env:GCRYPT_TEST_P", GPUCRYPT_USAGE);
	setenv("GCRYPT_TEST_P", "", 1);
	assert_refused("env:GCRYPT_TEST_P", GPUCRYPT_USAGE);
}

/* Bytes as given, less one newline. */
TEST(file)
{
	char source[64], *large = malloc((1 << 20) + 2);

	snprintf(source, sizeof source, "file:%s", name);
	put("secret\n", 7);
	assert_passphrase(source, "secret", 6);
	put("secret\n\n", 8);
	assert_passphrase(source, "secret\n", 7);
	put("a\0b\nc", 5);
	assert_passphrase(source, "a\0b\nc", 5);
	put("\n", 1);
	assert_refused(source, GPUCRYPT_USAGE);
	put("", 0);
	assert_refused(source, GPUCRYPT_USAGE);
	assert_non_null(large);
	memset(large, 'x', (1 << 20) + 2);
	put(large, 1 << 20);
	assert_passphrase(source, large, 1 << 20);
	put(large, (1 << 20) + 1);
	assert_refused(source, GPUCRYPT_USAGE);
	assert_refused("file:/nonexistent", GPUCRYPT_IO);
	free(large);
}

TEST(descriptor_and_command)
{
	char source[32];
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "secret\n", 7), 7);
	close(ends[1]);
	snprintf(source, sizeof source, "fd:%d", ends[0]);
	assert_passphrase(source, "secret", 6);
	close(ends[0]);
	assert_passphrase("cmd:echo secret", "secret", 6);
	assert_passphrase("cmd:cat; echo x", "x", 1);
	assert_refused("cmd:echo secret; exit 3", GPUCRYPT_IO);
	assert_refused("cmd:kill -9 $$", GPUCRYPT_IO);
	assert_refused("cmd:true", GPUCRYPT_USAGE);
}

/* Files that are read twice at the same time, or removed after reading. */
TEST(secret_is_input)
{
	char source[64], key[64];
	struct input input = { .source.fd = -1 };
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	snprintf(source, sizeof source, "fd:%d", ends[0]);
	snprintf(key, sizeof key, "file:%s", name);
	const struct options none = { 0 }, by_fd = { .opening.passphrase = source },
	                     by_file = { .opening.passphrase = key },
	                     removing = { .opening.key_file = name, .remove_source = true };
	const struct {
		const struct options *options;
		const char *input;
		int fd; /* or this one, as standard input */
		int status;
	} cases[] = {
		{ &none, name, 0, GPUCRYPT_OK },
		{ &by_file, name, 0, GPUCRYPT_OK },
		{ &removing, name, 0, GPUCRYPT_USAGE },
		{ &removing, "/dev/null", 0, GPUCRYPT_OK },
		{ &by_fd, NULL, ends[0], GPUCRYPT_USAGE },
		{ &by_file, NULL, ends[0], GPUCRYPT_OK },
	};

	for (size_t i = 0; i < N_OF(cases); i++) {
		const struct key_files keys = key_files_of(cases[i].options);

		fail_clear();
		if (cases[i].input) {
			assert_ok(input_open(&input, cases[i].input));
		} else {
			input = (struct input){ .source.fd = -1, .name = "-", .standard = true };
			assert_int_equal(fstat(cases[i].fd, &input.stat), 0);
		}
		assert_status(key_files_check_input(cases[i].options, &keys, &input), cases[i].status);
		input_close(&input);
	}
	close(ends[0]);
	close(ends[1]);
}

static int read_key(uint8_t key[32], const void *bytes, size_t n_bytes)
{
	put(bytes, n_bytes);
	return key_file_read(key, 32, name);
}

TEST(key_files)
{
	static const char hex[] = "000102030405060708090A0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n";
	uint8_t bytes[34], key[32];

	count_up(bytes, sizeof bytes, 0);
	assert_ok(read_key(key, bytes, 32));
	assert_memory_equal(key, bytes, 32);
	memset(key, 0, sizeof key);
	assert_ok(read_key(key, hex, 65));
	assert_memory_equal(key, bytes, 32);
	assert_status(read_key(key, hex, 64), GPUCRYPT_USAGE);
	assert_status(read_key(key, hex, 32), GPUCRYPT_USAGE); /* printable: a passphrase */
	assert_status(read_key(key, bytes, 0), GPUCRYPT_USAGE);
	assert_status(read_key(key, bytes, 31), GPUCRYPT_USAGE);
	assert_status(read_key(key, bytes, 33), GPUCRYPT_USAGE);
	assert_status(key_file_read(key, 32, "/nonexistent"), GPUCRYPT_IO);
}

/* The byte order mark is U+FEFF in UTF-8 (RFC 3629, 6). */
TEST(oddities)
{
	static const struct {
		const char *bytes;
		size_t n_bytes;
		const char *says;
	} cases[] = {
		{ "correct horse", 13, NULL },
		{ "gr\xc3\xbc\xc3\x9f", 6, NULL },
		{ "a\xef\xbb\xbf", 4, NULL },
		{ "a\0b", 3, "zero byte" },
		{ "hunter2\r", 8, "carriage return" },
		{ "a\rb", 3, "carriage return" },
		{ "a\n", 2, "more than one line" },
		{ "\xef\xbb\xbfhunter2", 10, "byte order mark" },
		{ "gr\xfc\xdf", 4, "not UTF-8" },
		{ "gr\xc3", 3, "not UTF-8" },
	};

	for (size_t i = 0; i < N_OF(cases); i++) {
		const char *oddity = passphrase_oddity((const uint8_t *)cases[i].bytes, cases[i].n_bytes);

		if (cases[i].says == NULL)
			assert_null(oddity);
		else
			assert_contains(oddity ? oddity : "", cases[i].says);
	}
}
