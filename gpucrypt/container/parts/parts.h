/*
 * A container that several runs write, on one machine or on many: each run its part, a range of groups, at its final
 * place in one file (gcrypt(5), "Parts").  The file is like that of --resume until all parts are joined.
 */
#ifndef PARTS_H
#define PARTS_H

#include "gpucrypt/container/container.h"
#include "gpucrypt/container/start_record.h"

struct part_number {
	uint64_t number, count; /* from 1 to count */
};

/* Write header, start record and full length to an empty file; they are on storage afterwards.  align 0: by the block
 * size of the file system, if no part becomes much longer than others by that. */
int container_parts_start(struct source *source, struct source *file, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, struct start_parts parts);

/* Was the file started by this secret, for this source and these parts?  align 0: as the file was started.  Errors:
 * those of container_resume(), and GPUCRYPT_EXISTS without a start record of this secret. */
int container_parts_check(struct authenticated_header *header, struct source *source, struct source *file,
        const struct gpucrypt_secret *secret, struct start_parts parts);

/* Encrypt one part, sync the file, and make the part's record, which the caller stores.  The sink writes to the file.
 * Groups in the file that verify are kept, the others get fresh salts. */
int container_part(struct source *source, struct source *file, struct sink *sink, const struct part_number *part,
        uint64_t align, const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress, struct report *report, uint8_t record[START_RECORD_BYTES]);

#endif
