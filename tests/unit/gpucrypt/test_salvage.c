/* Salvage of what the scenarios cannot make: holes, and pages that are authentic but wrong. */
#include "tests/unit/containers.h"

#include "gpucrypt/container/salvage.h"

#define GROUP 8192
#define TOTAL (2 * GROUP + 100)

struct damages_seen {
	struct salvaged salvaged;
	struct damage damages[8];
	unsigned n;
};

static void visit(void *self, const struct damage *damage)
{
	struct damages_seen *seen = self;

	assert_true(seen->n < N_OF(seen->damages));
	seen->damages[seen->n++] = *damage;
}

static struct buffer salvage_source(struct source *from, struct damages_seen *seen)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = 1 };
	struct buffer plain = buffer_make();
	struct report report;

	*seen = (struct damages_seen){ 0 };
	assert_ok(container_salvage(from, &plain.sink, &plan, &a_secret, NULL, &report, &seen->salvaged, visit, seen));
	assert_int_equal(seen->salvaged.n_damages, seen->n);
	assert_int_equal(plain.n_bytes, TOTAL);
	assert_string_equal(gpucrypt_error(), "");
	return plain;
}

static struct buffer salvage(const struct forge *forge, struct damages_seen *seen)
{
	int fd = memory_file(forge->container.bytes, forge->container.n_bytes);
	struct buffer plain;
	struct source source;

	assert_ok(source_open(&source, fd, "x.gcr"));
	plain = salvage_source(&source, seen);
	return plain;
}

/* A medium with bytes that cannot be read. */
struct bad_medium {
	struct source source, good, bad;
	uint64_t from, to;
};

static int read_medium_at(struct source *self, uint8_t *bytes, size_t n_bytes, uint64_t offset, size_t *got)
{
	struct bad_medium *medium = (struct bad_medium *)self;
	bool bad = offset < medium->to && offset + n_bytes > medium->from;
	struct source *source = bad ? &medium->bad : &medium->good;

	return source->class->read_at(source, bytes, n_bytes, offset, got);
}

static const struct source_class medium_class = { .read = source_read_next, .read_at = read_medium_at };

static uint8_t *make(struct forge *forge, const char *mode)
{
	struct gpucrypt_plan plan = plan_make("aes", mode);
	uint8_t *plaintext = plaintext_make(TOTAL);

	plan.group_log2 = 13;
	memset(plaintext + 4096, 0, 4096);
	forge_open(forge, encrypt_bytes(&plan, plaintext, TOTAL));
	return plaintext;
}

/* The second chunk of group 0 becomes a hole, then one that is not zero. */
TEST(holes)
{
	struct forge forge;
	uint8_t *plaintext = make(&forge, "ctr"), *stored = forge_page_bytes(&forge, 0) + 4096;
	struct damages_seen seen;
	struct buffer plain;

	forge_hole(&forge, 1, 4096);
	forge_root(&forge, 2);
	plain = salvage(&forge, &seen);
	assert_int_equal(seen.n, 0);
	assert_int_equal(seen.salvaged.good_bytes, TOTAL);
	assert_memory_equal(plain.bytes, plaintext, TOTAL);
	stored[5000] = 1;
	plain = salvage(&forge, &seen);
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.damages[0].offset, 4096);
	assert_int_equal(seen.damages[0].n_bytes, 4096);
	assert_memory_equal(plain.bytes, plaintext, TOTAL);
	/* A metadata page that is not authentic makes no holes and proves no chunk. */
	forge_page_bytes(&forge, 0)[4095] ^= 1;
	stored[5000] = 0;
	plain = salvage(&forge, &seen);
	assert_int_equal(seen.salvaged.good_bytes, TOTAL - GROUP);
	assert_int_equal(seen.damages[0].offset, 0);
	assert_int_equal(seen.damages[0].n_bytes, GROUP);
}

/* The final flag in the midst, or nowhere: reported, and every byte comes out. */
TEST(strange_pages)
{
	struct forge forge;
	uint8_t *plaintext = make(&forge, "xts");
	struct group_keys keys;
	struct page page;
	struct damages_seen seen;
	struct buffer plain;

	forge_load(&forge, 1, &page, &keys);
	page.flags |= PAGE_FINAL;
	forge_store(&forge, 1, &page, &keys);
	forge_root(&forge, 2);
	plain = salvage(&forge, &seen);
	assert_int_equal(seen.n, 1);
	assert_string_equal(seen.damages[0].reason, "a final page is before the end");
	assert_memory_equal(plain.bytes, plaintext, TOTAL);
	forge_load(&forge, 2, &page, &keys);
	page.flags = 0;
	page.n_bytes = GROUP;
	memset(page.root, 0, sizeof page.root);
	forge_store(&forge, 2, &page, &keys);
	plain = salvage(&forge, &seen);
	assert_string_equal(seen.damages[seen.n - 1].reason, "the final page is missing");
	assert_memory_equal(plain.bytes, plaintext, TOTAL);
}

/* The chunk, or the chunks of the page, are zeros, and all others come out. */
TEST(unreadable)
{
	static const struct {
		uint64_t from, to, offset, n_bytes;
		const char *reason;
	} cases[] = {
		{ 16384 + 4096 + 4096, 16384 + 4096 + 4097, 4096, 4096, "cannot be read" },
		{ 16384 + 4096 + GROUP, 16384 + 2 * 4096 + GROUP, GROUP, GROUP, "cannot be read" },
	};
	struct forge forge;
	uint8_t *plaintext = make(&forge, "ctr");

	for (size_t i = 0; i < N_OF(cases); i++) {
		int fd = memory_file(forge.container.bytes, forge.container.n_bytes);
		struct bad_medium medium = { .from = cases[i].from, .to = cases[i].to };
		struct buffer plain;
		struct damages_seen seen;

		assert_ok(source_open(&medium.good, fd, "x.gcr"));
		medium.source = medium.bad = medium.good;
		medium.bad.fd = -1;
		medium.source.class = &medium_class;
		plain = salvage_source(&medium.source, &seen);
		assert_int_equal(seen.damages[0].offset, cases[i].offset);
		assert_int_equal(seen.damages[0].n_bytes, cases[i].n_bytes);
		assert_string_equal(seen.damages[0].reason, cases[i].reason);
		assert_int_equal(seen.salvaged.good_bytes, TOTAL - cases[i].n_bytes);
		memset(plaintext + cases[i].offset, 0, cases[i].n_bytes);
		assert_memory_equal(plain.bytes, plaintext, TOTAL);
		plaintext = plaintext_make(TOTAL);
		memset(plaintext + 4096, 0, 4096);
	}
}
