/* Ranges of a container's plaintext: every border of chunks and groups, the bytes read, the proven length, and rejected
 * ranges. */
#include "tests/unit/containers.h"

#include "gpucrypt/container/container.h"

#define CHUNK 4096u
#define GROUP 16384u
#define N     (3 * GROUP + 5000u)

static struct buffer container(const char *cipher, const char *mode, const uint8_t *plain, size_t n)
{
	struct gpucrypt_plan plan = plan_make(cipher, mode);

	plan.group_log2 = 14;
	return encrypt_bytes(&plan, plain, n);
}

static struct report report;

static int read_range(int fd, uint64_t offset, uint64_t n_bytes, struct buffer *out)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = 2 };
	const struct range range = { offset, n_bytes };
	struct source source;

	out->n_bytes = 0;
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_ok(source_open(&source, fd, "x.gcr"));
	return container_range(&source, &out->sink, &range, &plan, &a_secret, NULL, &report);
}

static void assert_range(int fd, const uint8_t *plain, uint64_t offset, uint64_t n_bytes)
{
	struct buffer out = buffer_make();

	assert_ok(read_range(fd, offset, n_bytes, &out));
	assert_bytes(&out, plain + offset, n_bytes);
	assert_int_equal(report.plaintext_bytes, n_bytes);
	buffer_free(&out);
}

TEST(borders)
{
	static const char *const suites[][2] = { { "aes", "ctr" }, { "camellia", "xts" }, { "sc2000", "ecb" } };
	static const uint64_t at[] = { 0, 1, 15, 16, CHUNK - 1, CHUNK, CHUNK + 1, GROUP - 1, GROUP, GROUP + 1,
		2 * GROUP + CHUNK, 3 * GROUP - 1, 3 * GROUP, 3 * GROUP + 1, N - 1, N };
	uint8_t *plain = plaintext_make(N);

	for (size_t s = 0; s < N_OF(suites); s++) {
		struct buffer made = container(suites[s][0], suites[s][1], plain, N);
		int fd = memory_file(made.bytes, made.n_bytes);

		for (size_t from = 0; from < N_OF(at); from++)
			for (size_t to = from; to < N_OF(at); to++)
				assert_range(fd, plain, at[from], at[to] - at[from]);
	}
}

/* A final page in the middle, and one that is none at the end, both with right MACs. */
TEST(forged_final)
{
	uint8_t *plain = plaintext_make(4 * GROUP);
	struct buffer out = buffer_make();

	for (uint64_t group = 1; group < 4; group += 2) {
		struct group_keys keys;
		struct forge forge;
		struct page page;
		int fd;

		forge_open(&forge, container("aes", "ctr", plain, 4 * GROUP));
		forge_load(&forge, group, &page, &keys);
		page.flags ^= PAGE_FINAL;
		memset(page.root, 0, sizeof page.root);
		forge_store(&forge, group, &page, &keys);
		fd = memory_file(forge.container.bytes, forge.container.n_bytes);
		assert_status(read_range(fd, GROUP, 10, &out), GPUCRYPT_CORRUPT);
		assert_int_equal(out.n_bytes, 0);
	}
}
