/* Changing key slots: the state after a power failure at each write, the repair of header copies, and rejected changes.
 * pwrite() and fsync() of the library are replaced. */
#include "tests/unit/containers.h"

#include "gpucrypt/keys/header.h"

#define COPIES_BYTES (2 * HEADER_COPY_BYTES)

static const uint8_t new_key[32] = { 9, 8, 7 };
static const struct gpucrypt_secret new_secret = { .type = GPUCRYPT_KEY_FILE, .bytes = new_key, .length = 32 };

static struct buffer made; /* a container, and a file with it; each test begins with both */
static int fd;

/* The storage: bytes that were written, and bytes that fsync() has made durable. */
static uint64_t allowed; /* bytes of writes before the power goes */
static unsigned n_syncs, n_writes_since_sync;
static uint64_t n_written;
static off_t writes[8]; /* where each began */
static unsigned n_writes;

WRAPPED(pwrite);
int __wrap_fsync(int file);

/* After the power is gone nothing reaches the storage; no call reports it. */
ssize_t __wrap_pwrite(int file, const void *bytes, size_t n_bytes, off_t offset)
{
	size_t stored = n_bytes < allowed ? n_bytes : (size_t)allowed;

	writes[n_writes++ % N_OF(writes)] = offset;
	n_writes_since_sync++;
	allowed -= stored;
	n_written += n_bytes;
	if (stored > 0)
		assert_int_equal(__real_pwrite(file, bytes, stored, offset), stored);
	return (ssize_t)n_bytes;
}

int __wrap_fsync(int file)
{
	(void)file;
	assert_int_equal(n_writes_since_sync, 1); /* never two copies on their way at the same time */
	n_writes_since_sync = 0;
	n_syncs++;
	return 0;
}

static int change(struct key_change *what)
{
	struct authenticated_header old;
	struct source file;

	n_syncs = n_writes_since_sync = n_writes = 0;
	n_written = 0;
	assert_ok(source_open(&file, fd, "x.gcr"));
	return key_change(&file, what, &old);
}

static int add(const struct gpucrypt_secret *with, const struct gpucrypt_secret *secret)
{
	return change(&(struct key_change){ .secret = with, .add = secret, .remove = -1 });
}

static int remove_slot(const struct gpucrypt_secret *with, int slot)
{
	return change(&(struct key_change){ .secret = with, .remove = slot });
}

/* Decrypts what lies in the file from its start. */
static int opens(const struct gpucrypt_secret *secret)
{
	struct buffer plain = buffer_make();
	int status;

	status = decrypt_fd(fd, &plain, secret, NULL);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	if (status == GPUCRYPT_OK)
		assert_int_equal(plain.n_bytes, 5000);
	buffer_free(&plain);
	return status;
}

static int file_of(const struct buffer *buffer)
{
	int file = kept_fd(memfd_create("container", 0));

	assert_int_equal(__real_pwrite(file, buffer->bytes, buffer->n_bytes, 0), buffer->n_bytes);
	return file;
}

void test_set_up(void)
{
	const struct gpucrypt_plan plan = plan_make("aes", "ctr");

	allowed = UINT64_MAX;
	made = encrypt_bytes(&plan, plaintext_make(5000), 5000);
	fd = file_of(&made);
}

/* A key file of equal bytes, which no other test uses. */
static int add_key_file(uint8_t byte)
{
	uint8_t key[32];

	memset(key, byte, sizeof key);
	return add(
	        &a_secret, &(struct gpucrypt_secret){ .type = GPUCRYPT_KEY_FILE, .bytes = key, .length = sizeof key });
}

/* A slot of a later release is carried along, and is none that could be the last. */
TEST(strange_slots_stay)
{
	struct forge forge;
	uint8_t strange[KEY_SLOT_BYTES], *at;

	count_up(strange, sizeof strange, 77);
	forge_open(&forge, made);
	at = forge.container.bytes + KEY_SLOTS_START + KEY_SLOT_BYTES;
	memcpy(at, strange, sizeof strange);
	assert_ok(header_seal(forge.container.bytes, &forge.keys));
	memcpy(forge.container.bytes + HEADER_COPY_BYTES, forge.container.bytes, HEADER_COPY_BYTES);
	fd = file_of(&forge.container);
	assert_status(remove_slot(&a_secret, 0), GPUCRYPT_USAGE);
	assert_ok(add(&a_secret, &new_secret));
	for (off_t copy = 0; copy < 2; copy++) {
		uint8_t found[KEY_SLOT_BYTES];

		assert_int_equal(
		        pread(fd, found, sizeof found, copy * HEADER_COPY_BYTES + KEY_SLOTS_START + KEY_SLOT_BYTES),
		        sizeof found);
		assert_memory_equal(found, strange, sizeof strange);
	}
	assert_ok(opens(&new_secret));
}

/* The damaged or older copy is written first, and both are good in the end. */
TEST(repairs)
{
	struct examined_header header;
	struct source file;

	for (unsigned damaged = 0; damaged < 2; damaged++) {
		for (unsigned at = 0; at < HEADER_COPY_BYTES; at += 1021) {
			uint8_t byte = made.bytes[damaged * HEADER_COPY_BYTES + at] ^ 0x10;

			fd = file_of(&made);
			assert_int_equal(__real_pwrite(fd, &byte, 1, damaged * HEADER_COPY_BYTES + at), 1);
			assert_ok(add(&a_secret, &new_secret));
			assert_int_equal(writes[0], damaged * HEADER_COPY_BYTES);
			source_open(&file, fd, "x.gcr");
			assert_ok(container_examine(&file, &header));
			assert_false(header_needs_repair(&header.copies));
			assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
			assert_ok(opens(&a_secret));
			assert_ok(opens(&new_secret));
		}
	}
}

/* Before the change: both copies good, or one of them damaged, or one older. */
enum before { GOOD, A_DAMAGED, B_DAMAGED, A_OLDER, B_OLDER, N_BEFORE };

static void prepare(enum before before)
{
	uint8_t older[COPIES_BYTES], bad = 0xff;

	fd = file_of(&made);
	allowed = UINT64_MAX;
	if (before == A_DAMAGED || before == B_DAMAGED)
		assert_int_equal(__real_pwrite(fd, &bad, 1, (before - A_DAMAGED) * HEADER_COPY_BYTES + 7000), 1);
	if (before == A_OLDER || before == B_OLDER) {
		off_t at = (before - A_OLDER) * HEADER_COPY_BYTES;

		assert_int_equal(pread(fd, older, sizeof older, 0), sizeof older);
		assert_ok(add_key_file(1));
		assert_int_equal(__real_pwrite(fd, older, HEADER_COPY_BYTES, at), HEADER_COPY_BYTES);
	}
}

/* The power goes after any number of bytes; with the removal of the old key the new one stays. */
TEST(cut_anywhere)
{
	static const unsigned in_copy[] = { 0, 1, 8, 63, 64, 65, 71, 72, 480, 481, 1440, 2000, 8159, 8160, 8175, 8185 };

	for (unsigned i = 0; i <= 2 * N_OF(in_copy); i++) {
		unsigned whole = i / N_OF(in_copy) * HEADER_COPY_BYTES;
		unsigned cut = whole + (whole < COPIES_BYTES ? in_copy[i % N_OF(in_copy)] : 0);

		for (enum before before = GOOD; before < N_BEFORE; before++) {
			prepare(before);
			allowed = cut;
			assert_ok(add(&a_secret, &new_secret));
			assert_ok(opens(&a_secret));
			assert_status(opens(&new_secret), cut < HEADER_COPY_BYTES ? GPUCRYPT_NO_KEY : GPUCRYPT_OK);
			/* The next command repairs what the cut left. */
			allowed = UINT64_MAX;
			assert_status(add(&a_secret, &new_secret), cut < COPIES_BYTES ? GPUCRYPT_OK : GPUCRYPT_USAGE);

			allowed = cut;
			assert_ok(remove_slot(&new_secret, 0));
			assert_ok(opens(&new_secret));
			assert_status(opens(&a_secret), cut < HEADER_COPY_BYTES ? GPUCRYPT_OK : GPUCRYPT_NO_KEY);
		}
	}
}
