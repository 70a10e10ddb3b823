/* Detached containers: an image on a larger device, holes that a header claims, new tags.  All else: tests/cli/images.
 */
#include "tests/unit/containers.h"

#include "gpucrypt/container/container.h"

#define GROUP   8192
#define N_BYTES (5 * GROUP + 512)

/* Both files in memory. */
struct files {
	int image_fd, side_fd;
	struct source image, side;
};

static uint8_t *plaintext; /* N_BYTES, which is no multiple of 4096 */

void program_set_up(void)
{
	plaintext = plaintext_make(N_BYTES);
}

static void look(struct files *files)
{
	fail_clear();
	lseek(files->side_fd, 0, SEEK_SET);
	lseek(files->image_fd, 0, SEEK_SET);
	assert_ok(source_open(&files->image, files->image_fd, "image"));
	assert_ok(source_open(&files->side, files->side_fd, "side"));
}

static struct files make(unsigned sector_log2)
{
	struct gpucrypt_plan plan = plan_make("aes", NULL);
	struct files files = { memory_file(NULL, 0), memory_file(NULL, 0), .image = { .fd = -1 } };
	struct fd_sink image, side;
	struct detached_sink both;
	struct source source;
	int fd = memory_file(plaintext, N_BYTES >> sector_log2 << sector_log2);

	plan.group_log2 = 13;
	plan.threads = 3;
	plan.sector_log2 = sector_log2;
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
