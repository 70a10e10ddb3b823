/* A container that is written in parts and joined: byte for byte that of one run; parts that run again, records and
 * pages that an attacker exchanges, a source that changes. */
#include "tests/unit/containers.h"
#include "gpucrypt/container/parts/join.h"
#include "gpucrypt/container/parts/parts.h"

#include <string.h>
#include <sys/stat.h>

#define GROUP    4096
#define N_GROUPS 37
#define N_BYTES  (N_GROUPS * GROUP - 100)
#define N_PARTS  5

/* random_bytes() of the library: the salts of groups are 1, 2, 3, … if `fixed`, everything else is constant. */
static struct {
	bool fixed;
	uint64_t next;
} salts;

int __real_random_bytes(uint8_t *bytes, size_t n_bytes);
int __wrap_random_bytes(uint8_t *bytes, size_t n_bytes);

int __wrap_random_bytes(uint8_t *bytes, size_t n_bytes)
{
	if (!salts.fixed)
		return __real_random_bytes(bytes, n_bytes);
	memset(bytes, 0x5a, n_bytes);
	if (n_bytes == GROUP_SALT_BYTES)
		memcpy(bytes, &(uint64_t){ ++salts.next }, sizeof salts.next);
	return GPUCRYPT_OK;
}

static struct run {
	uint8_t *plaintext;
	int plain_fd, fd;
	uint8_t records[N_PARTS][START_RECORD_BYTES];
	bool there[N_PARTS];
	unsigned n_read; /* records */
} run;

static struct gpucrypt_plan plan_of_parts(const char *mode)
{
	struct gpucrypt_plan plan = plan_make("aes", mode);

	plan.threads = 1;
	return plan;
}

static void open_sources(struct source *source, struct source *file)
{
	lseek(run.plain_fd, 0, SEEK_SET);
	lseek(run.fd, 0, SEEK_SET);
	assert_ok(source_open(source, run.plain_fd, "plain"));
	assert_ok(source_open(file, run.fd, "out.part"));
}

static int start(const char *mode, uint64_t n_parts)
{
	struct gpucrypt_plan plan = plan_of_parts(mode);
	struct source source, file;

	open_sources(&source, &file);
	return container_parts_start(
	        &source, &file, &plan, &a_secret, (struct start_parts){ .count = n_parts, .align = 4096 }, NULL);
}

static void start_of(const char *mode, size_t n_bytes, uint64_t n_parts)
{
	memset(&run, 0, sizeof run);
	run.plaintext = plaintext_make(n_bytes);
	run.plain_fd = memory_file(run.plaintext, n_bytes);
	run.fd = memory_file(run.plaintext, 0);
	assert_ok(start(mode, n_parts));
}

void test_set_up(void)
{
	salts.fixed = false;
	start_of("ctr", N_BYTES, N_PARTS);
}

static int write_part_of(const char *mode, uint64_t number, uint64_t count, struct report *report)
{
	struct gpucrypt_plan plan = plan_of_parts(mode);
	const struct part_number part = { number, count };
	struct source source, file;
	struct fd_sink sink;
	int status;

	open_sources(&source, &file);
	assert_ok(fd_sink_open(&sink, run.fd, "out.part"));
	fd_sink_allow_any_order(&sink);
	run.there[number - 1] = false;
	status = container_part(
	        &source, &file, &sink.sink, &part, 0, &plan, &a_secret, NULL, report, run.records[number - 1]);
	run.there[number - 1] = status == GPUCRYPT_OK;
	return status;
}

static void write_part(uint64_t number)
{
	struct report report;

	assert_ok(write_part_of("ctr", number, N_PARTS, &report));
}

static int load(void *self, uint64_t number, uint8_t record[START_RECORD_BYTES], bool *there)
{
	(void)self;
	run.n_read++;
	*there = run.there[number - 1];
	memcpy(record, run.records[number - 1], START_RECORD_BYTES);
	return GPUCRYPT_OK;
}

static int join(bool completes)
{
	struct join joining;
	struct report report = { 0 };
	struct source source, file;
	int status;

	open_sources(&source, &file);
	status = join_open(&joining, &file, &a_secret);
	if (status == GPUCRYPT_OK)
		status = join_check(&joining, load, NULL);
	if (status == GPUCRYPT_OK && completes)
		status = join_store_root(&joining);
	if (status == GPUCRYPT_OK && completes)
		status = join_complete(&joining, &report);
	join_close(&joining);
	return status;
}

static int check(void)
{
	return join(false);
}

static int complete(void)
{
	return join(true);
}

static size_t read_all(int fd, uint8_t **bytes)
{
	struct stat there;

	assert_int_equal(fstat(fd, &there), 0);
	*bytes = kept_allocate((size_t)there.st_size + 1);
	assert_int_equal(pread(fd, *bytes, (size_t)there.st_size, 0), there.st_size);
	return (size_t)there.st_size;
}

static void assert_whole(size_t n_bytes)
{
	assert_holds(run.fd, run.plaintext, n_bytes);
}

static uint64_t first_group(uint64_t part)
{
	return layout_part_start(12, N_GROUPS, part, N_PARTS, 4096);
}

static off_t page_at(uint64_t group)
{
	return (off_t)layout_page_offset(12, group);
}

static void flip(off_t at)
{
	uint8_t byte;

	assert_int_equal(pread(run.fd, &byte, 1, at), 1);
	byte ^= 1;
	assert_int_equal(pwrite(run.fd, &byte, 1, at), 1);
}

/* With the same file key and salts the parts, in any order, give the bytes of one run. */
static void same_bytes_of(const char *mode, size_t n_bytes)
{
	static const uint64_t order[N_PARTS] = { 3, 5, 1, 4, 2 };
	uint64_t n_groups = layout_groups(12, n_bytes);
	struct gpucrypt_plan plan = plan_of_parts(mode);
	struct buffer whole = buffer_make();
	struct source source;
	struct report report;
	uint8_t *bytes;

	salts.fixed = true;
	start_of(mode, n_bytes, N_PARTS);
	for (size_t i = 0; i < N_PARTS; i++) {
		salts.next = layout_part_start(12, n_groups, order[i] - 1, N_PARTS, 4096);
		assert_ok(write_part_of(mode, order[i], N_PARTS, &report));
	}
	assert_ok(complete());
	salts.next = 0;
	lseek(run.plain_fd, 0, SEEK_SET);
	assert_ok(source_open(&source, run.plain_fd, "plain"));
	assert_ok(container_encrypt(&source, &whole.sink, &plan, &a_secret, NULL, NULL));
	assert_int_equal(read_all(run.fd, &bytes), whole.n_bytes);
	assert_memory_equal(bytes, whole.bytes, whole.n_bytes);
	assert_whole(n_bytes);
}

TEST(same_bytes)
{
	same_bytes_of("ctr", N_BYTES);
	same_bytes_of("xts", N_BYTES);
	same_bytes_of("ctr", N_GROUPS * GROUP);
}

/* gcrypt(5), "Parts": they begin at multiples of the alignment, follow each other, and have all groups. */
TEST(part_starts)
{
	for (unsigned group_log2 = 12; group_log2 <= 23; group_log2 += 11) {
		for (uint64_t align = 4096; align <= 1 << 22; align *= 16) {
			const uint64_t n_groups = 3000, n_parts = 7;
			uint64_t before = 0;

			for (uint64_t part = 0; part <= n_parts; part++) {
				uint64_t at = layout_part_start(group_log2, n_groups, part, n_parts, align);

				assert_true(at >= before && at <= n_groups);
				assert_true(part > 0 || at == 0);
				assert_true(part < n_parts || at == n_groups);
				assert_true(at == 0 || at == n_groups ||
				            (16384 + at * (4096 + (UINT64_C(1) << group_log2))) % align == 0);
				before = at;
			}
		}
	}
}

/* Fewer groups than parts: some are empty. */
TEST(few_groups)
{
	for (size_t n_bytes = 0; n_bytes <= 3 * GROUP; n_bytes += GROUP / 2)
		same_bytes_of("ctr", n_bytes);
}

TEST(missing_parts)
{
	assert_fails(check(), GPUCRYPT_CORRUPT,
	        "out.part: not joined: parts 1, 2, 3, 4, 5 of 5 are missing or incomplete: run them again");
	write_part(2);
	write_part(4);
	write_part(5);
	assert_fails_about(check(), GPUCRYPT_CORRUPT, "parts 1, 3 of 5 are missing");
	write_part(1);
	write_part(3);
	run.there[1] = false; /* all pages are there */
	assert_fails_about(complete(), GPUCRYPT_CORRUPT, "part 2 of 5 is missing or incomplete: run it again");
	run.there[1] = true;
	assert_ok(complete());
	assert_whole(N_BYTES);
	run.n_read = 0;
	assert_ok(complete()); /* a run that was killed before the name was given */
	assert_int_equal(run.n_read, 0);
	assert_whole(N_BYTES);
}

/* Groups that verify stay; a damaged one gets another salt, and then the old record does not fit. */
TEST(part_again)
{
	uint8_t *before, *after, old[START_RECORD_BYTES];
	struct report report;

	for (uint64_t i = 1; i <= N_PARTS; i++)
		write_part(i);
	assert_ok(check());
	read_all(run.fd, &before);
	memcpy(old, run.records[2], sizeof old);
	assert_ok(write_part_of("ctr", 3, N_PARTS, &report));
	assert_int_equal(report.kept_bytes, report.plaintext_bytes);
	assert_memory_equal(old, run.records[2], sizeof old);
	flip(page_at(first_group(2) + 1) + 4096 + 9);
	assert_ok(write_part_of("ctr", 3, N_PARTS, &report));
	assert_int_equal(report.plaintext_bytes - report.kept_bytes, GROUP);
	read_all(run.fd, &after);
	for (uint64_t i = 0; i < N_GROUPS; i++)
		assert_int_equal(memcmp(before + page_at(i), after + page_at(i), 4096) != 0, i == first_group(2) + 1);
	assert_memory_not_equal(
	        before + page_at(first_group(2) + 1) + 32, after + page_at(first_group(2) + 1) + 32, 16);
	assert_ok(check());
	memcpy(run.records[2], old, sizeof old);
	assert_fails_about(check(), GPUCRYPT_CORRUPT, "part 3 of 5");
}

/* A join that was killed after the root and before copy B. */
TEST(stopped_join)
{
	uint8_t start_record[START_RECORD_BYTES];
	struct report report;

	for (uint64_t i = 1; i <= N_PARTS; i++)
		write_part(i);
	assert_int_equal(pread(run.fd, start_record, sizeof start_record, 8192), 8192);
	assert_ok(complete());
	assert_int_equal(pwrite(run.fd, start_record, sizeof start_record, 8192), 8192);
	assert_ok(check());
	assert_ok(write_part_of("ctr", N_PARTS, N_PARTS, &report));
	assert_int_equal(report.kept_bytes, report.plaintext_bytes);
	assert_ok(complete());
	assert_whole(N_BYTES);
	assert_int_equal(pwrite(run.fd, start_record + 4096, 4096, 8192 + 4096), 4096); /* copy B was torn */
	assert_ok(complete());
	assert_whole(N_BYTES);
	flip(page_at(N_GROUPS - 1) + 64); /* once it is joined, only the root tells */
	assert_status(check(), GPUCRYPT_CORRUPT);
}

/* Records in each other's place, a record of another run, single bits. */
TEST(forged_records)
{
	uint8_t first[START_RECORD_BYTES], other[START_RECORD_BYTES];

	for (uint64_t i = 1; i <= N_PARTS; i++)
		write_part(i);
	memcpy(first, run.records[0], sizeof first);
	for (size_t at = 0; at < START_RECORD_BYTES; at += at < 128 || at >= 8160 ? 1 : 509) {
		run.records[0][at] ^= 4;
		assert_fails_about(check(), GPUCRYPT_CORRUPT, "part 1 of 5");
		run.records[0][at] ^= 4;
	}
	memcpy(run.records[0], run.records[1], sizeof first);
	assert_status(check(), GPUCRYPT_CORRUPT);
	assert_int_equal(pread(run.fd, run.records[0], sizeof first, 8192), 8192);
	assert_status(check(), GPUCRYPT_CORRUPT);
	test_set_up();
	for (uint64_t i = 1; i <= N_PARTS; i++)
		write_part(i);
	memcpy(other, run.records[0], sizeof other);
	memcpy(run.records[0], first, sizeof first);
	assert_status(check(), GPUCRYPT_CORRUPT);
	memcpy(run.records[0], other, sizeof other);
	assert_ok(check());
	flip(8192 + 40); /* the start record */
	assert_status(check(), GPUCRYPT_EXISTS);
}

/* Pages of another part's run, each of them authentic. */
TEST(exchanged_pages)
{
	uint8_t *old, *now;
	uint64_t group = first_group(1) + 2;

	for (uint64_t i = 1; i <= N_PARTS; i++)
		write_part(i);
	read_all(run.fd, &old);
	flip(page_at(group) + 40);
	write_part(2);
	read_all(run.fd, &now);
	assert_ok(check());
	assert_int_equal(pwrite(run.fd, old + page_at(group), 8192, page_at(group)), 8192);
	assert_fails_about(check(), GPUCRYPT_CORRUPT, "part 2 of 5");
	flip(page_at(0) + 4000);
	assert_fails_about(check(), GPUCRYPT_CORRUPT, "parts 1, 2 of 5");
}

TEST(refused)
{
	static const uint8_t other_key[32] = { 9 };
	const struct gpucrypt_secret other = { .type = GPUCRYPT_KEY_FILE, .bytes = other_key, .length = 32 };
	struct source source, file;
	struct join joining;
	struct report report;

	assert_fails_about(write_part_of("xts", 1, N_PARTS, &report), GPUCRYPT_USAGE, "started with aes-256-ctr");
	assert_fails_about(
	        write_part_of("ctr", 1, 4, &report), GPUCRYPT_USAGE, "started with 5 parts, aligned to 4096 bytes");
	open_sources(&source, &file);
	assert_status(join_open(&joining, &file, &other), GPUCRYPT_NO_KEY);
	join_close(&joining);
	write_part(1);
	assert_int_equal(pwrite(run.plain_fd, "x", 1, N_BYTES - 1), 1);
	futimens(run.plain_fd, (const struct timespec[2]){ { 1, 0 }, { 1, 0 } });
	assert_fails_about(
	        write_part_of("ctr", 2, N_PARTS, &report), GPUCRYPT_IO, "plain: changed since out.part was started");
}
