/* Damaged, cut and mixed containers: the right status, and never a byte unverified. */
#include "tests/unit/containers.h"

#define GROUP      4096
#define STRIDE     (4096 + GROUP)
#define N_GROUPS   3
#define N_BYTES    (N_GROUPS * GROUP)
#define CONTAINER  (16384 + N_GROUPS * STRIDE)
#define PAGE(g)    (16384 + (g)*STRIDE)
#define PAYLOAD(g) (PAGE(g) + 4096)

static uint8_t *plaintext;
static struct buffer whole; /* container of plaintext, AES-256-CTR, three full groups */

void program_set_up(void)
{
	struct gpucrypt_plan plan = plan_make("aes", "ctr");

	plaintext = plaintext_make(N_BYTES);
	whole = encrypt_bytes(&plan, plaintext, N_BYTES);
	assert_int_equal(whole.n_bytes, CONTAINER);
}

/* Fails with CORRUPT, and what came out before is n_whole whole groups of the plaintext. */
static void assert_corrupt(const uint8_t *bytes, size_t n_bytes, size_t n_whole)
{
	struct buffer plain = buffer_make();

	assert_status(decrypt(bytes, n_bytes, &plain), GPUCRYPT_CORRUPT);
	assert_bytes(&plain, plaintext, n_whole * GROUP);
	buffer_free(&plain);
}

/* make check takes some of what check-long takes. */
static size_t step(size_t in_long, size_t in_check)
{
	return test_one_in() == 1 ? in_long : in_check;
}

/* All lengths near the border of two fields, every 7th or 61st elsewhere; with GCRYPT_TEST_HALF=0 or 1 the
 * even or the odd ones of all lengths (check-faults). */
static bool worth_cutting(size_t n)
{
	static const size_t borders[] = { 0, 64, 160, 4064, 4096, STRIDE };
	size_t in_group = n < 16384 ? 0 : (n - 16384) % STRIDE;
	const char *half = getenv("GCRYPT_TEST_HALF");

	if (half != NULL)
		return n % 2 == (size_t)(half[0] - '0');
	for (size_t i = 0; i < N_OF(borders); i++) {
		if (in_group + 20 >= borders[i] && in_group <= borders[i] + 20)
			return true;
	}
	return n % step(7, 61) == 0;
}

/* Every length from 0 to one byte short; the file is cut from its end, byte by byte. */
TEST(every_prefix)
{
	int fd = memory_file(whole.bytes, whole.n_bytes);
	struct buffer plain = buffer_make();

	for (size_t n = CONTAINER - 1; n != SIZE_MAX; n--) {
		if (!worth_cutting(n))
			continue;
		size_t n_whole = n < PAGE(1) ? 0 : (n - PAGE(1)) / STRIDE + 1;

		/* The whole group before the cut is known to be so only if a byte follows. */
		if (n >= PAGE(1) && (n - PAGE(1)) % STRIDE == 0)
			n_whole--;
		assert_int_equal(ftruncate(fd, (off_t)n), 0);
		assert_status(decrypt_fd(fd, &plain, &a_secret, NULL), GPUCRYPT_CORRUPT);
		assert_int_equal(plain.n_bytes, n_whole * GROUP);
		assert_non_null(strstr(gpucrypt_error(), n < 16384 ? "too short" : "truncated"));
		if (n_whole > 0)
			assert_memory_equal(plain.bytes, plaintext, n_whole * GROUP);
	}
}

static uint8_t *copy_of_whole(size_t room)
{
	uint8_t *bytes = kept_allocate(CONTAINER + room);

	memcpy(bytes, whole.bytes, CONTAINER);
	return bytes;
}

/* Every bit of a page's numbers, salt and MAC, some of the rest, which test_page.c does in full. */
TEST(every_bit)
{
	uint8_t *bytes = copy_of_whole(0);
	char where[64];

	for (size_t bit = 8 * PAGE(1); bit < 8 * PAGE(2);) {
		bool page = bit < 8 * PAYLOAD(1);
		bool used = page && (bit < 8 * (PAGE(1) + 48) || bit >= 8 * (PAGE(1) + 4064));

		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_corrupt(bytes, CONTAINER, 1);
		snprintf(where, sizeof where,
		        "x.gcr: corrupt at byte %d of this file (group 1): ", page ? PAGE(1) : PAYLOAD(1));
		assert_memory_equal(gpucrypt_error(), where, strlen(where));
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		bit += used ? 1 : page ? step(29, 233) : step(61, 509);
	}
	assert_ok(verify(bytes, CONTAINER));
}

TEST(moved_groups)
{
	struct gpucrypt_plan plan = plan_make("aes", "ctr");
	struct buffer other = encrypt_bytes(&plan, plaintext, N_BYTES);
	uint8_t *bytes = copy_of_whole(STRIDE);

	/* swapped */
	memcpy(bytes + PAGE(0), whole.bytes + PAGE(1), STRIDE);
	memcpy(bytes + PAGE(1), whole.bytes + PAGE(0), STRIDE);
	assert_corrupt(bytes, CONTAINER, 0);
	/* the first in place of the second */
	memcpy(bytes + PAGE(0), whole.bytes + PAGE(0), STRIDE);
	assert_corrupt(bytes, CONTAINER, 1);
	/* the second dropped */
	memcpy(bytes + PAGE(1), whole.bytes + PAGE(2), STRIDE);
	assert_corrupt(bytes, CONTAINER - STRIDE, 1);
	/* a group, a payload, a page, a header of another container with the same secret */
	memcpy(bytes, whole.bytes, CONTAINER);
	memcpy(bytes + PAGE(1), other.bytes + PAGE(1), STRIDE);
	assert_corrupt(bytes, CONTAINER, 1);
	memcpy(bytes + PAGE(1), whole.bytes + PAGE(1), 4096);
	assert_corrupt(bytes, CONTAINER, 1);
	memcpy(bytes, whole.bytes, CONTAINER);
	memcpy(bytes + PAGE(1), other.bytes + PAGE(1), 4096);
	assert_corrupt(bytes, CONTAINER, 1);
	memcpy(bytes, whole.bytes, CONTAINER);
	memcpy(bytes, other.bytes, 16384);
	assert_corrupt(bytes, CONTAINER, 0);
	/* the final group twice */
	memcpy(bytes, whole.bytes, CONTAINER);
	memcpy(bytes + PAGE(3), whole.bytes + PAGE(2), STRIDE);
	assert_corrupt(bytes, CONTAINER + STRIDE, 2);
}

TEST(more_bytes)
{
	static const size_t more[] = { 1, 16, 4095, 4096, STRIDE - 1 };
	uint8_t *bytes = copy_of_whole(STRIDE), *brief;
	struct gpucrypt_plan plan = plan_make("aes", "ctr");
	struct buffer container = encrypt_bytes(&plan, plaintext, 100);

	for (size_t i = 0; i < N_OF(more); i++)
		assert_corrupt(bytes, CONTAINER + more[i], 2);
	/* after a short last group */
	brief = kept_allocate(container.n_bytes + STRIDE);
	memcpy(brief, container.bytes, container.n_bytes);
	for (size_t i = 0; i < N_OF(more); i++)
		assert_corrupt(brief, container.n_bytes + more[i], 0);
	assert_non_null(strstr(gpucrypt_error(), "more bytes after the end"));
}

TEST(foreign_files)
{
	static const uint8_t zeros[20000];

	assert_corrupt(zeros, 0, 0);
	assert_string_equal(gpucrypt_error(), "x.gcr: not a gcrypt container: too short for its header");
	assert_corrupt(zeros, 16383, 0);
	assert_corrupt(zeros, sizeof zeros, 0);
	assert_string_equal(gpucrypt_error(), "x.gcr: not a gcrypt container");
}

TEST(one_header_copy)
{
	uint8_t *bytes = copy_of_whole(0);

	for (unsigned copy = 0; copy < 2; copy++) {
		struct buffer plain = buffer_make();
		struct report report;
		int fd;

		bytes[copy * 8192 + 40] ^= 4;
		fd = memory_file(bytes, CONTAINER);
		assert_ok(decrypt_fd(fd, &plain, &a_secret, &report));
		assert_int_equal(plain.n_bytes, N_BYTES);
		assert_int_equal(report.plaintext_bytes, N_BYTES);
		assert_memory_equal(plain.bytes, plaintext, N_BYTES);
		assert_non_null(strstr(report.header_note, "damaged"));
		assert_fails_about(verify(bytes, CONTAINER), GPUCRYPT_CORRUPT, copy == 0 ? "copy A" : "copy B");
		bytes[copy * 8192 + 40] ^= 4;
	}
	bytes[40] ^= 4;
	bytes[8192 + 40] ^= 4;
	assert_status(verify(bytes, CONTAINER), GPUCRYPT_NO_KEY);
}

/* A container ends by itself on a device that is larger. */
TEST(on_a_block_device)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = 2 };
	struct gpucrypt_plan writing = plan_make("aes", "xts");
	static const size_t lengths[] = { 0, 5, GROUP - 1, GROUP, 2 * GROUP + 5 };

	for (size_t i = 0; i < N_OF(lengths); i++) {
		struct buffer container = encrypt_bytes(&writing, plaintext, lengths[i]);
		struct buffer plain = buffer_make();
		struct source source;
		size_t room = container.n_bytes + i * 50000;
		uint8_t *device = kept_allocate(room);
		int fd;

		memset(device, 0xa5, room);
		memcpy(device, container.bytes, container.n_bytes);
		fd = memory_file(device, room);
		source_open(&source, fd, "/dev/x");
		source.block_device = true;
		assert_ok(container_decrypt(&source, &plain.sink, &plan, &a_secret, NULL, NULL));
		assert_int_equal(plain.n_bytes, lengths[i]);
		assert_int_equal(ftruncate(fd, (off_t)container.n_bytes - 1), 0);
		lseek(fd, 0, SEEK_SET);
		assert_status(container_decrypt(&source, NULL, &plan, &a_secret, NULL, NULL), GPUCRYPT_CORRUPT);
	}
}

TEST(source_changes)
{
	struct gpucrypt_plan plan = plan_make("aes", "ctr");

	for (unsigned i = 0; i < 4; i++) {
		static const int by[] = { -1, 1, GROUP, -GROUP };
		struct buffer container = buffer_make();
		struct source source;
		int fd = memory_file(plaintext, N_BYTES);

		source_open(&source, fd, "growing");
		source.size_bytes = (uint64_t)((int)source.size_bytes + by[i]);
		assert_status(container_encrypt(&source, &container.sink, &plan, &a_secret, NULL, NULL), GPUCRYPT_IO);
		assert_memory_equal(gpucrypt_error(), "growing: it ", 12);
	}
}

static int full(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	(void)self;
	(void)bytes;
	(void)n_bytes;
	return offset == 0 ? GPUCRYPT_OK : fail(GPUCRYPT_IO, "out: no space");
}

/* The text of a failure in a thread reaches the caller; an unreadable source names itself. */
TEST(failing_ends)
{
	struct gpucrypt_plan plan = plan_make("aes", "ctr");
	struct sink sink = { .write = full };
	struct source source = source_of_fd(-1, "nowhere");
	int fd = memory_file(plaintext, N_BYTES);

	assert_fails(container_encrypt(&source, &sink, &plan, &a_secret, NULL, NULL), GPUCRYPT_IO,
	        "nowhere: cannot be read: Bad file descriptor");
	fail_clear();
	source_open(&source, fd, "in");
	assert_fails(container_encrypt(&source, &sink, &plan, &a_secret, NULL, NULL), GPUCRYPT_IO, "out: no space");
}
