/* A source that is read in pieces, by several threads where its size is known. */
#ifndef GPUCRYPT_PIPELINE_LOOKAHEAD_H
#define GPUCRYPT_PIPELINE_LOOKAHEAD_H

#include "gpucrypt/pipeline/source.h"

/* Each piece comes with the answer to whether it is the last: the size tells, or one byte is read ahead.  The caller
 * sets the first four fields; the others start as zero. */
struct lookahead {
	struct source *source;
	uint64_t limit_bytes;    /* read no more than that; UINT64_MAX: to the end */
	uint64_t expected_bytes; /* GPUCRYPT_IO if there are more or fewer; UINT64_MAX: any number */
	bool end_unasked;        /* read nothing ahead: only a short piece is known to be the last */
	uint64_t read_bytes;     /* so far, without the byte ahead; by position: when all is read */
	bool has_byte;
	uint8_t byte;
	bool by_position;  /* see lookahead_readers() */
	bool by_pieces;    /* by position through the page cache: small reads are as fast as large ones */
	uint64_t start;    /* by position: offset of the first piece */
	struct pool *pool; /* by position: helpers that read parts of a piece; owned, or NULL */
};

/* Pieces of at least twice this size are read by several threads each, if there are helpers. */
#define LOOKAHEAD_PART_BYTES ((size_t)2 << 20)

struct read_threads {
	unsigned readers; /* each reads a piece */
	unsigned helpers; /* shared by the readers, read parts of pieces: the same rate with fewer pieces in memory */
};

/* Number of threads that may read pieces at the same time: up to threads.readers, by position, from start on, if the
 * source's size is known; else one, in order.  Starts the helpers, once, if the source is read by position. */
unsigned lookahead_readers(struct lookahead *ahead, uint64_t start, struct read_threads threads);

void lookahead_close(struct lookahead *ahead); /* zeroed is fine */

/* Read a piece of n_bytes, shorter only at the end; pieces behind the last one are empty.  from: the piece's position
 * relative to `start`; ignored if pieces are read in order.  bytes has room for n_bytes + 1. */
int lookahead_read(struct lookahead *ahead, uint64_t from, uint8_t *bytes, size_t n_bytes, size_t *got, bool *last);

/* After all pieces: GPUCRYPT_IO if the source has grown since the last piece was read, which another thread may have
 * done before the first piece was. */
int lookahead_finish(const struct lookahead *ahead);

#endif
