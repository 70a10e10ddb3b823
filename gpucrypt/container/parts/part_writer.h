/* A writer of ranges of groups into a file that container_parts_start() has made. */
#ifndef PART_WRITER_H
#define PART_WRITER_H

#include "gpucrypt/container/parts/parts.h"
#include "gpucrypt/container/started.h"

/* Open the file for runs on this source with these parts; align 0 becomes that of the start.  Errors: those of
 * container_parts_check(). */
int parts_open(struct started *started, struct source *source, struct source *file,
        const struct gpucrypt_secret *secret, struct start_parts *parts);

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

#endif
