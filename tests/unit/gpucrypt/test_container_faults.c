/* Containers that are cut anywhere, have a wrong bit, or lie on a larger device: the right status, and never a byte
 * unverified.  Other damage: tests/model/group_cases.py. */
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
