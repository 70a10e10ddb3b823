/* Complete a container that was written in parts (parts.h). */
#ifndef GPUCRYPT_CONTAINER_PARTS_JOIN_H
#define GPUCRYPT_CONTAINER_PARTS_JOIN_H

#include "gpucrypt/container/parts/part_reader.h"
#include "gpucrypt/container/start_record.h"

/* Members are for join.c. */
struct join {
	struct source *file;
	const struct gpucrypt_secret *secret;
	struct started started;
	struct group_reader reader;
	struct page_pass pass;
	int (*load)(void *self, uint64_t number, uint8_t record[START_RECORD_BYTES], bool *there);
	void *self;
};

/* Unlock the file, whose descriptor can be written to; both arguments are used until closing, after a failure too.
 * GPUCRYPT_EXISTS for the part file of enc --resume. */
int join_open(struct join *join, struct source *file, const struct gpucrypt_secret *secret);
void join_close(struct join *join);

/* Number of parts that the file was started with; 0: it has no start record of this secret, because an earlier run
 * completed it. */
uint64_t join_count(const struct join *join);

/* The source's time of modification, which the container gets.  False: the container keeps its own time, because
 * join_count() is 0 and the source's time is not known, or because the source is a container. */
bool join_source_time(const struct join *join, struct timespec *time);

/* Are all parts complete, by all pages and the stored records?  load() gives the record of a part; *there: it exists.
 * GPUCRYPT_CORRUPT names the parts that are missing; GPUCRYPT_EXISTS for the start record of another secret. */
int join_check(struct join *join,
        int (*load)(void *self, uint64_t number, uint8_t record[START_RECORD_BYTES], bool *there), void *self);

/* The same without records: compare() sets *good if this part was completed with this digest. */
int join_compare(struct join *join, const struct start_parts *parts,
        int (*compare)(void *self, const struct part_done *part, bool *good), void *self);

/* old: the container that the joined one will replace.  GPUCRYPT_IO if runs of enc --update --part have read it, and its
 * key slots or its content have changed since then.  Once the joined file has no start record, only key slots are
 * compared. */
int join_check_replaced(const struct join *join, struct source *old);

/* Write the final page with the root, which makes the records of the parts superfluous; then copy B of the header over
 * the start record.  Each is on storage afterwards. */
int join_store_root(struct join *join);
int join_complete(struct join *join, struct report *report);

#endif
