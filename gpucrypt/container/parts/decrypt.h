/*
 * dec --part: several runs decrypt one container into one file, each its part (gcrypt(5), "Parts of a decryption"). The
 * file has the length of the content from the start, and until all parts are complete a start record after it.  For
 * each part that is complete the caller stores a record.  All records are authenticated by the container's file key.
 */
#ifndef GPUCRYPT_CONTAINER_PARTS_DECRYPT_H
#define GPUCRYPT_CONTAINER_PARTS_DECRYPT_H

#include "gpucrypt/container/group_reader.h"
#include "gpucrypt/container/parts/parts.h"

struct part_decryption {
	struct group_reader reader;        /* the container is unlocked, and its length known */
	struct start_parts parts;          /* of the file, and the version of the container */
	uint8_t start[START_RECORD_BYTES]; /* of the file, once it is started or checked */
	bool is_cut;                       /* the file has no start record any more: all parts were complete */
};

/* Unlock a container of one file; the source is used until the caller closes the reader.  GPUCRYPT_USAGE for other
 * content, and for a pipe. */
int part_decryption_open(struct part_decryption *parts, struct source *container, const struct gpucrypt_secret *secret,
        struct report *report);

/* Give an empty file its length and the start record; they are on storage afterwards. */
int part_decryption_start(struct part_decryption *parts, struct source *file, uint64_t n_parts);

/* Was the file started for this container and so many parts?  GPUCRYPT_EXISTS for another file, GPUCRYPT_IO for another
 * version of the container, GPUCRYPT_USAGE for another number of parts.  If is_cut is set,
 * the start record is gone, and only the records of the parts can be checked. */
int part_decryption_check(struct part_decryption *parts, struct source *file, uint64_t n_parts);

/* Decrypt one part into the sink, which gets the first byte of the content at 0; authenticate the part, and all pages
 * with the root. */
int part_decryption_run(struct part_decryption *parts, struct sink *sink, const struct part_number *part,
        const struct gpucrypt_plan *plan, const struct gpucrypt_progress *progress, struct report *report);

/* The record of a part that is complete, once its bytes are on storage. */
int part_decryption_record(const struct part_decryption *parts, uint64_t number, uint8_t record[START_RECORD_BYTES]);

/* *good: is this the record of the part?  If is_cut is set, the record of part 1 decides which ones belong to
 * it. */
int part_decryption_compare(
        struct part_decryption *parts, uint64_t number, const uint8_t record[START_RECORD_BYTES], bool *good);

/* All parts are complete: cut off the start record.  The caller syncs the file. */
int part_decryption_cut(struct part_decryption *parts, struct source *file);

#endif
