/* Reads a container's groups, through the pipeline or one by one; common to all readers. */
#ifndef GPUCRYPT_CONTAINER_GROUP_READER_H
#define GPUCRYPT_CONTAINER_GROUP_READER_H

#include "gpucrypt/container/container.h"
#include "gpucrypt/container/group.h"
#include "gpucrypt/pipeline/pipeline.h"

struct group_reader {
	struct source *source;
	struct sink *sink;                        /* NULL: only authenticate */
	const struct gpucrypt_progress *progress; /* or NULL */
	struct lookahead input;
	struct suite suite;
	struct authenticated_header header;
	struct file_keys keys;
	struct groups groups;
	struct running_hmac root;     /* over the page MACs so far */
	uint8_t final_mac[MAC_BYTES]; /* of the final page, once root and length are checked; see range_begin() */
	bool ended;
	bool source_has_holes; /* the file system reports holes in the source */
	bool by_pieces;        /* the thread that authenticates a group also reads it, and on the CPU decrypts it */
	/* Decrypts the chunks of a group that are in memory, and encrypts them again; NULL: they are only decrypted. */
	int (*recrypt)(struct group_reader *reader, unsigned worker, struct group *group);
	bool partial; /* only chunks with bytes from … to are read, by position; the root is not checked */
	uint8_t digest[MAC_BYTES]; /* partial: HMAC(K_root, MACs of the pages read), once all are read */
	uint64_t from, to;         /* range in the plaintext; else 0 and UINT64_MAX */
	uint64_t origin;           /* partial: the byte of the plaintext that the sink gets at 0 */
	uint64_t plaintext_bytes;  /* partial: of the whole, from the start; else known once the final page is */
};

/* For all of a source. */
struct group_reader reader_of(struct source *source, struct sink *sink, const struct gpucrypt_progress *progress);
void reader_close(struct group_reader *reader); /* wipes the reader */

/* Unlock the header, copy a warning about a damaged header copy to the report, find the header's suite, and set the
 * layout of a detached source. */
int reader_begin(struct group_reader *reader, const struct gpucrypt_secret *secret, struct report *report);

/* Make it a partial reader: unlock the container, authenticate the final page, and set plaintext_bytes and final_mac.
 * GPUCRYPT_USAGE for a pipe. */
int range_begin(struct group_reader *reader, const struct gpucrypt_secret *secret, struct report *report);

/* Open the engine that the sink needs: none if there is none, but for padding.  The report, or NULL, names it. */
int reader_open_engine(struct group_reader *reader, const struct gpucrypt_plan *plan, struct report *report);

static inline uint64_t reader_page_offset(const struct group_reader *reader, uint64_t group)
{
	return layout_page_offset(reader->header.header.group_log2, group);
}

/* Call this before groups are released. Does every group of an image have a page, and does the sink accept the content?
 * */
int reader_check_sizes(const struct group_reader *reader);

/* Fail with GPUCRYPT_CORRUPT and a message that names the file and the byte offset of the damage. */
int reader_corrupt(const struct group_reader *reader, uint64_t group, uint64_t offset_in_group, const char *what);

/* The keys of the group whose page is in group->bytes, and the page, authenticated by them. */
int reader_open_page(const struct group_reader *reader, struct group *group, uint64_t number);

/* The same, after reading the page to group->bytes. */
int reader_read_page(const struct group_reader *reader, struct group *group, uint64_t number);

/* Find how many threads may read groups at the same time, and if the source is slow; the header must be known. */
int reader_threads(struct group_reader *reader, const struct gpucrypt_plan *plan, unsigned *readers, bool *slow);

/* The stages read, tag and engine, after which a group is authentic and decrypted, and the slots that they need. */
#define READER_STAGES 3
int reader_stages(struct group_reader *reader, const struct gpucrypt_plan *plan, struct stage stages[READER_STAGES],
        unsigned *slots);

/* In order; with the final page the root, and the length, are compared.  The job's stage, and for one page.  The stage
 * of a partial reader only computes the digest. */
int reader_check_root_page(struct group_reader *reader, const struct group *group, uint64_t item);
int reader_check_root(void *job, unsigned worker, unsigned slot, uint64_t item);

/* Compare the tag of each chunk in memory with the page. */
int reader_check_chunks(const struct group_reader *reader, struct group *group, uint64_t item);

/* The padding of the last block must be zero. */
int reader_check_padding(
        const struct group_reader *reader, const struct group *group, const uint8_t *padding, uint64_t item);

/* Pass the groups from `first` on through all stages.  A partial reader can run again for another range. */
int reader_run(struct group_reader *reader, const struct gpucrypt_plan *plan, uint64_t first, struct report *report);

#endif
