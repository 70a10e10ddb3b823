/*
 * An unfinished container, with a start record in place of its second header copy (gcrypt(5), "Start records"): one run
 * writes all of it and continues what an earlier run left (--resume), or several runs, on one machine or on many, write
 * each its part, a range of groups, at its final place (--part; gcrypt(5), "Parts") until the parts are joined.
 * Groups in the file that verify are kept, the others get fresh salts.
 */
#ifndef GPUCRYPT_CONTAINER_PARTS_PARTS_H
#define GPUCRYPT_CONTAINER_PARTS_PARTS_H

#include "gpucrypt/container/group_reader.h"
#include "gpucrypt/container/rekey.h"
#include "gpucrypt/container/start_record.h"
#include "gpucrypt/container/update.h"

struct part_number {
	uint64_t number, count; /* from 1 to count */
};

/* The part has the groups *first … end - 1, of a content of n_bytes; returns end. */
static inline uint64_t part_end(
        uint64_t *first, unsigned group_log2, uint64_t n_bytes, const struct part_number *part, uint64_t align)
{
	uint64_t n_groups = layout_groups(group_log2, n_bytes);

	*first = layout_part_start(group_log2, n_groups, part->number - 1, part->count, align);
	return layout_part_start(group_log2, n_groups, part->number, part->count, align);
}

/* Write header and start record to an empty file, set its full length if it is for parts, and sync it.  parts.count 0:
 * the file is for one run.  parts.align 0: parts are aligned to the block size of the file system, unless this makes
 * some parts much longer than others.  kept: header of a container that the secret has opened; NULL: a new header. */
int container_parts_start(struct source *source, struct source *file, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, struct start_parts parts, const struct authenticated_header *kept);

/* Was the file started by this secret, for this source and these parts?  Then *header is its header.  align 0: as the
 * file was started.  GPUCRYPT_IO if the source has changed since or is another file, GPUCRYPT_USAGE for other parts,
 * GPUCRYPT_NO_KEY for another secret, and GPUCRYPT_EXISTS for another file; parts without a start record of this secret
 * too.  For one run, *restart is not NULL if the file is to be started again under a new file key, and says why; "":
 * nothing was started. */
int container_parts_check(struct authenticated_header *header, struct source *source, struct source *file,
        const struct gpucrypt_secret *secret, struct start_parts parts, const char **restart);

/* Encrypt one part, sync the file, and make the part's record, which the caller stores.  The sink writes to the file.
 * GPUCRYPT_USAGE for other options than those of the start. */
int container_part(struct source *source, struct source *file, struct sink *sink, const struct part_number *part,
        uint64_t align, const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress, struct report *report, uint8_t record[START_RECORD_BYTES]);

/* Encrypt all groups of a file that was started for one run: afterwards it is a complete container. */
int container_resume(struct source *source, struct source *file, struct sink *sink, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report);

/* A writer of ranges of groups into a file that container_parts_start() has made. */

/* Open the file to encrypt these parts of this source; parts->align 0 is replaced by the start record's value.  restart
 * and errors: see container_parts_check(); restart NULL: a file without a start record of this secret is a failure. */
int parts_open(struct started *started, struct source *source, struct source *file,
        const struct gpucrypt_secret *secret, struct start_parts *parts, const char **restart);

/* Was the file started with this plan and for these recipients?  GPUCRYPT_USAGE. */
int parts_check_options(const struct started *started, struct source *source, struct source *file,
        const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret);

/* Suite, keys and engine of a writer whose source and sink are known; the caller closes it.  secret NULL: another
 * process has compared the options.  part_writer_describe: without the engine. */
int part_writer_describe(struct group_writer *writer, struct source *file, const struct started *started,
        const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret);
int part_writer_open(struct group_writer *writer, struct source *file, const struct started *started,
        const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret, struct report *report);

/* Encrypt the groups first … end - 1; writer->digest is that of their pages. */
int part_writer_run(struct group_writer *writer, uint64_t first, uint64_t end, const struct gpucrypt_plan *plan,
        struct report *report);

/* The record of a part that has been written: sync the file, and check that the source has not changed. */
int part_writer_record(uint8_t record[START_RECORD_BYTES], const struct group_writer *writer,
        const struct started *started, const struct gpucrypt_secret *secret, const struct part_number *part);

/*
 * rekey --part: several runs re-encrypt one container under a new file key, each its part, into a file as that of
 * enc --part (parts.h), which is joined like it.  The start record names the version of the old container by the MAC of
 * its final page, which covers all its pages.
 */

/* Unlock the old container, whose source is at its start.  Sets header and keys of the reader, which the caller closes;
 * parts->version; and *plain, for container_parts_start() and container_parts_check(): it has the authenticated length
 * and type of the content, but cannot be read.  GPUCRYPT_USAGE for a pipe. */
int container_rekey_open(struct group_reader *reader, struct source *plain, struct start_parts *parts,
        const struct gpucrypt_secret *secret);

/* Re-encrypt one part into a file that was started by the first one of rekey->secrets, and make the part's record as
 * container_part() does.  All groups of the part are encrypted again, with fresh salts: a group of an earlier run may
 * come from pages that are not those of the root.  A record is made if the part's old groups are authentic, and all old
 * pages with the root.  GPUCRYPT_USAGE where rekey_detour() is not NULL. */
int container_rekey_part(const struct rekey *rekey, struct source *file, const struct part_number *part, uint64_t align,
        struct report *report, uint8_t record[START_RECORD_BYTES]);

/*
 * enc --update --part: several runs write the next version of a container (update.h), each its part.  The part file has
 * the header of the old container, so the file key stays; its start record names the source and the old version.
 */

/* Unlock the old container, and set parts->version.  The caller closes the reader.  GPUCRYPT_USAGE unless the header
 * has the length of the new content: the parts depend on it. */
int container_update_open(
        struct group_reader *reader, const struct update *update, struct start_parts *parts, struct report *report);

/* Write the part's groups into the file, whose descriptor is update->fd, and make the part's record.  Groups that an
 * earlier run of this part wrote are written again, as those of container_rekey_part(). */
int container_update_part(const struct update *update, struct source *file, const struct part_number *part,
        uint64_t align, struct report *report, uint8_t record[START_RECORD_BYTES]);

#endif
