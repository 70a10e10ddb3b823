/* One pass over the pages of a container that several runs have written or read, each a range of groups: are all pages
 * authentic, and the ones that those runs saw? */
#ifndef GPUCRYPT_CONTAINER_PARTS_PAGE_PASS_H
#define GPUCRYPT_CONTAINER_PARTS_PAGE_PASS_H

#include "gpucrypt/container/group_reader.h"
#include "gpucrypt/container/start_record.h"

/* Numbers of parts, as text: "2, 5"; "..." stands for those that have no room. */
#define PART_LIST_BYTES 96
void part_list_add(char list[PART_LIST_BYTES], uint64_t number);

struct page_pass {
	struct group_reader *reader; /* header, keys and plaintext_bytes are known; a source that has positions */
	struct start_parts parts;
	bool unrooted; /* digests are those of runs that leave no root in the final page */
	/* For each part, in order: *good: was it completed with pages of this digest?  May fail. */
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

/* After a pass: are all pages authentic, and is the root that of the final page?  GPUCRYPT_CORRUPT. */
bool page_pass_rooted(const struct page_pass *pass);
int page_pass_check_root(const struct page_pass *pass);

/* The final page, as it was read, and its keys, which the caller wipes. */
int page_pass_open_final(struct page *page, struct group_keys *keys, const struct page_pass *pass);

#endif
