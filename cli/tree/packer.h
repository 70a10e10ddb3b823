/* What libarchive writes, as bytes that are asked for. */
#ifndef CLI_TREE_PACKER_H
#define CLI_TREE_PACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/tree/libarchive.h"
#include "gpucrypt/pipeline/source.h"

#define PIECE_BYTES ((size_t)256 << 10) /* of a file, into libarchive */

/* The first member of a struct that writes into the archive. */
struct packer {
	struct archive *archive; /* owned */
	const char *name;        /* of the input, for messages; not owned */
	/* Write a piece into the archive, or finish it. */
	int (*step)(struct packer *self);
	/* The destination of the bytes: first the buffer that was given, then the overflow buffer. */
	uint8_t *room;
	size_t room_bytes;
	uint8_t *rest; /* owned */
	size_t rest_from, rest_end, rest_capacity;
	bool ended;
};

/* Make the source give the archive's bytes: size unknown, in order. */
void packer_open(struct packer *packer, struct source *source, const char *name, int (*step)(struct packer *self));

/* After the archive got its format; zstd_level 0: not compressed. */
int packer_start(struct packer *packer, int zstd_level);

/* For step: nothing more is written. */
int packer_finish(struct packer *packer);

int packer_failed(const struct packer *packer);

void packer_close(struct packer *packer);

#endif
