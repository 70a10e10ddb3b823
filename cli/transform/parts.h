/* enc --part: one of several runs that encrypt into NAME.part; join: complete the file. */
#ifndef CLI_PARTS_H
#define CLI_PARTS_H

#include "cli/files/input.h"
#include "cli/files/output.h"
#include "gpucrypt/container/start_record.h"

struct job;
struct job_file;

/* The record of a part, beside the output: NAME.part-I-of-N. */
struct part_record {
	char *name; /* for messages; owned */
	int fd;     /* -1: not open */
	uint8_t bytes[START_RECORD_BYTES];
};

#define PART_RECORD_NONE ((struct part_record){ .fd = -1 })

void part_record_close(struct part_record *record);

/* Open NAME.part, or start it, lock the part, and check that the start was made for the same source and parts.  If no
 * cipher is named, take that of the start.  The secret is known. */
int parts_prepare(struct job *job, struct job_file *file);

/* container_part() into NAME.part; an earlier record of the part becomes invalid before. */
int parts_crypt(struct job *job, struct job_file *file, struct sink *sink, const struct gpucrypt_progress *progress);

/* Store the record, after the sync of the output, unless another file has its name now. */
int parts_store_record(struct job_file *file);

/* Open the record of a part with these flags of open(2).  GPUCRYPT_EXISTS if another file has its name; *there: it
 * exists. */
int part_record_open(struct part_record *record, const struct output *output, uint64_t number, uint64_t count,
        int flags, bool *there);

/* Read the first n_bytes of an open record; *got is less if it is shorter. */
int part_record_read(const struct part_record *record, uint8_t *bytes, size_t n_bytes, size_t *got);

#endif
