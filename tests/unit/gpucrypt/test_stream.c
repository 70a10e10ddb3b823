/* Sources and sinks on descriptors: size, position, pieces and end. */
#include "tests/unit/containers.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "gpucrypt/clock.h"
#include "gpucrypt/pipeline/source.h"
#include "gpucrypt/pipeline/sink.h"

static double slept_until;

WRAPPED(clock_nanosleep);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left)
{
	(void)clock, (void)flags, (void)left;
	slept_until = (double)until->tv_sec + 1e-9 * (double)until->tv_nsec;
	return 0;
}

TEST(kinds_of_source)
{
	uint8_t bytes[100] = { 0 };
	int fd = memory_file(bytes, sizeof bytes), empty = memory_file(bytes, 0), ends[2];
	int proc = kept_fd(open("/proc/self/status", O_RDONLY)), folder = kept_fd(open("/", O_RDONLY));
	struct source source;

	assert_int_equal(pipe(ends), 0);
	assert_ok(source_open(&source, fd, "x"));
	assert_int_equal(source.size_bytes, 100);
	assert_false(source.block_device);
	lseek(fd, 1, SEEK_SET);
	assert_ok(source_open(&source, fd, "x"));
	assert_true(source.size_bytes == UINT64_MAX);
	assert_ok(source_open(&source, empty, "x"));
	assert_int_equal(source.size_bytes, 0);
	assert_ok(source_open(&source, proc, "x"));
	assert_true(source.size_bytes == UINT64_MAX);
	assert_ok(source_open(&source, ends[0], "x"));
	assert_true(source.size_bytes == UINT64_MAX);
	assert_fails(source_open(&source, folder, "/"), GPUCRYPT_IO, "/: cannot be read: it is a directory");
}

TEST(by_position)
{
	uint8_t bytes[16], got[16];
	struct source source;
	int fd;

	count_up(bytes, sizeof bytes, 0);
	fd = memory_file(bytes, sizeof bytes);
	assert_ok(source_open(&source, fd, "x"));
	assert_ok(source_read_at(&source, got, 6, 10));
	assert_memory_equal(got, bytes + 10, 6);
	assert_fails(source_read_at(&source, got, 7, 10), GPUCRYPT_CORRUPT, "x: truncated: it ends at byte 16");
	assert_status(source_read_at(&source, got, 1, UINT64_MAX), GPUCRYPT_CORRUPT);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);
}

/* From a pipe, which has only one go. */
TEST(what_was_peeked_at_is_read_again)
{
	uint8_t bytes[16], start[4], read[16];
	struct source source;
	size_t got;

	count_up(bytes, sizeof bytes, 0);
	assert_ok(source_open(&source, filled_pipe(bytes, sizeof bytes), "x"));
	assert_ok(source_peek(&source, start, sizeof start, &got));
	assert_int_equal(got, sizeof start);
	assert_memory_equal(start, bytes, sizeof start);
	assert_ok(source_read(&source, read, 3, &got));
	assert_int_equal(got, 3);
	assert_ok(source_read(&source, read + 3, sizeof read, &got));
	assert_int_equal(got, sizeof bytes - 3);
	assert_memory_equal(read, bytes, sizeof bytes);
	assert_ok(source_peek(&source, start, sizeof start, &got));
	assert_int_equal(got, 0);
}

/* Pieces of 4 of n bytes, each of which knows whether it is the last. */
static void check_pieces(size_t n_bytes, uint64_t limit, bool end_unasked, bool by_position)
{
	uint8_t bytes[32], piece[5];
	size_t expected = limit < n_bytes ? (size_t)limit : n_bytes, done = 0, got;
	struct source source;
	struct lookahead ahead = {
		.source = &source, .limit_bytes = limit, .expected_bytes = UINT64_MAX, .end_unasked = end_unasked
	};
	uint64_t number = 0;
	bool last = false;
	int fd;

	count_up(bytes, sizeof bytes, 1);
	fd = memory_file(bytes, n_bytes);
	source_open(&source, fd, "x");
	if (by_position)
		assert_int_equal(lookahead_readers(&ahead, 0, (struct read_threads){ 3, 0 }), 3);
	while (!last) {
		assert_ok(lookahead_read(&ahead, 4 * number++, piece, 4, &got, &last));
		assert_memory_equal(piece, bytes + done, got);
		done += got;
		assert_true(last || got == 4);
		/* With the end unasked, a whole last piece is followed by an empty one. */
		if (!end_unasked)
			assert_true(last == (done == expected));
	}
	assert_int_equal(done, expected);
	assert_int_equal(ahead.read_bytes, expected);
}

TEST(pieces)
{
	for (size_t n = 0; n < 14; n++) {
		check_pieces(n, UINT64_MAX, false, false);
		check_pieces(n, UINT64_MAX, true, false);
		check_pieces(n, UINT64_MAX, false, true);
		for (uint64_t limit = 0; limit < 14; limit++)
			check_pieces(n, limit, false, false);
	}
}

/* A file larger than the memory: whole blocks at aligned places go around the page cache, all else through it. */
TEST(direct_reads)
{
	const off_t size = (off_t)1 << 45;
	uint8_t *piece = kept_allocate(3 * 4096);
	int fd = memory_file(NULL, 0);
	struct source source;
	struct lookahead ahead = { .source = &source, .limit_bytes = UINT64_MAX, .expected_bytes = UINT64_MAX };
	size_t got;
	bool last;

	assert_true(pwrite(fd, "abcdef", 6, 4093) == 6 && pwrite(fd, "abcdef", 6, size + 94) == 6);
	source_open(&source, fd, "x");
	lookahead_readers(&ahead, 0, (struct read_threads){ 1, 0 });
	if (source.direct_fd <= 0)
		skip(); /* tmpfs of Linux before 6.6 */
	piece += -(uintptr_t)piece % 4096;
	assert_ok(lookahead_read(&ahead, 0, piece, 8191, &got, &last));
	assert_true(got == 8191 && memcmp(piece + 4093, "abcdef", 6) == 0);
	assert_ok(lookahead_read(&ahead, (uint64_t)size, piece, 4096, &got, &last));
	assert_true(got == 100 && last && memcmp(piece + 94, "abcdef", 6) == 0);
	lookahead_close(&ahead);
	assert_int_equal(source.direct_fd, 0);
}

TEST(expectations)
{
	for (uint64_t i = 0; i < 24; i++) {
		uint64_t expected = i / 2, number = 0;
		uint8_t bytes[8] = { 0 }, piece[5];
		struct source source;
		struct lookahead ahead = { .source = &source, .limit_bytes = UINT64_MAX, .expected_bytes = expected };
		int fd = memory_file(bytes, 8), status = GPUCRYPT_OK;
		bool last = false;
		size_t got;

		source_open(&source, fd, "x");
		source.size_bytes = expected;
		if (i % 2)
			lookahead_readers(&ahead, 0, (struct read_threads){ 1, 0 });
		fail_clear();
		while (status == GPUCRYPT_OK && !last)
			status = lookahead_read(&ahead, 4 * number++, piece, 4, &got, &last);
		assert_int_equal(status, expected == 8 ? GPUCRYPT_OK : GPUCRYPT_IO);
		if (expected != 8)
			assert_non_null(strstr(gpucrypt_error(), expected < 8 ? "grew" : "shrank"));
	}
}

/* The last piece is read first, the file grows, and then come the others. */
TEST(growth_after_the_last_piece)
{
	uint8_t bytes[8] = { 0 }, piece[4];
	struct source source;
	struct lookahead ahead = { .source = &source, .limit_bytes = UINT64_MAX, .expected_bytes = 8 };
	int fd = memory_file(bytes, 8);
	bool last;
	size_t got;

	source_open(&source, fd, "x");
	lookahead_readers(&ahead, 0, (struct read_threads){ 2, 0 });
	assert_ok(lookahead_read(&ahead, 4, piece, 4, &got, &last));
	assert_true(last);
	assert_ok(lookahead_finish(&ahead));
	assert_int_equal(ftruncate(fd, 9), 0);
	assert_ok(lookahead_read(&ahead, 0, piece, 4, &got, &last));
	assert_fails_about(lookahead_finish(&ahead), GPUCRYPT_IO, "grew");
}

TEST(skipping)
{
	uint8_t bytes[10000], got[2];
	size_t n;
	int fd;

	count_up(bytes, sizeof bytes, 0);
	fd = memory_file(bytes, sizeof bytes);
	for (unsigned known = 0; known < 2; known++) {
		struct source source;

		lseek(fd, 0, SEEK_SET);
		source_open(&source, fd, "x");
		if (!known)
			source.size_bytes = UINT64_MAX;
		assert_ok(source_skip(&source, 9001));
		assert_ok(source_read(&source, got, 2, &n));
		assert_memory_equal(got, bytes + 9001, 2);
		assert_status(source_skip(&source, 9001), known ? GPUCRYPT_OK : GPUCRYPT_USAGE);
	}
}

/* Seven bytes, again and again until the size is reached. */
TEST(memory)
{
	static const uint8_t bytes[] = "abcdefg";
	struct source source;
	uint8_t got[20];
	size_t n;

	source_open_memory(&source, bytes, 7, 16);
	assert_ok(source_skip(&source, 3));
	assert_ok(source_read(&source, got, 10, &n));
	assert_int_equal(n, 10);
	assert_memory_equal(got, "defgabcdef", 10);
	assert_ok(source_read(&source, got, 10, &n));
	assert_int_equal(n, 3);
	assert_memory_equal(got, "gab", 3);
	assert_ok(source_read(&source, got, 10, &n));
	assert_int_equal(n, 0);
	assert_ok(source_read_at(&source, got, 9, 6));
	assert_memory_equal(got, "gabcdefga", 9);
}

/* Output starts where the descriptor stands, and leaves it at the end: shell redirection. */
TEST(sinks)
{
	uint8_t bytes[8], back[13];
	int fd = memory_file((const uint8_t *)"hello", 5), ends[2];
	int nowhere = kept_fd(open("/dev/full", O_WRONLY));
	struct fd_sink sink;

	count_up(bytes, sizeof bytes, 0);
	lseek(fd, 5, SEEK_SET);
	assert_ok(fd_sink_open(&sink, fd, "x"));
	assert_true(sink.positioned);
	assert_ok(sink.sink.write(&sink.sink, bytes, 3, 0));
	assert_ok(sink.sink.write(&sink.sink, bytes + 3, 5, 3));
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 13);
	assert_int_equal(pread(fd, back, 13, 0), 13);
	assert_memory_equal(back, "hello", 5);
	assert_memory_equal(back + 5, bytes, 8);
	assert_int_equal(pipe(ends), 0);
	assert_ok(fd_sink_open(&sink, ends[1], "x"));
	assert_false(sink.positioned);
	assert_ok(sink.sink.write(&sink.sink, bytes, 8, 100));
	assert_int_equal(read(ends[0], back, sizeof back), 8);
	assert_memory_equal(back, bytes, 8);
	assert_ok(fd_sink_open(&sink, nowhere, "/dev/full"));
	assert_fails(sink.sink.write(&sink.sink, bytes, 8, 0), GPUCRYPT_IO,
	        "/dev/full: cannot be written: No space left on device");
}

/* A limit of 1 MiB a second counts the bytes that a pipe returned, not the bytes that were asked for.  Nothing sleeps.
 */
TEST(the_rate_of_a_pipe)
{
	static uint8_t bytes[1 << 20];
	struct source source;
	double start;
	size_t got;

	source = source_of_fd(filled_pipe(bytes, 1 << 16), "pipe");
	rate_limit(sizeof bytes);
	start = clock_seconds(CLOCK_MONOTONIC);
	assert_ok(source_read(&source, bytes, sizeof bytes, &got));
	rate_limit(0);
	assert_int_equal(got, 1 << 16);
	assert_within(slept_until - start, 1.0 / 16, 0.1 / 16);
}

#define HOLE_BYTES (4 << 20)

/* A hole, a byte, a hole, as the file system keeps them. */
static int file_with_holes(void)
{
	int fd = memory_file((const uint8_t *)"", 0);

	assert_int_equal(ftruncate(fd, 2 * HOLE_BYTES), 0);
	assert_int_equal(pwrite(fd, "x", 1, HOLE_BYTES + 5), 1);
	return fd;
}

/* Read by position and in order, with pieces that begin and end anywhere. */
TEST(holes_of_a_file)
{
	static const struct {
		uint64_t offset;
		size_t n_bytes;
	} cases[] = { { 0, 100 }, { HOLE_BYTES - 3, 100 }, { HOLE_BYTES + 5, 1 }, { HOLE_BYTES + 6, HOLE_BYTES - 6 },
		{ 2 * HOLE_BYTES, 0 } };
	int fd = file_with_holes();
	uint8_t *bytes = kept_allocate(2 * HOLE_BYTES), *want = kept_allocate(2 * HOLE_BYTES);
	struct source source;
	size_t got;

	assert_true(bytes != NULL && want != NULL);
	want[HOLE_BYTES + 5] = 'x';
	assert_ok(source_open(&source, fd, "x"));
	source.skips_holes = true;
	assert_true(source.has_holes);
	assert_true(
	        source_hole(&source, 0, HOLE_BYTES) && source_hole(&source, HOLE_BYTES + 65536, HOLE_BYTES - 65536));
	assert_false(source_hole(&source, HOLE_BYTES, 10));
	assert_false(source_hole(&source, 2 * HOLE_BYTES, 1));
	lseek(fd, 0, SEEK_SET);
	for (size_t i = 0; i < N_OF(cases); i++) {
		memset(bytes, 1, cases[i].n_bytes);
		assert_ok(source_read_at(&source, bytes, cases[i].n_bytes, cases[i].offset));
		assert_memory_equal(bytes, want + cases[i].offset, cases[i].n_bytes);
		assert_int_equal(lseek(fd, 0, SEEK_CUR), i);
		lseek(fd, (off_t)i + 1, SEEK_SET);
	}
	lseek(fd, 0, SEEK_SET);
	for (size_t done = 0; done < 2 * HOLE_BYTES; done += got) {
		memset(bytes, 1, HOLE_BYTES - 1);
		assert_ok(source_read(&source, bytes, HOLE_BYTES - 1, &got));
		assert_memory_equal(bytes, want + done, got);
		assert_true(got == HOLE_BYTES - 1 || done + got == 2 * HOLE_BYTES);
	}
	assert_ok(source_read(&source, bytes, 1, &got));
	assert_int_equal(got, 0);
	assert_int_equal(ftruncate(fd, 100), 0); /* it shrank */
	assert_fails(source_read_at(&source, bytes, 200, 0), GPUCRYPT_CORRUPT, "x: truncated: it ends at byte 100");
}

/* Writes of any length and place, into a new file: its bytes, its length, and the space that it takes. */
TEST(zeros_are_left_out)
{
	static const struct {
		size_t at, n_zeros; /* the run of zeros */
		size_t piece;       /* bytes that are written at a time */
		size_t most_blocks; /* that the file takes, of a page each */
	} cases[] = { { 0, 16384, 16384, 0 }, { 0, 16384, 1000, 0 }, { 4096, 8192, 16384, 2 }, { 4095, 8192, 16384, 3 },
		{ 4096, 8192, 5000, 2 }, { 1, 16383, 16384, 1 }, { 8192, 8192, 3, 2 }, { 16384, 0, 16384, 4 } };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < N_OF(cases) && page == 4096; i++) {
		int fd = memory_file((const uint8_t *)"", 0);
		uint8_t bytes[16384], back[16384];
		struct fd_sink sink;
		struct stat there;

		memset(bytes, 7, sizeof bytes);
		memset(bytes + cases[i].at, 0, cases[i].n_zeros);
		assert_ok(fd_sink_open(&sink, fd, "x"));
		fd_sink_allow_any_order(&sink);
		fd_sink_leave_zeros(&sink);
		for (size_t done = 0, n; done < sizeof bytes; done += n) {
			n = cases[i].piece < sizeof bytes - done ? cases[i].piece : sizeof bytes - done;
			assert_ok(sink.sink.write(&sink.sink, bytes + done, n, done));
			assert_int_equal(fstat(fd, &there), 0);
			assert_int_equal(there.st_size, done + n);
		}
		assert_int_equal(pread(fd, back, sizeof back, 0), sizeof back);
		assert_memory_equal(back, bytes, sizeof bytes);
		assert_in_range(there.st_blocks, 0, cases[i].most_blocks * page / 512);
	}
}
