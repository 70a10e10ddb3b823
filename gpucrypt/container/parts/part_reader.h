/* Readers of ranges of groups: for verify --part, and for processes that receive the keys from another process. */
#ifndef GPUCRYPT_CONTAINER_PARTS_PART_READER_H
#define GPUCRYPT_CONTAINER_PARTS_PART_READER_H

#include "gpucrypt/container/group_reader.h"
#include "gpucrypt/container/parts/parts.h"

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
 * authentic, and the pages of this part are the same as before.  Sets report->digest. */
int part_check_pages(
        struct group_reader *reader, const struct part_number *part, uint64_t align, struct report *report);

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

#endif
