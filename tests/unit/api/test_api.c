/* The public functions: buffers and callbacks, ranges, key slots. */
#include "tests/unit/containers.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

/* Buffers and callbacks. */

#define N          100001u
#define MANY_BYTES (16384u + 25 * 4096u + N) /* its container with groups of 4096 bytes, by gcrypt(5) */

static struct gpucrypt_options small = { { .engine = GPUCRYPT_CPU, .threads = 2, .chunk_log2 = 12, .group_log2 = 12 } };

/* A container in memory, and what its callbacks did. */
struct stored {
	uint8_t *bytes;
	size_t n_bytes, most_bytes; /* most_bytes: of one call */
	size_t position;
	int error; /* instead of the byte at n_bytes */
};

static ssize_t read_stored_at(void *self, void *bytes, size_t n_bytes, uint64_t offset)
{
	struct stored *stored = self;
	size_t left = offset < stored->n_bytes ? stored->n_bytes - (size_t)offset : 0;

	if (left == 0 && stored->error != 0) {
		errno = stored->error;
		return -1;
	}
	left = left < n_bytes ? left : n_bytes;
	left = left < stored->most_bytes ? left : stored->most_bytes;
	memcpy(bytes, stored->bytes + offset, left);
	return (ssize_t)left;
}

static ssize_t read_stored(void *self, void *bytes, size_t n_bytes)
{
	struct stored *stored = self;
	ssize_t n = read_stored_at(self, bytes, n_bytes, stored->position);

	stored->position += n > 0 ? (size_t)n : 0;
	return n;
}

static ssize_t write_stored(void *self, const void *bytes, size_t n_bytes)
{
	struct stored *stored = self;

	n_bytes = n_bytes < stored->most_bytes ? n_bytes : stored->most_bytes;
	if (stored->error != 0 && stored->position + n_bytes > stored->n_bytes) {
		errno = stored->error;
		return -1;
	}
	memcpy(stored->bytes + stored->position, bytes, n_bytes);
	stored->position += n_bytes;
	return (ssize_t)n_bytes;
}

static ssize_t read_too_much(void *self, void *bytes, size_t n_bytes)
{
	(void)self, (void)bytes;
	return (ssize_t)n_bytes + 1;
}

static uint8_t *plain;
static struct gpucrypt_sink made; /* its container */

void program_set_up(void)
{
	const struct gpucrypt_source from = { .bytes = plain = plaintext_make(N), .size = N };

	made = (struct gpucrypt_sink){ .bytes = kept_allocate(MANY_BYTES), .size = MANY_BYTES };
	assert_ok(gpucrypt_encrypt(&from, &made, &small, &a_secret, NULL));
}

static struct gpucrypt_source container(void)
{
	return (struct gpucrypt_source){ .bytes = made.bytes, .size = made.written };
}

TEST(buffers)
{
	const struct gpucrypt_source from = container(), empty = { .bytes = "" };
	uint8_t back[N], none[16384 + 4096];
	struct gpucrypt_sink to = { .bytes = back, .size = N }, of_none = { .bytes = none, .size = sizeof none };
	uint64_t size;

	assert_int_equal(made.written, MANY_BYTES);
	assert_ok(gpucrypt_container_size(&size, &small, N));
	assert_int_equal(size, MANY_BYTES);
	assert_ok(gpucrypt_verify(&from, &small, &a_secret, NULL));
	assert_ok(gpucrypt_decrypt(&from, &to, &small, &a_secret, NULL));
	assert_int_equal(to.written, N);
	assert_memory_equal(back, plain, N);
	to.size = N - 1;
	assert_fails_about(gpucrypt_decrypt(&from, &to, &small, &a_secret, NULL), GPUCRYPT_IO, "does not fit");
	assert_int_equal(to.written, 0);
	assert_ok(gpucrypt_encrypt(&empty, &of_none, &small, &a_secret, NULL));
	assert_int_equal(of_none.written, sizeof none);
}

/* Byte 11 of a header by gcrypt(5), "Header". */
TEST(content)
{
	const struct gpucrypt_source from = { .bytes = plain, .size = 5 };
	struct gpucrypt_options *options = gpucrypt_options_create();
	uint8_t tree[16384 + 4096 + 4096], back[5];
	struct gpucrypt_sink to = { .bytes = tree, .size = sizeof tree }, to_back = { .bytes = back, .size = 5 };

	*options = small;
	assert_fails_about(gpucrypt_options_set(options, "content", "zip"), GPUCRYPT_USAGE,
	        "unknown content 'zip' (choose from: bytes, tree)");
	assert_ok(gpucrypt_options_set(options, "content", "tree"));
	assert_ok(gpucrypt_encrypt(&from, &to, options, &a_secret, NULL));
	assert_int_equal(tree[11], 1);
	options->plan.sector_log2 = 12;
	to.image = &to_back;
	assert_status(gpucrypt_encrypt(&from, &to, options, &a_secret, NULL), GPUCRYPT_USAGE);
	options->plan.sector_log2 = 0;
	assert_int_equal(((uint8_t *)made.bytes)[11], 0);
	assert_ok(gpucrypt_decrypt(
	        &(struct gpucrypt_source){ .bytes = tree, .size = to.written }, &to_back, options, &a_secret, NULL));
	assert_memory_equal(back, plain, 5);
	gpucrypt_options_free(options);
}

/* The length is known only at the end: the buffer may be too small in the midst of it. */
TEST(stream_into_a_small_buffer)
{
	struct stored input = { .bytes = plain, .n_bytes = N, .most_bytes = 333 };
	const struct gpucrypt_source from = { .read = read_stored, .self = &input };
	uint8_t *bytes = kept_allocate(MANY_BYTES);
	struct gpucrypt_sink to = { .bytes = bytes, .size = MANY_BYTES - 1 };

	assert_fails_about(gpucrypt_encrypt(&from, &to, &small, &a_secret, NULL), GPUCRYPT_IO, "is too small");
	input.position = 0;
	to.size = MANY_BYTES;
	assert_ok(gpucrypt_encrypt(&from, &to, &small, &a_secret, NULL));
	assert_int_equal(to.written, MANY_BYTES);
}

TEST(callbacks)
{
	struct stored input = { .bytes = made.bytes, .n_bytes = MANY_BYTES, .most_bytes = 1000 };
	struct stored output = { .bytes = kept_allocate(N), .n_bytes = N, .most_bytes = 777 };
	const struct gpucrypt_source in_order = { .read = read_stored, .self = &input },
	                             by_position = { .pread = read_stored_at, .self = &input, .size = MANY_BYTES };
	struct gpucrypt_sink to = { .write = write_stored, .self = &output };

	for (unsigned i = 0; i < 2; i++) {
		output.position = 0;
		memset(output.bytes, 0, N);
		assert_ok(gpucrypt_decrypt(i ? &by_position : &in_order, &to, &small, &a_secret, NULL));
		assert_int_equal(output.position, N);
		assert_memory_equal(output.bytes, plain, N);
	}
}

/* errno of a callback is in the text. */
TEST(failing_callbacks)
{
	struct stored input = { .bytes = made.bytes, .n_bytes = 60000, .most_bytes = 5000, .error = EREMOTEIO };
	struct stored output = { .bytes = kept_allocate(N), .n_bytes = 40000, .most_bytes = N, .error = EPROTO };
	const struct gpucrypt_source in_order = { .read = read_stored, .self = &input }, whole = container(),
	                             by_position = { .pread = read_stored_at, .self = &input, .size = MANY_BYTES },
	                             wrong = { .read = read_too_much };
	struct gpucrypt_sink to = { .write = write_stored, .self = &output };

	assert_fails(gpucrypt_verify(&in_order, NULL, &a_secret, NULL), GPUCRYPT_IO,
	        "input: cannot be read: Remote I/O error");
	assert_fails(gpucrypt_verify(&by_position, NULL, &a_secret, NULL), GPUCRYPT_IO,
	        "input: cannot be read: Remote I/O error");
	assert_status(gpucrypt_verify(&wrong, NULL, &a_secret, NULL), GPUCRYPT_USAGE);
	assert_fails(gpucrypt_decrypt(&whole, &to, NULL, &a_secret, NULL), GPUCRYPT_IO,
	        "output: cannot be written: Protocol error");
	assert_memory_equal(output.bytes, plain, output.position);
}

/* Parts. */

TEST(ranges)
{
	static const uint64_t ranges[][2] = { { 0, 0 }, { 0, 1 }, { 4095, 2 }, { 4096, 4096 }, { N - 1, 1 }, { N, 0 },
		{ 50000, UINT64_MAX } };
	const struct gpucrypt_source from = container(), in_order = { .read = read_too_much };
	uint8_t back[N];
	struct gpucrypt_sink to = { .bytes = back, .size = N };

	for (size_t i = 0; i < N_OF(ranges); i++) {
		uint64_t offset = ranges[i][0], n = ranges[i][1] < N ? ranges[i][1] : N - offset;

		assert_ok(gpucrypt_decrypt_range(&from, &to, offset, ranges[i][1], &small, &a_secret, NULL));
		assert_int_equal(to.written, n);
		assert_memory_equal(back, plain + offset, n);
	}
	assert_status(gpucrypt_decrypt_range(&from, &to, N, 1, &small, &a_secret, NULL), GPUCRYPT_USAGE);
	assert_int_not_equal(gpucrypt_decrypt_range(&in_order, &to, 0, 1, &small, &a_secret, NULL), GPUCRYPT_OK);
}

TEST(random_access_over_callbacks)
{
	struct stored input = { .bytes = made.bytes, .n_bytes = MANY_BYTES, .most_bytes = 1000 };
	struct gpucrypt_source from = { .pread = read_stored_at, .self = &input, .size = MANY_BYTES };
	const struct gpucrypt_source in_order = { .read = read_stored, .self = &input };
	struct gpucrypt_file *file;
	uint8_t back[5000];

	assert_status(gpucrypt_open(&file, &in_order, &small, &a_secret), GPUCRYPT_USAGE);
	assert_null(file);
	assert_ok(gpucrypt_open(&file, &from, &small, &a_secret));
	from = (struct gpucrypt_source){ 0 }; /* not used any more */
	assert_int_equal(gpucrypt_size(file), N);
	assert_ok(gpucrypt_pread(file, back, sizeof back, 7777));
	assert_memory_equal(back, plain + 7777, sizeof back);
	input.n_bytes = 20000; /* what is in memory already is not read again */
	input.error = EIO;
	assert_ok(gpucrypt_pread(file, back, sizeof back, 7777));
	assert_status(gpucrypt_pread(file, back, 1, N - 1), GPUCRYPT_IO);
	gpucrypt_close(file);
}

/* The image of a detached container is the XTS ciphertext alone; both parts are needed. */
TEST(detached)
{
	struct gpucrypt_options options = small;
	uint8_t header[16384 + 24 * 4096], image[24 * 4096], back[24 * 4096];
	struct gpucrypt_sink to_image = { .bytes = image, .size = sizeof image },
	                     to = { .bytes = header, .size = sizeof header, .image = &to_image },
	                     to_back = { .bytes = back, .size = sizeof back };
	const struct gpucrypt_source from = { .bytes = plain, .size = sizeof image },
	                             from_image = { .bytes = image, .size = sizeof image },
	                             alone = { .bytes = header, .size = sizeof header },
	                             joined = { .bytes = header, .size = sizeof header, .image = &from_image };
	struct gpucrypt_file *file;

	assert_status(gpucrypt_encrypt(&from, &to, &options, &a_secret, NULL), GPUCRYPT_USAGE);
	assert_ok(gpucrypt_options_set(&options, "sector-log2", "9"));
	assert_status(gpucrypt_encrypt(&from, &to_image, &options, &a_secret, NULL), GPUCRYPT_USAGE);
	assert_status(gpucrypt_encrypt(&joined, &to, &options, &a_secret, NULL), GPUCRYPT_USAGE);
	assert_ok(gpucrypt_encrypt(&from, &to, &options, &a_secret, NULL));
	assert_int_equal(to.written, sizeof header);
	assert_int_equal(to_image.written, sizeof image);
	assert_status(gpucrypt_verify(&alone, NULL, &a_secret, NULL), GPUCRYPT_USAGE);
	assert_ok(gpucrypt_decrypt(&joined, &to_back, NULL, &a_secret, NULL));
	assert_memory_equal(back, plain, sizeof back);
	memset(back, 0, sizeof back);
	assert_ok(gpucrypt_open(&file, &joined, NULL, &a_secret));
	assert_ok(gpucrypt_pread(file, back, sizeof back, 0));
	assert_memory_equal(back, plain, sizeof back);
	gpucrypt_close(file);
	image[5000] ^= 1;
	assert_status(gpucrypt_verify(&joined, NULL, &a_secret, NULL), GPUCRYPT_CORRUPT);
}

/* Key slots. */

TEST(slots)
{
	static const uint8_t other_key[32] = { 9 };
	char private_pem[GPUCRYPT_PEM_BYTES], public_pem[GPUCRYPT_PEM_BYTES];
	uint8_t der[2][GPUCRYPT_KEY_BYTES], id[GPUCRYPT_KEY_ID_BYTES];
	struct gpucrypt_secret other = {
		.type = GPUCRYPT_KEY_FILE, .bytes = other_key, .length = 32, .label = "backup"
	};
	struct gpucrypt_secret public, private;
	struct gpucrypt_slot slots[GPUCRYPT_SLOTS];
	unsigned n = GPUCRYPT_SLOTS;
	int fd = memory_file(made.bytes, made.written), again;
	char path[64];

	assert_ok(gpucrypt_key_generate(private_pem, public_pem, GPUCRYPT_X25519));
	assert_ok(gpucrypt_key_read(&public, der[0], public_pem, strlen(public_pem), NULL));
	assert_ok(gpucrypt_key_read(&private, der[1], private_pem, strlen(private_pem), NULL));
	assert_ok(gpucrypt_key_id(id, &private));
	public.next = &other;
	assert_ok(gpucrypt_slots_change(fd, &a_secret, &public, -1));
	assert_ok(gpucrypt_slots_read(slots, &n, FROM(fd), &private));
	assert_int_equal(n, 3);
	assert_int_equal(slots[0].type, GPUCRYPT_KEY_FILE);
	assert_int_equal(slots[1].type, GPUCRYPT_X25519);
	assert_memory_equal(slots[1].key_id, id, sizeof id);
	assert_true(slots[1].opened && !slots[0].opened && !slots[2].opened);
	assert_string_equal(slots[2].label, "backup");
	assert_status(gpucrypt_verify(FROM(fd), NULL, &private, NULL), GPUCRYPT_CORRUPT); /* not from the start */
	lseek(fd, 0, SEEK_SET);
	assert_ok(gpucrypt_verify(FROM(fd), NULL, &private, NULL));
	assert_ok(gpucrypt_slots_change(fd, &other, NULL, 0));
	assert_status(gpucrypt_slots_change(fd, &other, NULL, 0), GPUCRYPT_USAGE);
	assert_status(gpucrypt_slots_change(fd, &other, NULL, GPUCRYPT_SLOTS), GPUCRYPT_USAGE);
	assert_status(gpucrypt_slots_read(slots, &n, FROM(fd), &a_secret), GPUCRYPT_NO_KEY);
	n = 1;
	slots[1].number = 99; /* not written: there is room for one */
	assert_ok(gpucrypt_slots_read(slots, &n, FROM(fd), NULL));
	assert_int_equal(n, 2);
	assert_int_equal(slots[0].number, 1);
	assert_int_equal(slots[1].number, 99);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	again = open(path, O_RDWR);
	assert_int_equal(flock(again, LOCK_EX | LOCK_NB), 0);
	assert_status(gpucrypt_slots_change(fd, &other, NULL, 1), GPUCRYPT_IO);
}
