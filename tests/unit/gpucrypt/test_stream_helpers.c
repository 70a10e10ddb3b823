/* Pieces of a source that several threads read together. */
#include "tests/unit/containers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "gpucrypt/pipeline/source.h"

#define PIECE ((size_t)9 << 20)

/* Pieces large enough to have parts, of a file that may be shorter than it was. */
static void check_together(const uint8_t *bytes, size_t was, size_t is, unsigned helpers)
{
	uint8_t *piece = kept_allocate(PIECE + 1);
	int fd = memory_file(bytes, was), status = GPUCRYPT_OK;
	struct source source;
	struct lookahead ahead = { .source = &source, .limit_bytes = UINT64_MAX };
	bool last = false;
	size_t got;

	source_open(&source, fd, "x");
	ahead.expected_bytes = source.size_bytes;
	assert_int_equal(ftruncate(fd, (off_t)is), 0);
	fail_clear();
	assert_int_equal(lookahead_readers(&ahead, 0, (struct read_threads){ 2, helpers }), 2);
	for (size_t done = 0, number = 0; status == GPUCRYPT_OK && !last; done += got) {
		memset(piece, 0, PIECE);
		status = lookahead_read(&ahead, PIECE * number++, piece, PIECE, &got, &last);
		assert_int_equal(got, is - done < PIECE ? is - done : PIECE);
		assert_memory_equal(piece, bytes + done, got);
	}
	assert_int_equal(status, is == was ? GPUCRYPT_OK : GPUCRYPT_IO);
	if (is != was)
		assert_non_null(strstr(gpucrypt_error(), "shrank"));
	lookahead_close(&ahead);
	kept_close(fd);
	kept_free(piece);
}

TEST(helpers_read_parts_of_a_piece)
{
	const size_t end[] = { 2 * PIECE + 1, 2 * PIECE, 2 * PIECE - 1, PIECE + ((size_t)4 << 20),
		PIECE + ((size_t)3 << 20) + 17, ((size_t)4 << 20) + 5, 5 };
	uint8_t *bytes = plaintext_make(2 * PIECE + 5);

	for (unsigned helpers = 0; helpers <= 3; helpers++)
		for (size_t i = 0; i < sizeof end / sizeof *end; i++) {
			check_together(bytes, end[i], end[i], helpers);
			check_together(bytes, 2 * PIECE + 5, end[i], helpers);
		}
}

/* A file of which one part cannot be read the first time. */
static struct source whole, broken;
static atomic_uint failures, others; /* threads beside the first */
static pthread_t first;

static int fail_once(struct source *self, uint8_t *bytes, size_t n_bytes, uint64_t offset, size_t *got)
{
	struct source *source = &whole;

	(void)self;
	others += !pthread_equal(pthread_self(), first);
	if (offset >> 21 == 1) {
		for (unsigned i = 0; i < 1000000 && others == 0; i++)
			sched_yield(); /* a helper comes */
		source = failures++ == 0 ? &broken : &whole;
	}
	return source->class->read_at(source, bytes, n_bytes, offset, got);
}

static const struct source_class once_class = { .read = source_read_next, .read_at = fail_once };

/* The thread that asked reads again from the part that failed, and reports no error. */
TEST(a_helper_cannot_read_once)
{
	uint8_t *bytes = plaintext_make(PIECE), *piece = kept_allocate(PIECE + 1);
	int fd = memory_file(bytes, PIECE);
	struct source source = { .fd = -1, .name = "x", .size_bytes = PIECE, .class = &once_class };
	struct lookahead ahead = { .source = &source, .limit_bytes = UINT64_MAX, .expected_bytes = PIECE };
	bool last;
	size_t got;

	first = pthread_self();
	source_open(&whole, fd, "x");
	broken = source_of_fd(-1, "broken");
	lookahead_readers(&ahead, 0, (struct read_threads){ 2, 3 });
	assert_ok(lookahead_read(&ahead, 0, piece, PIECE, &got, &last));
	assert_int_equal(got, PIECE);
	assert_memory_equal(piece, bytes, PIECE);
	assert_string_equal(gpucrypt_error(), "");
	assert_true(failures > 1 && others > 0);
	lookahead_close(&ahead);
}

/* The thread that asked for a piece has the answer, whichever could not read. */
TEST(nobody_can_read)
{
	uint8_t *bytes = kept_allocate(PIECE + 1);
	struct source source = source_of_fd(-1, "x");
	struct lookahead ahead = { .source = &source, .limit_bytes = UINT64_MAX, .expected_bytes = PIECE };
	bool last;
	size_t got;

	source.size_bytes = PIECE;
	lookahead_readers(&ahead, 0, (struct read_threads){ 2, 3 });
	assert_fails_about(lookahead_read(&ahead, 0, bytes, PIECE, &got, &last), GPUCRYPT_IO, "x: cannot be read");
	fail_clear();
	lookahead_close(&ahead);
}

/* Pieces of memory, by several readers who have the same helpers. */
struct reading {
	struct lookahead *ahead;
	const uint8_t *bytes;
	uint64_t n_pieces;
	atomic_uint_fast64_t next;
	atomic_bool wrong;
};

static void *read_pieces(void *argument)
{
	struct reading *reading = argument;
	uint8_t *piece = malloc(PIECE + 1);
	uint64_t number;
	size_t got;
	bool last;

	while ((number = reading->next++) < reading->n_pieces)
		if (lookahead_read(reading->ahead, number * PIECE, piece, PIECE, &got, &last) != GPUCRYPT_OK ||
		        got != PIECE || last != (number == reading->n_pieces - 1) ||
		        memcmp(piece, reading->bytes + number * PIECE, PIECE) != 0)
			reading->wrong = true; /* cmocka's assertions only work in its own thread */
	free(piece);
	return NULL;
}

TEST(readers_share_helpers)
{
	const uint64_t n_pieces = 9;
	uint8_t *bytes = plaintext_make(n_pieces * PIECE);
	struct source source;
	struct lookahead ahead = { .source = &source, .limit_bytes = UINT64_MAX, .expected_bytes = n_pieces * PIECE };
	struct reading reading = { .ahead = &ahead, .bytes = bytes, .n_pieces = n_pieces };
	pthread_t threads[2];

	source_open_memory(&source, bytes, n_pieces * PIECE, n_pieces * PIECE);
	lookahead_readers(&ahead, 0, (struct read_threads){ 2, 3 });
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, read_pieces, &reading), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert_false(reading.wrong);
	lookahead_close(&ahead);
}
