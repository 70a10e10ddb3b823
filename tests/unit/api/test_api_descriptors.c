/* The public functions on descriptors: progress, cancelling, the state of the process. */
#include "tests/unit/containers.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

#include "gpucrypt/device/device.h"

struct seen {
	uint64_t last, total;
	unsigned calls, most_calls;
	bool backwards;
};

static int see(void *self, uint64_t done_bytes, uint64_t total_bytes)
{
	struct seen *seen = self;

	seen->backwards |= done_bytes < seen->last;
	seen->last = done_bytes;
	seen->total = total_bytes;
	return ++seen->calls == seen->most_calls;
}

/* The public functions, on regular files, with progress. */
TEST(public_functions)
{
	struct gpucrypt_options *options = gpucrypt_options_create();
	uint8_t *plaintext = plaintext_make(10000), back[10001];
	int in = memory_file(plaintext, 10000), out = memory_file(NULL, 0);
	int again = memory_file(NULL, 0);
	struct seen seen = { 0 };
	const struct gpucrypt_progress progress = { see, &seen };

	assert_non_null(options);
	options->plan = plan_make("camellia", "ctr");
	assert_ok(gpucrypt_encrypt(FROM(in), TO(out), options, &a_secret, &progress));
	assert_int_equal(seen.last, 10000);
	assert_int_equal(seen.total, 10000);
	assert_int_equal(seen.calls, 3);
	assert_int_equal(lseek(out, 0, SEEK_CUR), 16384 + 3 * 4096 + 10000);
	lseek(out, 0, SEEK_SET);
	seen = (struct seen){ 0 };
	assert_ok(gpucrypt_decrypt(FROM(out), TO(again), options, &a_secret, &progress));
	assert_int_equal(seen.last, 16384 + 3 * 4096 + 10000);
	assert_int_equal(seen.total, seen.last);
	assert_false(seen.backwards);
	assert_int_equal(pread(again, back, sizeof back, 0), 10000);
	assert_memory_equal(back, plaintext, 10000);
	lseek(out, 0, SEEK_SET);
	assert_ok(gpucrypt_verify(FROM(out), NULL, &a_secret, NULL));
	assert_status(gpucrypt_verify(FROM(out), NULL, NULL, NULL), GPUCRYPT_USAGE);
	assert_ok(gpucrypt_options_set(options, "key-space", "constant"));
	assert_status(gpucrypt_options_set(options, "copies", "3"), GPUCRYPT_USAGE);
	assert_ok(gpucrypt_options_set(options, "copies", "4"));
	assert_ok(gpucrypt_options_set(options, "table-space", "constant"));
	assert_status(gpucrypt_encrypt(FROM(in), TO(again), options, &a_secret, NULL), GPUCRYPT_USAGE);
	gpucrypt_options_free(options);
	assert_int_equal(lseek(again, 0, SEEK_END), 10000);
	assert_status(gpucrypt_verify(FROM(-1), NULL, &a_secret, NULL), GPUCRYPT_IO);
}

/* A report that returns 1 stops the run: of the three groups no more than the first are written. */
TEST(cancelled)
{
	struct gpucrypt_options *options = gpucrypt_options_create();
	uint8_t *plaintext = plaintext_make(100000);
	int in = memory_file(plaintext, 100000), out = memory_file(NULL, 0), again = memory_file(NULL, 0);
	struct seen seen = { .most_calls = 2 };
	const struct gpucrypt_progress progress = { see, &seen };

	options->plan = plan_make("aes", "ctr");
	assert_status(gpucrypt_encrypt(FROM(in), TO(out), options, &a_secret, &progress), GPUCRYPT_CANCELLED);
	assert_int_equal(seen.calls, 2);
	assert_string_equal(gpucrypt_error(), "cancelled by the caller");
	assert_ok(gpucrypt_encrypt(FROM(in), TO(out), options, &a_secret, NULL));
	for (unsigned i = 0; i < 2; i++) {
		lseek(out, 0, SEEK_SET);
		seen = (struct seen){ .most_calls = 1 };
		assert_status((i ? gpucrypt_verify(FROM(out), options, &a_secret, &progress)
		                 : gpucrypt_decrypt(FROM(out), TO(again), options, &a_secret, &progress)),
		        GPUCRYPT_CANCELLED);
		assert_int_equal(seen.calls, 1);
	}
	assert_true(lseek(again, 0, SEEK_END) < 100000);
	gpucrypt_options_free(options);
}

/* The state of the process. */

WRAPPED(clCreateContext);
WRAPPED(clReleaseContext);

static unsigned n_contexts;

cl_context __wrap_clCreateContext(const cl_context_properties *properties, cl_uint n_devices,
        const cl_device_id *devices, void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *self,
        cl_int *error)
{
	n_contexts++;
	return __real_clCreateContext(properties, n_devices, devices, notify, self, error);
}

cl_int __wrap_clReleaseContext(cl_context context)
{
	n_contexts--;
	return __real_clReleaseContext(context);
}

TEST(release)
{
	struct gpucrypt_options options = { { .engine = GPUCRYPT_OPENCL } };
	uint8_t container[16384 + 4096 + 5];
	const struct gpucrypt_source from = { .bytes = "plain", .size = 5 };
	struct gpucrypt_sink to = { .bytes = container, .size = sizeof container };

	for (unsigned i = 0; i < 2; i++) {
		int status = gpucrypt_encrypt(&from, &to, &options, &a_secret, NULL);

		if (status == GPUCRYPT_DEVICE)
			skip();
		assert_int_equal(status, GPUCRYPT_OK);
		assert_int_equal(n_contexts, 1);
		gpucrypt_release();
		assert_int_equal(n_contexts, 0);
	}
}

/* Nine recipients share slots: each is listed, the one that opened is marked, and one is removed by the numbers of its
 * description. */
TEST(members_of_shared_slots)
{
	char private_pem[9][GPUCRYPT_PEM_BYTES], public_pem[GPUCRYPT_PEM_BYTES];
	uint8_t der[9][GPUCRYPT_KEY_BYTES], private_der[9][GPUCRYPT_KEY_BYTES], id[GPUCRYPT_KEY_ID_BYTES],
	        id_of_opener[GPUCRYPT_KEY_ID_BYTES];
	struct gpucrypt_secret public[9], private[9];
	struct gpucrypt_slot slots[GPUCRYPT_SLOTS], *found = NULL;
	unsigned n = GPUCRYPT_SLOTS;
	int fd = memory_file(NULL, 0);

	for (unsigned i = 0; i < 9; i++) {
		assert_ok(gpucrypt_key_generate(private_pem[i], public_pem, GPUCRYPT_X25519));
		assert_ok(gpucrypt_key_read(&public[i], der[i], public_pem, strlen(public_pem), NULL));
		assert_ok(gpucrypt_key_read(&private[i], private_der[i], private_pem[i], strlen(private_pem[i]), NULL));
		public[i].next = i > 0 ? &public[i - 1] : NULL;
	}
	assert_ok(
	        gpucrypt_encrypt(&(struct gpucrypt_source){ .bytes = "x", .size = 1 }, TO(fd), NULL, &public[8], NULL));
	assert_ok(gpucrypt_key_id(id, &public[4]));
	assert_ok(gpucrypt_key_id(id_of_opener, &public[0]));
	assert_ok(gpucrypt_slots_read(slots, &n, FROM(fd), &private[0]));
	assert_int_equal(n, 9);
	for (unsigned i = 0; i < n; i++) {
		bool first = i == 0 || slots[i].number != slots[i - 1].number;

		assert_int_equal(slots[i].type, GPUCRYPT_X25519);
		assert_int_equal(slots[i].opened, memcmp(slots[i].key_id, id_of_opener, sizeof id) == 0);
		assert_int_equal(slots[i].member, first ? 0 : slots[i - 1].member + 1);
		if (memcmp(slots[i].key_id, id, sizeof id) == 0)
			found = &slots[i];
	}
	assert_non_null(found);
	assert_status(gpucrypt_slots_change(fd, &private[0], NULL, -2), GPUCRYPT_USAGE);
	assert_fails_about(gpucrypt_slots_change(fd, &private[0], NULL, (int)found -> number), GPUCRYPT_USAGE,
	        "recipients share slot");
	assert_status(
	        gpucrypt_slots_change(fd, &private[0], NULL, GPUCRYPT_SLOT_MEMBER(found->number, 18)), GPUCRYPT_USAGE);
	assert_ok(gpucrypt_slots_change(fd, &private[0], NULL, GPUCRYPT_SLOT_MEMBER(found->number, found->member)));
	for (unsigned i = 0; i < 9; i++) {
		lseek(fd, 0, SEEK_SET);
		assert_status(
		        gpucrypt_verify(FROM(fd), NULL, &private[i], NULL), i == 4 ? GPUCRYPT_NO_KEY : GPUCRYPT_OK);
	}
}
