/* Continuing a container: groups that verify stay unchanged, and all others get fresh salts. */
#include "tests/unit/containers.h"
#include "gpucrypt/container/parts/parts.h"

#include <sys/stat.h>

#define GROUP    4096
#define STRIDE   (4096 + GROUP)
#define N_GROUPS 40
#define N_BYTES  (N_GROUPS * GROUP - 100)

static struct run {
	int plain_fd, part_fd;
	uint8_t *plaintext, *before;
	size_t n_bytes; /* of before */
} run;

/* Start the part file, if it is empty or cannot be continued. */
static int start(struct source *source, struct source *part, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret)
{
	const struct start_parts one_run = { .count = 0 };
	struct authenticated_header header;
	const char *restart;
	int status = container_parts_check(&header, source, part, secret, one_run, &restart);

	if (status != GPUCRYPT_OK || restart == NULL)
		return status;
	assert_int_equal(ftruncate(part->fd, 0), 0);
	assert_ok(container_parts_start(source, part, plan, secret, one_run));
	return source_open(part, part->fd, part->name);
}

static int resume(const struct gpucrypt_secret *secret)
{
	struct gpucrypt_plan plan = plan_make("aes", "xts");
	struct source source, part;
	struct fd_sink sink;
	struct report report;
	int status;

	plan.threads = 4;
	lseek(run.plain_fd, 0, SEEK_SET);
	lseek(run.part_fd, 0, SEEK_SET);
	assert_ok(source_open(&source, run.plain_fd, "plain"));
	assert_ok(source_open(&part, run.part_fd, "part"));
	assert_ok(fd_sink_open(&sink, run.part_fd, "part"));
	fd_sink_allow_any_order(&sink);
	status = start(&source, &part, &plan, secret);
	return status != GPUCRYPT_OK ? status
	                             : container_resume(&source, &part, &sink.sink, &plan, secret, NULL, &report);
}

/* Room for the header only. */
struct small_sink {
	struct sink sink;
	struct sink *file;
};

static int write_header(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	struct small_sink *small = (struct small_sink *)self;

	if (offset >= 16384)
		return fail(GPUCRYPT_IO, "part: no space");
	return small->file->write(small->file, bytes, n_bytes, offset);
}

/* A run that failed on its way leaves the record that tells of the source. */
void test_set_up(void)
{
	struct gpucrypt_plan plan = plan_make("aes", "xts");
	struct fd_sink file;
	struct small_sink small = { { .write = write_header }, &file.sink };
	struct source source, part;
	struct report report;
	uint8_t record[8192];

	run.plaintext = plaintext_make(N_BYTES);
	run.plain_fd = memory_file(run.plaintext, N_BYTES);
	run.part_fd = memory_file(run.plaintext, 0);
	run.n_bytes = 16384 + N_GROUPS * 4096 + (N_BYTES + 15) / 16 * 16;
	run.before = kept_allocate(run.n_bytes);
	source_open(&source, run.plain_fd, "plain");
	source_open(&part, run.part_fd, "part");
	assert_ok(start(&source, &part, &plan, &a_secret));
	fd_sink_open(&file, run.part_fd, "part");
	assert_fails(container_resume(&source, &part, &small.sink, &plan, &a_secret, NULL, &report), GPUCRYPT_IO,
	        "part: no space");
	assert_int_equal(pread(run.part_fd, record, 8192, 8192), 8192);
}

static void assert_whole(void)
{
	struct stat there;

	assert_int_equal(fstat(run.part_fd, &there), 0);
	assert_int_equal(there.st_size, run.n_bytes);
	assert_holds(run.part_fd, run.plaintext, N_BYTES);
}

/* Every third group is damaged, in page or payload; the record is put back. */
TEST(damaged_groups)
{
	uint8_t record[8192], *after = kept_allocate(run.n_bytes), one;

	assert_int_equal(pread(run.part_fd, record, 8192, 8192), 8192);
	assert_ok(resume(&a_secret));
	assert_whole();
	assert_int_equal(pread(run.part_fd, run.before, run.n_bytes, 0), run.n_bytes);
	assert_int_equal(pwrite(run.part_fd, record, 8192, 8192), 8192);
	for (size_t i = 0; i < N_GROUPS; i += 3) {
		size_t at = 16384 + i * STRIDE + (i % 2 ? 40 : 4096 + 100);

		one = run.before[at] ^ 1;
		assert_int_equal(pwrite(run.part_fd, &one, 1, (off_t)at), 1);
	}
	assert_ok(resume(&a_secret));
	assert_whole();
	assert_int_equal(pread(run.part_fd, after, run.n_bytes, 0), run.n_bytes);
	for (size_t i = 0; i < N_GROUPS; i++) {
		size_t page = 16384 + i * STRIDE;
		bool fresh = i % 3 == 0;

		assert_int_equal(memcmp(after + page + 32, run.before + page + 32, 16) != 0, fresh);
		if (!fresh && i + 1 < N_GROUPS)
			assert_memory_equal(after + page, run.before + page, STRIDE);
	}
}

TEST(refused)
{
	static const uint8_t other_key[32] = { 9 };
	const struct gpucrypt_secret other = { .type = GPUCRYPT_KEY_FILE, .bytes = other_key, .length = 32 };

	assert_status(resume(&other), GPUCRYPT_NO_KEY);
	assert_int_equal(pwrite(run.plain_fd, "x", 1, 5), 1);
	futimens(run.plain_fd, (const struct timespec[2]){ { 1, 0 }, { 1, 0 } });
	assert_fails_about(resume(&a_secret), GPUCRYPT_IO, "plain: changed since part was started");
}
