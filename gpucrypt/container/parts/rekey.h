/*
 * rekey --part: several runs re-encrypt one container under a new file key, each its part, into a file as that of
 * enc --part (parts.h), which is joined like it.  The start record names the version of the old container by the MAC of
 * its final page, which covers all its pages.
 */
#ifndef GPUCRYPT_CONTAINER_PARTS_REKEY_H
#define GPUCRYPT_CONTAINER_PARTS_REKEY_H

#include "gpucrypt/container/group_reader.h"
#include "gpucrypt/container/parts/parts.h"
#include "gpucrypt/container/rekey.h"

/* Make *plain of the old container, which is at its start, for container_parts_start() and container_parts_check():
 * *plain has the authenticated length and type of the content, but is not read.  Sets parts->version.  GPUCRYPT_USAGE
 * for a pipe. */
int container_rekey_source(struct source *plain, struct start_parts *parts, struct source *container,
        const struct gpucrypt_secret *secret);

/* The same with a reader of the container; afterwards the reader has header and keys, and the caller closes it. */
int container_rekey_open(struct group_reader *reader, struct source *plain, struct start_parts *parts,
        const struct gpucrypt_secret *secret);

/* Re-encrypt one part into a file that was started by the first one of rekey->secrets, and make the part's record as
 * container_part() does.  All groups of the part are encrypted again, with fresh salts: a group of an earlier run may
 * come from pages that are not those of the root.  A record is made if the part's old groups are authentic, and all old
 * pages with the root.  GPUCRYPT_USAGE where rekey_detour() is not NULL. */
int container_rekey_part(const struct rekey *rekey, struct source *file, const struct part_number *part, uint64_t align,
        struct report *report, uint8_t record[START_RECORD_BYTES]);

#endif
