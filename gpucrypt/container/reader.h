/* Inside container_*.c: what reads containers in groups through the pipeline. */
#ifndef READER_H
#define READER_H

#include "gpucrypt/container/container.h"
#include "gpucrypt/container/group.h"

struct reader {
	struct source *source;
	struct sink *sink;                        /* NULL: only authenticate */
	const struct gpucrypt_progress *progress; /* or NULL */
	struct lookahead input;
	struct suite suite;
	struct authenticated_header header;
	struct file_keys keys;
	struct engine *engine; /* owned; NULL: nothing to decrypt */
	struct recheck recheck;
	struct groups groups;
	struct running_hmac root; /* over the page MACs so far */
	bool source_has_holes;    /* the file system tells where some are */
	uint64_t plaintext_bytes; /* once the final page is there */
};

/* For all of a source. */
struct reader reader_of(struct source *source, struct sink *sink, const struct gpucrypt_progress *progress);
void reader_close(struct reader *reader); /* wiped */

/* How many threads may be in reader_read(), once the header is known. */
unsigned reader_readers(struct reader *reader, const struct gpucrypt_plan *plan);

/* Stages, of a job that is a reader.  A group that an engine is to tag is authenticated by its page only:
 * its tags are checked when the engine has made them. */
int reader_read(void *job, unsigned worker, unsigned slot, uint64_t item);
int reader_authenticate(void *job, unsigned worker, unsigned slot, uint64_t item);

/* In order; before the last group is released it also checks the length. */
int reader_check_root(void *job, unsigned worker, unsigned slot, uint64_t item);

/* Does the engine compute tags while it decrypts? */
bool reader_engine_tags(const struct reader *reader);

/* Each chunk against its tag, in constant time. */
int reader_check_tags(const struct reader *reader, struct group *group, uint64_t item);

/* What fills the last block must be zeros. */
int reader_check_filler(const struct reader *reader, const struct group *group, const uint8_t *filler, uint64_t item);

#endif
