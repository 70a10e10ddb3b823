/* Reads of any part of a container: what they return, what damage concerns, and many threads. */
#include "tests/unit/containers.h"

#include <pthread.h>

#include "gpucrypt/container/container.h"

#define CHUNK          4096u
#define GROUP          16384u
#define N              (9 * GROUP + 5000u)
#define PAGE_OF(group) (16384u + (group) * (4096u + GROUP))

static struct buffer container(const char *cipher, const char *mode, const uint8_t *plain, size_t n)
{
	struct gpucrypt_plan plan = plan_make(cipher, mode);

	plan.group_log2 = 14;
	return encrypt_bytes(&plan, plain, n);
}

struct opened {
	struct source source;
	struct random_access *access;
	int fd;
};

static int open_bytes(struct opened *opened, const uint8_t *bytes, size_t n_bytes)
{
	const struct gpucrypt_plan plan = { .threads = 3 };

	opened->fd = memory_file(bytes, n_bytes);
	assert_ok(source_open(&opened->source, opened->fd, "x.gcr"));
	return random_access_open(&opened->access, &opened->source, &plan, &a_secret);
}

static void close_opened(struct opened *opened)
{
	random_access_close(opened->access);
	kept_close(opened->fd);
}

static int read_part(struct opened *opened, uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	return random_access_read(opened->access, bytes, n_bytes, offset);
}

TEST(borders)
{
	static const char *const suites[][2] = { { "aes", "ctr" }, { "camellia", "xts" }, { "sc2000", "ecb" } };
	static const uint64_t at[] = { 0, 1, 15, CHUNK - 1, CHUNK, CHUNK + 1, GROUP - 1, GROUP, GROUP + 1,
		2 * GROUP + CHUNK, 9 * GROUP - 1, 9 * GROUP, 9 * GROUP + 1, N - 1, N };
	uint8_t *plain = plaintext_make(N), *got = kept_allocate(N);

	for (size_t s = 0; s < N_OF(suites); s++) {
		struct buffer made = container(suites[s][0], suites[s][1], plain, N);
		struct opened opened;

		assert_ok(open_bytes(&opened, made.bytes, made.n_bytes));
		assert_int_equal(random_access_size(opened.access), N);
		for (size_t from = 0; from < N_OF(at); from++)
			for (size_t to = from; to < N_OF(at); to++) {
				size_t n = (size_t)(at[to] - at[from]);

				assert_ok(read_part(&opened, got, n, at[from]));
				assert_memory_equal(got, plain + at[from], n);
			}
		assert_status(read_part(&opened, got, 1, N), GPUCRYPT_USAGE);
		assert_status(read_part(&opened, got, 2, N - 1), GPUCRYPT_USAGE);
		assert_status(read_part(&opened, got, 1, UINT64_MAX), GPUCRYPT_USAGE);
		close_opened(&opened);
	}
}

TEST(empty)
{
	struct buffer made = container("aes", "ctr", (const uint8_t *)"", 0);
	struct opened opened;
	uint8_t byte;

	assert_ok(open_bytes(&opened, made.bytes, made.n_bytes));
	assert_int_equal(random_access_size(opened.access), 0);
	assert_ok(read_part(&opened, &byte, 0, 0));
	assert_status(read_part(&opened, &byte, 1, 0), GPUCRYPT_USAGE);
	close_opened(&opened);
}

/* A bit that is turned over while the container is open concerns the chunk it is in, if it is in a payload, or the
 * group, if it is in a page; and no other chunk. */
static void assert_concerned(struct opened *opened, const uint8_t *plain, uint64_t at)
{
	uint64_t in = at - 16384, group = in / (4096 + GROUP), in_group = in % (4096 + GROUP);
	uint8_t got[CHUNK];

	for (uint64_t offset = 0; offset < N; offset += CHUNK) {
		size_t n = N - offset < CHUNK ? (size_t)(N - offset) : CHUNK;
		bool same_group = offset / GROUP == group,
		     concerned = same_group && (in_group < 4096 || offset % GROUP / CHUNK == (in_group - 4096) / CHUNK);

		assert_status(read_part(opened, got, n, offset), concerned ? GPUCRYPT_CORRUPT : GPUCRYPT_OK);
		if (!concerned)
			assert_memory_equal(got, plain + offset, n);
	}
}

TEST(flipped_bits)
{
	uint8_t *plain = plaintext_make(N);
	struct buffer made = container("aes", "ctr", plain, N);
	struct opened opened;
	uint32_t x = 1;

	for (unsigned i = 0; i < 1000; i++) {
		uint64_t at;
		uint8_t byte;

		x = x * 1664525u + 1013904223u; /* Numerical Recipes, "an even quicker generator" */
		at = 16384 + (x >> 3) % (made.n_bytes - 16384);
		byte = made.bytes[at] ^ (uint8_t)(1u << (x & 7));
		assert_ok(open_bytes(&opened, made.bytes, made.n_bytes));
		assert_int_equal(pwrite(opened.fd, &byte, 1, (off_t)at), 1);
		assert_concerned(&opened, plain, at);
		/* Later reads try again. */
		assert_int_equal(pwrite(opened.fd, made.bytes + at, 1, (off_t)at), 1);
		assert_ok(read_part(&opened, &byte, 1, (at - 16384) / (4096 + GROUP) * GROUP));
		close_opened(&opened);
	}
}

/* What opening rejects: damage of a page, of the root and of the length. */
TEST(refused)
{
	uint8_t *plain = plaintext_make(N);
	struct buffer made = container("aes", "ctr", plain, N);
	const uint64_t bits[] = { PAGE_OF(0), PAGE_OF(4) + 200, PAGE_OF(9) + 100, PAGE_OF(9) + 4095 };
	const size_t lengths[] = { 0, 16384, made.n_bytes - 1, PAGE_OF(9), PAGE_OF(8) + 5000 };
	struct opened opened;

	for (size_t i = 0; i < N_OF(bits); i++) {
		made.bytes[bits[i]] ^= 1;
		assert_status(open_bytes(&opened, made.bytes, made.n_bytes), GPUCRYPT_CORRUPT);
		assert_null(opened.access);
		made.bytes[bits[i]] ^= 1;
	}
	for (size_t i = 0; i < N_OF(lengths); i++) {
		assert_status(open_bytes(&opened, made.bytes, lengths[i]), GPUCRYPT_CORRUPT);
	}
	made.bytes = kept_reallocate(made.bytes, made.n_bytes + 1);
	assert_status(open_bytes(&opened, made.bytes, made.n_bytes + 1), GPUCRYPT_CORRUPT);
}

/* The file shrinks, or another container takes its place: each read is of the one that was opened, or fails. */
TEST(changed_while_open)
{
	uint8_t *plain = plaintext_make(N), *got = kept_allocate(N);
	struct buffer made = container("aes", "ctr", plain, N), other = container("aes", "ctr", plain, N);
	struct opened opened;

	assert_ok(open_bytes(&opened, made.bytes, made.n_bytes));
	assert_int_equal(ftruncate(opened.fd, PAGE_OF(5)), 0);
	assert_status(read_part(&opened, got, GROUP, 5 * GROUP), GPUCRYPT_CORRUPT);
	assert_ok(read_part(&opened, got, 5 * GROUP, 0));
	assert_memory_equal(got, plain, 5 * GROUP);
	assert_int_equal(pwrite(opened.fd, other.bytes, other.n_bytes, 0), other.n_bytes);
	assert_status(read_part(&opened, got, GROUP, 5 * GROUP), GPUCRYPT_CORRUPT);
	assert_int_equal(pwrite(opened.fd, made.bytes, made.n_bytes, 0), made.n_bytes);
	assert_int_equal(pwrite(opened.fd, "longer", 6, (off_t)made.n_bytes), 6);
	assert_ok(read_part(&opened, got, N, 0));
	assert_memory_equal(got, plain, N);
	close_opened(&opened);
}

/* Many threads on more groups than there is room for. */

#define MANY (80 * 4096u)

struct reading {
	struct opened *opened;
	const uint8_t *plain;
	uint32_t seed;
	unsigned n_wrong;
};

static void *read_many(void *argument)
{
	struct reading *reading = argument;
	uint8_t got[3 * 4096];
	uint32_t x = reading->seed;

	for (unsigned i = 0; i < 300; i++) {
		size_t n;
		uint64_t offset;

		x = x * 1664525u + 1013904223u;
		n = (x >> 8) % sizeof got;
		x = x * 1664525u + 1013904223u;
		offset = (x >> 4) % (MANY - n);
		reading->n_wrong += random_access_read(reading->opened->access, got, n, offset) != GPUCRYPT_OK ||
		                    memcmp(got, reading->plain + offset, n) != 0;
	}
	return NULL;
}

TEST(threads)
{
	const struct gpucrypt_plan plan = plan_make("aes", "ctr"); /* groups of 4096 bytes */
	uint8_t *plain = plaintext_make(MANY);
	struct buffer made = encrypt_bytes(&plan, plain, MANY);
	struct reading readings[16];
	pthread_t threads[16];
	struct opened opened;

	assert_ok(open_bytes(&opened, made.bytes, made.n_bytes));
	for (unsigned i = 0; i < 16; i++) {
		readings[i] = (struct reading){ &opened, plain, i, 0 };
		assert_int_equal(pthread_create(&threads[i], NULL, read_many, &readings[i]), 0);
	}
	for (unsigned i = 0; i < 16; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(readings[i].n_wrong, 0);
	}
	close_opened(&opened);
}
