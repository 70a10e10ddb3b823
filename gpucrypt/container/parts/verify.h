/* verify --part: authenticate a container by several runs, each its part. */
#ifndef PARTS_VERIFY_H
#define PARTS_VERIFY_H

#include "gpucrypt/container/group_reader.h"
#include "gpucrypt/container/parts/parts.h"

/* Authenticate the payload of the part, and all pages with the root: parts with the same digest in their reports are of
 * one version of the container, and all of them together are what container_decrypt() verifies.
 * report->plaintext_bytes is the part's length.  Errors: those of container_decrypt(), and GPUCRYPT_USAGE for a pipe.
 */
int container_verify_part(struct source *source, const struct part_number *part, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report);

/* The same by a partial reader whose length and engine are known; a sink gets the first byte of the content at 0.
 * report->digest is the MAC of the final page. */
int part_read(struct group_reader *reader, const struct part_number *part, const struct gpucrypt_plan *plan,
        struct report *report);

/* The second half of part_read(), after the part was read.  Reads all pages: GPUCRYPT_OK if they and the root are
 * authentic, and the pages of this part are the same as before.  Sets report->digest. */
int part_check_pages(
        struct group_reader *reader, const struct part_number *part, uint64_t align, struct report *report);

#endif
