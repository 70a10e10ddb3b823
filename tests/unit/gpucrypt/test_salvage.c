/* Salvage from a medium with bytes that cannot be read.  All else: tests/cli/files/salvage.sh, by the rule in Python.
 */
#include "tests/unit/containers.h"

#include "gpucrypt/container/container.h"

#define GROUP 8192
#define TOTAL (2 * GROUP + 100)

static struct source good;
static uint64_t bad_from, bad_to;

static int read_medium_at(struct source *self, uint8_t *bytes, size_t n_bytes, uint64_t offset, size_t *got)
{
	(void)self;
	if (offset < bad_to && offset + n_bytes > bad_from)
		return fail(GPUCRYPT_IO, "x.gcr: cannot be read");
	return good.class->read_at(&good, bytes, n_bytes, offset, got);
}

static const struct source_class medium_class = { .read = source_read_next, .read_at = read_medium_at };

static void keep_first(void *self, const struct damage *damage)
{
	struct damage *first = self;

	if (first->reason == NULL)
		*first = *damage;
}

/* The chunk, or the chunks of the page, are zeros, and all others come out. */
static void check_unreadable(uint64_t from, uint64_t to, uint64_t offset, uint64_t n_bytes)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = 1 };
	struct gpucrypt_plan making = plan_make("aes", "ctr");
	uint8_t *plaintext = plaintext_make(TOTAL);
	struct buffer container, plain = buffer_make();
	struct salvaged salvaged;
	struct source medium;
	struct damage damage = { .reason = NULL };
	struct report report;

	making.group_log2 = 13;
	container = encrypt_bytes(&making, plaintext, TOTAL);
	assert_ok(source_open(&good, memory_file(container.bytes, container.n_bytes), "x.gcr"));
	medium = good;
	medium.class = &medium_class;
	bad_from = from;
	bad_to = to;
	assert_ok(container_salvage(
	        &medium, &plain.sink, &plan, &a_secret, NULL, &report, &salvaged, keep_first, &damage));
	assert_int_equal(damage.offset, offset);
	assert_int_equal(damage.n_bytes, n_bytes);
	assert_string_equal(damage.reason, "cannot be read");
	assert_int_equal(salvaged.good_bytes, TOTAL - n_bytes);
	memset(plaintext + offset, 0, n_bytes);
	assert_bytes(&plain, plaintext, TOTAL);
}

TEST(unreadable)
{
	check_unreadable(16384 + 4096 + 4096, 16384 + 4096 + 4097, 4096, 4096);
	check_unreadable(16384 + 4096 + GROUP, 16384 + 2 * 4096 + GROUP, GROUP, GROUP);
}
