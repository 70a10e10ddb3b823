#include "gpucrypt/pipeline/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpucrypt/pipeline/pool.h"
#include "gpucrypt/status.h"

#define MAX_PARTS 32

/* A regular file of 0 bytes is empty, or lives in /proc: one byte tells. */
static int regular_size(struct source *source, off_t size)
{
	ssize_t n = 0;
	char byte;

	if (size == 0)
		do
			n = pread(source->fd, &byte, 1, 0);
		while (n < 0 && errno == EINTR);
	if (n < 0)
		return fail_errno(source->name, "cannot be read");
	source->size_bytes = n > 0 ? UINT64_MAX : (uint64_t)size;
	return GPUCRYPT_OK;
}

int fd_position(off_t *at, int fd, const struct stat *status, const char *name)
{
	*at = lseek(fd, 0, SEEK_CUR);
	if (*at < 0 && (S_ISREG(status->st_mode) || S_ISBLK(status->st_mode)))
		return fail_errno(name, "its position cannot be found");
	return GPUCRYPT_OK;
}

int source_open(struct source *source, int fd, const char *name)
{
	struct stat status;
	off_t size, at;

	*source = (struct source){ .fd = fd, .name = name, .size_bytes = UINT64_MAX };
	if (fstat(fd, &status) != 0)
		return fail_errno(name, "cannot be examined");
	if (S_ISDIR(status.st_mode))
		return fail(GPUCRYPT_IO, "%s: cannot be read: it is a directory", name);
	source->block_device = S_ISBLK(status.st_mode);
	if (fd_position(&at, fd, &status, name) != GPUCRYPT_OK)
		return GPUCRYPT_IO;
	if (at != 0)
		return GPUCRYPT_OK;
	if (S_ISREG(status.st_mode))
		return regular_size(source, status.st_size);
	if (source->block_device) {
		size = lseek(fd, 0, SEEK_END);
		if (size < 0 || lseek(fd, 0, SEEK_SET) != 0)
			return fail_errno(name, "its size cannot be found");
		source->size_bytes = (uint64_t)size;
	}
	return GPUCRYPT_OK;
}

void source_open_memory(struct source *source, const uint8_t *memory, size_t memory_bytes, uint64_t size_bytes)
{
	*source = (struct source){
		.fd = -1, .name = "memory", .size_bytes = size_bytes, .memory = memory, .memory_bytes = memory_bytes
	};
}

void source_open_in_place(struct source *source, uint64_t size_bytes)
{
	*source = (struct source){ .fd = -1, .name = "memory", .size_bytes = size_bytes, .in_place = true };
}

static bool in_memory(const struct source *source)
{
	return source->memory != NULL || source->in_place;
}

/* Without a descriptor, the position is kept here. */
static bool keeps_position(const struct source *source)
{
	return in_memory(source) || source->locate != NULL;
}

const char *source_place(const struct source *source, uint64_t *offset)
{
	size_t one = 1;

	return source->locate != NULL ? source->locate(source, offset, &one)->name : source->name;
}

/* Up to where the bytes in memory begin again, or the source ends. */
static ssize_t read_memory(const struct source *source, uint8_t *bytes, size_t n_bytes, uint64_t position)
{
	uint64_t left = position < source->size_bytes ? source->size_bytes - position : 0;
	size_t start;

	if (n_bytes > left)
		n_bytes = (size_t)left;
	if (source->in_place || n_bytes == 0)
		return (ssize_t)n_bytes;
	start = (size_t)(position % source->memory_bytes);
	if (n_bytes > source->memory_bytes - start)
		n_bytes = source->memory_bytes - start;
	memcpy(bytes, source->memory + start, n_bytes);
	return (ssize_t)n_bytes;
}

static ssize_t read_again(struct source *source, uint8_t *bytes, size_t n_bytes)
{
	if (n_bytes > source->again_bytes)
		n_bytes = source->again_bytes;
	memcpy(bytes, source->again, n_bytes);
	source->again += n_bytes;
	source->again_bytes -= n_bytes;
	return (ssize_t)n_bytes;
}

/* As read() and, with a position, as pread() do. */
static ssize_t read_some(struct source *source, uint8_t *bytes, size_t n_bytes, bool positioned, uint64_t offset)
{
	ssize_t n;

	if (!positioned && source->again_bytes > 0)
		return read_again(source, bytes, n_bytes);
	if (!keeps_position(source))
		return positioned ? pread(source->fd, bytes, n_bytes, (off_t)offset) : read(source->fd, bytes, n_bytes);
	if (!positioned)
		offset = source->position;
	if (source->locate != NULL) {
		struct source *part = source->locate(source, &offset, &n_bytes);

		n = n_bytes > 0 ? read_some(part, bytes, n_bytes, true, offset) : 0;
	} else
		n = read_memory(source, bytes, n_bytes, offset);
	if (!positioned && n > 0)
		source->position += (uint64_t)n;
	return n;
}

/* read() or, with a position, pread() until n_bytes are there or the end is. */
static int read_fully(
        struct source *source, uint8_t *bytes, size_t n_bytes, bool positioned, uint64_t offset, size_t *got)
{
	size_t done = 0, want;
	ssize_t n;

	*got = 0;
	while (done < n_bytes) {
		want = n_bytes - done < MAX_CALL_BYTES ? n_bytes - done : MAX_CALL_BYTES;
		n = read_some(source, bytes + done, want, positioned, offset + done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			uint64_t place = positioned ? offset + done : source->position;

			return fail_errno(source_place(source, &place), "cannot be read");
		}
		if (n == 0)
			break;
		done += (size_t)n;
	}
	*got = done;
	return GPUCRYPT_OK;
}

int source_read(struct source *source, uint8_t *bytes, size_t n_bytes, size_t *got)
{
	return source->make != NULL ? source->make(source->maker, bytes, n_bytes, got)
	                            : read_fully(source, bytes, n_bytes, false, 0, got);
}

int source_peek(struct source *source, uint8_t *bytes, size_t n_bytes, size_t *got)
{
	int status = source_read(source, bytes, n_bytes, got);

	if (status == GPUCRYPT_OK) {
		source->again = bytes;
		source->again_bytes = *got;
	}
	return status;
}

int source_read_at(struct source *source, uint8_t *bytes, size_t n_bytes, uint64_t offset)
{
	size_t got;
	int status;

	if (offset > INT64_MAX - n_bytes)
		return fail(GPUCRYPT_CORRUPT, "%s: position %" PRIu64 " is past any file's end", source->name, offset);
	status = read_fully(source, bytes, n_bytes, true, offset, &got);
	if (status == GPUCRYPT_OK && got < n_bytes)
		return fail(GPUCRYPT_CORRUPT, "%s: truncated: it ends at byte %" PRIu64, source->name, offset + got);
	return status;
}

bool source_hole(const struct source *source, uint64_t offset, uint64_t n_bytes)
{
	off_t data = lseek(source->fd, (off_t)offset, SEEK_DATA);

	return data < 0 ? errno == ENXIO : (uint64_t)data >= offset + n_bytes;
}

bool source_has_holes(const struct source *source)
{
	struct stat there;

	return source->fd >= 0 && source->make == NULL && source->locate == NULL && !in_memory(source) &&
	       source->size_bytes != UINT64_MAX && fstat(source->fd, &there) == 0 && S_ISREG(there.st_mode) &&
	       (uint64_t)there.st_blocks < source->size_bytes / 512;
}

int source_skip(struct source *source, uint64_t n_bytes)
{
	uint8_t bytes[4096];
	uint64_t left = n_bytes;
	size_t want, got;
	int status;

	if (!keeps_position(source) && source->size_bytes != UINT64_MAX && n_bytes <= source->size_bytes) {
		if (lseek(source->fd, (off_t)n_bytes, SEEK_CUR) < 0)
			return fail_errno(source->name, "cannot be positioned");
		return GPUCRYPT_OK;
	}
	while (left > 0) {
		want = left < sizeof bytes ? (size_t)left : sizeof bytes;
		status = source_read(source, bytes, want, &got);
		if (status != GPUCRYPT_OK)
			return status;
		if (got < want)
			return fail(GPUCRYPT_USAGE, "%s: offset %" PRIu64 " is past its end", source->name, n_bytes);
		left -= got;
	}
	return GPUCRYPT_OK;
}

/* Not what it was when it was opened: what has been read of it is of no use.  A maker of bytes knows
 * better than their number what is wrong, and fails before it ends with another one. */
static int expect(const struct lookahead *ahead, uint64_t read_bytes, bool last)
{
	if (ahead->expected_bytes == UINT64_MAX || ahead->source->make != NULL)
		return GPUCRYPT_OK;
	if (last ? read_bytes > ahead->expected_bytes : read_bytes >= ahead->expected_bytes)
		return fail(GPUCRYPT_IO, "%s: it grew while being read: more than %" PRIu64 " bytes",
		        ahead->source->name, ahead->expected_bytes);
	if (last && read_bytes < ahead->expected_bytes)
		return fail(GPUCRYPT_IO, "%s: it ended at byte %" PRIu64 " of %" PRIu64 ": it shrank while being read",
		        ahead->source->name, read_bytes, ahead->expected_bytes);
	return GPUCRYPT_OK;
}

unsigned lookahead_readers(struct lookahead *ahead, uint64_t start, struct read_threads threads)
{
	const struct source *source = ahead->source;

	ahead->start = start;
	ahead->by_position = source->size_bytes != UINT64_MAX && source->size_bytes >= start &&
	                     ahead->limit_bytes == UINT64_MAX && !ahead->end_unasked && source->make == NULL;
	if (ahead->by_position && threads.helpers > 0)
		ahead->pool = pool_open(threads.helpers);
	return ahead->by_position && threads.readers > 1 ? threads.readers : 1;
}

void lookahead_close(struct lookahead *ahead)
{
	pool_close(ahead->pool);
	ahead->pool = NULL;
}

/* Is there more behind the size that the source had? */
static int find_growth(const struct lookahead *ahead, bool *grown)
{
	uint8_t byte;
	size_t got;
	int status = read_fully(ahead->source, &byte, 1, true, ahead->source->size_bytes, &got);

	*grown = status == GPUCRYPT_OK && got > 0;
	return status;
}

struct shared_read {
	struct source *source;
	uint8_t *bytes;
	uint64_t offset;
	size_t got[MAX_PARTS];
};

static void read_part(void *task, unsigned part)
{
	struct shared_read *read = task;
	size_t at = part * LOOKAHEAD_PART_BYTES;

	read_fully(read->source, read->bytes + at, LOOKAHEAD_PART_BYTES, true, read->offset + at, &read->got[part]);
	fail_clear();
}

/* As read_fully() by position.  What the parts lack from some place on, because of a failure or the end,
 * is asked for once more by this thread, which gets the answer. */
static int read_together(struct lookahead *ahead, uint8_t *bytes, size_t n_bytes, uint64_t offset, size_t *got)
{
	struct shared_read read = { .source = ahead->source, .bytes = bytes, .offset = offset };
	unsigned n_parts = (unsigned)(n_bytes / LOOKAHEAD_PART_BYTES);
	size_t done = 0;
	int status;

	if (n_parts > MAX_PARTS)
		n_parts = MAX_PARTS;
	if (ahead->pool != NULL && n_parts > 1)
		pool_run(ahead->pool, read_part, &read, n_parts);
	for (unsigned i = 0; i < n_parts && done == i * LOOKAHEAD_PART_BYTES; i++)
		done += read.got[i];
	status = read_fully(ahead->source, bytes + done, n_bytes - done, true, offset + done, got);
	*got += done;
	return status;
}

/* Nothing but the last piece changes what other threads read. */
static int read_by_position(
        struct lookahead *ahead, uint64_t piece, uint8_t *bytes, size_t n_bytes, size_t *got, bool *last)
{
	uint64_t total = ahead->source->size_bytes - ahead->start, from = piece * n_bytes,
	         left = from < total ? total - from : 0;
	size_t want = left < n_bytes ? (size_t)left : n_bytes;
	bool grown = false;
	int status = read_together(ahead, bytes, want, ahead->start + from, got);

	*last = left <= n_bytes || *got < want;
	if (status != GPUCRYPT_OK || !*last || (left == 0 && piece > 0))
		return status;
	status = find_growth(ahead, &grown);
	if (status != GPUCRYPT_OK)
		return status;
	*last = !grown;
	/* Only one piece reaches the size; of a file that shrank several are short. */
	if (left <= n_bytes)
		ahead->read_bytes = from + *got + grown;
	return expect(ahead, from + *got + grown, *last);
}

int lookahead_finish(const struct lookahead *ahead)
{
	bool grown = false;
	int status = GPUCRYPT_OK;

	if (ahead->by_position && ahead->expected_bytes != UINT64_MAX)
		status = find_growth(ahead, &grown);
	return status == GPUCRYPT_OK && grown ? expect(ahead, ahead->expected_bytes, false) : status;
}

/* The next piece in order. */
static int read_in_order(struct lookahead *ahead, uint8_t *bytes, size_t n_bytes, size_t *got, bool *last)
{
	uint64_t left = ahead->limit_bytes - ahead->read_bytes;
	size_t want = n_bytes + !ahead->end_unasked, have = 0, more;
	int status;

	if (want > left)
		want = (size_t)left;
	if (ahead->has_byte)
		bytes[have++] = ahead->byte;
	status = source_read(ahead->source, bytes + have, want - have, &more);
	if (status != GPUCRYPT_OK)
		return status;
	have += more;
	ahead->has_byte = have > n_bytes;
	*last = ahead->end_unasked ? have < n_bytes : !ahead->has_byte;
	if (ahead->has_byte)
		ahead->byte = bytes[--have];
	ahead->read_bytes += have;
	*got = have;
	return expect(ahead, ahead->read_bytes, *last);
}

int lookahead_read(struct lookahead *ahead, uint64_t piece, uint8_t *bytes, size_t n_bytes, size_t *got, bool *last)
{
	return ahead->by_position ? read_by_position(ahead, piece, bytes, n_bytes, got, last)
	                          : read_in_order(ahead, bytes, n_bytes, got, last);
}
