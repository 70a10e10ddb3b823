/* Directory trees by callbacks: what is written, what comes back, and what forged archives get. */
#include "tests/unit/containers.h"

#include <errno.h>
#include <sys/stat.h>

#include "gpucrypt/tree/pax.h"
#include "gpucrypt/tree/tree_sink.h"

static struct gpucrypt_options small = { { .engine = GPUCRYPT_CPU, .threads = 2, .chunk_log2 = 12, .group_log2 = 12 } };

#define MAX_ENTRIES 16
#define MOST_BYTES  300001u /* of a container */

/* A tree in memory; content is the start of `bytes`. */
struct tree {
	struct gpucrypt_entry entries[MAX_ENTRIES];
	unsigned n_entries, next;
	uint8_t *bytes;
	uint64_t at;       /* in the content */
	size_t most_bytes; /* of one call */
	int error;         /* of read, after 1000 bytes of an entry */
	char names[MAX_ENTRIES][2][PAX_NAME_BYTES];
	bool torn;
};

static int next_entry(void *self, struct gpucrypt_entry *entry)
{
	struct tree *tree = self;

	tree->at = 0;
	if (tree->next == tree->n_entries)
		return 0;
	*entry = tree->entries[tree->next++];
	return 1;
}

static ssize_t read_content(void *self, void *bytes, size_t n_bytes)
{
	struct tree *tree = self;

	errno = tree->error;
	if (tree->at >= 1000 && tree->error != 0)
		return -1;
	n_bytes = n_bytes < tree->most_bytes ? n_bytes : tree->most_bytes;
	memcpy(bytes, tree->bytes + tree->at, n_bytes);
	tree->at += n_bytes;
	return (ssize_t)n_bytes;
}

/* Keep the entry, with its names. */
static int keep_entry(void *self, const struct gpucrypt_entry *entry)
{
	struct tree *tree = self;
	unsigned n = tree->n_entries++;

	assert_true(n < MAX_ENTRIES);
	tree->torn |= n > 0 && S_ISREG(tree->entries[n - 1].mode) && tree->at != tree->entries[n - 1].size;
	tree->entries[n] = *entry;
	tree->entries[n].path = strcpy(tree->names[n][0], entry->path);
	if (entry->link != NULL)
		tree->entries[n].link = strcpy(tree->names[n][1], entry->link);
	tree->at = 0;
	return tree->n_entries == tree->next;
}

static ssize_t compare_content(void *self, const void *bytes, size_t n_bytes, uint64_t offset)
{
	struct tree *tree = self;

	n_bytes = n_bytes < tree->most_bytes ? n_bytes : tree->most_bytes;
	errno = tree->error;
	if (tree->error != 0 && tree->at >= 1000)
		return -1;
	tree->torn |= offset != tree->at || memcmp(bytes, tree->bytes + offset, n_bytes) != 0;
	tree->at = offset + n_bytes;
	return (ssize_t)n_bytes;
}

static uint8_t *content, *made;

void program_set_up(void)
{
	content = plaintext_make(100001);
	made = malloc(MOST_BYTES);
}

void program_tear_down(void)
{
	free(content);
	free(made);
}

/* Into `made`; *n_bytes of them. */
static int encrypt_tree(const struct gpucrypt_entry *entries, unsigned n, size_t *n_bytes)
{
	struct tree tree = { .n_entries = n, .bytes = content, .most_bytes = 777 };
	const struct gpucrypt_tree_source from = { .next = next_entry, .read = read_content, .self = &tree };
	struct gpucrypt_sink to = { .bytes = made, .size = MOST_BYTES };
	int status;

	memcpy(tree.entries, entries, n * sizeof *entries);
	status = gpucrypt_encrypt_tree(&from, &to, &small, &a_secret, NULL);
	*n_bytes = to.written;
	return status;
}

static int decrypt_tree(struct tree *tree, size_t n_bytes)
{
	const struct gpucrypt_source from = { .bytes = made, .size = n_bytes };
	const struct gpucrypt_tree_sink to = { .entry = keep_entry, .pwrite = compare_content, .self = tree };

	return gpucrypt_decrypt_tree(&from, &to, &small, &a_secret, NULL);
}

#define ROOT                                        \
	{                                           \
		.path = ".", .mode = S_IFDIR | 0755 \
	}

static char long_name[256], long_path[4096];

/* Names of up to 4094 bytes of any kind, each type, sizes around a block, times before 1970, all owners. */
static unsigned many_entries(struct gpucrypt_entry entries[MAX_ENTRIES])
{
	const struct gpucrypt_entry many[] = { { .path = ".",
		                                       .mode = S_IFDIR | 0750,
		                                       .mtime_seconds = 1764107000,
		                                       .mtime_ns = 123456789,
		                                       .uid = 1000,
		                                       .gid = 100 },
		{ .path = "empty", .mode = S_IFREG | 0644 },
		{ .path = "one", .mode = S_IFREG | 04711, .size = 1, .mtime_seconds = -2, .mtime_ns = 500000000 },
		{ .path = "block", .mode = S_IFREG, .size = 512, .mtime_seconds = INT64_C(253402300800) },
		{ .path = "name\xff\n=", .mode = S_IFREG | 0600, .size = 100001, .uid = UINT32_MAX, .gid = 2097152 },
		{ .path = "dir", .mode = S_IFDIR | 01777, .mtime_seconds = -1 },
		{ .path = "dir/\xc3\xbc", .mode = S_IFLNK | 0777, .link = "../../etc/passwd" },
		{ .path = long_name, .mode = S_IFDIR | 0700 }, { .path = long_path, .mode = S_IFREG, .size = 513 },
		{ .path = "dir/again", .mode = S_IFREG | 0644, .hard_link = 1, .link = "empty" },
		{ .path = "pipe", .mode = S_IFIFO | 0600 } };

	memset(long_name, 'd', 255);
	snprintf(long_path, sizeof long_path, "%s/%0*d", long_name, 3838, 0);
	assert_int_equal(strlen(long_path), 4094);
	memcpy(entries, many, sizeof many);
	return N_OF(many);
}

static void assert_same(const struct gpucrypt_entry *got, const struct gpucrypt_entry *wanted)
{
	assert_string_equal(got->path, wanted->path);
	assert_int_equal(got->link != NULL, wanted->link != NULL);
	if (got->link != NULL)
		assert_string_equal(got->link, wanted->link);
	assert_int_equal(got->size, wanted->size);
	assert_int_equal(got->mtime_seconds, wanted->mtime_seconds);
	assert_int_equal(got->mtime_ns, wanted->mtime_ns);
	assert_int_equal(got->mode, wanted->mode);
	assert_int_equal(got->uid, wanted->uid);
	assert_int_equal(got->gid, wanted->gid);
	assert_int_equal(got->hard_link, wanted->hard_link);
}

TEST(there_and_back)
{
	struct gpucrypt_entry entries[MAX_ENTRIES];
	struct tree back = { .bytes = content, .most_bytes = 600 };
	unsigned n = many_entries(entries);
	size_t n_bytes;

	assert_int_equal(encrypt_tree(entries, n, &n_bytes), GPUCRYPT_OK);
	assert_int_equal(decrypt_tree(&back, n_bytes), GPUCRYPT_OK);
	assert_int_equal(back.n_entries, n);
	assert_false(back.torn);
	for (unsigned i = 0; i < n; i++)
		assert_same(&back.entries[i], &entries[i]);
}

/* Records of POSIX.1-2017, pax: "30 mtime=-1.500000000\n" and so on, by hand. */
TEST(records)
{
	const struct gpucrypt_entry entries[] = { ROOT,
		{ .path = "a\xff", .mode = S_IFREG | 0640, .size = 3, .mtime_seconds = -2, .mtime_ns = 500000000 } };
	static const char wanted[] = "21 hdrcharset=BINARY\n11 path=a\xff\n22 mtime=-1.500000000\n9 size=3\n8 uid=0\n"
	                             "8 gid=0\n";
	uint8_t archive[16 * 512];
	struct gpucrypt_sink to = { .bytes = archive, .size = sizeof archive };
	size_t n_bytes;

	assert_int_equal(encrypt_tree(entries, 2, &n_bytes), GPUCRYPT_OK);
	assert_int_equal(gpucrypt_decrypt(&(struct gpucrypt_source){ .bytes = made, .size = n_bytes }, &to, &small,
	                         &a_secret, NULL),
	        GPUCRYPT_OK);
	/* Twice records and a header, a block of content, two of zeros. */
	assert_int_equal(to.written, (3 + 3 + 1 + 2) * 512);
	assert_memory_equal(archive + 3 * 512 + 512, wanted, sizeof wanted);
	assert_memory_equal(archive + 5 * 512 + 257, "ustar\00000", 8);
	assert_memory_equal(archive + 6 * 512, content, 3);
}

TEST(wrong_entries)
{
	static char too_long[4096];
	static const struct {
		struct gpucrypt_entry entry;
		const char *why;
	} wrong[] = { { { .path = NULL, .mode = S_IFREG }, "no name" }, { { .path = "", .mode = S_IFREG }, "no name" },
		{ { .path = too_long, .mode = S_IFREG }, "more than 4094 bytes" },
		{ { .path = "/a", .mode = S_IFREG }, "a slash too many" },
		{ { .path = "a/", .mode = S_IFDIR }, "a slash too many" },
		{ { .path = "d//a", .mode = S_IFREG }, "a slash too many" },
		{ { .path = "..", .mode = S_IFDIR }, "'.' or '..'" },
		{ { .path = "d/../a", .mode = S_IFREG }, "'.' or '..'" },
		{ { .path = "d/.", .mode = S_IFDIR }, "'.' or '..'" },
		{ { .path = "./a", .mode = S_IFREG }, "'.' or '..'" },
		{ { .path = ".", .mode = S_IFDIR }, "is there twice" },
		{ { .path = "d", .mode = S_IFREG }, "is there twice" },
		{ { .path = "link", .mode = S_IFREG }, "is there twice" },
		{ { .path = "link/a", .mode = S_IFREG }, "through a symbolic link" },
		{ { .path = "e/a", .mode = S_IFREG }, "before its directory" },
		{ { .path = "a", .mode = 0644 }, "of an unknown kind" },
		{ { .path = "a", .mode = S_IFSOCK }, "of an unknown kind" },
		{ { .path = "a", .mode = S_IFBLK }, "is a device" },
		{ { .path = "a", .mode = S_IFLNK }, "without a target" },
		{ { .path = "a", .mode = S_IFLNK, .link = "" }, "without a target" },
		{ { .path = "a", .mode = S_IFREG, .hard_link = 1, .link = "link" }, "hard link to no file" },
		{ { .path = "a", .mode = S_IFREG, .hard_link = 1, .link = "../f" }, "hard link to no file" },
		{ { .path = "a", .mode = S_IFREG, .hard_link = 1, .link = "link/f" }, "hard link to no file" },
		{ { .path = "a", .mode = S_IFREG, .hard_link = 1, .link = "d" }, "hard link to no file" },
		{ { .path = "a", .mode = S_IFDIR, .hard_link = 1, .link = "f" }, "hard link to no file" },
		{ { .path = "a", .mode = S_IFREG, .mtime_ns = 1000000000 }, "nanoseconds" },
		{ { .path = "a", .mode = S_IFREG, .size = UINT64_MAX }, "longer than any file" } };
	struct gpucrypt_entry entries[] = { ROOT, { .path = "d", .mode = S_IFDIR }, { .path = "f", .mode = S_IFREG },
		{ .path = "link", .mode = S_IFLNK, .link = "/" }, { 0 } };
	size_t n_bytes;

	memset(too_long, 'l', 4095);
	for (size_t i = 0; i < N_OF(wrong); i++) {
		entries[4] = wrong[i].entry;
		assert_int_equal(encrypt_tree(entries, 5, &n_bytes), GPUCRYPT_USAGE);
		assert_contains(gpucrypt_error(), wrong[i].why);
	}
	assert_int_equal(encrypt_tree(entries + 1, 3, &n_bytes), GPUCRYPT_USAGE);
	assert_contains(gpucrypt_error(), "which is the first entry");
	assert_int_equal(encrypt_tree(entries, 0, &n_bytes), GPUCRYPT_USAGE);
	assert_contains(gpucrypt_error(), "has no entry");
}

static int fail_to_list(void *self, struct gpucrypt_entry *entry)
{
	(void)self, (void)entry;
	errno = EPROTO;
	return -1;
}

static ssize_t read_nothing(void *self, void *bytes, size_t n_bytes)
{
	(void)self, (void)bytes, (void)n_bytes;
	return 0;
}

static ssize_t read_too_much(void *self, void *bytes, size_t n_bytes)
{
	(void)self, (void)bytes;
	return (ssize_t)n_bytes + 1;
}

TEST(failing_callbacks)
{
	struct tree tree = { .entries = { ROOT, { .path = "a", .mode = S_IFREG, .size = 5000 } },
		.n_entries = 2,
		.bytes = content,
		.most_bytes = 500,
		.error = EREMOTEIO };
	struct gpucrypt_tree_source from = { .next = fail_to_list, .self = &tree };
	struct gpucrypt_sink to = { .bytes = made, .size = MOST_BYTES };

	assert_int_equal(gpucrypt_encrypt_tree(&from, &to, &small, &a_secret, NULL), GPUCRYPT_IO);
	assert_string_equal(gpucrypt_error(), "tree: cannot be listed: Protocol error");
	from.next = next_entry;
	assert_int_equal(gpucrypt_encrypt_tree(&from, &to, &small, &a_secret, NULL), GPUCRYPT_USAGE);
	tree.next = 0;
	from.read = read_content;
	assert_int_equal(gpucrypt_encrypt_tree(&from, &to, &small, &a_secret, NULL), GPUCRYPT_IO);
	assert_contains(gpucrypt_error(), "Remote I/O error");
	tree.next = 0;
	from.read = read_nothing;
	assert_int_equal(gpucrypt_encrypt_tree(&from, &to, &small, &a_secret, NULL), GPUCRYPT_IO);
	assert_contains(gpucrypt_error(), "shorter than its size");
	tree.next = 0;
	from.read = read_too_much;
	assert_int_equal(gpucrypt_encrypt_tree(&from, &to, &small, &a_secret, NULL), GPUCRYPT_USAGE);
	from.next = NULL;
	assert_int_equal(gpucrypt_encrypt_tree(&from, &to, &small, &a_secret, NULL), GPUCRYPT_USAGE);
}

TEST(stopped_readers)
{
	const struct gpucrypt_entry entries[] = { ROOT, { .path = "a", .mode = S_IFREG, .size = 5000 },
		{ .path = "b", .mode = S_IFREG } };
	struct tree cancelled = { .bytes = content, .most_bytes = 600, .next = 2 },
	            full = { .bytes = content, .most_bytes = 500, .error = EPROTO };
	struct gpucrypt_tree_sink to = { .self = &cancelled };
	size_t n_bytes;

	assert_int_equal(encrypt_tree(entries, 3, &n_bytes), GPUCRYPT_OK);
	assert_int_equal(decrypt_tree(&cancelled, n_bytes), GPUCRYPT_CANCELLED);
	assert_int_equal(cancelled.n_entries, 2);
	assert_int_equal(cancelled.at, 0);
	assert_int_equal(decrypt_tree(&full, n_bytes), GPUCRYPT_IO);
	assert_contains(gpucrypt_error(), "Protocol error");
	assert_int_equal(full.at, 1000);
	assert_int_equal(gpucrypt_decrypt_tree(&(struct gpucrypt_source){ .bytes = made, .size = n_bytes }, &to, &small,
	                         &a_secret, NULL),
	        GPUCRYPT_USAGE);
}

/* Entries without their content; and containers of something else. */
TEST(other_content)
{
	const struct gpucrypt_entry entries[] = { ROOT, { .path = "a", .mode = S_IFREG, .size = 5000 } };
	const struct gpucrypt_source from = { .bytes = content, .size = 5000 };
	struct gpucrypt_sink to = { .bytes = made, .size = MOST_BYTES };
	struct tree names = { .bytes = content };
	const struct gpucrypt_tree_sink list = { .entry = keep_entry, .self = &names };
	struct source compressed;
	struct buffer container = buffer_make();
	size_t n_bytes;

	assert_int_equal(encrypt_tree(entries, 2, &n_bytes), GPUCRYPT_OK);
	assert_int_equal(gpucrypt_decrypt_tree(&(struct gpucrypt_source){ .bytes = made, .size = n_bytes }, &list,
	                         &small, &a_secret, NULL),
	        GPUCRYPT_OK);
	assert_int_equal(names.n_entries, 2);
	assert_int_equal(gpucrypt_encrypt(&from, &to, &small, &a_secret, NULL), GPUCRYPT_OK);
	assert_int_equal(decrypt_tree(&names, to.written), GPUCRYPT_USAGE);
	source_open_memory(&compressed, content, 5000, 5000);
	compressed.content = CONTENT_PAX_ZSTD;
	assert_int_equal(
	        container_encrypt(&compressed, &container.sink, &small.plan, &a_secret, NULL, NULL), GPUCRYPT_OK);
	memcpy(made, container.bytes, container.n_bytes);
	assert_int_equal(decrypt_tree(&names, container.n_bytes), GPUCRYPT_UNKNOWN);
	assert_int_equal(names.n_entries, 2);
	buffer_free(&container);
}
