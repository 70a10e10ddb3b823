#include "gpucrypt/pipeline/source.h"

#include <inttypes.h>

#include "gpucrypt/pipeline/pipeline.h"
#include "gpucrypt/status.h"

#define MAX_PARTS 32

/* A source that changed since it was opened is rejected. */
static int check_expected(const struct lookahead *ahead, uint64_t read_bytes, bool last)
{
	if (ahead->expected_bytes == UINT64_MAX || ahead->source->class->in_order)
		return GPUCRYPT_OK;
	if (last ? read_bytes > ahead->expected_bytes : read_bytes >= ahead->expected_bytes)
		return fail(GPUCRYPT_IO, "%s: it grew while it was read: more than %" PRIu64 " bytes",
		        ahead->source->name, ahead->expected_bytes);
	if (last && read_bytes < ahead->expected_bytes)
		return fail(GPUCRYPT_IO, "%s: it ended at byte %" PRIu64 " of %" PRIu64 ": it shrank while it was read",
		        ahead->source->name, read_bytes, ahead->expected_bytes);
	return GPUCRYPT_OK;
}

unsigned lookahead_readers(struct lookahead *ahead, uint64_t start, struct read_threads threads)
{
	struct source *source = ahead->source;

	ahead->start = start;
	ahead->by_position = source->size_bytes != UINT64_MAX && source->size_bytes >= start &&
	                     ahead->limit_bytes == UINT64_MAX && !ahead->end_unasked && !source->class->in_order;
	if (ahead->by_position)
		source_start_direct(source);
	ahead->by_pieces = ahead->by_position && source->direct_fd <= 0;
	if (ahead->by_position && threads.helpers > 0 && ahead->pool == NULL)
		ahead->pool = pool_open(threads.helpers);
	return ahead->by_position && threads.readers > 1 ? threads.readers : 1;
}

void lookahead_close(struct lookahead *ahead)
{
	pool_close(ahead->pool);
	ahead->pool = NULL;
	if (ahead->source != NULL)
		source_end_direct(ahead->source);
}

/* Check whether the source has grown beyond its initial size. */
static int find_growth(const struct lookahead *ahead, bool *grown)
{
	uint8_t byte;
	size_t got;
	int status = ahead->source->class->read_at(ahead->source, &byte, 1, ahead->source->size_bytes, &got);

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

	read->source->class->read_at(
	        read->source, read->bytes + at, LOOKAHEAD_PART_BYTES, read->offset + at, &read->got[part]);
	fail_clear();
}

/* This thread reads again what the parts lack because of a failure or the end, and returns its status. */
static int read_in_parts(struct lookahead *ahead, uint8_t *bytes, size_t n_bytes, uint64_t offset, size_t *got)
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
	status = ahead->source->class->read_at(ahead->source, bytes + done, n_bytes - done, offset + done, got);
	*got += done;
	return status;
}

/* Only the thread with the last piece writes to *ahead. */
static int read_by_position(
        struct lookahead *ahead, uint64_t from, uint8_t *bytes, size_t n_bytes, size_t *got, bool *last)
{
	uint64_t total = ahead->source->size_bytes - ahead->start, left = from < total ? total - from : 0;
	size_t want = left < n_bytes ? (size_t)left : n_bytes;
	bool grown = false;
	int status = read_in_parts(ahead, bytes, want, ahead->start + from, got);

	*last = left <= n_bytes || *got < want;
	if (status != GPUCRYPT_OK || !*last || (left == 0 && from > 0))
		return status;
	status = find_growth(ahead, &grown);
	if (status != GPUCRYPT_OK)
		return status;
	*last = !grown;
	/* Only one piece reaches the size; several pieces of a file that shrank are short. */
	if (left <= n_bytes)
		ahead->read_bytes = from + *got + grown;
	return check_expected(ahead, from + *got + grown, *last);
}

int lookahead_finish(const struct lookahead *ahead)
{
	bool grown = false;
	int status = GPUCRYPT_OK;

	if (ahead->by_position && ahead->expected_bytes != UINT64_MAX)
		status = find_growth(ahead, &grown);
	return status == GPUCRYPT_OK && grown ? check_expected(ahead, ahead->expected_bytes, false) : status;
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
	return check_expected(ahead, ahead->read_bytes, *last);
}

int lookahead_read(struct lookahead *ahead, uint64_t from, uint8_t *bytes, size_t n_bytes, size_t *got, bool *last)
{
	return ahead->by_position ? read_by_position(ahead, from, bytes, n_bytes, got, last)
	                          : read_in_order(ahead, bytes, n_bytes, got, last);
}
