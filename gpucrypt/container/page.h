/* A group's page, the 4096 bytes of metadata before its payload: length, salt and chunk tags (gcrypt(5), "Page"). */
#ifndef GPUCRYPT_CONTAINER_PAGE_H
#define GPUCRYPT_CONTAINER_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "gpucrypt/container/layout.h"
#include "gpucrypt/crypto/tag.h"

#define PAGE_SALT  32                       /* offset of the group salt, needed before the MAC can be checked */
#define PAGE_MAC   (PAGE_BYTES - MAC_BYTES) /* offset of the MAC, of all bytes before it */
#define PAGE_FINAL 1u
#define PAGE_HOLES 2u

struct page {
	uint64_t group, n_bytes;
	uint32_t flags;
	uint8_t salt[GROUP_SALT_BYTES], holes[MAX_CHUNKS / 8], root[MAC_BYTES];
	uint8_t tags[MAX_CHUNKS][TAG_BYTES];
};

/* Encode without the MAC; page_seal writes it. */
void page_encode(uint8_t bytes[PAGE_BYTES], const struct page *page);
int page_seal(uint8_t bytes[PAGE_BYTES], const struct group_keys *keys);

/* Check the MAC, then the form: index, zero fields, flags against n_bytes and hole bitmap, tags and holes only of
 * chunks. GPUCRYPT_CORRUPT; the caller adds the offset. */
int page_open(struct page *page, const uint8_t bytes[PAGE_BYTES], const struct group_keys *keys, uint64_t group,
        unsigned group_log2, unsigned chunk_log2);

/* Derive the group's keys, and use them to open the page. */
int page_unlock(struct page *page, struct group_keys *keys, const uint8_t bytes[PAGE_BYTES],
        const struct file_keys *file_keys, uint64_t group, const struct header *header);

/* Decode a page without any check. */
void page_decode(struct page *page, const uint8_t bytes[PAGE_BYTES]);

static inline bool page_hole(const struct page *page, unsigned chunk)
{
	return page->holes[chunk / 8] >> chunk % 8 & 1;
}

#endif
