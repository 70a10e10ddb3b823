/* Archives that no writer makes, as entries: forged, damaged, cut at any byte, with holes. */
#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "gpucrypt/status.h"
#include "gpucrypt/tree/tree_sink.h"

/* An archive in the making, by POSIX.1-2017. */
static struct {
	uint8_t bytes[64 * 512];
	size_t n;
} archive;

static void put(const void *bytes, size_t n_bytes)
{
	assert_true(archive.n + n_bytes <= sizeof archive.bytes);
	memcpy(archive.bytes + archive.n, bytes, n_bytes);
	archive.n += n_bytes;
}

static void pad(void)
{
	static const uint8_t zeros[512];

	put(zeros, (512 - archive.n % 512) % 512);
}

static void put_zeros(unsigned n_blocks)
{
	static const uint8_t zeros[512];

	while (n_blocks-- > 0)
		put(zeros, sizeof zeros);
}

static void put_checksum(uint8_t header[512])
{
	unsigned sum = 0;

	memset(header + 148, ' ', 8);
	for (unsigned i = 0; i < 512; i++)
		sum += header[i];
	sprintf((char *)header + 148, "%06o", sum);
}

static void put_header(char type, const char *name, const char *link, unsigned size)
{
	uint8_t header[512] = { 0 };

	memcpy(header, name, strlen(name));
	sprintf((char *)header + 100, "%07o", 0644);
	sprintf((char *)header + 124, "%011o", size);
	header[156] = (uint8_t)type;
	memcpy(header + 157, link, strlen(link));
	memcpy(header + 257, "ustar\00000", 8);
	put_checksum(header);
	put(header, sizeof header);
}

static void put_file(const char *name, const char *text)
{
	put_header('0', name, "", (unsigned)strlen(text));
	put(text, strlen(text));
	pad();
}

/* The records' length is that of the text. */
static void put_records(const char *text)
{
	put_header('x', "records", "", (unsigned)strlen(text));
	put(text, strlen(text));
	pad();
}

static void start(void)
{
	archive.n = 0;
	put_header('5', "./", "", 0);
}

/* What the callbacks saw, a line for each entry and each piece. */
struct seen {
	char text[4096];
	size_t n;
};

static int see_entry(void *self, const struct gpucrypt_entry *entry)
{
	struct seen *seen = self;

	seen->n += (size_t)snprintf(seen->text + seen->n, sizeof seen->text - seen->n, "[%s %o%s%s %llu]", entry->path,
	        entry->mode, entry->link != NULL ? " to " : "", entry->link != NULL ? entry->link : "",
	        (unsigned long long)entry->size);
	return 0;
}

static ssize_t see_bytes(void *self, const void *bytes, size_t n_bytes, uint64_t offset)
{
	const char *text = bytes;
	struct seen *seen = self;

	for (size_t i = 0; i < n_bytes; i++)
		seen->n += (size_t)snprintf(seen->text + seen->n, sizeof seen->text - seen->n, "%llu%c",
		        (unsigned long long)offset + i, text[i]);
	return (ssize_t)n_bytes;
}

/* The first n_bytes of the archive, so many at a time. */
static int read_archive(struct seen *seen, size_t n_bytes, size_t step)
{
	const struct gpucrypt_tree_sink to = { .entry = see_entry, .pwrite = see_bytes, .self = seen };
	int status = GPUCRYPT_OK;
	struct tree_sink sink;

	seen->n = 0;
	seen->text[0] = '\0';
	fail_clear();
	tree_sink_open(&sink, &to);
	for (size_t at = 0; status == GPUCRYPT_OK && at < n_bytes; at += step) {
		/* On the heap, where a read behind the piece is seen. */
		size_t n = n_bytes - at < step ? n_bytes - at : step;
		uint8_t *piece = malloc(n);

		memcpy(piece, archive.bytes + at, n);
		status = sink.sink.write(&sink.sink, piece, n, at);
		free(piece);
	}
	if (status == GPUCRYPT_OK)
		status = tree_sink_finish(&sink);
	tree_sink_close(&sink);
	return status;
}

static void assert_reads(const char *wanted)
{
	static const size_t steps[] = { 1, 7, 511, 512, 513, sizeof archive.bytes };
	struct seen seen;

	for (size_t i = 0; i < N_OF(steps); i++) {
		assert_int_equal(read_archive(&seen, archive.n, steps[i]), GPUCRYPT_OK);
		assert_string_equal(seen.text, wanted);
	}
}

/* With all of the archive's end behind it. */
static void assert_rejected(const char *why)
{
	struct seen seen;

	put_zeros(2);
	assert_int_equal(read_archive(&seen, archive.n, 100), GPUCRYPT_CORRUPT);
	assert_contains(gpucrypt_error(), why);
}

TEST(plain_archive)
{
	start();
	put_header('5', "d/", "", 0);
	put_file("d/f", "abc");
	put_header('1', "g", "d/f", 0);
	put_header('2', "s", "../x", 0);
	put_header('6', "p", "", 0);
	put_header('3', "c", "", 0);
	put_file("last", "");
	put_zeros(2);
	put("rest", 4);
	assert_reads("[. 40644 0][d 40644 0][d/f 100644 3]0a1b2c[g 100644 to d/f 0][s 120644 to ../x 0][p 10644 0]"
	             "[c 20644 0][last 100644 0]");
}

/* Cut anywhere before its end an archive is incomplete. */
TEST(cut_archives)
{
	struct seen seen;

	start();
	put_records("9 path=g\n");
	put_file("f", "abc");
	put_zeros(2);
	for (size_t n = 0; n < archive.n; n++) {
		assert_int_equal(read_archive(&seen, n, 4096), GPUCRYPT_CORRUPT);
		assert_contains(gpucrypt_error(), "before its last entry");
	}
	assert_int_equal(read_archive(&seen, archive.n, 4096), GPUCRYPT_OK);
}

/* A prefix; a name and a size by records, which count more than the header; unknown records. */
TEST(long_names)
{
	start();
	put_header('5', "d", "", 0);
	put_header('0', "x", "", 0);
	memcpy(archive.bytes + archive.n - 512 + 345, "d", 1);
	put_checksum(archive.bytes + archive.n - 512);
	put_records("13 path=d/\xc3\xb6\n9 size=2\n20 SCHILY.xattr.a==\n");
	put_header('0', "other", "", 7);
	put("xy", 2);
	pad();
	put_zeros(2);
	assert_reads("[. 40644 0][d 40644 0][d/x 100644 0][d/\xc3\xb6 100644 2]0x1y");
}

#define SPARSE "22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n21 GNU.sparse.name=s\n"

/* Bytes 3, 4 and 9 of 20, and zeros elsewhere. */
TEST(holes)
{
	start();
	put_records(SPARSE "26 GNU.sparse.realsize=20\n");
	put_header('0', "GNUSparseFile.0/s", "", 512 + 3);
	put("3\n3\n2\n9\n1\n20\n0\n", 15);
	pad();
	put("abc", 3);
	pad();
	put_file("next", "x");
	put_zeros(2);
	assert_reads("[. 40644 0][s 100644 20]3a4b9c[next 100644 1]0x");
	start();
	put_records(SPARSE "27 GNU.sparse.realsize=100\n");
	put_header('0', "GNUSparseFile.0/s", "", 512);
	put("0\n", 2);
	pad();
	put_zeros(2);
	assert_reads("[. 40644 0][s 100644 100]");
}

static void put_map(const char *size, unsigned stored, const char *map)
{
	start();
	put_records(size);
	put_header('0', "GNUSparseFile.0/s", "", stored);
	put(map, strlen(map));
	pad();
	put("abc", 3);
	pad();
}

TEST(wrong_holes)
{
	static const char twenty[] = SPARSE "26 GNU.sparse.realsize=20\n";

	put_map(twenty, 515, "2\n3\n2\n4\n1\n");
	assert_rejected("overlap");
	put_map(twenty, 515, "2\n3\n2\n19\n2\n");
	assert_rejected("behind the end");
	put_map(twenty, 515, "1\n3\n2\n");
	assert_rejected("more or fewer bytes");
	put_map(twenty, 515, "1\n3\n4\n");
	assert_rejected("more or fewer bytes");
	put_map(twenty, 515, "1\n999999999999999999\n999999999999999999\n");
	assert_rejected("behind the end");
	put_map(twenty, 515, "1\n1000000000000000000\n1\n");
	assert_rejected("less than 19 digits");
	put_map(twenty, 515, "x\n");
	assert_rejected("less than 19 digits");
	put_map(twenty, 515, "1\n\n3\n");
	assert_rejected("a line without a number");
	put_map(twenty, 512, "900000000000000000\n3\n");
	assert_rejected("less than 19 digits");
	put_map(twenty, 9, "100\n3\n1\n5\n1\n");
	assert_rejected("without its end");
	put_map(SPARSE, 515, "1\n0\n3\n");
	assert_rejected("behind the end");
	put_map("22 GNU.sparse.major=0\n", 515, "1\n0\n3\n");
	assert_rejected("another form");
	put_map("22 GNU.sparse.map=0,3\n", 515, "");
	assert_rejected("another form");
}

TEST(wrong_records)
{
	static const struct {
		const char *text, *why;
	} wrong[] = { { "8 path=f\n", "a record of a wrong length" }, { "11 path=f\n", "a record of a wrong length" },
		{ "path=f\n", "without its number" }, { "10 path=f ", "a record of a wrong length" },
		{ "5 ab\n", "without a value" }, { "0 path=f\n", "a record of a wrong length" },
		{ "99999999999999999999 path=f\n", "more than 64 bits" },
		{ "9 linkp\nx", "a record of a wrong length" }, { "10 size=x\n", "without its number" },
		{ "11 size=1x\n", "out of range" }, { "28 size=9223372036854775808\n", "out of range" },
		{ "18 uid=4294967296\n", "out of range" }, { "10 mtime=\n", "without its number" },
		{ "29 mtime=9223372036854775807\n", "out of range" }, { "13 mtime=1.x\n", "no number" },
		{ "8 path=\n", "a name that is empty" } };

	for (size_t i = 0; i < N_OF(wrong); i++) {
		start();
		put_records(wrong[i].text);
		put_file("f", "");
		assert_rejected(wrong[i].why);
	}
	start();
	put_records("9 path=f\n");
	archive.bytes[512 + 512 + 7] = '\0';
	put_file("f", "");
	assert_rejected("a zero byte");
}

TEST(wrong_headers)
{
	start();
	put_file("f", "");
	archive.bytes[512 + 1] ^= 1;
	assert_rejected("no header");
	start();
	put_file("f", "");
	archive.bytes[512 + 257] = 'U';
	put_checksum(archive.bytes + 512);
	assert_rejected("no header");
	start();
	put_file("f", "");
	archive.bytes[512 + 124] = '8';
	put_checksum(archive.bytes + 512);
	assert_rejected("not octal");
	start();
	put_file("f", "");
	memset(archive.bytes + 512 + 124, 0xff, 12);
	put_checksum(archive.bytes + 512);
	assert_rejected("more than 63 bits");
	start();
	put_records("9 path=f\n"); /* no entry behind */
	assert_rejected("records without an entry");
	start();
	put_records("10 size=0\n");
	put_records("10 size=0\n");
	put_file("f", "");
	assert_rejected("records without an entry");
	start();
	put_header('5', "d", "", 1);
	put_zeros(1);
	assert_rejected("no file");
	start();
	put_header('g', "global", "", 0);
	assert_rejected("of an unknown kind");
	start();
	put_header('x', "huge", "", 0x1000001);
	assert_rejected("16 MiB of metadata");
	archive.n = 0;
	assert_rejected("before its last entry");
}

/* What would lead out of the tree, or through a link. */
TEST(hostile_names)
{
	static const struct {
		char type;
		const char *name, *link, *why;
	} hostile[] = { { '0', "../f", "", "'.' or '..'" }, { '0', "/etc/f", "", "a slash too many" },
		{ '0', "s/f", "", "through a symbolic link" }, { '0', "s", "", "is there twice" },
		{ '5', "s/", "", "is there twice" }, { '0', "f/", "", "a slash too many" },
		{ '5', "d//", "", "a slash too many" }, { '0', "none/f", "", "before its directory" },
		{ '1', "h", "s", "hard link to no file" }, { '1', "h", "/etc/passwd", "hard link to no file" },
		{ '1', "h", "s/f", "hard link to no file" }, { '1', "h", "", "without a target" },
		{ '2', "l", "", "without a target" }, { '0', "", "", "no name" } };

	for (size_t i = 0; i < N_OF(hostile); i++) {
		start();
		put_header('2', "s", "/etc", 0);
		put_header(hostile[i].type, hostile[i].name, hostile[i].link, 0);
		assert_rejected(hostile[i].why);
	}
}
