/* A part of the plaintext of a seekable container (gcrypt(5), "A part of the plaintext"). */
#ifndef GPUCRYPT_CONTAINER_RANGE_H
#define GPUCRYPT_CONTAINER_RANGE_H

#include "gpucrypt/container/container.h"

struct group_reader;

/* Unlock the container, authenticate the final page, and set reader->plaintext_bytes and final_mac.  GPUCRYPT_USAGE for
 * a pipe. */
int range_begin(struct group_reader *reader, const struct gpucrypt_secret *secret, struct report *report);

struct range {
	uint64_t offset, n_bytes; /* of the plaintext; n_bytes UINT64_MAX: to its end */
};

/* Write the range to the sink, which gets its first byte at 0.  Only the header, the final page, and the pages and
 * chunks of the range are read, and each is authenticated before its plaintext is released; the root is not checked.
 * GPUCRYPT_USAGE for a pipe, or if the plaintext does not have the range; report->plaintext_bytes is the range's
 * length. */
int container_range(struct source *source, struct sink *sink, const struct range *range,
        const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress, struct report *report);

#endif
