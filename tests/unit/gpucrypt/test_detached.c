/* Detached containers in the library: the image against libcrypto's XTS sector by sector, damage,
 * new tags, and in place. */
#include "tests/unit/containers.h"

#include <fcntl.h>
#include <openssl/evp.h>

#include "gpucrypt/bytes.h"
#include "gpucrypt/container/in_place/in_place.h"
#include "gpucrypt/container/retag.h"

#define GROUP   8192
#define N_BYTES (5 * GROUP + 512)

/* Three files in memory. */
struct files {
	int image_fd, side_fd, journal_fd;
	struct source image, side, journal;
};

static uint8_t *plaintext; /* N_BYTES, which is no multiple of 4096 */

void program_set_up(void)
{
	plaintext = plaintext_make(N_BYTES);
}

static int empty_file(void)
{
	return kept_fd(memfd_create("part", 0));
}

static void look(struct files *files)
{
	fail_clear();
	lseek(files->side_fd, 0, SEEK_SET);
	lseek(files->image_fd, 0, SEEK_SET);
	assert_ok(source_open(&files->image, files->image_fd, "image"));
	assert_ok(source_open(&files->side, files->side_fd, "side"));
	assert_ok(source_open(&files->journal, files->journal_fd, "journal"));
}

static struct gpucrypt_plan plan_of(unsigned sector_log2)
{
	struct gpucrypt_plan plan = plan_make("aes", NULL);

	plan.group_log2 = 13;
	plan.threads = 3;
	plan.sector_log2 = sector_log2;
	return plan;
}

static struct files make(unsigned sector_log2)
{
	struct gpucrypt_plan plan = plan_of(sector_log2);
	struct files files = { empty_file(), empty_file(), empty_file(), .image = { .fd = -1 } };
	struct fd_sink image, side;
	struct detached_sink both;
	struct source source;
	int fd = memory_file(plaintext, N_BYTES >> sector_log2 << sector_log2);

	assert_ok(source_open(&source, fd, "plain"));
	fd_sink_open(&image, files.image_fd, "image");
	fd_sink_open(&side, files.side_fd, "side");
	fd_sink_allow_any_order(&image);
	fd_sink_allow_any_order(&side);
	detached_sink_open(&both, &side.sink, &image.sink, plan.group_log2);
	assert_ok(container_encrypt(&source, &both.sink, &plan, &a_secret, NULL, NULL));
	return files;
}

static int decrypt_files(struct files *files, struct buffer *plain)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = 3 };
	struct detached_source joined;

	look(files);
	assert_ok(detached_source_open(&joined, &files->side, &files->image));
	return container_decrypt(&joined.source, plain != NULL ? &plain->sink : NULL, &plan, &a_secret, NULL, NULL);
}

static int keep_key(void *self, const struct group_report *group)
{
	assert_int_equal(group->key_bytes, 64);
	memcpy(self, group->key, 64);
	return GPUCRYPT_OK;
}

/* Every sector by itself: the tweak counts 512 bytes (plain64). */
static void assert_volume(struct files *files, unsigned sector_log2)
{
	size_t sector = (size_t)1 << sector_log2;
	uint8_t key[64], tweak[16] = { 0 }, want[4096], got[4096];
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	int n;

	look(files);
	assert_ok(container_groups(&files->side, &a_secret, UINT64_MAX, keep_key, key));
	assert_int_equal(files->image.size_bytes, N_BYTES >> sector_log2 << sector_log2);
	for (size_t at = 0; at < files->image.size_bytes; at += sector) {
		store_le64(tweak, at / 512);
		assert_int_equal(EVP_EncryptInit_ex(context, EVP_aes_256_xts(), NULL, key, tweak), 1);
		assert_int_equal(EVP_EncryptUpdate(context, want, &n, plaintext + at, (int)sector), 1);
		assert_int_equal(pread(files->image_fd, got, sector, (off_t)at), sector);
		assert_memory_equal(got, want, sector);
	}
	EVP_CIPHER_CTX_free(context);
}

TEST(sectors)
{
	for (unsigned sector_log2 = 9; sector_log2 <= 12; sector_log2++) {
		struct files files = make(sector_log2);
		struct buffer plain = buffer_make();

		assert_volume(&files, sector_log2);
		assert_ok(decrypt_files(&files, &plain));
		assert_bytes(&plain, plaintext, files.image.size_bytes);
		assert_ok(decrypt_files(&files, NULL));
	}
}

/* The image on a larger device ends where the header says. */
TEST(larger_device)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = 3 };
	struct files files = make(9);
	struct detached_source joined;
	struct buffer plain = buffer_make();

	assert_int_equal(ftruncate(files.image_fd, 3 * N_BYTES), 0);
	assert_status(decrypt_files(&files, &plain), GPUCRYPT_CORRUPT);
	look(&files);
	files.image.block_device = true;
	plain.n_bytes = 0;
	assert_ok(detached_source_open(&joined, &files.side, &files.image));
	assert_ok(container_decrypt(&joined.source, &plain.sink, &plan, &a_secret, NULL, NULL));
	assert_bytes(&plain, plaintext, N_BYTES);
}

TEST(refused_plans)
{
	struct gpucrypt_plan wrong_mode = plan_of(9), wrong_sector = plan_of(13), good = plan_of(12);
	const struct gpucrypt_plan *const plans[] = { &wrong_mode, &wrong_sector, &good };
	struct buffer container = buffer_make();

	wrong_mode.mode = GPUCRYPT_CTR;
	for (size_t i = 0; i < N_OF(plans); i++) {
		int fd = memory_file(plaintext, N_BYTES);
		struct source source;

		fail_clear();
		source_open(&source, fd, "plain");
		assert_status(
		        container_encrypt(&source, &container.sink, plans[i], &a_secret, NULL, NULL), GPUCRYPT_USAGE);
		assert_int_equal(container.n_bytes, 0);
	}
}

/* "DETACHED IMAGES": there are none, even where an owner of the key says so. */
TEST(no_holes)
{
	uint8_t copies[2 * HEADER_COPY_BYTES], bytes[PAGE_BYTES], zeros[4096] = { 0 };
	struct files files = make(9);
	struct authenticated_header header;
	struct group_keys group_keys;
	struct file_keys keys;
	struct page page;

	assert_int_equal(pread(files.side_fd, copies, sizeof copies, 0), sizeof copies);
	assert_ok(header_unlock(&header, &keys, copies, &a_secret));
	assert_int_equal(pread(files.side_fd, bytes, sizeof bytes, PAGES_START), sizeof bytes);
	assert_ok(group_keys_derive(&group_keys, &keys, 0, bytes + PAGE_SALT));
	assert_ok(page_open(&page, bytes, &group_keys, 0, 13, 12));
	page.flags |= PAGE_HOLES;
	page.holes[0] = 1;
	memset(page.tags[0], 0, sizeof page.tags[0]);
	page_encode(bytes, &page);
	assert_ok(page_seal(bytes, &group_keys));
	assert_int_equal(pwrite(files.side_fd, bytes, sizeof bytes, PAGES_START), sizeof bytes);
	assert_int_equal(pwrite(files.image_fd, zeros, sizeof zeros, 0), sizeof zeros);
	assert_fails_about(decrypt_files(&files, NULL), GPUCRYPT_CORRUPT, "(group 0): an image has no holes");
}

/* An image that ends with a group or within one, as a file and on a larger device. */
TEST(new_tags)
{
	const struct gpucrypt_plan plan = { .engine = GPUCRYPT_CPU, .threads = 3 };
	uint8_t other = 0;

	for (unsigned i = 0; i < 4; i++) {
		struct files files = make(i & 1 ? 12 : 9);
		size_t n_groups = i & 1 ? 5 : 6;
		struct detached_source joined;
		struct buffer side = buffer_make();
		struct report report;

		assert_int_equal(pwrite(files.image_fd, &other, 1, 3 * GROUP + 77), 1);
		assert_int_equal(pwrite(files.image_fd, &other, 1, 3 * GROUP + 78), 1);
		assert_fails_about(decrypt_files(&files, NULL), GPUCRYPT_CORRUPT,
		        "image: corrupt at byte 24576 of this file (group 3)");
		if (i & 2)
			assert_int_equal(ftruncate(files.image_fd, 3 * N_BYTES), 0);
		look(&files);
		files.image.block_device = (i & 2) != 0;
		detached_source_open(&joined, &files.side, &files.image);
		assert_ok(container_retag(&joined, &side.sink, &plan, &a_secret, NULL, &report));
		assert_int_equal(report.plaintext_bytes, i & 1 ? 5 * GROUP : N_BYTES);
		assert_int_equal(side.n_bytes, 16384 + n_groups * 4096);
		assert_int_equal(pwrite(files.side_fd, side.bytes, side.n_bytes, 0), side.n_bytes);
		assert_int_equal(ftruncate(files.image_fd, i & 1 ? 5 * GROUP : N_BYTES), 0);
		assert_ok(decrypt_files(&files, NULL));
	}
}

static int convert(struct files *files, int folder_fd, __typeof__(container_encrypt_in_place) *run)
{
	const struct gpucrypt_plan plan = plan_of(9);
	const struct in_place in_place = { &files->image, &files->side, &files->journal, folder_fd, false };
	struct report report;

	look(files);
	return run(&in_place, &plan, &a_secret, NULL, &report);
}

/* From the beginning; and from each state that a run can be stopped in after n groups. */
TEST(in_place)
{
	uint8_t *image = kept_allocate(N_BYTES);
	struct files files = { memory_file(plaintext, N_BYTES), empty_file(), empty_file(), .image = { .fd = -1 } };
	int folder_fd = kept_fd(open(".", O_RDONLY | O_DIRECTORY));

	assert_ok(convert(&files, folder_fd, container_encrypt_in_place));
	assert_volume(&files, 9);
	assert_ok(decrypt_files(&files, NULL));
	assert_int_equal(pread(files.image_fd, image, N_BYTES, 0), N_BYTES);
	for (size_t n = 0; n < 6; n++) {
		size_t done = n * GROUP;

		assert_int_equal(pwrite(files.image_fd, plaintext + done, N_BYTES - done, (off_t)done), N_BYTES - done);
		assert_int_equal(ftruncate(files.side_fd, (off_t)(16384 + n * 4096)), 0);
		/* The journal is that of the last group still: pages before its own are lost. */
		if (n < 5) {
			assert_status(convert(&files, folder_fd, container_encrypt_in_place), GPUCRYPT_CORRUPT);
			assert_int_equal(ftruncate(files.journal_fd, START_RECORD_BYTES), 0);
		}
		assert_ok(convert(&files, folder_fd, container_encrypt_in_place));
		assert_volume(&files, 9);
		assert_ok(decrypt_files(&files, NULL));
	}
	/* Without the journal there is nothing to be done. */
	assert_int_equal(ftruncate(files.journal_fd, 0), 0);
	assert_status(convert(&files, folder_fd, container_encrypt_in_place), GPUCRYPT_EXISTS);
	assert_int_equal(pread(files.image_fd, image, N_BYTES, 0), N_BYTES);
	assert_volume(&files, 9);
}

/* Ciphertext in the image as far as there are pages, and the journal of a group: what the run has to make of it. */
struct way_back {
	size_t pages, in_journal;
	int status;
};

/* From the end; and from each state that a run can be stopped in, and from states that lack something. */
TEST(in_place_back)
{
	uint8_t start[START_RECORD_BYTES] = START_RECORD_MAGIC; /* no page is missing at first; then that of the run */
	static const struct way_back ways[] = {
		{ 6, 5, GPUCRYPT_OK }, { 5, 5, GPUCRYPT_OK }, { 5, 4, GPUCRYPT_OK }, { 1, 1, GPUCRYPT_OK },
		{ 1, 0, GPUCRYPT_OK }, { 0, 0, GPUCRYPT_OK }, { 3, 4, GPUCRYPT_CORRUPT }, { 0, 5, GPUCRYPT_CORRUPT },
		{ 2, 6, GPUCRYPT_EXISTS }, { 0, 6, GPUCRYPT_EXISTS }, /* 6: no journal */
	};
	uint8_t *image = kept_allocate(N_BYTES), *cipher = kept_allocate(N_BYTES), side[16384 + 6 * 4096];
	struct files files = { memory_file(plaintext, N_BYTES), empty_file(), empty_file(), .image = { .fd = -1 } };
	int folder_fd = kept_fd(open(".", O_RDONLY | O_DIRECTORY));

	assert_ok(convert(&files, folder_fd, container_encrypt_in_place));
	assert_int_equal(pread(files.image_fd, cipher, N_BYTES, 0), N_BYTES);
	assert_int_equal(pread(files.side_fd, side, sizeof side, 0), sizeof side);
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		size_t pages = ways[i].pages, n = ways[i].in_journal,
		       done = pages * GROUP < N_BYTES ? pages * GROUP : N_BYTES,
		       length = N_BYTES - n * GROUP < GROUP ? N_BYTES - n * GROUP : GROUP;

		assert_int_equal(pwrite(files.image_fd, cipher, done, 0), done);
		assert_int_equal(pwrite(files.image_fd, plaintext + done, N_BYTES - done, (off_t)done), N_BYTES - done);
		assert_int_equal(ftruncate(files.journal_fd, 0), 0);
		assert_int_equal(ftruncate(files.side_fd, 0), 0);
		assert_int_equal(pwrite(files.side_fd, side, 16384 + pages * 4096, 0), 16384 + pages * 4096);
		if (n < 6) {
			assert_int_equal(pwrite(files.journal_fd, start, 8192, 0), 8192);
			assert_int_equal(pwrite(files.journal_fd, side + 16384 + n * 4096, 4096, 8192), 4096);
			assert_int_equal(pwrite(files.journal_fd, cipher + n * GROUP, length, 12288), length);
		}
		assert_status(convert(&files, folder_fd, container_decrypt_in_place), ways[i].status);
		if (i == 0)
			assert_int_equal(pread(files.journal_fd, start, sizeof start, 0), sizeof start);
		assert_int_equal(pread(files.image_fd, image, N_BYTES, 0), N_BYTES);
		if (ways[i].status == GPUCRYPT_OK) {
			assert_memory_equal(image, plaintext, N_BYTES);
			look(&files);
			assert_int_equal(files.side.size_bytes, 16384);
		} else
			assert_memory_equal(image, cipher, done);
	}
}
