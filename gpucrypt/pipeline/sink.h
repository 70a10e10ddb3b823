/* Destination of output bytes: a descriptor, or any object with the same functions. */
#ifndef GPUCRYPT_PIPELINE_SINK_H
#define GPUCRYPT_PIPELINE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One thread at a time calls write(), not always the same thread: Linux lets one thread at a time write to a file. */
struct sink {
	/* Write a range; all ranges together are the output.  They are ascending and adjacent unless the sink accepts
	 * any order.  Returns a status. */
	int (*write)(struct sink *self, const uint8_t *bytes, size_t n_bytes, uint64_t offset);
	bool keeps_holes;    /* bytes that are never written read as zeros */
	bool one_content;    /* accepts only containers with the content below */
	uint8_t content;     /* CONTENT_… */
	uint64_t room_bytes; /* its capacity; 0: not known */
};

struct fd_sink {
	struct sink sink;
	int fd;
	const char *name; /* for messages; not owned */
	bool positioned;  /* regular file or block device: pwrite; else write */
	bool any_order;   /* only if positioned: writes leave the descriptor's position as it is */
	uint64_t start; /* positioned: the descriptor's position at the start; each write moves the position behind the
	                   output */
	size_t block_bytes; /* blocks of this size that are all zero are not written; 0: all bytes are written */
	uint64_t length;    /* with block_bytes: of the file */
};

/* GPUCRYPT_IO when n_bytes exceed the sink's capacity; UINT64_MAX: n_bytes are not known. */
int sink_admits(const struct sink *sink, uint64_t n_bytes);

int fd_sink_open(struct fd_sink *sink, int fd, const char *name);

/* Write ranges in any order from the file's start on, and leave holes unwritten, if the descriptor has positions.  For
 * a descriptor that no other process uses, of a file that was empty and that is discarded if anything fails. */
void fd_sink_allow_any_order(struct fd_sink *sink);

/* After fd_sink_allow_any_order(): do not write blocks of the file system that are all zero either, if the descriptor
 * is of a regular file.  For plaintext: ciphertext has no such blocks. */
void fd_sink_leave_zeros(struct fd_sink *sink);

/* Write n_bytes at an offset of a file; they are on storage when this returns. */
int fd_store(int fd, const char *name, const uint8_t *bytes, size_t n_bytes, uint64_t offset);

#endif
