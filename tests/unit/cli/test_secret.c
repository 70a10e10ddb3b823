/* A passphrase in the environment is wiped there, and what is odd in a passphrase.  All other sources, and what is
 * rejected: group 5 of tests/faults. */
#include "tests/unit/cmocka_all.h"

#include <stdlib.h>

#include "cli/secrets/secret.h"

/* The variable is gone, and overwritten where it stood. */
TEST(environment)
{
	const struct options options = { .opening.passphrase = "env:GCRYPT_TEST_P" };
	char variable[] = "GCRYPT_TEST_P=secret\n";
	struct secret secret = { 0 };

	assert_int_equal(putenv(variable), 0);
	assert_ok(secret_read(&secret, &options, &options.opening, KEY_FILE_BYTES, "file", true));
	assert_int_equal(secret.secret.length, 7);
	assert_memory_equal(secret.secret.bytes, "secret\n", 7);
	secret_wipe(&secret);
	assert_null(secret.bytes);
	assert_null(getenv("GCRYPT_TEST_P"));
	assert_string_equal(variable, "GCRYPT_TEST_P=");
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
