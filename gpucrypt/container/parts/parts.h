/*
 * An unfinished container, with a start record in place of its second header copy (gcrypt(5), "Start records"): one run
 * writes all of it and continues what an earlier run left (--resume), or several runs, on one machine or on many, write
 * each its part, a range of groups, at its final place (--part; gcrypt(5), "Parts") until the parts are joined.
 * Groups in the file that verify are kept, the others get fresh salts.
 */
#ifndef GPUCRYPT_CONTAINER_PARTS_PARTS_H
#define GPUCRYPT_CONTAINER_PARTS_PARTS_H

#include "gpucrypt/container/group.h"
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
 * part->count 0: encrypt all groups of a file that was started for one run: then it is a complete container, and there
 * is no record.  GPUCRYPT_USAGE for other options than those of the start. */
int container_part(struct source *source, struct source *file, struct sink *sink, const struct part_number *part,
        uint64_t align, const struct gpucrypt_plan *plan, const struct gpucrypt_secret *secret,
        const struct gpucrypt_progress *progress, struct report *report, uint8_t record[START_RECORD_BYTES]);

/* A writer of ranges of groups into a file that container_parts_start() has made. */

/* Open the file to encrypt these parts of this source; parts->align 0 is replaced by the start record's value.  restart
 * and errors: see container_parts_check(); restart NULL: a file without a start record of this secret is a failure. */
int parts_open(struct started *started, struct source *source, struct source *file,
        const struct gpucrypt_secret *secret, struct start_parts *parts, const char **restart);

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

/* Readers of ranges of groups: for verify --part, and for processes that receive the keys from another process. */

/* Set header, keys, length and suite of a reader, and make it a partial reader.  The caller has set source and sink
 * (NULL: only authenticate), and closes the reader. */
void part_reader_describe(struct group_reader *reader, const struct authenticated_header *header,
        const struct file_keys *keys, uint64_t plaintext_bytes);

/* Read the groups first … end - 1; the sink gets the first byte of the content at 0.  reader->digest is that of the
 * groups' pages; the root is not checked. */
int part_reader_run(struct group_reader *reader, uint64_t first, uint64_t end, const struct gpucrypt_plan *plan,
        struct report *report);

/* Authenticate the payload of the part, and all pages with the root: parts with the same digest in their reports are of
 * one version of the container, and all of them together are what container_decrypt() verifies.
 * report->plaintext_bytes is the part's length.  Errors: those of container_decrypt(), and GPUCRYPT_USAGE for a pipe.
 */
int container_verify_part(struct source *source, const struct part_number *part, const struct gpucrypt_plan *plan,
        const struct gpucrypt_secret *secret, const struct gpucrypt_progress *progress, struct report *report);

/* The same by a partial reader whose length and engine are known; a sink gets the first byte of the content at 0.
 * report->digest is the MAC of the final page. */
int part_read(struct group_reader *reader, const struct part_number *part, const struct gpucrypt_plan *plan,
        struct report *report);

/* The second half of part_read(), after the part was read.  Reads all pages: GPUCRYPT_OK if they and the root are
 * authentic, the pages of this part are the same as before, and the final page is that of range_begin(). */
int part_check_pages(struct group_reader *reader, const struct part_number *part, uint64_t align);

/* One pass over the pages of a container that several runs have written or read, each a range of groups: are all pages
 * authentic, and the ones that those runs saw? */

/* Numbers of parts, as text: "2, 5"; "..." stands for those that have no room. */
#define PART_LIST_BYTES 96
void part_list_add(char list[PART_LIST_BYTES], uint64_t number);

struct page_pass {
	struct group_reader *reader; /* header, keys and plaintext_bytes are known; a source that has positions */
	struct start_parts parts;
	bool unrooted; /* digests are those of runs that leave no root in the final page */
	/* Called for each part, in order.  *good: the part was completed with pages of this digest.  May fail.  NULL:
	 * all parts were. */
	int (*compare)(void *self, const struct part_done *part, bool *good);
	void *self;
	/* Afterwards: */
	bool authentic;                /* all pages, whether their parts are complete or not */
	uint8_t root[MAC_BYTES];       /* HMAC over all page MACs but the last */
	uint8_t stored[MAC_BYTES];     /* the root in the final page; zeros if that is not authentic */
	uint64_t n_missing;            /* parts that are not complete */
	char missing[PART_LIST_BYTES]; /* the first of them */
	uint8_t final[PAGE_BYTES];     /* the last page, if none is missing */
};

int page_pass_run(struct page_pass *pass);

/* After a pass: are all pages authentic, and is the computed root the root in the final page?  page_pass_check_root():
 * GPUCRYPT_CORRUPT if not; else sets report->digest to the MAC of the final page. */
bool page_pass_rooted(const struct page_pass *pass);
int page_pass_check_root(const struct page_pass *pass, struct report *report);

/* Complete a container that was written in parts (parts.h). */

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

/* old: the container that the joined one will replace.  GPUCRYPT_IO if runs of enc --update --part have read it, and
 * its key slots or its content have changed since then.  Once the joined file has no start record, only key slots are
 * compared. */
int join_check_replaced(const struct join *join, struct source *old);

/* Write the final page with the root, which makes the records of the parts superfluous; then copy B of the header over
 * the start record.  Each is on storage afterwards. */
int join_store_root(struct join *join);
int join_complete(struct join *join, struct report *report);

/*
 * dec --part: several runs decrypt one container into one file, each its part (gcrypt(5), "Parts of a decryption"). The
 * file has the length of the content from the start, and until all parts are complete a start record after it.  For
 * each part that is complete the caller stores a record.  All records are authenticated by the container's file key.
 */

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
