/* Where bytes come from and go to: file descriptors by default, memory for measurements, and for
 * output anything with the same shape. */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct stat;

struct source {
	int fd;
	const char *name;    /* for messages; not owned */
	uint64_t size_bytes; /* UINT64_MAX: not known before the end is seen */
	bool block_device;
	/* Not NULL: fd is not used; these bytes again and again until size_bytes are given. */
	const uint8_t *memory; /* not owned */
	size_t memory_bytes;
	uint64_t position; /* in memory, or with locate: bytes given so far */
	bool in_place;     /* the bytes are whatever the reader's buffers hold; fd is not used */
	/* Not NULL: fd is not used; what stands at *offset is in the source that this returns, at the
	 * *offset that it sets, and so are at most *n_bytes after it, none only at its end. */
	struct source *(*locate)(const struct source *self, uint64_t *offset, size_t *n_bytes);
	/* Read before, and given first by reads without a position. */
	const uint8_t *again; /* not owned */
	size_t again_bytes;
	/* Not NULL: whoever makes the bytes, in order, as source_read() gives them; fd is not read.  It
	 * must fail at the end if size_bytes is known and not the number of bytes made. */
	int (*make)(void *maker, uint8_t *bytes, size_t n_bytes, size_t *got);
	void *maker;
	uint8_t content; /* what the bytes are, for a container's header: CONTENT_… */
};

/* Linux reads and writes at most 0x7ffff000 bytes a call. */
#define MAX_CALL_BYTES ((size_t)1 << 30)

/* A place for output.  write() gets ranges that make one whole in the end, ascending and adjacent ones where
 * there are no positions; returns a status.  One thread at a time calls it, not always the same: Linux lets
 * one write to a file. */
struct sink {
	int (*write)(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset);
	bool keeps_holes; /* what is never written is zeros there */
	/* Takes only one kind of what a container may hold: CONTENT_… */
	bool one_content;
	uint8_t content;
	uint64_t room_bytes; /* it takes no more than these; 0: not known */
};

struct fd_sink {
	struct sink sink;
	int fd;
	const char *name; /* for messages; not owned */
	bool positioned;  /* regular file or block device: pwrite; else write */
	bool any_order;   /* positioned: and the descriptor is left where it stood */
	uint64_t start;   /* positioned: where the descriptor stood; it is left after the output */
};

/* Where the descriptor is; -1: in what has no positions, as a pipe.  A file has them. */
int fd_position(off_t *at, int fd, const struct stat *status, const char *name);

/* Fill in size and kind of an open descriptor.  A /proc file with st_size 0 has unknown size, and
 * so has a regular file not positioned at its start. */
int source_open(struct source *source, int fd, const char *name);

/* A source in memory, from its start. */
void source_open_memory(struct source *source, const uint8_t *memory, size_t memory_bytes, uint64_t size_bytes);

/* Bytes that are where they are read to: no one copies them. */
void source_open_in_place(struct source *source, uint64_t size_bytes);

/* Look at the first bytes of a source that may be a pipe: they are read, and the next source_read()
 * gives them again.  They must stay where they are until then. */
int source_peek(struct source *source, uint8_t *bytes, size_t n_bytes, size_t *got);

/* Read n_bytes unless the end comes first; *got says how many.  Restarts after EINTR. */
int source_read(struct source *source, uint8_t *bytes, size_t n_bytes, size_t *got);

/* Read exactly n_bytes at a position of a seekable source; GPUCRYPT_CORRUPT when the end is before.
 */
int source_read_at(struct source *source, uint8_t *bytes, size_t n_bytes, uint64_t offset);

/* The name of the file that has an inline position of a container, and the position in it. */
const char *source_place(const struct source *source, uint64_t *offset);

/* Is this range of a regular file a hole, as far as the file system says?  Its end is before the file's. */
bool source_hole(const struct source *source, uint64_t offset, uint64_t n_bytes);

/* Has the file system left out something of it?  Else source_hole() need not be asked. */
bool source_has_holes(const struct source *source);

/* Go on reading n_bytes later, by position where the size is known, else by reading them. */
int source_skip(struct source *source, uint64_t n_bytes);

/*
 * A source read in pieces, each of which comes with the answer to whether it is the last: one byte
 * is read ahead for that, or the size tells.  The first four fields are the caller's to set, the
 * others start as zero.
 */
struct lookahead {
	struct source *source;
	uint64_t limit_bytes;    /* read no more than that; UINT64_MAX: to the end */
	uint64_t expected_bytes; /* GPUCRYPT_IO if there are more or fewer; UINT64_MAX: any number */
	bool end_unasked;        /* read nothing ahead; only a short piece is known as the last */
	uint64_t read_bytes;     /* so far, without the byte ahead; by position: when all is read */
	bool has_byte;
	uint8_t byte;
	bool by_position;  /* see lookahead_readers() */
	uint64_t start;    /* by position: of piece 0 */
	struct pool *pool; /* by position: who helps to read a piece; owned, or NULL */
};

/* Pieces of twice this and more are read by several threads each, if there are helpers. */
#define LOOKAHEAD_PART_BYTES ((size_t)2 << 20)

struct read_threads {
	unsigned readers; /* each with a piece */
	unsigned helpers; /* who read parts of those: fewer pieces are under way then for the same rate */
};

/* How many threads may read pieces at the same time, at most so many: several where the size is
 * known, by position from start on; else one, in order.  Where several may, the helpers are started, as many of
 * them as can be, and stay until lookahead_close(); ask only once with helpers. */
unsigned lookahead_readers(struct lookahead *ahead, uint64_t start, struct read_threads threads);

void lookahead_close(struct lookahead *ahead); /* zeroed is fine */

/* Piece number `piece` of n_bytes, shorter only at the end; pieces behind the last one are empty.
 * There must be room for n_bytes + 1. */
int lookahead_read(struct lookahead *ahead, uint64_t piece, uint8_t *bytes, size_t n_bytes, size_t *got, bool *last);

/* After all pieces: GPUCRYPT_IO if the source has grown since the last of them was read, which other
 * threads may have done before the first. */
int lookahead_finish(const struct lookahead *ahead);

/* GPUCRYPT_IO when n_bytes are more than it takes; UINT64_MAX is a number that is not known. */
int sink_admits(const struct sink *sink, uint64_t n_bytes);

int fd_sink_open(struct fd_sink *sink, int fd, const char *name);

/* The descriptor is nobody else's, what it names was empty, and is discarded if anything fails: parts may
 * be written in any order, or not if they are zeros, where there are positions. */
void fd_sink_allow_any_order(struct fd_sink *sink);

#endif
