/* Source of input bytes: a descriptor, memory, or any object with the same functions. */
#ifndef GPUCRYPT_PIPELINE_SOURCE_H
#define GPUCRYPT_PIPELINE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct source;
struct stat;
struct unlocked; /* gpucrypt/keys/header.h */

/* Functions of each kind of source. Both return a status and read n_bytes unless the source ends before; *got is the
 * number of bytes read. */
struct source_class {
	int (*read)(struct source *self, uint8_t *bytes, size_t n_bytes, size_t *got);
	/* From an offset, by any number of threads at once. */
	int (*read_at)(struct source *self, uint8_t *bytes, size_t n_bytes, uint64_t offset, size_t *got);
	/* The bytes are produced as they are read: there is no read_at, and read fails at the end if size_bytes is
	 * known and wrong. */
	bool in_order;
};

struct source {
	const struct source_class *class;
	const char *name;    /* for messages; not owned */
	uint64_t size_bytes; /* UINT64_MAX: not known before the end is read */
	uint8_t content;     /* what the bytes are, for a container's header: CONTENT_… */
	bool block_device;
	bool has_holes; /* the file system reports holes in the file */
	/* Set after source_open(): holes are not read.  Several threads then move the descriptor's position. */
	bool skips_holes;
	int fd;               /* descriptors */
	int direct_fd;        /* the same file, opened with O_DIRECT; 0: not open */
	uint64_t position;    /* other sources: offset of the next byte to read */
	const uint8_t *bytes; /* memory; not owned */
	size_t n_bytes;
	void *state;           /* of a class outside of source.c; not owned */
	const uint8_t *peeked; /* source_peek(); not owned */
	size_t peeked_bytes;
	const struct unlocked *unlocked; /* the header of the container, once a secret opened it; not owned; or NULL */
};

/* Linux reads and writes at most 0x7ffff000 bytes a call. */
#define MAX_CALL_BYTES ((size_t)1 << 30)

/* The descriptor's position; -1: it has none, as a pipe. */
int fd_position(off_t *at, int fd, const struct stat *status, const char *name);

/* Does a regular file have another length than its reported size?  A file of /proc has content and the size 0; a file
 * of /sys has the size of a page and is shorter.  -1: the file cannot be read, see errno. */
int fd_size_untrue(int fd, const struct stat *file);

/* Of unknown size and kind. */
struct source source_of_fd(int fd, const char *name);

/* Find size and kind of an open descriptor.  The size is unknown if the reported size is wrong, or if a regular file is
 * not positioned at its start. */
int source_open(struct source *source, int fd, const char *name);

/* bytes, repeated until size_bytes have been read. */
void source_open_memory(struct source *source, const uint8_t *bytes, size_t n_bytes, uint64_t size_bytes);

/* For measurements: reading leaves the reader's buffer as it is, and so takes no time. */
void source_open_unfilled(struct source *source, uint64_t size_bytes);

/* Read from the start again.  GPUCRYPT_IO if the descriptor has no positions. */
int source_rewind(struct source *source);

/* Read n_bytes unless the end comes first; *got is their number. */
int source_read(struct source *source, uint8_t *bytes, size_t n_bytes, size_t *got);

/* The same, and the next source_read() gives these bytes again; they must stay until then. */
int source_peek(struct source *source, uint8_t *bytes, size_t n_bytes, size_t *got);

/* Read exactly n_bytes from an offset; GPUCRYPT_CORRUPT when the end comes first. */
int source_read_at(struct source *source, uint8_t *bytes, size_t n_bytes, uint64_t offset);

/* The read() of a class that only has read_at(): read from source->position on. */
int source_read_next(struct source *source, uint8_t *bytes, size_t n_bytes, size_t *got);

/* Seconds that a read at a position takes that nothing has read yet: on a remote file system the time for an answer.
 * The shorter one of two; 0 if the source is shorter than n_bytes.  GPUCRYPT_IO. */
int source_latency(struct source *source, uint64_t n_bytes, double *seconds);

/* Until source_end_direct(), source_read_at() bypasses the page cache if the file or block device is larger than the
 * memory, because the cache could not keep its content.  No effect if the system does not support this. */
void source_start_direct(struct source *source);
void source_end_direct(struct source *source);

/* Does the file system report this range as a hole?  Precondition: source->has_holes, and the range ends before the
 * file does. */
bool source_hole(const struct source *source, uint64_t offset, uint64_t n_bytes);

/* Skip n_bytes: move the descriptor's position if the size is known, else read them. */
int source_skip(struct source *source, uint64_t n_bytes);

/* A limit on the rate at which this process reads its sources: for a machine or a network that others use too. */

/* For all threads, before any source is read; 0: no limit. */
void rate_limit(uint64_t bytes_per_second);

/* The number of bytes that one call may ask for, from 1 to n_bytes, n_bytes > 0: a tenth of a second at most. */
size_t rate_piece(size_t n_bytes);

/* Wait until the n_bytes that a call returned are within the limit.  A pipe may return less than the call asked for. */
void rate_wait(size_t n_bytes);

/* Seconds that all bytes so far take at the limit; 0: no limit. */
double rate_used_s(void);

/* A source that is read in pieces, by several threads where its size is known. */

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
