/* Containers that are as they should be: every size and suite, pipes and files, slots, reports. */
#include "tests/unit/containers.h"

#include <openssl/evp.h>
#include <pthread.h>

#include "gpucrypt/bytes.h"

static void check_round_trip(const struct gpucrypt_plan *plan, const uint8_t *plaintext, size_t n)
{
	struct buffer container = encrypt_bytes(plan, plaintext, n), plain = buffer_make();
	bool whole = plan->mode != GPUCRYPT_CTR;
	size_t group = (size_t)1 << plan->group_log2;
	size_t n_groups = n == 0 ? 1 : (n + group - 1) / group;
	size_t stored = whole ? (n + 15) / 16 * 16 : n;

	assert_int_equal(container.n_bytes, 16384 + n_groups * 4096 + stored);
	assert_int_equal(load_le64(container.bytes + 24), n);
	assert_ok(decrypt(container.bytes, container.n_bytes, &plain));
	assert_bytes(&plain, plaintext, n);
	assert_ok(verify(container.bytes, container.n_bytes));
	buffer_free(&plain);
	buffer_free(&container);
}

TEST(sizes)
{
	static const char *const modes_[] = { "ctr", "xts", "ecb" };
	static const size_t edges[] = { 0, 1, 15, 16, 17, 4095, 4096, 4097, 16383, 16384, 16385, 3 * 16384,
		3 * 16384 + 5 };
	uint8_t *plaintext = plaintext_make(4 * 16384);

	for (size_t m = 0; m < N_OF(modes_); m++) {
		struct gpucrypt_plan plan = plan_make("aes", modes_[m]);

		plan.group_log2 = 14;
		plan.threads = 3;
		for (size_t i = 0; i < N_OF(edges); i++)
			check_round_trip(&plan, plaintext, edges[i]);
	}
}

/* More groups than slots, so that the padding of the last one lies where another group was. */
TEST(suites)
{
	static const char *const ciphers_[] = { "aes", "camellia", "sc2000" };
	static const char *const modes_[] = { "ctr", "xts", "ecb" };
	uint8_t *plaintext = plaintext_make(40005);

	for (unsigned i = 0; i < 27; i++) {
		struct gpucrypt_plan plan = plan_make(ciphers_[i / 9], modes_[i / 3 % 3]);

		plan.key_bits = 128 + i % 3 * 64;
		check_round_trip(&plan, plaintext, 40005);
	}
}

/* Groups of the default size, several workers. */
TEST(default_sizes)
{
	size_t n = ((size_t)33 << 20) + 5;
	uint8_t *plaintext = plaintext_make(n);
	struct gpucrypt_plan plan = { .mode = GPUCRYPT_CTR, .engine = GPUCRYPT_CPU, .threads = 4 };
	struct buffer container = encrypt_bytes(&plan, plaintext, n), plain = buffer_make();

	assert_int_equal(container.bytes[16], 17);
	assert_int_equal(container.bytes[17], 23);
	assert_int_equal(container.n_bytes, 16384 + 5 * 4096 + n);
	assert_ok(decrypt(container.bytes, container.n_bytes, &plain));
	assert_bytes(&plain, plaintext, n);
}

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

struct feed {
	int fd;
	const uint8_t *bytes;
	size_t n_bytes, step;
};

static void *feed(void *argument)
{
	struct feed *feed = argument;

	for (size_t done = 0; done < feed->n_bytes;) {
		size_t left = feed->n_bytes - done;
		ssize_t n = write(feed->fd, feed->bytes + done, left < feed->step ? left : feed->step);

		if (n < 0)
			break;
		done += (size_t)n;
	}
	close(feed->fd);
	return NULL;
}

/* A pipe that gives step bytes at a time. */
static int pipe_of(struct feed *from, pthread_t *thread)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	from->fd = ends[1];
	assert_int_equal(pthread_create(thread, NULL, feed, from), 0);
	return ends[0];
}

TEST(pipes)
{
	size_t n = 3 * 4096 + 5;
	uint8_t *plaintext = plaintext_make(n);
	struct gpucrypt_plan plan = plan_make("aes", "xts");
	struct buffer container = buffer_make(), plain = buffer_make();
	struct feed in = { .bytes = plaintext, .n_bytes = n, .step = 1000 }, back;
	struct source source;
	pthread_t thread;
	int fd = pipe_of(&in, &thread);

	assert_ok(source_open(&source, fd, "pipe"));
	assert_true(source.size_bytes == UINT64_MAX);
	assert_ok(container_encrypt(&source, &container.sink, &plan, &a_secret, NULL, NULL));
	pthread_join(thread, NULL);
	assert_int_equal(container.n_bytes, 16384 + 4 * 4096 + 3 * 4096 + 16);
	assert_true(load_le64(container.bytes + 24) == UINT64_MAX);
	back = (struct feed){ .bytes = container.bytes, .n_bytes = container.n_bytes, .step = 7001 };
	fd = pipe_of(&back, &thread);
	assert_ok(decrypt_fd(fd, &plain, &a_secret, NULL));
	pthread_join(thread, NULL);
	assert_bytes(&plain, plaintext, n);
}

struct groups_seen {
	const struct buffer *container;
	const uint8_t *plaintext;
	uint64_t n;
};

/* libcrypto alone decrypts the payload with the reported keys. */
static int open_with_libcrypto(void *self, const struct group_report *group)
{
	struct groups_seen *seen = self;
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	uint8_t plain[4096];
	int n = 0;

	assert_int_equal(group->key_bytes, 24);
	EVP_DecryptInit_ex(context, EVP_aes_192_ctr(), NULL, group->key, group->iv);
	EVP_DecryptUpdate(context, plain, &n, seen->container->bytes + group->offset, (int)group->n_bytes);
	assert_memory_equal(plain, seen->plaintext + 4096 * group->group, group->n_bytes);
	EVP_CIPHER_CTX_free(context);
	seen->n++;
	return GPUCRYPT_OK;
}

TEST(groups)
{
	struct gpucrypt_plan plan = plan_make("aes", "ctr");
	uint8_t *plaintext = plaintext_make(9000);
	struct buffer container;
	struct groups_seen seen = { &container, plaintext, 0 };
	struct source source;
	int fd;

	plan.key_bits = 192;
	container = encrypt_bytes(&plan, plaintext, 9000);
	fd = memory_file(container.bytes, container.n_bytes);
	assert_ok(source_open(&source, fd, "x.gcr"));
	assert_ok(container_groups(&source, &a_secret, UINT64_MAX, open_with_libcrypto, &seen));
	assert_int_equal(seen.n, 3);
	assert_ok(container_groups(&source, &a_secret, 2, open_with_libcrypto, &seen));
	assert_int_equal(seen.n, 4);
	assert_status(container_groups(&source, &a_secret, 3, open_with_libcrypto, &seen), GPUCRYPT_USAGE);
}

/* Up to eight secrets get a slot each. */
TEST(several_secrets)
{
	const struct gpucrypt_plan plan = plan_make("aes", "ctr");
	uint8_t keys[9][32] = { { 0 } };
	struct gpucrypt_secret secrets[9];
	struct source source;

	for (unsigned n = 1; n <= 9; n++) {
		struct buffer container = buffer_make();
		int fd = memory_file(keys[0], sizeof keys[0]);

		for (unsigned i = 0; i < n; i++) {
			keys[i][0] = (uint8_t)(i + 1);
			secrets[i] = (struct gpucrypt_secret){ .type = GPUCRYPT_KEY_FILE,
				.bytes = keys[i],
				.length = 32,
				.next = i + 1 < n ? &secrets[i + 1] : NULL };
		}
		assert_ok(source_open(&source, fd, "plain"));
		assert_status(container_encrypt(&source, &container.sink, &plan, secrets, NULL, NULL),
		        n <= N_KEY_SLOTS ? GPUCRYPT_OK : GPUCRYPT_USAGE);
		for (unsigned i = 0; i < n && n <= N_KEY_SLOTS; i++) {
			fd = memory_file(container.bytes, container.n_bytes);
			assert_ok(decrypt_fd(fd, NULL, &secrets[i], NULL));
			assert_status(decrypt_fd(fd, NULL, &a_secret, NULL), GPUCRYPT_NO_KEY);
		}
		assert_true(n <= N_KEY_SLOTS || container.n_bytes == 0);
	}
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

/* A passphrase as writers use it: scrypt at the default cost. */
TEST(passphrase)
{
	const struct gpucrypt_secret secret = { .type = GPUCRYPT_PASSPHRASE, .bytes = a_key, .length = 3 };
	int in = memory_file(a_key, 32), out = memory_file(NULL, 0);

	assert_ok(gpucrypt_encrypt(FROM(in), TO(out), NULL, &secret, NULL));
	lseek(out, 0, SEEK_SET);
	assert_ok(gpucrypt_verify(FROM(out), NULL, &secret, NULL));
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
