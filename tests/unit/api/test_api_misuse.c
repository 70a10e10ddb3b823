/* What callers get wrong: arguments that are missing or huge, callbacks that re-enter the library, processes that fork.
 * Each gets a status; none ends the process, reads beyond a buffer or overwrites the input. */
#include "tests/unit/containers.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

#define N               10000u
#define CONTAINER_BYTES (16384u + 3 * 4096u + N) /* with groups of 4096 bytes, by gcrypt(5) */

static struct gpucrypt_options small = { { .engine = GPUCRYPT_CPU, .threads = 2, .chunk_log2 = 12, .group_log2 = 12 } };
static uint8_t *plain, made[CONTAINER_BYTES], back[CONTAINER_BYTES];
static const struct gpucrypt_source from_made = { .bytes = made, .size = sizeof made };

void program_set_up(void)
{
	struct gpucrypt_sink to = { .bytes = made, .size = sizeof made };
	const struct gpucrypt_source from = { .bytes = plain = plaintext_make(N), .size = N };

	assert_ok(gpucrypt_encrypt(&from, &to, &small, &a_secret, NULL));
}

#define USAGE(call)                                       \
	do {                                              \
		assert_int_equal(call, GPUCRYPT_USAGE);   \
		assert_true(gpucrypt_error()[0] != '\0'); \
	} while (0)

/* Missing arguments. */

TEST(no_containers)
{
	struct gpucrypt_sink to = { .bytes = back, .size = sizeof back };
	const struct gpucrypt_progress silent = { 0 };
	uint64_t size;

	USAGE(gpucrypt_encrypt(NULL, &to, NULL, &a_secret, NULL));
	USAGE(gpucrypt_encrypt(&from_made, NULL, NULL, &a_secret, NULL));
	USAGE(gpucrypt_encrypt(&from_made, &to, NULL, NULL, NULL));
	USAGE(gpucrypt_encrypt(&from_made, &to, NULL, &a_secret, &silent));
	USAGE(gpucrypt_decrypt(NULL, &to, NULL, &a_secret, NULL));
	USAGE(gpucrypt_decrypt(&from_made, NULL, NULL, &a_secret, NULL));
	USAGE(gpucrypt_decrypt(&from_made, &to, NULL, NULL, NULL));
	USAGE(gpucrypt_decrypt_range(NULL, &to, 0, 1, NULL, &a_secret, NULL));
	USAGE(gpucrypt_decrypt_range(&from_made, NULL, 0, 1, NULL, &a_secret, NULL));
	USAGE(gpucrypt_verify(NULL, NULL, &a_secret, NULL));
	USAGE(gpucrypt_verify(&from_made, NULL, &a_secret, &silent));
	USAGE(gpucrypt_container_size(NULL, NULL, 1));
	assert_ok(gpucrypt_container_size(&size, NULL, 0));
}

TEST(no_options)
{
	struct gpucrypt_options *options = gpucrypt_options_create();

	USAGE(gpucrypt_options_set(NULL, "threads", "1"));
	USAGE(gpucrypt_options_set(options, NULL, "1"));
	USAGE(gpucrypt_options_set(options, "threads", NULL));
	USAGE(gpucrypt_options_set_threads(NULL, 1));
	USAGE(gpucrypt_options_set_sizes(NULL, 12, 12));
	USAGE(gpucrypt_options_set(options, "content", "pax"));
	USAGE(gpucrypt_options_set_threads(options, 4097));
	USAGE(gpucrypt_options_set_cipher(options, (enum gpucrypt_cipher)99));
	USAGE(gpucrypt_options_set_mode(options, (enum gpucrypt_mode) - 1));
	USAGE(gpucrypt_options_set_engine(options, (enum gpucrypt_engine)4));
	USAGE(gpucrypt_options_set_key_bits(options, 0xffffff80));
	gpucrypt_options_free(options);
	gpucrypt_options_free(NULL);
}

TEST(no_files_slots_and_keys)
{
	struct gpucrypt_file *file = (struct gpucrypt_file *)made;
	struct gpucrypt_slot slots[1];
	struct gpucrypt_secret secret;
	char pem[GPUCRYPT_PEM_BYTES];
	uint8_t der[GPUCRYPT_KEY_BYTES], id[GPUCRYPT_KEY_ID_BYTES], byte;
	unsigned n = 0;

	USAGE(gpucrypt_open(NULL, &from_made, NULL, &a_secret));
	USAGE(gpucrypt_open(&file, NULL, NULL, &a_secret));
	assert_null(file);
	assert_int_equal(gpucrypt_size(NULL), 0);
	USAGE(gpucrypt_pread(NULL, &byte, 1, 0));
	gpucrypt_close(NULL);
	assert_ok(gpucrypt_open(&file, &from_made, &small, &a_secret));
	USAGE(gpucrypt_pread(file, NULL, 1, 0));
	assert_ok(gpucrypt_pread(file, NULL, 0, N));
	USAGE(gpucrypt_pread(file, &byte, 0, N + 1));
	USAGE(gpucrypt_pread(file, &byte, SIZE_MAX, 1));
	USAGE(gpucrypt_pread(file, &byte, 1, UINT64_MAX));
	gpucrypt_close(file);
	USAGE(gpucrypt_slots_read(slots, NULL, &from_made, NULL));
	USAGE(gpucrypt_slots_read(slots, &n, NULL, NULL));
	assert_ok(gpucrypt_slots_read(NULL, &n, &from_made, NULL));
	assert_int_equal(n, 1);
	USAGE(gpucrypt_slots_read(NULL, &n, &from_made, NULL));
	USAGE(gpucrypt_slots_change(0, NULL, NULL, -1));
	assert_status(gpucrypt_slots_change(-1, &a_secret, NULL, -1), GPUCRYPT_IO);
	USAGE(gpucrypt_key_generate(NULL, pem, GPUCRYPT_X25519));
	USAGE(gpucrypt_key_generate(pem, NULL, GPUCRYPT_X25519));
	USAGE(gpucrypt_key_read(NULL, der, "", 0, NULL));
	USAGE(gpucrypt_key_read(&secret, NULL, "", 0, NULL));
	USAGE(gpucrypt_key_read(&secret, der, NULL, 0, NULL));
	USAGE(gpucrypt_key_read(&secret, der, "", 0, NULL));
	USAGE(gpucrypt_key_id(NULL, &a_secret));
	USAGE(gpucrypt_key_id(id, NULL));
}

/* Wrong input, output and secrets. */

/* An allocation that failed must not make the output descriptor 0. */
TEST(buffers_that_are_null)
{
	const struct gpucrypt_source from = { .size = N };
	struct gpucrypt_sink to = { .size = N };

	USAGE(gpucrypt_encrypt(&from_made, &to, &small, &a_secret, NULL));
	USAGE(gpucrypt_verify(&from, &small, &a_secret, NULL));
	assert_contains(gpucrypt_error(), "NULL");
}

/* The output would overwrite what is still to be read. */
TEST(output_over_input)
{
	int fd = memory_file(made, sizeof made), again = dup(fd), other = memory_file(NULL, 0);
	struct gpucrypt_sink over = { .bytes = made + 100, .size = 1 }, behind = { .bytes = back, .size = sizeof back };
	struct gpucrypt_file *file;
	uint8_t byte;

	assert_status(gpucrypt_encrypt(FROM(fd), TO(again), &small, &a_secret, NULL), GPUCRYPT_EXISTS);
	assert_status(gpucrypt_decrypt(FROM(fd), TO(fd), &small, &a_secret, NULL), GPUCRYPT_EXISTS);
	assert_status(gpucrypt_decrypt_range(FROM(fd), TO(again), 0, 1, &small, &a_secret, NULL), GPUCRYPT_EXISTS);
	assert_status(gpucrypt_decrypt(&from_made, &over, &small, &a_secret, NULL), GPUCRYPT_EXISTS);
	assert_ok(gpucrypt_open(&file, FROM(fd), NULL, &a_secret));
	assert_ok(gpucrypt_pread(file, &byte, 1, N - 1));
	assert_int_equal(byte, plain[N - 1]);
	gpucrypt_close(file);
	lseek(fd, 0, SEEK_SET);
	assert_ok(gpucrypt_decrypt(FROM(fd), TO(other), &small, &a_secret, NULL));
	assert_ok(gpucrypt_decrypt(&from_made, &behind, &small, &a_secret, NULL));
}

/* Both parts of a detached container would be one file, or one buffer. */
TEST(image_over_header)
{
	struct gpucrypt_options options = small;
	int fd = memory_file(NULL, 0), again = dup(fd);
	const struct gpucrypt_source from = { .bytes = plain, .size = 8192 };
	struct gpucrypt_sink image_file = { .fd = again }, file = { .fd = fd, .image = &image_file };
	struct gpucrypt_sink image = { .bytes = back + 99, .size = 8192 },
	                     header = { .bytes = back, .size = 100, .image = &image };

	assert_ok(gpucrypt_options_set(&options, "sector-log2", "9"));
	assert_status(gpucrypt_encrypt(&from, &file, &options, &a_secret, NULL), GPUCRYPT_EXISTS);
	assert_status(gpucrypt_encrypt(&from, &header, &options, &a_secret, NULL), GPUCRYPT_EXISTS);
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
}

TEST(wrong_secrets)
{
	struct gpucrypt_secret endless = a_secret, none = { .type = GPUCRYPT_PASSPHRASE, .length = 3 };
	struct gpucrypt_sink to = { .bytes = back, .size = sizeof back };
	const struct gpucrypt_source from = { .bytes = plain, .size = 1 };

	endless.next = &endless;
	USAGE(gpucrypt_verify(&from_made, NULL, &endless, NULL));
	USAGE(gpucrypt_encrypt(&from, &to, &small, &endless, NULL));
	USAGE(gpucrypt_encrypt(&from, &to, &small, &none, NULL));
	endless = (struct gpucrypt_secret){ .type = GPUCRYPT_PASSPHRASE, .bytes = a_key, .length = 3 };
	endless.scrypt_log2_n = 9;
	USAGE(gpucrypt_encrypt(&from, &to, &small, &endless, NULL));
	endless.scrypt_log2_n = 21;
	USAGE(gpucrypt_encrypt(&from, &to, &small, &endless, NULL));
	endless = (struct gpucrypt_secret){ .type = (enum gpucrypt_secret_type)77, .bytes = a_key, .length = 32 };
	USAGE(gpucrypt_encrypt(&from, &to, &small, &endless, NULL));
	endless = (struct gpucrypt_secret){ .type = GPUCRYPT_X25519, .bytes = a_key, .length = SIZE_MAX };
	USAGE(gpucrypt_encrypt(&from, &to, &small, &endless, NULL));
	endless = a_secret;
	endless.label =
	        "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456";
	assert_int_equal(strlen(endless.label), GPUCRYPT_LABEL_BYTES + 1);
	USAGE(gpucrypt_encrypt(&from, &to, &small, &endless, NULL));
}

/* Huge values. */

static ssize_t read_made_at(void *self, void *bytes, size_t n_bytes, uint64_t offset)
{
	size_t left = offset < sizeof made ? sizeof made - (size_t)offset : 0;

	(void)self;
	n_bytes = n_bytes < left ? n_bytes : left;
	memcpy(bytes, made + (left > 0 ? offset : 0), n_bytes);
	return (ssize_t)n_bytes;
}

TEST(huge_sizes)
{
	static const uint64_t sizes[] = { UINT64_MAX - 1, UINT64_MAX - 16384, (uint64_t)1 << 63, INT64_MAX,
		(uint64_t)1 << 62 };
	struct gpucrypt_sink to = { .bytes = back, .size = sizeof back };
	struct gpucrypt_file *file;
	uint64_t size;

	for (size_t i = 0; i < N_OF(sizes); i++) {
		const struct gpucrypt_source from = { .pread = read_made_at, .size = sizes[i] };

		assert_int_not_equal(gpucrypt_encrypt(&from, &to, &small, &a_secret, NULL), GPUCRYPT_OK);
		assert_int_not_equal(gpucrypt_decrypt_range(&from, &to, 0, 1, &small, &a_secret, NULL), GPUCRYPT_OK);
		assert_int_not_equal(gpucrypt_open(&file, &from, &small, &a_secret), GPUCRYPT_OK);
		USAGE(gpucrypt_container_size(&size, &small, sizes[i]));
	}
	USAGE(gpucrypt_decrypt_range(&from_made, &to, UINT64_MAX, UINT64_MAX, &small, &a_secret, NULL));
	USAGE(gpucrypt_decrypt_range(&from_made, &to, 1, UINT64_MAX - 1, &small, &a_secret, NULL));
	assert_ok(gpucrypt_container_size(&size, &small, UINT64_MAX));
	assert_int_equal(size, UINT64_MAX);
}

/* Callbacks. */

static ssize_t write_too_much(void *self, const void *bytes, size_t n_bytes)
{
	(void)self, (void)bytes;
	return (ssize_t)n_bytes + 1;
}

/* Reads the plaintext of another container, and raises a signal. */
static ssize_t read_through(void *self, void *bytes, size_t n_bytes, uint64_t offset)
{
	uint64_t size = gpucrypt_size(self), left = offset < size ? size - offset : 0;

	raise(SIGUSR1);
	n_bytes = n_bytes < left ? n_bytes : (size_t)left;
	return gpucrypt_pread(self, bytes, n_bytes, offset) == GPUCRYPT_OK ? (ssize_t)n_bytes : -1;
}

static atomic_int n_signals; /* several threads call back */

static void count_signal(int number)
{
	(void)number;
	n_signals++;
}

TEST(callbacks_that_enter_the_library)
{
	uint8_t outer[16384 + 10 * 4096 + CONTAINER_BYTES];
	struct gpucrypt_sink to = { .write = write_too_much }, to_outer = { .bytes = outer, .size = sizeof outer },
	                     to_back = { .bytes = back, .size = sizeof back };
	const struct gpucrypt_source from_outer = { .bytes = outer, .size = sizeof outer };
	struct gpucrypt_source from = { .pread = read_through };
	struct gpucrypt_file *files[2];
	uint8_t bytes[N];

	USAGE(gpucrypt_decrypt(&from_made, &to, &small, &a_secret, NULL));
	signal(SIGUSR1, count_signal);
	assert_ok(gpucrypt_encrypt(&from_made, &to_outer, &small, &a_secret, NULL));
	assert_ok(gpucrypt_open(&files[0], &from_outer, &small, &a_secret));
	from.self = files[0];
	from.size = gpucrypt_size(files[0]);
	assert_ok(gpucrypt_open(&files[1], &from, &small, &a_secret));
	assert_ok(gpucrypt_pread(files[1], bytes, N, 0));
	assert_memory_equal(bytes, plain, N);
	assert_ok(gpucrypt_decrypt(&from, &to_back, &small, &a_secret, NULL));
	assert_memory_equal(back, plain, N);
	assert_true(n_signals > 2);
	gpucrypt_close(files[1]);
	gpucrypt_close(files[0]);
}

/* A child reads a file that its parent has opened, and encrypts by itself. */
TEST(child_processes)
{
	struct gpucrypt_sink to = { .bytes = back, .size = sizeof back };
	const struct gpucrypt_source from = { .bytes = plain, .size = N };
	struct gpucrypt_file *file;
	uint8_t byte = 0;
	int status;
	pid_t child;

	assert_ok(gpucrypt_open(&file, &from_made, &small, &a_secret));
	child = fork();
	if (child == 0)
		_exit(gpucrypt_pread(file, &byte, 1, N - 1) == GPUCRYPT_OK && byte == plain[N - 1] &&
		                        gpucrypt_encrypt(&from, &to, &small, &a_secret, NULL) == GPUCRYPT_OK &&
		                        to.written == sizeof back
		                ? 0
		                : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	gpucrypt_close(file);
}

/* libgpucrypt(3): a stack of 512 KiB is enough. */
static void *use_all(void *self)
{
	struct gpucrypt_sink to = { .bytes = back, .size = sizeof back };
	struct gpucrypt_secret passphrase = {
		.type = GPUCRYPT_PASSPHRASE, .bytes = (const uint8_t *)"x", .length = 1, .scrypt_log2_n = 10
	};
	const struct gpucrypt_source from = { .bytes = plain, .size = N },
	                             from_back = { .bytes = back, .size = sizeof back };
	struct gpucrypt_file *file;
	int *status = self;

	*status = gpucrypt_encrypt(&from, &to, &small, &passphrase, NULL);
	if (*status == GPUCRYPT_OK)
		*status = gpucrypt_open(&file, &from_back, &small, &passphrase);
	if (*status == GPUCRYPT_OK)
		gpucrypt_close(file);
	return NULL;
}

TEST(small_stacks)
{
	int status = GPUCRYPT_OTHER;
	pthread_attr_t attributes;
	pthread_t thread;

#ifdef __SANITIZE_THREAD__ /* needs more of it itself */
	skip();
#endif
	pthread_attr_init(&attributes);
	assert_int_equal(pthread_attr_setstacksize(&attributes, 512 << 10), 0);
	assert_int_equal(pthread_create(&thread, &attributes, use_all, &status), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
	assert_int_equal(status, GPUCRYPT_OK);
}
