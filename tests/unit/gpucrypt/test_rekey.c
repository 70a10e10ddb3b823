/* Containers under a new file key, in memory: what comes out, and what a failure of either side does. */
#include "tests/unit/containers.h"

#include "gpucrypt/bytes.h"
#include "gpucrypt/container/rekey.h"

#define N_BYTES 50000

static const uint8_t new_key[32] = { 9, 8, 7 };
static const struct gpucrypt_secret new_secret = { .type = GPUCRYPT_KEY_FILE, .bytes = new_key, .length = 32 };

/* On which engine; with groups of another size through memory, else group by group on the engine. */
static const struct way {
	const char *engine, *tags;
	unsigned group_log2;
} ways[] = { { "cpu", NULL, 14 }, { "cpu", NULL, 12 }, { "opencl", "device", 12 }, { "opencl", "host", 12 } };

static struct gpucrypt_plan plan_of(const struct way *way, const char *cipher, const char *mode)
{
	struct gpucrypt_plan plan = plan_make(cipher, mode);

	plan.engine = value_of(&engine_names, way->engine);
	plan.or_cpu = true;
	plan.device = strcmp(way->engine, "opencl") == 0;
	plan.tags = value_of(&tag_place_names, way->tags);
	plan.group_log2 = way->group_log2;
	plan.threads = 2;
	return plan;
}

static struct authenticated_header old; /* of the last container that was rekeyed */

static int rekey(const struct buffer *in, struct sink *sink, const struct way *way, const char *cipher,
        const char *mode, const struct gpucrypt_secret *with)
{
	struct gpucrypt_plan decrypt = { .engine = GPUCRYPT_CPU,
		.tags = value_of(&tag_place_names, way->tags),
		.threads = 2 },
	                     encrypt = plan_of(way, cipher, mode);
	struct source source;
	struct rekey terms = { .source = &source,
		.sink = sink,
		.decrypt = &decrypt,
		.encrypt = &encrypt,
		.secret = with,
		.secrets = &new_secret };

	assert_ok(source_open(&source, memory_file(in->bytes, in->n_bytes), "x.gcr"));
	return container_rekey(&terms, &old, NULL);
}

static struct buffer container(size_t n_bytes, const char *const suite[2], uint8_t **plain)
{
	const struct gpucrypt_plan plan = plan_make(suite[0], suite[1]);

	*plain = plaintext_make(n_bytes);
	return encrypt_bytes(&plan, *plain, n_bytes);
}

static const char *const suites[][2] = { { "aes", "ctr" }, { "camellia", "xts" }, { "sc2000", "ecb" },
	{ "aes", "xts" } };

/* Rekey a container, then check that the old secret no longer opens it. */
static void check_new(const struct buffer *out, const uint8_t *plain, size_t n)
{
	struct buffer back = buffer_make();
	struct examined_header made;
	int fd = memory_file(out->bytes, out->n_bytes);

	assert_int_equal(old.slot, 0);
	assert_ok(header_examine(&made, out->bytes));
	assert_int_equal(made.unauthenticated.plaintext_bytes, n);
	assert_memory_not_equal(made.unauthenticated.file_salt, old.header.file_salt, SALT_BYTES);
	assert_ok(decrypt_fd(fd, &back, &new_secret, NULL));
	assert_bytes(&back, plain, n);
	assert_ok(decrypt_fd(fd, NULL, &new_secret, NULL));
	assert_status(decrypt_fd(fd, NULL, &a_secret, NULL), GPUCRYPT_NO_KEY);
}

static void try_one(size_t n, const char *const from[2], const char *const to[2], const struct way *way)
{
	struct buffer out = buffer_make();
	uint8_t *plain;
	struct buffer in = container(n, from, &plain);

	assert_ok(rekey(&in, &out.sink, way, to[0], to[1], &a_secret));
	check_new(&out, plain, n);
}

/* Sizes around those of both containers' groups; from every suite and to every suite. */
TEST(same_plaintext)
{
	static const size_t sizes[] = { 0, 1, 4095, 4096, 4097, 16383, 16384, 16385, N_BYTES };

	for (size_t i = 0; i < N_OF(sizes) * N_OF(suites) * 2; i++)
		try_one(sizes[i / 2 / N_OF(suites)], suites[(i / 2 + i / 8) % N_OF(suites)],
		        suites[i / 2 % N_OF(suites)], &ways[i % 2]);
	/* Opening a device takes longer. */
	for (size_t i = 0; i < N_OF(suites); i++)
		try_one(sizes[(i * 5 + 8) % N_OF(sizes)], suites[(i + i / 4) % N_OF(suites)], suites[i % N_OF(suites)],
		        &ways[2 + i % 2]);
}

static bool zero(const struct buffer *container, unsigned group, size_t from, size_t n)
{
	return all_zero(container->bytes + PAGES_START + group * (PAGE_BYTES + 16384) + PAGE_BYTES + from, n);
}

/* Holes stay holes, but where plaintext goes through memory: there they become chunks like others. */
TEST(holes)
{
	struct gpucrypt_plan sparse = plan_make("aes", "xts");
	uint8_t *plain = plaintext_make(N_BYTES);

	sparse.sparse = true;
	sparse.group_log2 = 14;
	memset(plain + 4096, 0, 4096);             /* inside a group */
	memset(plain + 16384, 0, 16384);           /* a whole one */
	memset(plain + 45056, 0, N_BYTES - 45056); /* the end, with padding */
	for (size_t i = 0; i < N_OF(ways); i++) {
		struct buffer in = encrypt_bytes(&sparse, plain, N_BYTES), out = buffer_make();
		struct way way = ways[i];

		assert_true(zero(&in, 0, 4096, 4096));
		way.group_log2 = i == 0 ? 12 : 14;
		assert_ok(rekey(&in, &out.sink, &way, "camellia", i % 2 ? "ctr" : "xts", &a_secret));
		check_new(&out, plain, N_BYTES);
		for (size_t at = 0; at < 16384 && i > 0; at += 4096) {
			assert_true(zero(&out, 0, at, 4096) == (at == 4096));
			assert_true(zero(&out, 1, at, 4096));
			assert_true(zero(&out, 2, at, 4096) == (at == 12288));
		}
	}
}

/* Groups that the CPU reads and computes in several pieces; a hole across two of them, and padding. */
TEST(several_pieces)
{
	const size_t n = (1 << 19) + (1 << 18) + 5;
	const struct way way = { "cpu", NULL, 19 };
	struct gpucrypt_plan plan = plan_make("aes", "ecb");
	uint8_t *plain = plaintext_make(n);
	struct buffer in, out = buffer_make(), none = buffer_make();

	plan.group_log2 = 19;
	plan.sparse = true;
	memset(plain + (200 << 10), 0, 100 << 10);
	in = encrypt_bytes(&plan, plain, n);
	assert_ok(rekey(&in, &out.sink, &way, "aes", "xts", &a_secret));
	check_new(&out, plain, n);
	in.bytes[PAGES_START + PAGE_BYTES + (400 << 10)] ^= 1;
	assert_fails_about(rekey(&in, &none.sink, &way, "aes", "xts", &a_secret), GPUCRYPT_CORRUPT, "is damaged");
	assert_int_equal(none.n_bytes, PAGES_START);
}

/* The status and text are those of the damage, not of what came of it; of the new container there are no
 * more than the groups before. */
static void check_damage(struct buffer *from, size_t at, const struct way *way)
{
	struct buffer out = buffer_make();
	size_t good = (at - PAGES_START) / (PAGE_BYTES + 4096);

	from->bytes[at] ^= 1;
	assert_fails_about(
	        rekey(from, &out.sink, way, "aes", "ctr", &a_secret), GPUCRYPT_CORRUPT, "x.gcr: corrupt at byte");
	if (way->group_log2 == 12)
		assert_int_equal(out.n_bytes, PAGES_START + good * (PAGE_BYTES + 4096));
	assert_true(out.n_bytes < from->n_bytes - PAGE_BYTES);
	from->bytes[at] ^= 1;
}

TEST(damaged_source)
{
	uint8_t *plain;
	struct buffer from = container(N_BYTES, suites[1], &plain);
	size_t payload = PAGES_START + 5 * (PAGE_BYTES + 4096) + PAGE_BYTES + 77;

	for (size_t at = PAGES_START + 100; at < from.n_bytes; at += 3333)
		for (size_t i = 0; i < 2; i++)
			check_damage(&from, at, &ways[i]);
	/* A chunk in the middle, its tag, and the last chunk. */
	for (size_t i = 2; i < N_OF(ways); i++)
		check_damage(&from, payload, &ways[i]);
	check_damage(&from, payload - PAGE_BYTES + 130 - 77, &ways[2]);
	check_damage(&from, from.n_bytes - 1, &ways[2]);
}

/* An owner of the key can sign padding that is not zero. */
TEST(wrong_padding)
{
	struct gpucrypt_plan plan = plan_make("aes", "ecb");
	uint8_t *plain = plaintext_make(4096 + 21);

	plan.group_log2 = 13;
	plain[4096 + 20] = 1;
	for (size_t i = 0; i < N_OF(ways); i++) {
		struct way way = ways[i];
		struct buffer out = buffer_make();
		struct group_keys keys;
		struct forge forge;
		struct page page;

		way.group_log2 = i == 0 ? 12 : 13;
		forge_open(&forge, encrypt_bytes(&plan, plain, 4096 + 21));
		forge_load(&forge, 0, &page, &keys);
		page.n_bytes--;
		forge_store(&forge, 0, &page, &keys);
		assert_fails_about(rekey(&forge.container, &out.sink, &way, "aes", i % 2 ? "xts" : "ctr", &a_secret),
		        GPUCRYPT_CORRUPT, "padding");
		assert_int_equal(out.n_bytes, PAGES_START);
	}
}
