/* enc and rekey --part: one of several runs that encrypt into NAME.part; and the records of parts.  For dec --part see
 * parts_decrypt.c. */
#ifndef CLI_PARTS_H
#define CLI_PARTS_H

#include "cli/files/input.h"
#include "cli/files/output.h"
#include "gpucrypt/container/start_record.h"

struct options;
struct rekey;
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

/* What NAME.part is started for. */
struct parts_start {
	struct source *source;
	struct gpucrypt_plan *plan; /* a cipher that is not named becomes that of the start */
	const struct gpucrypt_secret *secrets;
	struct start_parts parts;
};

/* The number of parts and their alignment, by the options. */
struct start_parts parts_wanted(const struct options *options);

/* Open NAME.part, or start it, lock the part, and check that the start was made for the same source and parts. */
int parts_prepare(const struct parts_start *start, struct output *output, const struct options *options);

/* container_rekey_part() into NAME.part; an earlier record of the part becomes invalid before. */
int parts_rekey(const struct rekey *rekey, struct job_file *file, const struct options *options);

/* Make a record empty, or make an empty one: after a crash during the run the part counts as missing. */
int part_record_renew(struct part_record *record, const struct output *output, uint64_t number, uint64_t count);

/* Read a record; *whole: it is there, and as long as it has to be. */
int part_record_load(
        const struct output *output, uint64_t number, uint64_t count, uint8_t bytes[START_RECORD_BYTES], bool *whole);

/* Remove the records of all parts, whatever is in them. */
int part_records_remove(const struct output *output, uint64_t count);

/* Remove the name NAME.part that a killed run has left (output_end_naming()), unless the file may be another program's:
 * a ciphertext must begin as a container does, and a plaintext must have the record of part 1 of `count` beside it. */
int parts_end_naming(const char *name, const struct output_terms *terms, uint64_t count);

/* Store the record, after the sync of the output, unless another file has its name now. */
int parts_store_record(struct job *job, struct job_file *file);

#endif
