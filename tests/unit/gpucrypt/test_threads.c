/* Several readers, lanes and taggers at once, and what goes wrong meanwhile: for
 * ThreadSanitizer (`make check-tsan`), and for the results. */
#include "tests/unit/raw_runs.h"

#define GROUP    4096
#define N_GROUPS 100
#define N_BYTES  ((size_t)N_GROUPS * GROUP + 5)

static const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = 4, .chunk_log2 = 12, .group_log2 = 12 };

struct counted {
	struct gpucrypt_progress progress;
	uint64_t done_bytes;
};

static int count(void *self, uint64_t done_bytes, uint64_t total_bytes)
{
	struct counted *counted = self;

	(void)total_bytes;
	counted->done_bytes = done_bytes;
	return 0;
}

/* From file to file, from and to memory files; the source may be said to be longer or
 * shorter than it is. */
static int container_run(bool encrypts, int in, int out, int64_t size_error)
{
	struct counted counted = { { count, &counted }, 0 };
	struct source source;
	struct fd_sink sink;
	struct report report;
	int status;

	fail_clear();
	lseek(in, 0, SEEK_SET);
	source_open(&source, in, "in");
	source.size_bytes += (uint64_t)size_error;
	fd_sink_open(&sink, out, "out");
	fd_sink_allow_any_order(&sink);
	status = (encrypts ? container_encrypt : container_decrypt)(
	        &source, &sink.sink, &plan, &a_secret, &counted.progress, &report);
	if (status == GPUCRYPT_OK)
		assert_true(report.plaintext_bytes > 0 && counted.done_bytes >= N_BYTES);
	return status;
}

static void assert_same(int fd, const uint8_t *bytes, size_t n_bytes)
{
	uint8_t *got = kept_allocate(n_bytes + 1);

	assert_int_equal(pread(fd, got, n_bytes + 1, 0), n_bytes);
	assert_memory_equal(got, bytes, n_bytes);
}

TEST(there_and_back)
{
	uint8_t *bytes = plaintext_make(N_BYTES);

	for (unsigned i = 0; i < 5; i++) {
		int in = memory_file(bytes, N_BYTES), container = memory_file(bytes, 0), out = memory_file(bytes, 0);

		assert_ok(container_run(true, in, container, 0));
		assert_ok(container_run(false, container, out, 0));
		assert_same(out, bytes, N_BYTES);
	}
}

/* Damage in the midst, with other groups in flight before and behind. */
TEST(damage)
{
	uint8_t *bytes = plaintext_make(N_BYTES), flipped;
	int in = memory_file(bytes, N_BYTES), container = memory_file(bytes, 0);

	assert_ok(container_run(true, in, container, 0));
	for (off_t group = 3; group < N_GROUPS; group += 24) {
		off_t at = PAGES_START + group * (PAGE_BYTES + GROUP) + PAGE_BYTES + 7;
		int out = memory_file(bytes, 0);

		assert_int_equal(pread(container, &flipped, 1, at), 1);
		flipped ^= 1;
		assert_int_equal(pwrite(container, &flipped, 1, at), 1);
		assert_status(container_run(false, container, out, 0), GPUCRYPT_CORRUPT);
		flipped ^= 1;
		assert_int_equal(pwrite(container, &flipped, 1, at), 1);
	}
}

/* Files that are longer or shorter than they were: many readers find out at the same time. */
TEST(source_changes)
{
	static const int64_t by[] = { 1, GROUP, 40 * GROUP, -1, -GROUP, -40 * GROUP };
	struct suite suite = suite_make("aes", "ctr", 128, ENCRYPT);
	struct raw_options options = options_make(&suite);
	uint8_t *bytes = plaintext_make(N_BYTES);
	int in = memory_file(bytes, N_BYTES);

	for (size_t i = 0; i < N_OF(by) * 4; i++) {
		int out = memory_file(bytes, 0);
		struct buffer raw = buffer_make();
		struct source source;

		assert_status(container_run(true, in, out, by[i / 4]), GPUCRYPT_IO);
		assert_memory_equal(gpucrypt_error(), "in: it ", 7);
		fail_clear();
		lseek(in, 0, SEEK_SET);
		source_open(&source, in, "in");
		source.size_bytes += (uint64_t)by[i / 4] << 11; /* in segments */
		if ((int64_t)source.size_bytes > 0) {
			assert_status(raw_crypt(&source, &raw.sink, &suite, &plan, &options, NULL, NULL), GPUCRYPT_IO);
			assert_memory_equal(gpucrypt_error(), "in: it ", 7);
		}
	}
}
