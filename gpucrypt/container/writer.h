/* Inside container_*.c: what writes containers in groups through the pipeline. */
#ifndef WRITER_H
#define WRITER_H

#include "gpucrypt/container/container.h"
#include "gpucrypt/container/group.h"
#include "gpucrypt/pipeline/pipeline.h"

struct writer {
	struct source *source;
	struct source *part; /* what an earlier run wrote of the container; NULL: nothing; not owned */
	struct sink *sink;
	const struct gpucrypt_progress *progress; /* or NULL */
	struct lookahead input;
	struct suite suite;
	struct header header;
	struct file_keys keys;
	struct engine *engine; /* owned; NULL: the source is ciphertext already (retag) */
	struct recheck recheck;
	struct groups groups;
	bool sparse;              /* chunks of zeros become holes */
	bool source_has_holes;    /* … and the file system tells where some are */
	struct running_hmac root; /* over the page MACs so far */
};

/* For all of a source. */
struct writer writer_of(struct source *source, struct sink *sink, const struct gpucrypt_progress *progress);

/* Suite and header, but for salt and slots, from the plan.  GPUCRYPT_USAGE. */
int writer_describe(struct writer *writer, struct gpucrypt_plan plan);

/* A new file key in a slot for each secret, and two equal copies of the header. */
int writer_make_header(
        struct writer *writer, uint8_t copies[2 * HEADER_COPY_BYTES], const struct gpucrypt_secret *secret);

/* GPUCRYPT_IO if the sink has no room for the container. */
int writer_admit(const struct writer *writer);

/* Stages, of a job that is a writer: after encryption the page, in order, the writing, and the report. */
int writer_tag(void *job, unsigned worker, unsigned slot, uint64_t item);
int writer_seal(void *job, unsigned worker, unsigned slot, uint64_t item);
int writer_write(void *job, unsigned worker, unsigned slot, uint64_t item);
int writer_report(void *job, unsigned worker, unsigned slot, uint64_t item);

/* All groups, from the first stage to the last; or some of them (relay.h; job is a writer). */
int writer_run(struct writer *writer, const struct gpucrypt_plan *plan, struct report *report);
int writer_run_items(void *job, const struct gpucrypt_plan *plan, struct items *items);

/* Of a container that the first secret of a list started: are the others, all of public keys, those that the
 * header was made for?  GPUCRYPT_USAGE; file has the header. */
int writer_check_recipients(
        const struct source *file, const struct header *started, const struct gpucrypt_secret *recipients);

void writer_close(struct writer *writer); /* wiped */

/* With a part: if the group is there as it should be, get it (group->kept) and not the source's. */
int writer_keep(const struct writer *writer, struct group *group, uint64_t number);

#endif
