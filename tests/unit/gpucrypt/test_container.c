/* Containers in memory: salts, a header that is unlocked once, and limits of a plan.  Sizes, suites, pipes and forged
 * containers: tests/model/run, tests/cli/files. */
#include "tests/unit/containers.h"

/* No key, salt or IV is used twice, for the same plaintext either. */
TEST(fresh_salts)
{
	struct gpucrypt_plan plan = plan_make("aes", "ctr");
	uint8_t zeros[8192] = { 0 };
	struct buffer a = encrypt_bytes(&plan, zeros, sizeof zeros), b = encrypt_bytes(&plan, zeros, sizeof zeros);

	assert_memory_not_equal(a.bytes + 32, b.bytes + 32, 32);
	assert_memory_not_equal(a.bytes + 16384 + 32, a.bytes + 16384 + 8192 + 32, 16);
	assert_memory_not_equal(a.bytes + 16384 + 4096, a.bytes + 16384 + 8192 + 4096, 4096);
	assert_memory_not_equal(a.bytes + 16384 + 4096, b.bytes + 16384 + 4096, 4096);
}

/* A header is unlocked once: its result serves for the same bytes and the same secret, and for nothing else. */
TEST(unlocked_once)
{
	uint8_t key[32];
	struct gpucrypt_secret secret = { .type = GPUCRYPT_KEY_FILE, .bytes = key, .length = sizeof key },
	                       other = secret;
	struct buffer container = encrypt_bytes(&(struct gpucrypt_plan){ 0 }, a_key, sizeof a_key);
	struct unlocked unlocked = { .secret = &secret, .copies = container.bytes };
	struct authenticated_header header;
	struct file_keys keys;
	struct source source;
	uint8_t changed[2 * HEADER_COPY_BYTES];

	memcpy(key, a_secret.bytes, sizeof key);
	source_open_memory(&source, container.bytes, container.n_bytes, container.n_bytes);
	assert_ok(container_unlock(&source, &unlocked.header, &unlocked.keys, &secret));
	memset(key, 0, sizeof key); /* opens nothing any more */
	source_rewind(&source);
	assert_status(container_unlock(&source, &header, &keys, &secret), GPUCRYPT_NO_KEY);
	source.unlocked = &unlocked;
	source_rewind(&source);
	assert_ok(container_unlock(&source, &header, &keys, &secret));
	assert_memory_equal(&keys, &unlocked.keys, sizeof keys);
	assert_memory_equal(header.bytes, unlocked.header.bytes, sizeof header.bytes);
	source_rewind(&source);
	assert_status(container_unlock(&source, &header, &keys, &other), GPUCRYPT_NO_KEY);
	memcpy(changed, container.bytes, sizeof changed);
	changed[sizeof changed - 1] ^= 1;
	unlocked.copies = changed;
	source_rewind(&source);
	assert_status(container_unlock(&source, &header, &keys, &secret), GPUCRYPT_NO_KEY);
	buffer_free(&container);
}

TEST(plan_limits)
{
	static const struct {
		unsigned chunk, group;
		bool valid;
	} cases[] = { { 11, 12, false }, { 21, 22, false }, { 13, 12, false }, { 12, 20, false }, { 20, 27, false },
		{ 12, 19, true }, { 0, 12, true }, { 12, 0, true }, { 0, 26, true }, { 0, 11, false } };

	for (size_t i = 0; i < N_OF(cases); i++) {
		struct gpucrypt_options options = { plan_make("aes", "ctr") };
		int in = memory_file(a_key, 32), out = memory_file(NULL, 0);

		options.plan.chunk_log2 = cases[i].chunk;
		options.plan.group_log2 = cases[i].group;
		assert_status(gpucrypt_encrypt(FROM(in), TO(out), &options, &a_secret, NULL),
		        cases[i].valid ? GPUCRYPT_OK : GPUCRYPT_USAGE);
		if (!cases[i].valid)
			assert_int_equal(lseek(out, 0, SEEK_END), 0);
	}
}
