/* What encrypt.c and decrypt.c share: image, detached header and journal, group by group. */
#ifndef GPUCRYPT_CONTAINER_IN_PLACE_CONVERSION_H
#define GPUCRYPT_CONTAINER_IN_PLACE_CONVERSION_H

#include "gpucrypt/container/group.h"
#include "gpucrypt/container/in_place/in_place.h"

struct conversion {
	struct group_writer writer; /* without a pipeline: one slot, one lane */
	struct group *group;        /* in that slot */
	const struct in_place *files;
	uint64_t n_groups, done;            /* done: number of groups whose pages are written */
	bool torn;                          /* the page after them was not written as a whole */
	enum start_found record;            /* of the journal */
	struct authenticated_header header; /* of the detached header that was found */
};

/* After header, keys and suite of the writer are set. */
int conversion_prepare(struct conversion *conversion, const struct gpucrypt_plan *plan, struct report *report);

/* Write, and sync. */
int conversion_store(const struct source *file, const uint8_t *bytes, size_t n_bytes, uint64_t offset);

uint64_t conversion_image_offset(const struct conversion *conversion, uint64_t number);

/* Read the group's part of the image into its payload, or its page from the detached header. */
int conversion_read_image(struct conversion *conversion, uint64_t number);
int conversion_read_page(struct conversion *conversion, uint64_t number);

/* Find `done` and `torn`: valid pages, then at most one torn page, and then none. */
int conversion_count_pages(struct conversion *conversion);
int conversion_wrong_pages(const struct conversion *conversion, uint64_t number);

/* Is the journal's group, which is in the slot, behind the next one?  Then pages that were there are lost, and the
 * image has ciphertext without pages. */
bool conversion_journal_ahead(struct conversion *conversion);

/* The page in the slot follows those whose MACs the root has. */
int conversion_add_to_root(struct conversion *conversion);

/* Read the journal as page and ciphertext of the group. */
int conversion_load_journal(struct conversion *conversion, uint64_t number);
int conversion_store_journal(struct conversion *conversion);

/* The ciphertext of the group and its page are in the journal, on storage: write them to image and detached header. */
int conversion_store_group(struct conversion *conversion, uint64_t number);

/* Rewrite a damaged or older header copy from the authenticated one. */
int conversion_repair_header(const struct conversion *conversion);

/* Sync the names of journal and detached header. */
int conversion_sync_folder(const struct in_place *files);

/* GPUCRYPT_IO if the image has no longer the size that it had: bytes that were appended are not converted. */
int conversion_check_size(const struct source *image);

#endif
