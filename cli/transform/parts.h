/* enc --resume and --part, and rekey --part: runs that encrypt into NAME.part; and the records of parts.  For dec
 * --part see parts_decrypt.c. */
#ifndef CLI_TRANSFORM_PARTS_H
#define CLI_TRANSFORM_PARTS_H

#include "cli/files/input.h"
#include "cli/files/output.h"
#include "gpucrypt/container/parts/parts.h"

struct options;
struct job;
struct job_file;

/* What NAME.part is started for. */
struct parts_start {
	struct source *source;
	struct gpucrypt_plan *plan; /* a cipher that is not named becomes that of the start */
	const struct gpucrypt_secret *secrets;
	struct start_parts parts;
};

/* The number of parts and their alignment, and the part of this run, by the options. */
struct start_parts parts_wanted(const struct options *options);
struct part_number parts_number(const struct options *options);

/* Choose the output whose unfinished file is NAME.part.  Remove this name if a killed run left it beside NAME
 * (output_end_naming()), unless the file may be another program's: a ciphertext must begin as a container does, and a
 * plaintext must have the record of part 1 beside it.  GPUCRYPT_USAGE unless input and output are regular files. */
int parts_choose_output(struct job *job, struct job_file *file, const struct output_terms *terms);

/* Open NAME.part, or start it, lock the part, and check that the start was made for the same source and parts.  With
 * --resume, lock all, and start it again if it cannot be continued. */
int parts_prepare(const struct parts_start *start, struct job *job, struct job_file *file);

/* Make a record empty, or make an empty one: after a crash during the run the part counts as missing. */
int part_record_renew(const struct output *output, const struct part_number *part);

/* Store the record, after the sync of the output, unless another file has its name now. */
int part_record_store(
        const struct output *output, const struct part_number *part, const uint8_t bytes[START_RECORD_BYTES]);

/* Read a record; *whole: it is there, and as long as it has to be. */
int part_record_load(
        const struct output *output, const struct part_number *part, uint8_t bytes[START_RECORD_BYTES], bool *whole);

/* Remove the records of all parts, whatever is in them. */
int part_records_remove(const struct output *output, uint64_t count);

#endif
