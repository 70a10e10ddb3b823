/* A part of the plaintext of a seekable container (gcrypt(5), "A part of the plaintext"). */
#ifndef RANGE_H
#define RANGE_H

#include "gpucrypt/container/container.h"

struct range {
	uint64_t offset, n_bytes; /* of the plaintext; n_bytes UINT64_MAX: to its end */
};

/*
 * Reads header, final page, and the pages and chunks that the range touches; every one of them is
 * authenticated before its plaintext leaves, the root is not.  The sink gets the range's first byte at
 * 0.  GPUCRYPT_USAGE: a pipe, or the range is not in the plaintext; report->plaintext_bytes are those of
 * the range.
 */
int container_range(struct source *source, struct sink *sink, const struct range *range,
        const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress, struct report *report);

#endif
