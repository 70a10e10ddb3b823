/* Raw mode in memory, beside libcrypto, for tests. */
#ifndef TESTS_UNIT_RAW_RUNS_H
#define TESTS_UNIT_RAW_RUNS_H

#include "tests/unit/values.h"
#include "tests/unit/containers.h"

#include <openssl/evp.h>

#include "gpucrypt/container/raw.h"

static uint8_t key[64];

static inline struct suite suite_make(const char *cipher, const char *mode, unsigned bits, enum direction direction)
{
	struct gpucrypt_plan plan = {
		.cipher = value_of(&cipher_names, cipher), .mode = value_of(&mode_names, mode), .key_bits = bits
	};
	struct suite suite;

	assert_ok(suite_of_plan(&suite, &plan, direction));
	return suite;
}

static inline struct raw_options options_make(const struct suite *suite)
{
	struct raw_options options = {
		.key = key, .key_length = suite->key_bytes * suite->mode->n_keys, .length = UINT64_MAX
	};

	count_up(key, sizeof key, 0x30);
	options.have_iv = suite->mode->number == MODE_CTR;
	count_up(options.iv, 16, 0xf0);
	options.have_iv_start = suite->mode->number == MODE_XTS;
	options.iv_start = 7 << 8;
	return options;
}

static inline int run_fd(
        int fd, struct buffer *out, const struct suite *suite, const struct raw_options *options, bool pipe)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = 2 };
	struct source source;

	assert_ok(source_open(&source, fd, "in"));
	if (pipe)
		source.size_bytes = UINT64_MAX;
	return raw_crypt(&source, &out->sink, suite, &plan, options, NULL, NULL);
}

/* From a file, or as if its size were not known. */
static inline int run(struct buffer *out, const struct suite *suite, const struct raw_options *options,
        const uint8_t *bytes, size_t n_bytes, bool pipe)
{
	int fd = memory_file(bytes, n_bytes), status;

	*out = buffer_make();
	status = run_fd(fd, out, suite, options, pipe);
	kept_close(fd);
	return status;
}

static inline size_t libcrypto(
        const char *name, const uint8_t *iv, bool padding, uint8_t *out, const uint8_t *in, size_t n_bytes)
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

#endif
