/* What libarchive writes, as bytes that are asked for. */
#ifndef PACKER_H
#define PACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/tree/libarchive.h"

#define PIECE_BYTES ((size_t)256 << 10) /* of a file, into libarchive */

struct packer {
	struct archive *archive; /* owned */
	const char *name;        /* of the input, for messages; not owned */
	/* The destination of the bytes: first the buffer that was given, then the overflow buffer. */
	uint8_t *room;
	size_t room_bytes;
	uint8_t *rest; /* owned */
	size_t rest_from, rest_end, rest_capacity;
	bool ended;
};

void packer_open(struct packer *packer, const char *name);

/* After the archive got its format; zstd_level 0: not compressed. */
int packer_start(struct packer *packer, int zstd_level);

/* Read the next bytes; step, which writes a piece into the archive or finishes it, is called until there are enough. */
int packer_read(
        struct packer *packer, uint8_t *bytes, size_t n_bytes, size_t *got, int (*step)(void *self), void *self);

/* For step: nothing more is written. */
int packer_finish(struct packer *packer);

int packer_failed(const struct packer *packer);

void packer_close(struct packer *packer);

#endif
