/* A container that is written in parts and joined: byte for byte that of one run.  Parts that run again, records and
 * pages that an attacker exchanges, a source that changes: tests/cli/many. */
#include "tests/unit/containers.h"
#include "gpucrypt/container/parts/parts.h"

#include <string.h>
#include <sys/stat.h>

#define GROUP    4096
#define N_GROUPS 37
#define N_PARTS  5

static uint64_t next_salt;

int __wrap_random_bytes(uint8_t *bytes, size_t n_bytes);

/* random_bytes() of the library: the salts of groups are next_salt + 1, + 2, …, everything else is constant. */
int __wrap_random_bytes(uint8_t *bytes, size_t n_bytes)
{
	memset(bytes, 0x5a, n_bytes);
	if (n_bytes == GROUP_SALT_BYTES)
		memcpy(bytes, &(uint64_t){ ++next_salt }, sizeof next_salt);
	return GPUCRYPT_OK;
}

static int plain_fd, fd; /* of the source, and of OUT.part */
static struct source source, file;
static uint8_t records[N_PARTS][START_RECORD_BYTES];

static void open_sources(void)
{
	lseek(plain_fd, 0, SEEK_SET);
	lseek(fd, 0, SEEK_SET);
	assert_ok(source_open(&source, plain_fd, "plain"));
	assert_ok(source_open(&file, fd, "out.part"));
}

static int load(void *self, uint64_t number, uint8_t record[START_RECORD_BYTES], bool *there)
{
	(void)self;
	*there = true;
	memcpy(record, records[number - 1], START_RECORD_BYTES);
	return GPUCRYPT_OK;
}

static void write_part(const struct gpucrypt_plan *plan, uint64_t number)
{
	const struct part_number part = { number, N_PARTS };
	struct fd_sink sink;
	struct report report;

	open_sources();
	assert_ok(fd_sink_open(&sink, fd, "out.part"));
	fd_sink_allow_any_order(&sink);
	assert_ok(container_part(
	        &source, &file, &sink.sink, &part, 0, plan, &a_secret, NULL, &report, records[number - 1]));
}

static void join_parts(void)
{
	struct report report = { 0 };
	struct join joining;

	open_sources();
	assert_ok(join_open(&joining, &file, &a_secret));
	assert_ok(join_check(&joining, load, NULL));
	assert_ok(join_store_root(&joining));
	assert_ok(join_complete(&joining, &report));
	join_close(&joining);
}

/* With the same file key and salts the parts, in any order, give the bytes of one run. */
static void check_same_bytes(const char *mode, size_t n_bytes)
{
	static const uint64_t order[N_PARTS] = { 3, 5, 1, 4, 2 };
	struct gpucrypt_plan plan = plan_make("aes", mode);
	uint8_t *plaintext = plaintext_make(n_bytes), *bytes;
	struct buffer whole = buffer_make();

	plain_fd = memory_file(plaintext, n_bytes);
	fd = memory_file(plaintext, 0);
	open_sources();
	assert_ok(container_parts_start(
	        &source, &file, &plan, &a_secret, (struct start_parts){ .count = N_PARTS, .align = 4096 }, NULL));
	for (size_t i = 0; i < N_PARTS; i++) {
		next_salt = layout_part_start(12, layout_groups(12, n_bytes), order[i] - 1, N_PARTS, 4096);
		write_part(&plan, order[i]);
	}
	join_parts();
	next_salt = 0;
	open_sources();
	assert_ok(container_encrypt(&source, &whole.sink, &plan, &a_secret, NULL, NULL));
	assert_int_equal(file.size_bytes, whole.n_bytes);
	bytes = kept_allocate(whole.n_bytes);
	assert_int_equal(pread(fd, bytes, whole.n_bytes, 0), whole.n_bytes);
	assert_memory_equal(bytes, whole.bytes, whole.n_bytes);
	assert_holds(fd, plaintext, n_bytes);
}

TEST(same_bytes)
{
	check_same_bytes("ctr", N_GROUPS * GROUP - 100);
	check_same_bytes("xts", N_GROUPS * GROUP - 100);
	check_same_bytes("ctr", N_GROUPS * GROUP);
	for (size_t n_bytes = 0; n_bytes <= 3 * GROUP; n_bytes += GROUP / 2) /* some parts are empty */
		check_same_bytes("ctr", n_bytes);
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
